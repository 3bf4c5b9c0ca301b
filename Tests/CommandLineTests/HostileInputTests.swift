// Inputs that were joined, named or packed as no tool would, through the built tool.

import Foundation
import Testing

@Suite struct HostileInputTests {
  private let workspace: Workspace
  private let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("data/samples/amplitude/export.zip")

  init() throws { workspace = try Workspace() }

  private func event(_ user: String) -> String {
    #"{"user_id":"\#(user)","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
  }

  private var log: [String] { ["--log", workspace.path("log")] }
  private var hasLog: Bool { FileManager.default.fileExists(atPath: workspace.path("log")) }

  /// Runs a line of the shell with the tool as `$0` and the log as `$1`, in the workspace.
  private func shell(_ line: String) throws -> ToolResult {
    try Tool.run(
      ["-c", "cd '\(workspace.url.path)' && " + line, Tool.path, workspace.path("log")], program: "/bin/sh")
  }

  @Test func joinedZipsAreRefusedFromAFileAndAPipe() throws {
    let data = try Data(contentsOf: archive)
    try (data + data).write(to: workspace.url.appendingPathComponent("joined"))
    for result in [
      try Tool.run(["ingest", workspace.path("joined")] + log),
      try Tool.run(["ingest", "-"] + log, input: data + data),
      try Tool.run(["mapping", "draft", workspace.path("joined")]),
      try shell("gzip -c joined | \"$0\" ingest - --log \"$1\""),
    ] {
      #expect(result.status == 2)
      #expect(result.errors.contains("the zip archive has other data before its beginning"), "\(result.errors)")
      #expect(result.errors.contains("nothing was stored, so unpack them separately"))
      #expect(!hasLog)
    }
  }

  @Test func aZipFromAPipeIsTheSameAsFromAFile() throws {
    let file = try Tool.run(["ingest", archive.path, "--summary", "json"] + log)
    let export = try Tool.run(["export"] + log)
    try FileManager.default.removeItem(atPath: workspace.path("log"))
    let pipe = try Tool.run(["ingest", "-", "--summary", "json"] + log, input: try Data(contentsOf: archive))
    #expect(file.status == 0 && pipe.status == 0, "\(pipe.errors)")
    #expect(try Tool.run(["export"] + log).output == export.output)
    // Nothing of it stays where it was kept.
    try FileManager.default.createDirectory(atPath: workspace.path("temporary"), withIntermediateDirectories: true)
    _ = try Tool.run(
      ["ingest", "-"] + log, input: try Data(contentsOf: archive), environment: ["TMPDIR": workspace.path("temporary")])
    #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.path("temporary")).isEmpty)
  }

  @Test func whereAZipCannotBeKeptIsSaid() throws {
    let result = try Tool.run(
      ["ingest", "-"] + log, input: try Data(contentsOf: archive), environment: ["TMPDIR": workspace.path("none")])
    #expect(result.status == 1 && !hasLog)
    #expect(
      result.errors.contains("is a zip archive from a pipe, and permlog cannot store it in \(workspace.path("none"))"))
    #expect(result.errors.contains("save it to a file and name that file"))
  }

  @Test func aLargeWindowNamesTheCommandThatUnpacksIt() throws {
    try workspace.write("x", event("a"))
    let packed = try shell("zstd -q --ultra -22 --long=31 -c < x > 'x y.zst'")
    guard packed.status == 0 else { return }
    let result = try Tool.run(["ingest", workspace.path("x y.zst")] + log)
    #expect(result.status == 2 && !hasLog)
    let command = "zstd -d --long=31 -c '\(workspace.path("x y.zst"))' | permlog ingest -"
    #expect(result.errors.contains(command), "\(result.errors)")
    let piped = try shell("zstd -d --long=31 -c 'x y.zst' | \"$0\" ingest - --log \"$1\"")
    #expect(piped.status == 0, "\(piped.errors)")
  }

  #if os(Linux)
    @Test func namesThatAreNotTextAreRead() throws {
      try workspace.write("a", event("a") + "x\n")
      try workspace.write("b", event("b"))
      _ = try shell("mkdir d && mv a \"$(printf 'd/\\351')\" && mv b \"$(printf 'd/\\350')\"")
      for files in ["\"$(printf 'd/\\351')\" \"$(printf 'd/\\350')\"", "d"] {
        let result = try shell("\"$0\" ingest \(files) --summary json --rejects r.ndjson --log \"$1\"")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("d/\\xE9"), "\(result.errors)")
        let rejected = try JSONSerialization.jsonObject(with: try workspace.read("r.ndjson")) as? [String: Any]
        #expect(rejected?["file"] as? String == "d/\\xE9")
      }
      #expect(try Tool.run(["export"] + log).text.split(separator: "\n").count == 2)
      #expect(try shell("\"$0\" mapping check \"$(printf 'd/\\350')\"").status == 0)
      #expect(try shell("\"$0\" mapping draft \"$(printf 'd/\\350')\"").status == 0)
      let missing = try shell("\"$0\" ingest \"$(printf 'd/\\352')\" --log \"$1\"")
      #expect(missing.status == 1)
      #expect(missing.errors.contains("d/\\xEA: no such file or directory"), "\(missing.errors)")
    }
  #endif

  @Test func pipesInADirectoryHoldNobodyUp() throws {
    try workspace.write("x.ndjson", event("a"))
    let result = try shell(
      "mkdir d && mv x.ndjson d && mkfifo d/pipe d/manifest && \"$0\" ingest d --log \"$1\" && \"$0\" export --log \"$1\""
    )
    #expect(result.status == 0 && result.text.contains("\"user_id\":\"a\""), "\(result.errors)")
    // One that is named is read: that is what pipes are for.
    let named = try shell("(cat d/x.ndjson > d/pipe &) && \"$0\" ingest d/pipe --log \"$1\"")
    #expect(named.status == 0, "\(named.errors)")
  }

  /// Gigabytes of zeros in a few megabytes, which a limit of memory would not hold.
  @Test func whatUnpacksWithoutEndIsRefusedInLittleMemory() throws {
    try workspace.write("first", event("a") + "{\"user_id\":\"")
    let result = try shell(
      "(gzip -c first; head -c 64M /dev/zero | gzip -c > z; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cat z; done) > bomb; "
        + "ulimit -v 900000; \"$0\" ingest bomb --log \"$1\" --threads 1")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("longer than 1 MiB") || result.text.contains("longer than 1 MiB"), "\(result.errors)")
  }
}
