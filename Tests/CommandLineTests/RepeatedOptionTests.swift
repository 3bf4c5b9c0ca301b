// An option that takes one value is given once; those that collect values take as many as are given.

import Foundation
import Testing

@Suite struct RepeatedOptionTests {
  private struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { var kind: String, name: String }
      var kind: String
      var isRepeating: Bool
      var names: [Name]?
    }
    var commandName: String
    var arguments: [Argument]?
    var subcommands: [Command]?
  }

  private struct Dump: Decodable { var command: Command }

  /// Each command that runs, by its words, with its own arguments.
  private func commands() throws -> [(words: [String], arguments: [Command.Argument])] {
    let dump = try Tool.run(["--experimental-dump-help"]).output
    func leaves(_ command: Command, _ words: [String]) -> [(words: [String], arguments: [Command.Argument])] {
      guard let parts = command.subcommands else { return [(words, command.arguments ?? [])] }
      return parts.filter { $0.commandName != "help" }.flatMap { leaves($0, words + [$0.commandName]) }
    }
    return leaves(try JSONDecoder().decode(Dump.self, from: dump).command, [])
  }

  /// What makes the rest of a command line right, and a value that an option takes.
  private let rest = [
    "ingest": ["-"], "compare": ["A", "B"], "erase": ["--user", "u"], "mapping check": ["-"], "mapping draft": ["-"],
    "expire": ["--before", "2025-01-01"],
  ]
  private let values = [
    "threads": "1", "by": "platform", "response-window": "1h", "follow-up": "7d", "wait": "1s", "max-age": "1h",
    "format": "csv", "summary": "json", "max-rejected": "1", "identity": "device", "metric": "grant_rate",
    "contaminated": "first", "minimum-effect": "2", "adjust": "platform", "rule": "daily", "planned-n": "500",
    "looks": "3", "baseline": "40", "traffic": "10", "effect": "2", "users": "10", "days": "10", "variants": "2",
    "power": "80", "rows": "3", "seed": "1", "weeks": "2", "before": "2025-01-01", "split": "1:1",
    "start": "2025-01-06",
  ]

  @Test func everyOptionOfOneValueIsRefusedTheSecondTime() throws {
    let workspace = try Workspace()
    var tried = 0
    for (words, arguments) in try commands() {
      for argument in arguments where argument.kind == "option" && !argument.isRepeating {
        let name = try #require(argument.names?.first { $0.kind == "long" }?.name, "\(words)")
        var value = values[name] ?? "x"
        if name == "format", !["report", "export", "ingest", "check", "simulate"].contains(words.last) {
          value = "json"
        }
        var line = words + (rest[words.joined(separator: " ")] ?? [])
        if name == "looks", words == ["compare"] { line += ["--planned-n", "500"] }
        if ["planned-n", "looks"].contains(name), words == ["compare"] { value = "9" }
        line.removeAll { $0 == "--before" && name == "before" }
        if name == "before" { line.removeAll { $0 == value } }
        if name == "readmit" { line = words }
        let log = name == "log" ? [] : ["--log", workspace.path("none")]
        let hasLog = arguments.contains { $0.names?.contains { $0.name == "log" } == true }
        line += ["--\(name)", value, "--\(name)=\(value)"] + (hasLog ? log : [])
        let result = try Tool.run(line)
        #expect(
          result.status == 64 && result.errors.contains("--\(name) was given twice"),
          "\(line): \(result.status) \(result.errors)")
        tried += 1
      }
    }
    #expect(tried > 60)
  }

  @Test func manyTimesAreCountedAndValuesAreNoNames() throws {
    let result = try Tool.run(["report", "--week=2026-W01", "--week", "2026-W02", "--week=2026-W03"])
    #expect(result.status == 64 && result.errors.contains("--week was given 3 times"))
    let workspace = try Workspace()
    let file = try workspace.write("--log", #"{"user_id":"u","timestamp":1772445600000,"event":"app_active"}"#)
    // After `--` nothing is an option: a file is called as an option is.
    let shell = #"cd "$1" && "$0" ingest --log there -- --log"#
    let run = try Tool.run(["-c", shell, Tool.path, workspace.url.path], program: "/bin/sh")
    #expect(run.status == 0, "\(run.errors)")
    let log = workspace.path("log")
    let again = try Tool.run(["ingest", file, file, "--log", log, "--strict", "--strict"])
    #expect(again.status == 0 && again.text.contains("in 2 files"), "\(again.errors)")
    let erased = try Tool.run(["erase", "--user", "u", "--user", "v", "--user", "w", "--log", log])
    #expect(erased.text.contains("3 ids are kept out"))
  }
}
