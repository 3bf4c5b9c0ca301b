// Names of commands that do not exist, also after `help`: an error with those that do. The parser shows the help of another
// command for them, and ends with 0.

import ArgumentParser

enum CommandNames {
  /// Names that begin with a dash: the parser would take their letters for options, and show its help for an `h` among them.
  /// - Throws: a usage error for a word of several letters after one dash.
  static func checkDashes(_ arguments: some Sequence<String>) throws {
    for word in arguments {
      if word == "--" { return }
      guard word.count > 2, word.hasPrefix("-"), !word.hasPrefix("--"),
        !word.dropFirst().allSatisfy({ $0.isNumber || $0 == "." })
      else { continue }
      throw CommandFailure.usage(
        "\(word) looks like options, and there are none of one letter but -h. For a file write ./\(word)")
    }
  }

  /// - Throws: a usage error if the words before the first option name no command.
  static func check(_ arguments: ArraySlice<String>) throws {
    var command: any ParsableCommand.Type = PermlogCommand.self
    var path = "permlog"
    var isHelp = false
    for word in arguments {
      // Options, and what the shells' scripts ask.
      if word.hasPrefix("-") { return }
      if !isHelp, path == "permlog", word == "help" {
        isHelp = true
        continue
      }
      let commands = command.configuration.subcommands
      // The rest are the command's own arguments; after help there are none.
      if commands.isEmpty, !isHelp { return }
      if isHelp, path == "permlog", word == "help" { return }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        let names = commands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
          .joined(separator: ", ")
        throw CommandFailure.usage(
          commands.isEmpty
            ? "`\(path)` has no commands of its own; `\(path) --help` shows its options"
            : "there is no command `\(path) \(word)`; take one of \(names)")
      }
      command = next
      path += " " + word
    }
  }
}
