// Logs that released versions wrote, whole and damaged: they open for ever.

import Foundation
import Testing

@Suite struct ReleasedLogTests {
  /// A copy of a stored log, since a writer would change it.
  private func stored(_ version: String, _ name: String, _ workspace: Workspace) throws -> String {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    let source = fixtures.appendingPathComponent("log-\(version)/\(name)")
    let path = workspace.path(name)
    try FileManager.default.copyItem(atPath: source.path, toPath: path)
    return path
  }

  @Test(arguments: ["0.1.0", "0.2.0"])
  func opensAndTakesMore(version: String) throws {
    let workspace = try Workspace()
    let log = try stored(version, "log", workspace)
    let expected = try Data(
      contentsOf: URL(fileURLWithPath: try stored(version, "export.ndjson", workspace)))
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    #expect(try Tool.run(["export", "--log", log]).output == expected)
    #expect(try Tool.run(["report", "--log", log]).status == 0)
    // Its own export adds nothing, and merging its parts changes nothing.
    let again = try Tool.run(
      ["ingest", "-", "--format", "ndjson", "--summary", "json", "--log", log], input: expected)
    #expect(again.status == 0 && again.text.contains("\"new\": 0,"), "\(again.errors)")
    #expect(try Tool.run(["compact", "--log", log]).status == 0)
    #expect(try Tool.run(["export", "--log", log]).output == expected)
    let info = try Tool.run(["info", "--log", log]).text
    #expect(info.contains("erased      2 users") == (version != "0.1.0"), "\(info)")
  }

  @Test(arguments: [
    ("damaged-block", "part-0000000000000002, block 0 at offset 32: the block's header does not have its checksum", 60),
    ("damaged-footer", "part-0000000000000002, footer at offset 1171: it does not have its checksum", 60),
    ("damaged-manifest", "manifest: it does not have its checksum", 90),
    ("torn-part", "part-0000000000000003, end of file: it has 1613 bytes and should have 1713", 60),
    ("missing-part", "part-0000000000000001: the manifest names it and it is missing", 60),
  ])
  func damageIsNamedAndTheRestIsSaved(name: String, words: String, events: Int) throws {
    let workspace = try Workspace()
    let log = try stored("0.1.0", name, workspace)
    let verify = try Tool.run(["verify", "--log", log])
    #expect(verify.status == 2 && verify.errors.contains(words), "\(verify.errors)")
    for command in [["report"], ["export"], ["compact"]] {
      let result = try Tool.run(command + ["--log", log])
      #expect(result.status == 2 && result.errors.contains("--skip-damaged"), "\(command): \(result.errors)")
      #expect(command == ["export"] || result.output.isEmpty, "no figure from damaged bytes")
    }
    let saved = try Tool.run(["export", "--skip-damaged", "--log", log])
    #expect(saved.status == 2 && saved.errors.contains(words), "\(saved.errors)")
    #expect(saved.text.split(separator: "\n").count == events)
    let other = workspace.path("other")
    let ingest = try Tool.run(
      ["ingest", "-", "--format", "ndjson", "--summary", "json", "--log", other], input: saved.output)
    #expect(ingest.text.contains("\"new\": \(events),"), "\(ingest.text)")
  }
}
