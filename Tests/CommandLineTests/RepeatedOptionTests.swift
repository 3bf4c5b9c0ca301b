// An option that takes one value is given once; those that collect values take as many as are given.

import Foundation
import Synchronization
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

  @Test func everyOptionOfOneValueIsRefusedTheSecondTime() throws {
    let accepted = Mutex<[String]>([])
    let cases = try commands().flatMap { words, arguments in
      try arguments.filter { $0.kind == "option" && !$0.isRepeating }.map { argument in
        let name = try #require(argument.names?.first { $0.kind == "long" }?.name, "\(words)")
        return (words + ["--\(name)", "x", "--\(name)=y"], "--\(name) was given twice")
      }
    }
    #expect(cases.count > 60)
    DispatchQueue.concurrentPerform(iterations: cases.count) { i in
      let (line, sentence) = cases[i]
      guard let result = try? Tool.run(line), result.status == 64, result.errors.contains(sentence) else {
        return accepted.withLock { $0.append(line.joined(separator: " ")) }
      }
    }
    let missed = accepted.withLock { $0 }
    #expect(missed.isEmpty, "\(missed)")
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
