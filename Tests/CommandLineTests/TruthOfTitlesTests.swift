// A thousand users who pressed the system's own buttons, in the form of each vendor: the report says what is known to be true.

import Foundation
import Testing

@Suite struct TruthOfTitlesTests {
  struct Title {
    var text: String
    var permission: String
    var isGranted: Bool
    var isPartial = false
  }

  static let titles: [Title] = [
    Title(text: "Allow", permission: "notifications", isGranted: true),
    Title(text: "Don’t Allow", permission: "notifications", isGranted: false),
    Title(text: "Don't Allow", permission: "camera", isGranted: false),
    Title(text: "OK", permission: "camera", isGranted: true),
    Title(text: "Ask App Not to Track", permission: "tracking", isGranted: false),
    Title(text: "Allow Once", permission: "location_when_in_use", isGranted: true),
    Title(text: "Allow While Using App", permission: "location_when_in_use", isGranted: true),
    Title(text: "Keep Only While Using", permission: "location_always", isGranted: false),
    Title(text: "Change to Always Allow", permission: "location_always", isGranted: true),
    Title(text: "Allow Full Access", permission: "calendars", isGranted: true),
    Title(text: "Add Photos Only", permission: "photo_library_add", isGranted: true),
    Title(text: "Select Photos…", permission: "photo_library", isGranted: true, isPartial: true),
    Title(text: "Limit Access…", permission: "contacts", isGranted: true, isPartial: true),
    Title(text: "Nicht erlauben", permission: "contacts", isGranted: false),
    Title(text: "Ne pas autoriser", permission: "microphone", isGranted: false),
    Title(text: "Permitir", permission: "microphone", isGranted: true),
    Title(text: "許可しない", permission: "bluetooth", isGranted: false),
    Title(text: "허용", permission: "bluetooth", isGranted: true),
    Title(text: "不允许", permission: "motion", isGranted: false),
    Title(text: "Non consentire", permission: "speech", isGranted: false),
  ]

  private struct Row: Decodable {
    struct By: Decodable { var value: String? }
    var week: String?
    var by: By?
    var base: Int
    var granted: Int
    var partial: Int
    var denied: Int
  }

  private struct Report: Decodable { var rows: [Row] }

  @Test(arguments: VendorLine.forms) func theReportSaysWhatIsTrue(form: String) throws {
    let workspace = try Workspace()
    let users = 1000
    var lines = ""
    for user in 0..<users {
      let title = Self.titles[user % Self.titles.count]
      let about = [("permission", title.permission), ("variant", title.text)]
      let start = 1_764_007_401 + user * 60
      lines += VendorLine.make(
        form, id: 2 * user, user: "device-\(user)", seconds: start, name: "Permission Prompt Shown", properties: about)
      lines += "\n"
      lines += VendorLine.make(
        form, id: 2 * user + 1, user: "device-\(user)", seconds: start + 3, name: "Permission Prompt Answered",
        properties: about + [("choice", title.text)])
      lines += "\n"
    }
    let log = workspace.path("log")
    let ingested = try Tool.run(["ingest", try workspace.write("export", lines), "--log", log])
    #expect(
      ingested.status == 0 && ingested.text.contains("new        2000 events"), "\(ingested.text)\(ingested.errors)")
    let report = try Tool.run([
      "report", "--log", log, "--format", "json", "--by", "variant", "--as-of", "2026-02-01",
    ])
    let rows = try JSONDecoder().decode(Report.self, from: report.output).rows.filter { $0.week == nil }
    #expect(rows.count == Self.titles.count)
    for title in Self.titles {
      let row = try #require(rows.first { $0.by?.value == title.text }, "\(form): \(title.text)")
      let each = users / Self.titles.count
      #expect(row.base == each, "\(form): \(title.text)")
      #expect(
        row.granted == (title.isGranted ? each : 0) && row.denied == (title.isGranted ? 0 : each),
        "\(form): \(title.text)")
      #expect(row.partial == (title.isPartial ? each : 0), "\(form): \(title.text)")
    }
  }
}
