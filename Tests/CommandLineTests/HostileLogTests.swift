// Logs into which somebody has put what is none of a log's files: the built tool refuses at once, waits for nothing, and leaves
// other files as they are.

import Foundation
import Testing

@Suite struct HostileLogTests {
  private static let line =
    #"{"event_id":"e","user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera"}"#

  private func makeLog(_ workspace: Workspace) throws -> String {
    let log = workspace.path("log")
    let result = try Tool.run(["ingest", try workspace.write("a.ndjson", Self.line), "--log", log])
    #expect(result.status == 0, "\(result.errors)")
    return log
  }

  /// Runs the tool in a shell that ends it if it waits or asks for too much memory.
  private func run(_ arguments: [String], kilobytes: Int? = nil) throws -> ToolResult {
    let limit = kilobytes.map { "ulimit -v \($0); " } ?? ""
    let script = limit + "exec timeout 60 \"$@\""
    return try Tool.run(["-c", script, "sh", Tool.path] + arguments, program: "/bin/sh")
  }

  @Test(arguments: ["manifest", "lock", "part-0000000000000001"])
  func aPipeIsNotWaitedFor(name: String) throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    let more = try workspace.write("b.ndjson", Self.line.replacing("\"e\"", with: "\"f\""))
    #expect(unlink(log + "/" + name) == 0 && mkfifo(log + "/" + name, 0o600) == 0)
    let writer = try run(["ingest", more, "--log", log])
    #expect(writer.status == 1 && writer.errors.contains("\(name): it is a named pipe"), "\(writer.errors)")
    let reader = try run(["report", "--log", log])
    let check = try run(["verify", "--log", log])
    if name == "lock" {
      #expect(reader.status == 0, "\(reader.errors)")
    } else {
      #expect(reader.status == 1 && reader.errors.contains("it is a named pipe"), "\(reader.errors)")
    }
    #expect(check.status == (name == "manifest" ? 1 : 2))
    #expect((check.errors + check.text).contains("it is a named pipe"), "\(check.errors)\(check.text)")
  }

  @Test(arguments: [false, true])
  func aLinkedLockEmptiesNothing(isHard: Bool) throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    let victim = try workspace.write("victim", "precious")
    let lock = log + "/lock"
    #expect(unlink(lock) == 0 && (isHard ? link(victim, lock) : symlink(victim, lock)) == 0)
    for command in [["compact"], ["erase", "--user", "u"], ["ingest", workspace.path("a.ndjson")]] {
      let result = try run(command + ["--log", log])
      let sentence = isHard ? "is not a lock. Move it elsewhere" : "If it is the lock, remove it"
      #expect(
        result.status == (isHard ? 2 : 1) && result.errors.contains(sentence), "\(command): \(result.errors)")
    }
    #expect(try workspace.read("victim") == Data("precious".utf8))
  }

  #if os(Linux)
    /// Six parts of some kilobytes that unpack to two gigabytes together: refused with a sentence, before the machine has to.
    @Test func smallPartsThatAskForMuchAreRefusedBeforeTheMachineRefuses() throws {
      let workspace = try Workspace()
      let log = workspace.path("log")
      #expect(mkdir(log, 0o700) == 0)
      let files = try HandmadePart.log((UInt64(1)...6).map { HandmadePart(manyRows: 4 << 20, id: $0) })
      for name in try files.list("/log") {
        let bytes = try #require(files["/log/" + name])
        #expect(bytes.count < 100_000, "\(name)")
        try Data(bytes).write(to: URL(fileURLWithPath: log + "/" + name))
      }
      let before = try FileManager.default.contentsOfDirectory(atPath: log).sorted()
      let result = try run(["export", "--log", log], kilobytes: 2_000_000)
      #expect(result.status != 0 && result.errors.contains("more than 1024 MiB of the log"), "\(result.errors)")
      #expect(result.text.isEmpty)
      let info = try run(["info", "--log", log], kilobytes: 400_000)
      #expect(info.status == 0, "\(info.errors)")
      // An ingest and a compaction leave them apart, unread.
      let more = try workspace.write("a.ndjson", Self.line)
      let ingest = try run(["ingest", more, "--log", log], kilobytes: 2_000_000)
      #expect(ingest.status == 0, "\(ingest.errors)")
      #expect(Set(before).isSubset(of: try FileManager.default.contentsOfDirectory(atPath: log)))
    }

    /// Fifteen million line feeds: they took 40 times their bytes.
    @Test func aManifestOfNothingCostsItsBytes() throws {
      let workspace = try Workspace()
      let log = try makeLog(workspace)
      let plain = try run(["info", "--log", log], kilobytes: 400_000)
      #expect(plain.status == 0, "\(plain.errors)")
      var bytes = Data("permlog-manifest 1\n".utf8)
      bytes.append(Data(repeating: 0x0A, count: 15 << 20))
      // Computed apart, with xxHash's own library.
      bytes.append(Data("checksum 901fcc49ba2aa0d3\n".utf8))
      try bytes.write(to: URL(fileURLWithPath: log + "/manifest"))
      let result = try run(["info", "--log", log], kilobytes: 400_000)
      #expect(result.status == 2 && result.errors.contains("a line that is not part of a manifest"), "\(result.errors)")
    }
  #endif
}
