// What the system refuses: no permission, as a user other than root, too many open files, a part that is not there. And
// what a writer refuses, and does not: a second one.

import Foundation
import Testing

@Suite struct RefusalTests {
  /// A log with three parts, one of which an erasure wrote anew, and a copy of the tool, for a user who is not root.
  private final class Fixture {
    let workspace = try? Workspace()
    let log: String
    private let tool: String
    private let isRoot = geteuid() == 0

    init() throws {
      let workspace = try #require(workspace)
      log = workspace.path("log")
      tool = workspace.path("permlog")
      try FileManager.default.copyItem(atPath: Tool.path, toPath: tool)
      for n in 0..<3 {
        let line = Self.line(n) + Self.line(n + 10)
        let result = try Tool.run(["ingest", try workspace.write("\(n).ndjson", line), "--log", log])
        #expect(result.status == 0, "\(result.errors)")
      }
      #expect(try Tool.run(["erase", "--user", "u10", "--log", log]).status == 0)
      try workspace.write("more.ndjson", Self.line(20))
      if isRoot {
        try change("chown", ["-R", "65534:65534", workspace.url.path])
        try change("chmod", ["755", workspace.url.path])
      }
    }

    static func line(_ n: Int) -> String {
      #"{"event_id":"e\#(n)","user_id":"u\#(n)","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera"}"#
        + "\n"
    }

    func change(_ program: String, _ arguments: [String]) throws {
      #expect(try Tool.run([program] + arguments, program: "/usr/bin/env").status == 0, "\(program)")
    }

    /// Runs the tool as a user who is not root.
    func run(_ arguments: [String], limit: Int? = nil) throws -> ToolResult {
      var command = [tool] + arguments + ["--log", log]
      if let limit { command = ["sh", "-c", "ulimit -n \(limit); exec \"$@\"", "sh"] + command }
      if isRoot { command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command }
      return try Tool.run(command, program: "/usr/bin/env")
    }

    /// All names and bytes, as root sees them.
    func contents() throws -> [String: Data] {
      var result: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: log) {
        result[name] = try Data(contentsOf: URL(fileURLWithPath: log + "/" + name))
      }
      return result
    }

    func name(_ prefix: String) throws -> String {
      let names = try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasPrefix(prefix) }
      return log + "/" + (try #require(names.min()))
    }

    /// Every command that writes, with arguments that give it something to do.
    var writers: [[String]] {
      [
        ["ingest", workspace?.path("more.ndjson") ?? ""], ["erase", "--user", "u1"], ["erase", "--readmit", "u10"],
        ["expire", "--before", "2026-03-03"], ["compact"],
      ]
    }
    let readers = [["export"], ["report"], ["info"], ["verify"]]

    /// Each command fails with a sentence that names a file, and changes nothing.
    func expectRefusal(_ commands: [[String]], naming path: String, _ words: String, limit: Int? = nil) throws {
      let before = try contents()
      for command in commands {
        let result = try run(command, limit: limit)
        #expect(result.status == 1 && result.output.isEmpty, "\(command): \(result.status) \(result.text)")
        #expect(result.errors.contains(path) && result.errors.contains(words), "\(command): \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(command): \(result.errors)")
        #expect(try contents() == before, "\(command)")
      }
    }
  }

  @Test func aDirectoryThatMayNotBeWrittenStaysAsItIs() throws {
    let fixture = try Fixture()
    try fixture.change("chmod", ["500", fixture.log])
    try fixture.expectRefusal(fixture.writers, naming: fixture.log, "Check who owns")
    for command in fixture.readers { #expect(try fixture.run(command).status == 0, "\(command)") }
    try fixture.change("chmod", ["700", fixture.log])
    for command in fixture.writers { #expect(try fixture.run(command).status == 0, "\(command)") }
    #expect(try fixture.run(["verify"]).status == 0)
  }

  @Test func aLogOfAnotherUserIsRefused() throws {
    let fixture = try Fixture()
    try fixture.change("chmod", ["000", fixture.log])
    defer { try? fixture.change("chmod", ["700", fixture.log]) }
    for command in fixture.writers + fixture.readers {
      let result = try fixture.run(command)
      #expect(result.status == 1 && result.errors.contains("Check who owns"), "\(command): \(result.errors)")
    }
  }

  @Test(arguments: ["part-", "manifest", "erased-", "lock"])
  func aFileThatMayNotBeReadIsNamed(prefix: String) throws {
    let fixture = try Fixture()
    let path = try fixture.name(prefix)
    try fixture.change("chmod", ["000", path])
    var commands = fixture.writers
    if prefix == "part-" || prefix == "manifest" { commands += fixture.readers }
    if prefix == "erased-" { commands.append(["verify"]) }
    try fixture.change("chmod", ["600", path])
    let before = try fixture.contents()
    try fixture.change("chmod", ["000", path])
    for command in commands {
      let result = try fixture.run(command)
      #expect(result.status == 1 && result.output.isEmpty, "\(command): \(result.status) \(result.text)")
      #expect(result.errors.contains(path) && result.errors.contains("Check who owns"), "\(command): \(result.errors)")
    }
    try fixture.change("chmod", ["600", path])
    #expect(try fixture.contents() == before)
    #expect(try fixture.run(["verify"]).status == 0)
  }

  /// 3 are open from the beginning; a writer needs the lock, the parts, and the one that it writes.
  @Test func tooManyOpenFilesIsSaid() throws {
    let fixture = try Fixture()
    try fixture.expectRefusal(fixture.writers + [["export"]], naming: fixture.log, "ulimit -n", limit: 5)
    for command in fixture.writers { #expect(try fixture.run(command).status == 0, "\(command)") }
  }

  @Test func aPartThatVanishedIsDamage() throws {
    let fixture = try Fixture()
    let path = try fixture.name("part-")
    try FileManager.default.removeItem(atPath: path)
    let before = try fixture.contents()
    for command in fixture.writers + fixture.readers {
      let result = try fixture.run(command)
      #expect(result.status == 2, "\(command): \(result.status) \(result.errors)")
      #expect(result.errors.contains(path.split(separator: "/").last.map(String.init) ?? "?"), "\(command)")
      #expect(try fixture.contents() == before, "\(command)")
    }
  }

  @Test func aSecondWriterIsToldWhoWritesAndAKilledOneHoldsNobodyUp() throws {
    let fixture = try Fixture()
    let first = Process()
    first.executableURL = URL(fileURLWithPath: Tool.path)
    first.arguments = ["ingest", "-", "--log", fixture.log]
    let input = Pipe()
    first.standardInput = input
    first.standardOutput = FileHandle.nullDevice
    first.standardError = FileHandle.nullDevice
    let before = try Tool.run(["export", "--log", fixture.log]).output
    try first.run()
    // It takes the lock when it has seen of which form its input is, and then waits for the rest.
    let lines = (100..<9000).map { Fixture.line($0) }.joined()
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    let lock = URL(fileURLWithPath: fixture.log + "/lock")
    for _ in 0..<2000 where try Data(contentsOf: lock).isEmpty { usleep(10_000) }
    for command in fixture.writers {
      let result = try Tool.run(command + ["--log", fixture.log])
      #expect(result.status == 1, "\(command): \(result.status) \(result.errors)")
      #expect(result.errors.contains("process \(first.processIdentifier)"), "\(command): \(result.errors)")
    }
    #expect(try Tool.run(["export", "--log", fixture.log]).output == before)
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    for command in fixture.readers + fixture.writers {
      #expect(try Tool.run(command + ["--log", fixture.log]).status == 0, "\(command)")
    }
  }
}
