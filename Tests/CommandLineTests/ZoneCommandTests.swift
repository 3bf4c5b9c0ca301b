// Zones as the command line finds them: where the machine has none, another directory, files that are damaged.

import Foundation
import Testing

@Suite("Zone files and the command line") struct ZoneCommandTests {
  @Test("TZDIR names another database; a damaged file is named with what to do")
  func directories() throws {
    let directory = try Workspace()
    let log = directory.path("log")
    _ = try Tool.run(["ingest", "-", "--log", log], input: Data(Self.events.utf8))
    try FileManager.default.createDirectory(atPath: directory.path("zones"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "/usr/share/zoneinfo/Asia/Kolkata", toPath: directory.path("zones/Office"))
    try Data("TZif2 and no more".utf8).write(to: URL(fileURLWithPath: directory.path("zones/Torn")))
    func report(_ zone: String, _ directory: String) throws -> ToolResult {
      try Tool.run(
        ["report", "--log", log, "--format", "json", "--time-zone", zone], environment: ["TZDIR": directory])
    }
    let zones = directory.path("zones")
    let kolkata = try report("Asia/Kolkata", "").text
    #expect(try report("Office", zones).text == kolkata.replacing("Asia/Kolkata", with: "Office"))
    let missing = try report("Asia/Kolkata", zones)
    #expect(missing.status == 64 && missing.errors.contains("there is no zone Asia/Kolkata"))
    let torn = try report("Torn", zones)
    #expect(torn.status == 2 && torn.errors.contains(directory.path("zones/Torn")) && torn.errors.contains("tzdata"))
    let none = try report("Asia/Kolkata", directory.path("nothing"))
    #expect(none.status == 64 && none.errors.contains("TZDIR says"))
  }

  private static let events = """
    {"user_id":"a","timestamp":"2026-03-01T19:00:00Z","event":"prompt_shown","permission":"camera"}
    {"user_id":"a","timestamp":"2026-03-01T19:00:02Z","event":"granted","permission":"camera"}
    {"user_id":"a","timestamp":"2026-03-19T19:00:02Z","event":"app_active"}

    """
}
