// `--rejects`: private, bounded, and silent about whom a key hides.

import Foundation
import Testing

@Suite struct RejectsOptionTests {
  private let workspace: Workspace
  private let file: String

  init() throws {
    workspace = try Workspace()
    let bad = (0..<30).map { #"{"user_id":"secret\#($0)","timestamp":"2026-03-02T10:00:00Z","event":"secret"}"# + "\n" }
    let good = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    file = try workspace.write("a.ndjson", good + bad.joined())
  }

  private func ingest(_ options: [String]) throws -> (result: ToolResult, rejects: String) {
    let path = workspace.path("rejects")
    let result = try Tool.run(["ingest", file, "--log", workspace.path("log"), "--rejects", path] + options)
    return (result, String(decoding: (try? workspace.read("rejects")) ?? Data(), as: UTF8.self))
  }

  @Test func itIsPrivateAndHasEveryLineAlsoOfARefusedIngest() throws {
    try workspace.write("rejects", "of the day before\n")
    let (result, rejects) = try ingest(["--strict"])
    #expect(result.status == 2 && rejects.split(separator: "\n").count == 30, "\(result.errors)")
    let mode = try FileManager.default.attributesOfItem(atPath: workspace.path("rejects"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: workspace.url.path).sorted() == ["a.ndjson", "rejects"])
  }

  @Test func itIsBounded() throws {
    let whole = try ingest([])
    #expect(whole.result.errors.contains("all of them are in"), "\(whole.result.errors)")
    let (result, rejects) = try ingest(["--rejects-limit", "1kB"])
    #expect(result.status == 0 && rejects.utf8.count < 1200, "\(rejects.utf8.count)")
    let lines = rejects.split(separator: "\n")
    let missing = 30 - (lines.count - 1)
    #expect(
      missing > 0 && lines.last?.contains("\(missing) more lines were rejected and not kept") == true, "\(rejects)")
    #expect(result.errors.contains("which reached --rejects-limit: \(missing) are not kept"), "\(result.errors)")
    for size in ["0B", "100MB", "1GB", "7gb"] {
      #expect(try ingest(["--rejects-limit", size]).result.status == 0, "\(size)")
    }
    for size in ["1", "x", "-1MB", "1.5GB", "99999999999GB", "GB", ""] {
      #expect(try ingest(["--rejects-limit=\(size)"]).result.status == 64, "\(size)")
    }
  }

  @Test func aKeyHidesWhoIsInIt() throws {
    let key = try workspace.write("key", String(repeating: "k", count: 32))
    let (result, rejects) = try ingest(["--hash-users", key])
    #expect(result.status == 0 && rejects.split(separator: "\n").count == 30, "\(result.errors)")
    #expect(!rejects.contains("secret") && !result.errors.contains("secret") && !result.text.contains("secret"))
    let line = #"{"file": "\#(file)", "line": 2, "reason": "event is not a known kind", "text": null}"#
    #expect(rejects.hasPrefix(line + "\n"), "\(rejects)")
  }
}
