// A log that is made for an ingest that stores nothing does not stay, and one that stores something has its directories.

import Foundation
import Testing

@Suite struct NewLogTests {
  private static let good = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }

  /// Ingests that store nothing, and how they end.
  private func refused(_ workspace: Workspace) throws -> [(arguments: [String], status: Int32)] {
    let bad = try workspace.write("bad.ndjson", Self.good + "{\n")
    let unknown = try workspace.write("unknown.ndjson", Self.good.replacing("app_active", with: "x"))
    let torn = try workspace.write("torn.csv", "user_id,event,when\n1,2,3\n")
    return [
      ([bad, "--strict"], 2), ([bad, "--max-rejected", "0"], 2), ([unknown], 2), ([torn], 2),
      ([workspace.path("not-there.ndjson")], 1), ([bad, "--rejects", workspace.path("no/such/place")], 1),
    ]
  }

  @Test func nothingIsLeftOfARefusedIngest() throws {
    let workspace = try Workspace()
    let cases = try refused(workspace)
    let base = workspace.path("base")
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
    for log in ["log", "a/b/log", "a/b/log/", "a//b/../c"] {
      for (arguments, status) in cases {
        let result = try Tool.run(["ingest"] + arguments + ["--log", base + "/" + log])
        #expect(result.status == status, "\(arguments): \(result.errors)")
        #expect(try names(base).isEmpty, "\(log), \(arguments)")
      }
    }
  }

  @Test func whatWasThereStays() throws {
    let workspace = try Workspace()
    let cases = try refused(workspace)
    let base = workspace.path("base")
    try FileManager.default.createDirectory(atPath: base + "/empty", withIntermediateDirectories: true)
    for (arguments, _) in cases {
      _ = try Tool.run(["ingest"] + arguments + ["--log", base + "/empty"])
      _ = try Tool.run(["ingest"] + arguments + ["--log", base + "/empty/below"])
    }
    #expect(try names(base) == ["empty"])
    // A log with events stays as it is.
    let file = try workspace.write("good.ndjson", Self.good)
    let log = base + "/x/y"
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    let before = try Tool.run(["export", "--log", log]).output
    #expect(before.count > 0)
    for (arguments, _) in cases { _ = try Tool.run(["ingest"] + arguments + ["--log", log]) }
    #expect(try Tool.run(["export", "--log", log]).output == before)
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    // And so does one that was made of an empty file, which is no fault.
    let none = try workspace.write("none.ndjson", "")
    #expect(try Tool.run(["ingest", none, "--log", base + "/none"]).status == 0)
    #expect(try Tool.run(["info", "--log", base + "/none"]).text.contains("events      0"))
    for (arguments, _) in cases { _ = try Tool.run(["ingest"] + arguments + ["--log", base + "/none"]) }
    #expect(try Tool.run(["info", "--log", base + "/none"]).status == 0)
  }

  @Test func somebodyElsesFilesKeepADirectory() throws {
    let workspace = try Workspace()
    let base = workspace.path("base")
    let ingest = Process()
    ingest.executableURL = URL(fileURLWithPath: Tool.path)
    ingest.arguments = ["ingest", "-", "--strict", "--log", base + "/log"]
    let input = Pipe()
    ingest.standardInput = input
    ingest.standardOutput = FileHandle.nullDevice
    ingest.standardError = FileHandle.nullDevice
    try ingest.run()
    let lines = String(repeating: Self.good, count: 9000)
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    for _ in 0..<2000 where !FileManager.default.fileExists(atPath: base + "/log/manifest") { usleep(10_000) }
    try Data("mine".utf8).write(to: URL(fileURLWithPath: base + "/log/mine"))
    try input.fileHandleForWriting.write(contentsOf: Data("{\n".utf8))
    try input.fileHandleForWriting.close()
    ingest.waitUntilExit()
    #expect(ingest.terminationStatus == 2)
    #expect(try names(base) == ["log", "log/mine"])
  }
}
