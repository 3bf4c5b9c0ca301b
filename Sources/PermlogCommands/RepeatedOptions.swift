// An option that takes one value is given once: the parser would take the last value and drop the others without a word.

import ArgumentParser
import Permlog

enum RepeatedOptions {
  /// Throws if an option that takes one value was given more than once.
  /// - Parameter arguments: of the command line, without the program's name. No option takes a value that begins with a dash,
  ///   so whatever does is a name.
  static func refuse(in arguments: [String]) throws(CommandFailure) {
    let names = arguments.prefix { $0 != "--" }.flatMap(names)
    // The description of a command takes longer than all the rest, so it is made only if there is something to look up.
    guard Set(names).count < names.count || names.contains(where: { !$0.hasPrefix("--") }) else { return }
    for spellings in singleOptions(of: command(arguments)) {
      let given = names.filter(spellings.contains)
      guard given.count > 1, let first = given.first else { continue }
      let times = given.count == 2 ? "twice" : "\(given.count) times"
      throw .usage("\(first) was given \(times), and takes one value: leave out all but one")
    }
  }

  /// The options of this process's command line, by the names that they were given under.
  static var given: [String] { CommandLine.arguments.dropFirst().prefix { $0 != "--" }.flatMap(names) }

  /// The command that the first words name.
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

  /// The names that an argument has: `--week` of `--week=2026-W14`, `-a` and `-b` of `-ab`; none if it is a value.
  private static func names(_ argument: String) -> [String] {
    let name = String(argument.prefix { $0 != "=" })
    if name.hasPrefix("--") { return [name] }
    guard name.hasPrefix("-"), name != "-" else { return [] }
    return name.dropFirst().map { "-\($0)" }
  }

  /// The spellings of each option of a command that takes one value, by the parser's own description of it.
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
