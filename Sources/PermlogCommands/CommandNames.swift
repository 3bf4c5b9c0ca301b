// Names of commands that do not exist, also after `help`, are errors that list the existing commands. The parser would
// show the help of another command and exit with 0.

import ArgumentParser
import PermissionEvents
import Permlog

enum CommandNames {
  /// Before anything compares an argument: a Swift String takes the square of a run of combining marks for that.
  /// - Parameter arguments: with the name of the program, which has number 0.
  static func checkMarks(_ arguments: [String]) throws {
    guard let number = arguments.firstIndex(where: { !$0.isBounded }) else { return }
    throw CommandFailure.usage(
      "argument \(number) has more than \(BoundedText.mostMarks) combining marks in a row, which no language writes. Give "
        + "another name; a file can be renamed.")
  }

  /// An empty argument is usually a script's variable without a value. No command accepts one.
  /// - Throws: a usage error that names the argument before it.
  static func checkEmpty(_ arguments: ArraySlice<String>) throws {
    // The shells' scripts ask for completions in this way.
    if arguments.first == "---completion" { return }
    // Help is help, whatever stands beside it.
    let options = arguments.prefix { $0 != "--" }
    if options.contains(where: { ["-h", "--help", "--version"].contains($0) }) { return }
    var before: String?
    for (index, word) in zip(arguments.indices, arguments) {
      // `--where=country=` has a value, and after `--` nothing is an option.
      let isOption =
        index < options.endIndex && word.hasPrefix("--") && word.hasSuffix("=") && !word.dropLast().contains("=")
      if word.isEmpty || isOption {
        let argument =
          isOption
          ? "the value of \(word.dropLast())" : before.map { "the argument after \($0)" } ?? "the first argument"
        throw CommandFailure.usage("\(argument) is empty: perhaps a variable in the script has no value")
      }
      before = word
    }
  }

  /// Names that begin with a dash: the parser would read their letters as options, and show its help if one is an `h`.
  /// - Throws: a usage error for a word of several letters after one dash.
  static func checkDashes(_ arguments: some Sequence<String>) throws {
    for word in arguments {
      if word == "--" { return }
      guard word.count > 2, word.hasPrefix("-"), !word.hasPrefix("--"),
        !word.dropFirst().allSatisfy({ $0.isNumber || $0 == "." })
      else { continue }
      throw CommandFailure.usage(
        "\(word) looks like options of one letter, but the only such option is -h. For a file, write ./\(word)")
    }
  }

  /// - Throws: a usage error if the words before the first option name no command.
  static func checkCommand(_ arguments: ArraySlice<String>) throws {
    var command: any ParsableCommand.Type = PermlogCommand.self
    var path = "permlog"
    var isHelp = false
    for word in arguments {
      // Options, or a request for completions.
      if word.hasPrefix("-") { return }
      if !isHelp, path == "permlog", word == "help" {
        isHelp = true
        continue
      }
      let commands = command.configuration.subcommands
      // The rest are the command's own arguments. After `help` there are no arguments.
      if commands.isEmpty, !isHelp { return }
      if isHelp, path == "permlog", word == "help" { return }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        let names = commands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
        let meant = DidYouMean.text(word, names)
        let all = (meant.isEmpty ? "; use one of " : " All commands: ") + names.joined(separator: ", ")
        throw CommandFailure.usage(
          commands.isEmpty
            ? "`\(path)` has no subcommands; `\(path) --help` shows its options"
            : "there is no command `\(path) \(word)`\(meant)\(all)")
      }
      command = next
      path += " " + word
    }
  }
}

// MARK: An option with one value may be given only once: the parser would silently use the last value

enum RepeatedOptions {
  /// Throws if an option with one value was given more than once.
  /// - Parameter arguments: the arguments of the command line, without the program's name. No value begins with a dash,
  ///   so an argument with a dash is the name of an option.
  static func refuse(in arguments: [String]) throws(CommandFailure) {
    let names = arguments.prefix { $0 != "--" }.flatMap(names)
    // Making the description of a command takes longer than all the rest, so it is made only if it is needed.
    guard Set(names).count < names.count || names.contains(where: { !$0.hasPrefix("--") }) else { return }
    for spellings in singleOptions(of: command(arguments)) {
      let given = names.filter(spellings.contains)
      guard given.count > 1, let first = given.first else { continue }
      let times = given.count == 2 ? "twice" : "\(given.count) times"
      throw .usage("\(first) was given \(times), but takes only one value: leave out the others")
    }
  }

  /// The names of the options on this process's command line.
  static var given: [String] { CommandLine.arguments.dropFirst().prefix { $0 != "--" }.flatMap(names) }

  private static func command(_ arguments: [String]) -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = PermlogCommand.self
    for word in arguments {
      guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else {
        break
      }
      command = next
    }
    return command
  }

  /// The names in an argument: `--week` of `--week=2026-W14`, `-a` and `-b` of `-ab`; empty if it is a value.
  private static func names(_ argument: String) -> [String] {
    let name = String(argument.prefix { $0 != "=" })
    if name.hasPrefix("--") { return [name] }
    guard name.hasPrefix("-"), name != "-" else { return [] }
    return name.dropFirst().map { "-\($0)" }
  }

  /// The spellings of each option that has one value, read from the parser's own description of the command.
  private static func singleOptions(of command: any ParsableCommand.Type) -> [[String]] {
    guard let tree = TreeOfJSON(document: Array(command._dumpHelp().utf8)),
      case .list(let arguments)? = tree.member("command")?.member("arguments")
    else { return [] }
    return arguments.compactMap { argument in
      guard argument.member("kind") == .text("option"), argument.member("isRepeating") != .boolean(true),
        case .list(let names)? = argument.member("names")
      else { return nil }
      return names.compactMap { name in
        guard case .text(let text)? = name.member("name") else { return nil }
        return (name.member("kind") == .text("short") ? "-" : "--") + text
      }
    }
  }
}

extension TreeOfJSON {
  fileprivate func member(_ key: String) -> TreeOfJSON? {
    if case .object(let members) = self { members.first { $0.key == key }?.value } else { nil }
  }
}

// MARK: Arguments as the system gave them
// Swift repairs arguments that are not UTF-8, and no file has the repaired name.

/// Restores the given bytes of repaired arguments.
enum RawArguments {
  /// The arguments of this process that are not UTF-8, in their order.
  private static let given: [FilePath] = {
    let arguments = CommandLine.unsafeArgv
    return (0..<Int(CommandLine.argc)).compactMap { arguments[$0] }.map { FilePath($0) }
      .filter { String(validating: $0.bytes, as: UTF8.self) == nil }
  }()

  /// The paths of a list of arguments. Repaired arguments with the same text stand for different bytes, in the same
  /// order.
  static func paths(_ arguments: [String]) -> [FilePath] { paths(arguments, given: given) }

  static func path(_ argument: String) -> FilePath { paths([argument])[0] }

  static func paths(_ arguments: [String], given: [FilePath]) -> [FilePath] {
    var left = given
    return arguments.map { argument in
      guard let index = left.firstIndex(where: { String(bounded: $0.bytes) == argument }) else {
        return FilePath(argument)
      }
      return left.remove(at: index)
    }
  }
}
