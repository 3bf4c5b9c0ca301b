// "Are we asking too early?": sentences, tables, a drawing and a table of its own, and what is said of what is not known.

import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct TimingSectionTests {
  private let monday = SampleHistories.monday
  private let day = millisecondsPerDay

  /// Users who were asked for the camera within seconds of the install, 3 in 10 of whom granted, and others after 8 days, 6 in 10.
  private func asked(early: Int, late: Int, installs: Bool = true, use: Bool = false) -> Report {
    var histories = SampleHistories()
    for user in 0..<early + late {
      let time = monday + Milliseconds(user) * 60_000
      let isGranted = user < early ? user % 10 < 3 : user % 10 < 6
      var events: [SampleHistories.Event] = [
        .init(time: time, kind: .promptShown, permission: 2),
        .init(time: time + 4000, kind: isGranted ? .granted : .denied, permission: 2),
      ]
      if installs { events.append(.init(time: time - (user < early ? 5000 : 8 * day), kind: .appInstalled)) }
      if use, user >= early { events.append(.init(time: time - 2 * day, kind: .featureUsed)) }
      histories.users.append(events)
    }
    return histories.report(asOf: monday + 40 * day)
  }

  private func text(_ report: Report, _ form: Document.Form = .text, width: Int = 200) -> String {
    let style = TextStyle(width: width)
    let bytes = ReportDocument.render(report, form, style, part: .sections([.timing]))
    return String(decoding: bytes, as: UTF8.self).replacing("\u{A0}", with: " ").replacing("\\", with: "")
  }

  @Test func theEarliestAgainstTheLatest() {
    let page = text(asked(early: 100, late: 100))
    #expect(page.contains("── Are we asking too early? All weeks"))
    #expect(
      page.contains(
        "camera: asked within a minute of the install 30.0 % (21.9–39.6) granted, 7 days or more after the install 60.0 % "
          + "(50.2–69.1). The later, the more (p 2"))
    #expect(page.contains("! Users asked later are other users"))
    #expect(page.contains("camera, time since the install, p 2"))
    #expect(page.contains("under 1 minute") && page.contains("7 days or more") && !page.contains("1 hour to 1 day"))
    #expect(page.contains("This log has no activity events"))
  }

  @Test(arguments: [Document.Form.text, .markdown, .html]) func theWarningIsAlwaysThere(form: Document.Form) {
    for report in [asked(early: 100, late: 100), asked(early: 3, late: 3, installs: false)] {
      let page = text(report, form).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(page.components(separatedBy: "Users asked later are other users").count == 2)
    }
  }

  @Test func ofFewUsersNothingIsSaidOrDrawn() throws {
    let page = text(asked(early: 30, late: 9))
    #expect(!page.contains("camera: asked") && page.contains("7 days or more"))
    let drawn = text(asked(early: 30, late: 9), .html)
    #expect(drawn.contains(#"data-series="install.under_1m""#) && drawn.contains("too few"))
    #expect(!drawn.contains(#"data-series="install.7d_up""#))
  }

  @Test func aTrendIsWorthALook() {
    func lines(_ report: Report) -> [String] { Attention(ReportScope(report)).lines.filter { $0.contains("install") } }
    #expect(
      lines(asked(early: 100, late: 100))
        == ["Of users asked later after the install, more grant (other users, not an effect; see timing): camera."])
    #expect(lines(asked(early: 10, late: 10)).isEmpty && lines(asked(early: 100, late: 100, installs: false)).isEmpty)
  }

  /// Most of the first class granted, few of the second, and half of the third: the trend rises, and the last is below the first.
  @Test func aTrendAgainstTheTwoEndsIsNotSaid() {
    var histories = SampleHistories()
    for (size, granted, ago) in [(10, 8, 5000 as Milliseconds), (300, 20, 2 * day), (300, 150, 8 * day)] {
      for user in 0..<size {
        let time = monday + Milliseconds(user) * 60_000
        histories.users.append([
          .init(time: time - ago, kind: .appInstalled), .init(time: time, kind: .promptShown, permission: 2),
          .init(time: time + 4000, kind: user < granted ? .granted : .denied, permission: 2),
        ])
      }
    }
    let page = text(histories.report(asOf: monday + 40 * day))
    #expect(page.contains("80.0 %") && page.contains("The classes in between differ: see the table."))
    #expect(!page.contains("The later"))
  }

  @Test func withoutInstallsDaysOfUseTell() {
    let page = text(asked(early: 50, late: 50, installs: false, use: true))
    #expect(page.contains("camera: asked before any other day of use 30.0 %"))
    #expect(page.contains("The more use before, the more grant (p "))
    #expect(
      page.contains("This log has no app_installed events: how long after the install people were asked is not known."))
    #expect(!page.contains("camera, time since the install"))
  }

  @Test func aBreakdownHasNone() {
    let report = SampleHistories.app().report(asOf: SampleHistories.sampleEnd) { $0.properties = [.variant] }
    #expect(report.timing.isEmpty)
    #expect(!String(decoding: ReportDocument.render(report, .text), as: UTF8.self).contains("too early"))
    #expect(text(report).contains("not available in a report that is split by a property"))
  }

  @Test func whatIsKnownBeginsWithTheLog() {
    let report = SampleHistories.app().report(asOf: SampleHistories.sampleEnd) {
      $0.logStart = 1_736_121_600_000
    }
    #expect(text(report).contains("Use before the ask is known from 2025-01-06 on."))
    #expect(!text(report).contains("was not given"))
  }

  @Test func aLogWhoseStartIsNotKnownSaysSo() {
    let report = SampleHistories.app().report(asOf: SampleHistories.sampleEnd) { $0.logStart = nil }
    #expect(text(report).contains("The day from which the log holds all events was not given"))
  }

  @Test func itsOwnTableHasALineForEveryClass() throws {
    func table(_ report: Report) throws -> [[String]] {
      var bytes: [UInt8] = []
      ReportCSV.write(report, threads: 1, part: .sections([.timing])) { bytes += $0 }
      return try CSVReader.records(bytes)
    }
    let records = try table(asked(early: 100, late: 100))
    #expect(records.count == 18 && records.allSatisfy { $0.count == 10 })
    #expect(records[1].prefix(6) == ["camera", "by_install", "under_1m", "100", "30", "0.3"])
    #expect(records[2].dropFirst(2).prefix(6) == ["1m_1h", "0", "0", "", "", ""])
    #expect(records[7] == ["camera", "by_active_days", "0", "", "", "", "", "", "", "UTC"])
    let hostile = try table(HostileText.report())
    for record in hostile.dropFirst() {
      #expect(!["=", "+", "-", "@", "\t", "\r"].contains { record[0].hasPrefix($0) }, "\(record)")
    }
    // Another part is everything.
    var all: [UInt8] = []
    ReportCSV.write(asked(early: 5, late: 5), threads: 1, part: .sections([.time])) { all += $0 }
    #expect(all == ReportCSV.render(asked(early: 5, late: 5)))
  }
}
