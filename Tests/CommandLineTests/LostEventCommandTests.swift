// Losses that a recorder tells of, and other events of that name.

import Foundation
import Testing

@Suite struct LostEventCommandTests {
  @Test func onlyTheExactWordIsARecordersLoss() throws {
    let workspace = try Workspace()
    let file = try workspace.write(
      "s.csv",
      """
      user_id,event,permission,timestamp,surface
      7,prompt_shown,camera,2026-11-02T10:00:00Z,
      7,Lost,camera,2026-11-02T10:01:00Z,
      8,lost,,2026-11-02T10:02:00Z,3 granted full

      """)
    let log = workspace.path("log")
    let ingest = try Tool.run(["ingest", file, "--summary", "json", "--log", log])
    #expect(ingest.text.contains("\"new\": 2,") && ingest.text.contains("\"rejected\": 1,"), "\(ingest.text)")
    let report = try Tool.run(["report", "--log", log])
    #expect(report.status == 0 && report.text.contains("Apps could not keep 3 events"), "\(report.text)")
  }
}
