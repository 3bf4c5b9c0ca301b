// The first screen of a report: what it has, and that it is one screen whatever the log holds.

import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct SummaryScreenTests {
  private static let end = SampleHistories.sampleEnd
  private let app = SampleHistories.app()

  private func lines(_ report: Report, _ style: TextStyle = TextStyle(width: 80)) -> [String] {
    var style = style
    style.words = { remedy in
      guard case .seeMore(let names) = remedy else { return remedy.advice }
      return "all of it, or a part: " + (names.isEmpty ? "see the help." : names.joined(separator: ", ") + ".")
    }
    let bytes = ReportDocument.render(report, .text, style, part: .summary)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  /// Apps that ask for everything, with names, values and times of every kind.
  private static let reports: [(name: String, report: Report)] = {
    let app = SampleHistories.app()
    var everything = app
    for (i, events) in app.users.enumerated() {
      everything.users[i] = events.map { event in
        var event = event
        if event.permission > 0 { event.permission = UInt32(1 + (Int(event.permission) + i) % 27) }
        return event
      }
    }
    var huge = app.report(asOf: end)
    for i in huge.rows.indices {
      huge.rows[i].grants.exposed = 1_234_567_890
      huge.rows[i].times.toAnswer.p50 = 86_399_000
      huge.rows[i].permission += String(repeating: "x", count: 240)
      huge.rows[i].usual = UsualWeek(weeks: 12, low: 0.5, high: 0.6, outside: .lower, moreGrants: -1e9)
    }
    var pending = SampleHistories()
    pending.users = [[.init(time: SampleHistories.monday, kind: .promptShown, permission: 2)]]
    var unexposed = SampleHistories()
    unexposed.users = [[.init(time: SampleHistories.monday, kind: .granted, permission: 2)]]
    return [
      ("all", app.report(asOf: end)), ("by variant", app.report(asOf: end) { $0.properties = [.variant] }),
      ("26 permissions", everything.report(asOf: end)),
      ("26 permissions by variant", everything.report(asOf: end) { $0.properties = [.variant] }),
      ("hostile values", HostileText.report()), ("huge", huge),
      ("first days", everything.report(asOf: SampleHistories.monday + 2 * millisecondsPerDay)),
      ("cut", everything.report(asOf: end) { $0.from = SampleHistories.monday + 16 * millisecondsPerDay }),
      ("pending", pending.report(asOf: SampleHistories.monday + 1000)),
      ("unexposed", unexposed.report(asOf: SampleHistories.monday + 1000)),
      ("before all", app.report(asOf: 1_760_000_000_000)),
      ("empty", .empty(timeZone: "UTC", responseWindow: 1_800_000, followUp: 28 * millisecondsPerDay)),
    ]
  }()

  @Test(arguments: [60, 72, 80, 100, 120], [false, true])
  func isOneScreen(width: Int, isASCII: Bool) {
    for (name, report) in Self.reports {
      let lines = lines(report, TextStyle(width: width, isASCII: isASCII))
      #expect(lines.count <= 23, "\(name): \(lines.count) lines")
      for line in lines { #expect(DisplayWidth.of(line) <= width, "\(name): \(line)") }
    }
  }

  @Test func hasTheEightLargestAndCountsTheRest() throws {
    let report = try #require(Self.reports.first { $0.name == "26 permissions" }?.report)
    let rows = ReportScope(report).leadRows.sorted { $0.grants.exposed > $1.grants.exposed }
    #expect(rows.count > 20)
    let lines = lines(report)
    let start = try #require(lines.firstIndex { $0.hasPrefix("permission ") })
    let shown = lines[(start + 1)...].prefix { !$0.hasPrefix("  and ") }
    let exposed = shown.compactMap { line in line.split(separator: " ").dropFirst(line.contains(" ! ") ? 2 : 1).first }
    #expect(exposed.compactMap { Int($0) } == rows.prefix(8).map(\.grants.exposed))
    let rest = rows.dropFirst(8).reduce(0) { $0 + $1.grants.exposed }
    #expect(lines.contains("  and \(rows.count - 8) more, with \(rest) exposures together"))
  }

  @Test func underAPropertyTheValuesAreTheRows() {
    let report = app.report(asOf: Self.end) {
      $0.properties = [.variant]
      $0.permission = PermissionCode.taxonomy[0]
    }
    let lines = lines(report)
    #expect(lines.contains { $0.hasPrefix("variant  ") })
    for value in ["(none)", "A", "B"] { #expect(lines.contains { $0.hasPrefix(value + " ") }, "\(value)") }
    #expect(lines[1].hasPrefix("notifications by variant · as of "))
  }

  @Test func saysWhatChangedAndHowToSeeMore() {
    let lines = lines(app.report(asOf: Self.end))
    #expect(lines[0] == "Week of 2 to 8 March 2026 (2026-W10), the last complete week")
    #expect(
      lines.contains { $0.hasPrefix("changed    Outside the usual range: notifications lower (26.4 %, usual 30.5 to") })
    #expect(lines.contains { $0.hasPrefix("see more   all of it, or a part: ") })
  }

  @Test func whatNeedsAttentionIsNamedTheWorstFirst() {
    var histories = app
    let day = millisecondsPerDay
    for user in 0..<200 {
      histories.users.append([
        .init(time: SampleHistories.monday + Milliseconds(user) * 60_000, kind: .granted, permission: 5)
      ])
    }
    let report = histories.report(asOf: Self.end + 21 * day)
    let found = Attention(ReportScope(report)).lines
    #expect(found.first == "The 2 weeks since then have no exposures.")
    #expect(found.contains("Answers without a screen: 200\u{A0}journeys, not in any rate."))
    #expect(found.contains { $0.hasPrefix("health_read: the system hides the answer") })
    let text = lines(report).joined(separator: "\n")
    #expect(text.contains("look at    The 2 weeks since then"))
  }

  @Test func pendingOverAFifthIsNamed() {
    var histories = SampleHistories()
    for user in 0..<10 {
      let time = SampleHistories.monday + Milliseconds(user) * 600_000
      histories.users.append([.init(time: time, kind: .promptShown, permission: 2)])
    }
    let report = histories.report(asOf: SampleHistories.monday + 5_400_000)
    let words = "Pending (no outcome yet) over 20\u{A0}%: camera\u{A0}30.0\u{A0}%."
    #expect(Attention(ReportScope(report)).lines.contains(words))
    let later = histories.report(asOf: SampleHistories.monday + 86_400_000)
    #expect(!Attention(ReportScope(later)).lines.contains { $0.hasPrefix("Pending") })
  }
}
