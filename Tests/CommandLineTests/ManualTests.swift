// Help, manual page and completions: all from the argument parser, so none can be out of step with the commands.

import Foundation
import Testing

@Suite struct ManualTests {
  private struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { var name: String }
      /// Which way its value is completed; the rest is the shells' affair.
      struct Completion: Decodable {
        var isFile: Bool
        private enum Key: CodingKey { case file, directory }
        init(from decoder: any Decoder) throws {
          isFile = try !decoder.container(keyedBy: Key.self).allKeys.isEmpty
        }
      }
      var kind: String
      var names: [Name]?
      var valueName: String?
      var completionKind: Completion?
      var shouldDisplay: Bool
      var longNames: [String] { (names ?? []).map(\.name).filter { $0.count > 1 } }
    }
    var commandName: String
    var shouldDisplay: Bool
    var abstract: String?
    var arguments: [Argument]?
    var subcommands: [Command]?
  }

  private struct Dump: Decodable { var command: Command }

  private func commands() throws -> Command {
    try JSONDecoder().decode(Dump.self, from: try Tool.run(["--experimental-dump-help"]).output).command
  }

  private var page: String {
    get throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      return try String(
        contentsOf: root.deletingLastPathComponent().appendingPathComponent("docs/permlog.1"), encoding: .utf8)
    }
  }

  @Test func everyCommandHasAnExampleAndFits80Columns() throws {
    let all = try commands()
    for command in (all.subcommands ?? []) where command.commandName != "help" && command.shouldDisplay {
      let help = try Tool.run([command.commandName, "--help"])
      #expect(help.status == 0)
      // What makes the manual page leaves other characters out.
      #expect(help.text.allSatisfy { $0.isASCII }, "\(command.commandName)")
      let lines = help.text.split(separator: "\n", omittingEmptySubsequences: false)
      let example = lines.firstIndex { $0.hasPrefix("Example:") }
      #expect(
        example.map { lines[$0 + 1].contains("permlog \(command.commandName)") } == true, "\(command.commandName)")
      // The line of usage is one line, whatever its length.
      for line in lines { #expect(line.count <= 80, "\(line)") }
      // An example that is longer than a line is broken by the parser, and then nobody can copy it.
      for line in lines[((example ?? 0) + 1)...].prefix(while: { !$0.isEmpty }) {
        #expect(line.hasPrefix("  "), "\(command.commandName): \(line)")
      }
    }
  }

  @Test func theManualNamesEveryCommandAndOptionAndNoOther() throws {
    let page = try page
    let all = try commands()
    var options: Set = ["version", "help"]
    for argument in all.arguments ?? [] where argument.shouldDisplay { options.formUnion(argument.longNames) }
    for command in all.subcommands ?? [] where command.commandName != "help" && command.shouldDisplay {
      #expect(page.contains("\n.Ss permlog \(command.commandName)"), "\(command.commandName)")
      let hasParts = command.subcommands?.isEmpty == false
      #expect(hasParts || page.contains("\n\(command.abstract ?? "?")\n"), "\(command.commandName)")
      for part in [command] + (command.subcommands ?? []) {
        for argument in part.arguments ?? [] where argument.shouldDisplay { options.formUnion(argument.longNames) }
      }
    }
    for option in options { #expect(page.contains(".It Fl -\(option)") || page.contains(", -\(option)"), "\(option)") }
    let named = page.matches(of: /\n\.It Fl (?:[a-z] , )?-([a-z-]+)/).map { String($0.1) }
    #expect(Set(named).subtracting(options).isEmpty, "run Scripts/make-command-pages")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsKnowTheCommands(shell: String) throws {
    let script = try Tool.run(["--generate-completion-script", shell])
    #expect(script.status == 0)
    for word in ["ingest", "report", "compare", "markdown", "app_version"] {
      #expect(script.text.contains(word), "\(word)")
    }
  }

  /// `Scripts/check-completions` presses TAB in the shells.
  @Test func whatTakesAFileCompletesFiles() throws {
    var count = 0
    for command in try commands().subcommands ?? [] {
      for part in [command] + (command.subcommands ?? []) {
        for argument in part.arguments ?? [] where ["file", "keyfile", "dir"].contains(argument.valueName) {
          #expect(argument.completionKind?.isFile == true, "\(part.commandName) \(argument.longNames)")
          count += 1
        }
      }
    }
    #expect(count > 20)
  }

  @Test(arguments: [["help", "nosuch"], ["nosuch"], ["mapping", "nosuch"], ["help", "mapping", "nosuch"]])
  func aCommandThatDoesNotExistIsAnErrorWithThoseThatDo(arguments: [String]) throws {
    let result = try Tool.run(arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(arguments.contains("mapping") ? "show, check, draft" : "ingest, report, compare"))
    #expect(result.errors.contains("nosuch"))
  }

  @Test func helpOfACommandIsItsHelp() throws {
    #expect(try Tool.run(["help", "mapping", "show"]).output == Tool.run(["mapping", "show", "--help"]).output)
    #expect(try Tool.run(["help"]).output == Tool.run(["--help"]).output)
  }

  @Test func theManualNamesEveryVariableOfTheEnvironment() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = FileManager.default.enumerator(
      at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
    var read: Set<String> = []
    while let file = sources?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      read.formUnion(text.matches(of: /(?:getenv|variable)\("([A-Z_]+)"/).map { String($0.1) })
    }
    #expect(read.isSuperset(of: ["PERMLOG_LOG", "NO_COLOR", "FORCE_COLOR", "LC_ALL", "TZDIR"]))
    let page = try page
    let named = Set(
      page.matches(of: /\n\.It Ev ([A-Z_ ,]+)\n/).flatMap { $0.1.split(separator: " , ").map(String.init) })
    // A shell's `~/`, in completions.
    #expect(read.subtracting(named) == ["HOME"])
  }

  @Test(arguments: ["ENVIRONMENT", "FILES", "\"EXIT STATUS\"", "\"SEE ALSO\""])
  func theManualHasTheUsualSections(name: String) throws {
    #expect(try page.contains("\n.Sh \(name)\n"))
  }

  @Test func theManualSaysWhatHoldsWithoutAnOption() throws {
    #expect(try page.contains("The chance of finding the difference, in percent (default: 80)."))
    #expect(try page.contains("First day of the export, UTC (default: 2025-01-06)."))
  }
}
