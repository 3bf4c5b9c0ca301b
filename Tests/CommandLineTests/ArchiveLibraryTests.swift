// libarchive is loaded when an archive is opened: without it all else works, and archives are refused with the reason.

import Foundation
import Testing

#if os(Linux)
  @Suite struct ArchiveLibraryTests {
    private let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("data/samples/amplitude/export.zip").path

    @Test func withoutTheLibraryOnlyArchivesAreRefused() throws {
      let workspace = try Workspace()
      // An empty file of its name is found before the real one.
      try workspace.write("libarchive.so.13", "")
      let environment = ["LD_LIBRARY_PATH": workspace.url.path]
      let log = ["--log", workspace.path("log")]
      try workspace.write(
        "plain.ndjson", #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n")
      let plain = try Tool.run(["ingest", workspace.path("plain.ndjson")] + log, environment: environment)
      #expect(plain.status == 0, "\(plain.errors)")
      let refused = try Tool.run(["ingest", archive] + log, environment: environment)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("export.zip: libarchive, which unpacks it, is not on this machine"))
      #expect(refused.errors.contains("libarchive.so.13"))
      #expect(refused.errors.contains("install it"))
      #expect(try Tool.run(["ingest", archive] + log).status == 0)
    }

    /// What starts every command: no library of libarchive's.
    @Test func theToolNeedsFewLibraries() throws {
      let result = try Tool.run(
        ["--version"], environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
      for name in ["libarchive", "libicu", "libxml2", "libnettle"] {
        #expect(!result.text.contains(name), "\(result.text)")
      }
      #expect(result.text.contains("libc.so"))
    }

    /// It is answered before the commands are set up, and says when it cannot be written.
    @Test func theVersionIsAnsweredAtOnce() throws {
      let result = try Tool.run(["--version"])
      #expect(result.status == 0 && result.errors.isEmpty)
      #expect(result.text.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil, "\(result.text)")
    }
  }
#endif
