// What another system asks for says nothing of an Info.plist.

import Foundation
import Testing

@Suite struct AuditPlatformTests {
  /// The ids and permissions of what an audit of a log with one prompt says of an Info.plist with one key.
  private func findings(_ platform: String?, key: String) throws -> [String] {
    let workspace = try Workspace()
    let own = platform.map { #","platform":"\#($0)""# } ?? ""
    let file = try workspace.write(
      "events.ndjson",
      #"{"user_id":"a","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera"\#(own)}"# + "\n"
        + #"{"user_id":"b","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"contacts","platform":"iOS"}"#
        + "\n")
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    let plist = try workspace.write(
      "Info.plist",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>example.app</string>
      <key>NSContactsUsageDescription</key><string>Friends who use the app are found by their numbers.</string>
      <key>\(key)</key><string>Receipts are read with the camera, so that nobody has to type.</string></dict></plist>
      """)
    let result = try Tool.run(["audit", "--log", log, "--info-plist", plist, "--format", "json"])
    #expect(result.status == 0, "\(result.errors)")
    let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let found = try #require(object["findings"] as? [[String: Any]])
    return found.filter { ($0["id"] as? String)?.hasSuffix("_purpose") == true }
      .map { "\($0["id"] as? String ?? "") \($0["permission"] as? String ?? "")" }
  }

  @Test(
    "A missing key is one of what an Apple system, or nobody knows which, asked for",
    arguments: [
      ("iOS", true), ("iPadOS 18.1", true), (nil, true), ("something", true), ("android", false), ("Android 15", false),
      ("WEB", false),
    ] as [(String?, Bool)])
  func missing(_ platform: String?, _ isMissing: Bool) throws {
    let found = try findings(platform, key: "NSMotionUsageDescription").filter { $0.hasPrefix("missing") }
    #expect(found == (isMissing ? ["missing_purpose camera"] : []))
  }

  @Test func aKeyThatOnlyAnotherSystemAsksForIsUnused() throws {
    #expect(try findings("android", key: "NSCameraUsageDescription") == ["unused_purpose camera"])
    #expect(try findings("iOS", key: "NSCameraUsageDescription") == [])
  }
}
