// Help, manual page and completions: all from the argument parser, so none can be out of step with the commands.

import Foundation
import Testing

@Suite struct ManualTests {
  private struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { var name: String }
      var kind: String
      var names: [Name]?
      var shouldDisplay: Bool
      var longNames: [String] { (names ?? []).map(\.name).filter { $0.count > 1 } }
    }
    var commandName: String
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
    for command in (all.subcommands ?? []) where command.commandName != "help" {
      let help = try Tool.run([command.commandName, "--help"])
      #expect(help.status == 0)
      // What makes the manual page leaves other characters out.
      #expect(help.text.allSatisfy { $0.isASCII }, "\(command.commandName)")
      let lines = help.text.split(separator: "\n", omittingEmptySubsequences: false)
      let example = lines.firstIndex { $0.hasPrefix("Example:") }
      #expect(
        example.map { lines[$0 + 1].contains("permlog \(command.commandName)") } == true, "\(command.commandName)")
      // The line of usage is one line, whatever its length.
      for line in lines where !line.hasPrefix("USAGE:") { #expect(line.count <= 80, "\(line)") }
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
    for command in all.subcommands ?? [] where command.commandName != "help" {
      #expect(page.contains("\n.It Em \(command.commandName)\n"), "\(command.commandName)")
      #expect(page.contains(command.abstract ?? "?"), "\(command.commandName)")
      for part in [command] + (command.subcommands ?? []) {
        for argument in part.arguments ?? [] where argument.shouldDisplay { options.formUnion(argument.longNames) }
      }
    }
    for option in options { #expect(page.contains(".It Fl -\(option)") || page.contains(", -\(option)"), "\(option)") }
    let named = page.matches(of: /\n\.It Fl (?:[a-z] , )?-([a-z-]+)/).map { String($0.1) }
    #expect(Set(named).subtracting(options).isEmpty, "run Scripts/make-man-page")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsKnowTheCommands(shell: String) throws {
    let script = try Tool.run(["--generate-completion-script", shell])
    #expect(script.status == 0)
    for word in ["ingest", "report", "compare", "markdown", "notifications", "app_version"] {
      #expect(script.text.contains(word), "\(word)")
    }
  }
}
