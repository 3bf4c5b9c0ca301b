// An app that may crash for want of a key does not pass because a file of its project is not there.

import Foundation
import Testing

@Suite struct UnknownKeyTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    let lines = (0..<30).flatMap { user in
      [("prompt_shown", 0), ("granted", 4000)].map { kind, wait in
        #"{"user_id":"u\#(user)","timestamp":\#(1_770_000_000_000 + user * 30_000 + wait),"event":"\#(kind)","permission":"camera"}"#
      }
    }
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    for folder in ["App", "Acme.xcodeproj"] {
      try FileManager.default.createDirectory(atPath: workspace.path(folder), withIntermediateDirectories: true)
    }
    try workspace.write(
      "App/Info.plist", "<plist><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>")
    try workspace.write(
      "Acme.xcodeproj/project.pbxproj",
      """
      { objects = {
        P = { isa = PBXProject; targets = (T); buildConfigurationList = N; };
        N = { isa = XCConfigurationList; buildConfigurations = (); };
        T = { isa = PBXNativeTarget; name = Acme; productType = "com.apple.product-type.application"; buildConfigurationList = L; };
        L = { isa = XCConfigurationList; buildConfigurations = (D, R); };
        D = { isa = XCBuildConfiguration; name = Debug; buildSettings = { INFOPLIST_FILE = App/Info.plist;
              GENERATE_INFOPLIST_FILE = YES; INFOPLIST_KEY_NSCameraUsageDescription = "Scan your receipts"; }; };
        R = { isa = XCBuildConfiguration; name = Release; baseConfigurationReference = F;
              buildSettings = { INFOPLIST_FILE = App/Info.plist; GENERATE_INFOPLIST_FILE = YES; }; };
        F = { isa = PBXFileReference; path = "Pods/Acme.release.xcconfig"; sourceTree = SOURCE_ROOT; };
      }; rootObject = P; }
      """)
  }

  private func audit(_ options: [String]) throws -> ToolResult {
    try Tool.run(["audit", "--log", log, "--info-plist", workspace.path("App/Info.plist")] + options)
  }

  @Test func whatIsNotKnownDoesNotPass() throws {
    let text = try audit([])
    #expect(text.status == 0 && text.text.contains("not_known"), "\(text.text)")
    let line = text.text.replacing(#/\s+/#, with: " ")
    #expect(line.contains("(target Acme, Release)"), "\(line)")
    #expect(line.contains("whether the app has NSCameraUsageDescription is not known"), "\(line)")
    #expect(line.contains("Acme.release.xcconfig is not there, and may have more settings"), "\(line)")
    for (options, status) in [
      (["error"], 3), (["warning"], 3), (["not_known"], 3), (["missing_purpose"], 3),
      (["error", "--allow-unknown"], 0), (["missing_purpose", "--allow-unknown"], 0),
      (["not_known", "--allow-unknown"], 64),
    ] as [([String], Int32)] {
      #expect(try audit(["--only", "missing_purpose,not_known", "--fail-on"] + options).status == status, "\(options)")
    }
    #expect(try audit(["--allow-unknown"]).status == 64)
    // Who looks for missing keys alone hears of those that are perhaps missing.
    let only = try audit(["--only", "missing_purpose", "--fail-on", "error"])
    #expect(only.status == 3 && only.text.contains("not_known"), "\(only.text)")
  }

  @Test func theShippedAppCounts() throws {
    try FileManager.default.createDirectory(atPath: workspace.path("Pods"), withIntermediateDirectories: true)
    // The key is there in Debug alone.
    try workspace.write("Pods/Acme.release.xcconfig", "OTHER_LDFLAGS = $(inherited) -ObjC\n")
    let missing = try audit(["--fail-on", "error"])
    #expect(missing.status == 3 && missing.text.contains("missing_purpose") && !missing.text.contains("not_known"))
    try workspace.write(
      "Pods/Acme.release.xcconfig", "INFOPLIST_KEY_NSCameraUsageDescription = Scan your receipts with the camera")
    #expect(try audit(["--only", "missing_purpose,not_known,weak_purpose", "--fail-on", "warning"]).status == 0)
  }
}
