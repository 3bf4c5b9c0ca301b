// What every text report keeps to, whatever its numbers are.

import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct ReportTextTests {
  private let app = SampleHistories.app()
  private let end = SampleHistories.sampleEnd
  private let monday = SampleHistories.monday

  private func lines(_ report: Report, _ style: TextStyle = TextStyle(width: 80)) -> [String] {
    String(decoding: ReportDocument.render(report, .text, style), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  /// The lines of the section whose title begins so, their runs of spaces made one.
  private func section(_ title: String, _ lines: [String]) -> [String] {
    guard let start = lines.firstIndex(where: { $0.hasPrefix("── " + title) }) else { return [] }
    let rest = lines[(start + 1)...]
    let end = rest.firstIndex { $0.hasPrefix("── ") } ?? rest.endIndex
    return rest[..<end].map { $0.split(separator: " ").joined(separator: " ") }
  }

  // MARK: Width

  @Test(arguments: [60, 72, 80, 100, 109, 110, 120])
  func noLineIsWiderThanTheStyle(width: Int) {
    for isASCII in [false, true] {
      for property in [nil, StringField.variant] {
        let report = app.report(asOf: end) { $0.properties = property.map { [$0] } ?? [] }
        for line in lines(report, TextStyle(width: width, isASCII: isASCII)) {
          #expect(columns(line) <= width, "\(line)")
          #expect(line.last != " ", "\(line)")
        }
      }
    }
  }

  /// Columns as a terminal counts them; here only the sample's Japanese name is wide.
  private func columns(_ line: String) -> Int {
    line.unicodeScalars.reduce(0) { $0 + ((0x3041...0x9FFF).contains($1.value) ? 2 : 1) }
  }

  @Test func hugeNumbersAndNamesKeepTheWidth() {
    var report = app.report(asOf: end)
    for i in report.rows.indices {
      report.rows[i].grants.exposed = 1_234_567_890
      report.rows[i].steps.explanation.shown = 987_654_321
      report.rows[i].steps.explanation.continued = 987_654_320
      report.rows[i].times.toAnswer.p50 = 86_399_000
      report.rows[i].permission += String(repeating: "x", count: 300)
    }
    for line in lines(report) { #expect(columns(line) <= 80, "\(line)") }
  }

  @Test func asciiHasOnlyASCII() {
    for width in [80, 120] {
      let bytes = ReportDocument.render(app.report(asOf: end), .text, TextStyle(width: width, isASCII: true))
      #expect(bytes.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
    }
  }

  @Test func namesCannotMoveTheCursor() {
    var histories = app
    histories.properties = ["", "A\u{1B}[2J", "B\u{202E}\nC"]
    let report = histories.report(asOf: end) { $0.properties = [.variant] }
    let bytes = ReportDocument.render(report, .text, TextStyle(width: 80))
    #expect(!bytes.contains(0x1B))
    #expect(String(decoding: bytes, as: UTF8.self).contains("B\\u{202E}\\u{A}C"))
  }

  // MARK: Header and lead

  @Test func headerSaysFromWhenAndOverWhat() {
    let zone = ZoneTable(name: "Asia/Kolkata", initialOffset: 19_800_000)
    let from = zone.firstMoment(of: 20_487)
    let report = app.report(asOf: end, zone: zone) { ($0.from, $0.to) = (from, from + 14 * millisecondsPerDay) }
    let text = lines(report).prefix(8).joined(separator: "\n")
    #expect(text.contains("as of      2026-03-11 17:30 +05:30, "))
    #expect(text.contains("exposures  from 2026-02-03 to before 2026-02-17\n"))
    #expect(text.contains("time zone  Asia/Kolkata · answers within 30 min · follow-up 28 d · Settings 7 d"))
    #expect(text.contains("\(report.users) users · 0 unexposed"))
  }

  @Test func leadsWithTheLastCompleteWeek() {
    let lines = lines(app.report(asOf: end))
    #expect(lines[0] == "Week of 2 to 8 March 2026 (2026-W10)")
    #expect(lines[1] == "Permissions report, the last complete week.")
    #expect(lines.contains { $0.hasPrefix("── Grant rates, week 2026-W10 ") })
  }

  struct Asked: Sendable {
    var from, to: Int64?
    var headline, name: String

    init(_ from: Int64?, _ to: Int64?, _ headline: String, _ name: String) {
      (self.from, self.to, self.headline, self.name) = (from, to, headline, name)
    }
  }

  /// What is asked for has its name in the headline and in every title of what is otherwise of all weeks.
  @Test(arguments: [
    Asked(7, 14, "Week of 2 to 8 February 2026 (2026-W06)", "week 2026-W06"),
    Asked(42, 49, "Week of 9 to 15 March 2026 (2026-W11), still running", "week 2026-W11"),
    Asked(8, 10, "Exposures from 3 to 4 February 2026", "3 to 4 February 2026"),
    Asked(8, 9, "Exposures on 3 February 2026", "3 February 2026"),
    Asked(9, 13, "Exposures from 4 to 7 February 2026", "4 to 7 February 2026"),
    Asked(2, 6, "Exposures from 28 to 31 January 2026", "28 to 31 January 2026"),
    Asked(5, 8, "Exposures from 31 January to 2 February 2026", "31 January to 2 February 2026"),
    Asked(41, nil, "Exposures since 8 March 2026", "since 8 March 2026"),
    Asked(nil, 5, "Exposures up to 30 January 2026", "up to 30 January 2026"),
  ])
  func theIntervalAskedForHasItsName(asked: Asked) {
    let report = app.report(asOf: end) {
      $0.from = asked.from.map { monday + $0 * millisecondsPerDay }
      $0.to = asked.to.map { monday + $0 * millisecondsPerDay }
    }
    let lines = lines(report)
    #expect(lines[0] == asked.headline)
    for title in ["Granted", "Explained against cold", "Retention", "Re-engagement", "Engagement"] {
      #expect(lines.contains { $0.hasPrefix("── \(title), \(asked.name) ") }, "\(title)")
    }
    #expect(!lines.contains { $0.contains("all weeks") })
  }

  @Test func weeksAreNamedAsPeopleDo() {
    func name(_ week: String) -> String? { CalendarWeek(parsing: week).map(DayWords.week) }
    #expect(name("2026-W13") == "23 to 29 March 2026 (2026-W13)")
    #expect(name("2026-W14") == "30 March to 5 April 2026 (2026-W14)")
    #expect(name("2026-W01") == "29 December 2025 to 4 January 2026 (2026-W01)")
  }

  /// From Wednesday of W07 to Tuesday of W09: only W08 lies wholly inside.
  @Test func leadsWithTheNewestWholeWeekOfAnInterval() {
    let report = app.report(asOf: end) {
      $0.from = monday + 16 * millisecondsPerDay
      $0.to = monday + 29 * millisecondsPerDay
    }
    let lines = lines(report)
    #expect(lines[0] == "Week of 16 to 22 February 2026 (2026-W08)")
    #expect(lines[1] == "Permissions report, the last complete week of the interval.")
    let weeks = section("By week", lines)
    #expect(weeks.contains { $0.hasPrefix("2026-W07 cut ") })
    #expect(weeks.contains { $0.hasPrefix("2026-W09 cut ") })
    #expect(weeks.contains { $0.hasPrefix("2026-W08 ") && !$0.contains("cut") })
    for line in weeks where line.hasPrefix("2026-W09 cut ") { #expect(line.hasSuffix(" –"), "\(line)") }
  }

  @Test func withoutACompleteWeekItLeadsWithAllAndSaysSo() {
    let report = app.report(asOf: monday + 2 * millisecondsPerDay)
    let lines = lines(report)
    #expect(lines[0] == "All weeks (2026-W05, still running)")
    #expect(lines.contains { $0.hasPrefix("No complete week has exposures yet") })
  }

  @Test func aRunningWeekIsPartialAndHasNoTrend() {
    let weeks = section("By week", lines(app.report(asOf: end)))
    let running = weeks.filter { $0.hasPrefix("2026-W11") }
    #expect(running.count == 5)
    for line in running { #expect(line.hasPrefix("2026-W11 partial ") && line.hasSuffix(" –"), "\(line)") }
  }

  @Test func onlyWeeksOutsideTheUsualRangeAreMarked() throws {
    var report = app.report(asOf: end)
    func usual(_ outside: UsualWeek.Side?) -> UsualWeek {
      UsualWeek(weeks: 5, low: 0.6123, high: 0.7, outside: outside, moreGrants: outside == nil ? 3 : -71.4)
    }
    for i in report.rows.indices { report.rows[i].usual = report.rows[i].week.map { _ in usual(nil) } }
    #expect(!lines(report).contains { $0.contains("▼") && !$0.contains("mark") })
    #expect(lines(report).contains { $0.hasPrefix("No grant rate is outside its usual range.") })
    let row = try #require(
      report.rows.firstIndex { $0.permission == "notifications" && $0.week?.text == "2026-W10" })
    report.rows[row].usual = usual(.lower)
    let marked = lines(report).filter { $0.contains("▼") && !$0.contains("mark") }
    #expect(marked.count == 2)
    let rate = NumberText.percent(report.rows[row].grants.grantRate?.value ?? 0).replacing("\u{A0}", with: " ")
    let sentence =
      "Outside the usual range: notifications lower (\(rate), usual 61.2 to 70.0 %), about 71 fewer grants."
    #expect(lines(report).joined(separator: " ").contains(sentence))
    for i in report.rows.indices where i != row { report.rows[i].usual = nil }
    report.rows[row].usual = usual(nil)
    let few = lines(report).joined(separator: " ")
    #expect(few.contains("No grant rate is outside its usual range (4 of 5 have too few weeks for one)."))
    report.rows[row].usual = nil
    for i in report.rows.indices { report.rows[i].trend?.adjustedPValue = 0.05 }
    let none = "No usual range is known yet: it needs 4 complete weeks before this one."
    #expect(lines(report).joined(separator: " ").contains(none))
    report.rows[row].trend?.adjustedPValue = 0.0499
    let significant = "Significant change from the week before: notifications down 17.6 points. "
    #expect(lines(report).joined(separator: " ").contains(significant + "No usual range is known yet."))
  }

  @Test(arguments: [
    (0.2, "no fewer grants"), (0.5, "about 1 more grant"), (-7.6, "about 8 fewer grants"),
    (99.4, "about 99 more grants"),
    (99.6, "about 100 more grants"), (-1234, "about 1200 fewer grants"), (98_765, "about 99 000 more grants"),
  ])
  func moreGrantsHaveTwoDigits(_ more: Double, _ words: String) {
    let week = UsualWeek(weeks: 4, low: 0, high: 1, outside: nil, moreGrants: more)
    #expect(week.grants.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ") == words)
  }

  @Test func colourComesWithAMarkAndOnlyWhereWanted() {
    let report = app.report(asOf: end)
    #expect(!ReportDocument.render(report, .text, TextStyle(width: 80)).contains(0x1B))
    let coloured = lines(report, TextStyle(width: 80, hasColor: true)).filter {
      $0.contains("\u{1B}[31m") || $0.contains("\u{1B}[32m")
    }
    #expect(!coloured.isEmpty)
    for line in coloured { #expect(line.contains("▼") || line.contains("▲"), "\(line)") }
  }

  @Test func pendingAndPartialStandApart() {
    var report = app.report(asOf: end)
    for i in report.rows.indices { report.rows[i].grants.pending += 7 }
    let lead = section("Grant rates", lines(report)).joined(separator: " ")
    #expect(lead.contains("Pending (shown less than 30 min ago, not yet in any rate): 7 "))
    #expect(lead.contains(" photo_library") && lead.contains("Partial grants: "))
    let weeks = section("By week", lines(report))
    for row in report.rows where row.week == nil {
      #expect(
        weeks.contains { $0.hasPrefix("all weeks \(row.grants.exposed) \(row.grants.pending) \(row.grants.base) ") },
        "\(row.permission)")
    }
  }

  // MARK: Unknown is not 0

  @Test func pendingAloneHasNoRates() {
    var histories = SampleHistories()
    histories.users = [[.init(time: monday, kind: .promptShown, permission: 2)]]
    let lines = lines(histories.report(asOf: monday + 1000))
    #expect(section("Grant rates", lines).contains("camera 1 – – – – –"))
    #expect(section("By week", lines).contains("2026-W05 partial 1 1 0 – –"))
    #expect(lines.contains { $0.hasPrefix("No exposure has an outcome yet") })
  }

  @Test func figuresThatNeedTimeAreUnknownAtFirst() {
    var histories = SampleHistories()
    for n in 0..<4 {
      let time = monday + Milliseconds(n) * 60_000
      histories.users.append([
        .init(time: time, kind: .promptShown, permission: 2),
        .init(time: time + 2000, kind: n < 2 ? .granted : .denied, permission: 2),
      ])
    }
    let lines = lines(histories.report(asOf: monday + 2 * millisecondsPerDay))
    #expect(section("Granted", lines).contains("camera 4 50.0 % – – 50.0 % 15.0–85.0 0.0 %"))
    #expect(section("After the grant", lines).contains("camera – – – –"))
    #expect(section("Engagement", lines).contains("active days 0 – – – –"))
    #expect(section("Retention", lines).contains("day 30 – 0 – 0 – 0 – 0 –"))
    #expect(section("Re-engagement", lines).contains("denied – – – – – –"))
    #expect(section("Explained against cold", lines).contains("camera – – –"))
    let ascii = self.lines(histories.report(asOf: monday + 2 * millisecondsPerDay), TextStyle(isASCII: true))
    #expect(ascii.contains { $0.split(separator: " ").joined(separator: " ") == "day 30 n/a 0 n/a 0 n/a 0 n/a 0 n/a" })
  }

  // MARK: Cautions and what the numbers mean

  @Test func healthAndMailCarryTheirCaution() {
    var histories = app
    histories.users.append([
      .init(time: monday + 36 * millisecondsPerDay, kind: .promptShown, permission: PermissionCode.mail.rawValue)
    ])
    let lines = lines(histories.report(asOf: end))
    for title in ["Grant rates", "Granted", "Time to answer", "Re-engagement", "Retention", "Reach", "By week"] {
      #expect(section(title, lines).joined(separator: " ").contains("health_read !"), "\(title)")
    }
    // Where it first applies, and not again and again.
    #expect(section("Grant rates", lines).contains { $0.hasPrefix("! health_read: the system hides the answer") })
    #expect(lines.count { $0.contains("! health_read: the system hides") } == 1)
    let alone = ReportDocument.render(histories.report(asOf: end), .text, part: .sections([.retention]))
    #expect(String(decoding: alone, as: UTF8.self).contains("! health_read: the system hides the answer"))
    #expect(section("Grant rates", lines).contains { $0.hasPrefix("! mail is not a permission") })
  }

  @Test func descriptiveFiguresSaySo() {
    let lines = lines(app.report(asOf: end))
    for title in ["Time to answer", "Re-engagement", "After the grant"] {
      #expect(section(title, lines).joined(separator: " ").contains("Descriptive"), "\(title)")
    }
    #expect(section("Settings prompts", lines).joined(separator: " ").contains("An observation"))
    for title in ["Explained against cold", "Engagement", "Retention"] {
      let text = section(title, lines).joined(separator: " ")
      #expect(text.contains("not an effect") || text.contains("not effects"), "\(title)")
    }
  }

  @Test func everyPropertyValueHasItsLine() {
    let report = app.report(asOf: end) {
      $0.properties = [.variant]
      $0.permission = PermissionCode.taxonomy[0]
    }
    let lead = section("Grant rates", lines(report))
    for value in ["(none)", "A", "B"] { #expect(lead.contains { $0.hasPrefix(value + " ") }, "\(value)") }
  }

  @Test func anEmptyLogSaysHowToFillIt() {
    let report = Report.empty(timeZone: "UTC", responseWindow: 1_800_000, followUp: 28 * millisecondsPerDay)
    #expect(lines(report).contains("Fill it with an export of your events."))
    let style = TextStyle { $0 == .exampleIngest ? "app load FILE" : "" }
    let text = String(decoding: ReportDocument.render(report, .text, style), as: UTF8.self)
    #expect(text.hasSuffix("for example:\n  app load FILE\n"))
  }
}
