// What is not known is a dash with its reason, and what rests on too little shows its counts.

import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct UnknownFigureTests {
  private let monday = SampleHistories.monday
  private let day = millisecondsPerDay

  /// Users who were asked for the camera and answered, with a Settings alert for those who denied: no more is logged.
  private func asked(_ users: Int = 12) -> SampleHistories {
    var histories = SampleHistories()
    for user in 0..<users {
      let time = monday + Milliseconds(user) * 3_600_000
      var events: [SampleHistories.Event] = [
        .init(time: time, kind: .promptShown, permission: 2),
        .init(time: time + 4000, kind: user % 2 == 0 ? .granted : .denied, permission: 2),
      ]
      if user % 2 == 1 { events.append(.init(time: time + day, kind: .settingsPromptShown, permission: 2)) }
      histories.users.append(events)
    }
    return histories
  }

  private func text(_ report: Report, _ form: Document.Form = .text, _ sections: Set<ReportSectionName>) -> String {
    String(decoding: ReportDocument.render(report, form, part: .sections(sections)), as: UTF8.self)
  }

  /// Lines with one space between words.
  private func lines(_ report: Report, _ section: ReportSectionName) -> [String] {
    text(report, .text, [section]).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test func withoutEvidenceThereIsADashAndOneReason() throws {
    let report = asked().report(asOf: monday + 60 * day)
    let activity =
      "This log has no activity events (feature_used, app_active), so we cannot tell who used the app again."
    let reasons: [(ReportSectionName, [String], String)] = [
      (.retention, [activity], "day 7 – 6 – 6 – 0 – 0 –"),
      (
        .engagement, [activity, "This log has no feature_used events, so uses of a feature are not known."],
        "active days 12 – – – –"
      ),
      (
        .returning,
        [
          "This log has no re_enabled or status_checked events of camera after an answer, so we cannot tell who enabled it after a denial."
        ], "denied – – – – – –"
      ),
      (
        .afterGrant,
        [
          "This log has no revoked or status_checked events of camera after a grant, so we cannot tell who turned it off."
        ],
        "camera – – – –"
      ),
      (
        .settings,
        ["This log has no settings_opened events, so we cannot tell who followed the alert."],
        "camera 6 – – – – –"
      ),
    ]
    for (section, sentences, row) in reasons {
      #expect(lines(report, section).contains(row), "\(section): \(lines(report, section))")
      for form in [Document.Form.text, .markdown] {
        let words = text(report, form, [section]).replacing("\\", with: "").split(whereSeparator: \.isWhitespace)
          .joined(separator: " ")
        for sentence in sentences {
          #expect(words.components(separatedBy: sentence).count == 2, "\(section): \(sentence)")
        }
        #expect(!words.contains("0.0 %"), "\(section)")
      }
    }
    let attention = Attention(ReportScope(report)).lines
    #expect(attention.contains("No activity events in this log: retention and engagement are not known."))
    #expect(
      attention.last == "Not known for lack of events: enabled later, revoked, Settings opened.")
  }

  /// A grant rate of 0 % may mean that answers are not logged; a single answer says that they are.
  @Test func promptsWithoutAnyAnswerAreSaid() {
    var histories = SampleHistories()
    for user in 0..<30 {
      let time = monday + Milliseconds(user) * 3_600_000
      // Too few of each value, and together enough.
      histories.users.append([
        .init(time: time, kind: .promptShown, permission: 2, property: UInt32(user % 3))
      ])
    }
    func said(_ histories: SampleHistories) -> [String] {
      let report = histories.report(asOf: monday + 60 * day) { $0.properties = [.variant] }
      return Attention(ReportScope(report)).lines.filter { $0.contains("No user granted or denied") }
    }
    #expect(said(histories) == ["No user granted or denied: camera. Does the app log the answers?"])
    var fewer = histories
    fewer.users.removeLast()
    #expect(said(fewer).isEmpty)
    for kind in [EventKind.granted, .denied] {
      var answered = histories
      answered.users[7].append(.init(time: answered.users[7][0].time + 4000, kind: kind, permission: 2))
      #expect(said(answered).isEmpty)
    }
  }

  /// Answers that stop, and answers of one kind alone.
  @Test func missingAnswersAreSaid() {
    func said(_ kind: (Int) -> EventKind?, weeks: Int = 3) -> [String] {
      var histories = SampleHistories()
      for user in 0..<60 * weeks {
        let time = monday + Milliseconds(user / 60) * 7 * day + Milliseconds(user % 60) * 3_600_000
        let shown = Step(time: time, kind: .promptShown)
        let answer = kind(user).map { Step(time: time + 4000, kind: $0) }
        histories.users.append(
          ([shown] + (answer.map { [$0] } ?? [])).map { .init(time: $0.time, kind: $0.kind, permission: 2) })
      }
      return Attention(ReportScope(histories.report(asOf: monday + 21 * day) { _ in })).lines.filter {
        $0.contains("Does the app")
      }
    }
    #expect(said { $0 % 2 == 0 ? .granted : .denied } == [])
    #expect(
      said { $0 < 120 ? ($0 % 2 == 0 ? .granted : .denied) : nil } == [
        "No user granted or denied in this week: camera. Does the app still log the answers?"
      ])
    #expect(
      said { $0 % 2 == 0 ? .denied : nil } == ["Many users denied, but none granted: camera. Does the app log grants?"])
    #expect(
      said { $0 % 2 == 0 ? .granted : nil } == [
        "Many users granted, but none denied: camera. Does the app log denials?"
      ])
    #expect(said { $0 % 10 == 0 ? .granted : nil } == [])
    #expect(said { _ in nil } == ["No user granted or denied: camera. Does the app log the answers?"])
  }

  private struct Step {
    var time: Milliseconds
    var kind: EventKind
  }

  @Test func withEvidenceThereIsNoReason() {
    let report = SampleHistories.app().report(asOf: SampleHistories.sampleEnd) {
      $0.permission = PermissionCode.taxonomy[0]
    }
    let all = String(decoding: ReportDocument.render(report, .text), as: UTF8.self)
    #expect(!all.contains("This log has no"))
  }

  /// Users 1, 3, … are prompted after their denial, and all open the app on that day: 3 of the others come back.
  @Test func whatAnAlertBringsHasItsCountsAndASentence() throws {
    var histories = asked(40)
    for user in histories.users.indices {
      let time = histories.users[user][0].time + day
      histories.users[user][1] = .init(time: time - day + 4000, kind: .denied, permission: 2)
      histories.users[user].append(.init(time: time + 2000, kind: .appActive))
      if user % 2 == 1 || user < 6 {
        histories.users[user].append(.init(time: time + 3_600_000, kind: .reEnabled, permission: 2))
      }
    }
    let found = lines(histories.report(asOf: monday + 60 * day), .settings)
    #expect(found.contains { $0.hasPrefix("camera 20 – 20 of 20 20 of 20 3 of 20 6.67 ") }, "\(found)")
    let text = found.joined(separator: " ")
    #expect(
      text.contains(
        "camera: of users who opened the app on the same day after a denial, those who were prompted came back at least 6.67 times "
          + "as often ("), "\(found)")
    #expect(!text.contains("may be chance") && text.contains("An observation"), "\(found)")
  }

  // MARK: Age

  @Test func theAgeIsSaidWithoutAMoment() throws {
    var report = SampleHistories.app().report(asOf: SampleHistories.sampleEnd)
    func first(_ part: ReportPart) -> String {
      let text = String(
        decoding: ReportDocument.render(report, .text, TextStyle(width: 100), part: part), as: UTF8.self)
      return text.split(separator: "\n").prefix(20).joined(separator: "\n")
    }
    #expect(!first(.summary).contains("ago") && !first(.full).contains("old"))
    let newest = SampleHistories.sampleEnd
    report.age = DataAge(newest: newest, clock: newest + day)
    #expect(
      first(.summary).hasPrefix("Week of 2 to 8 March 2026 (2026-W10), ended 3 days ago\n"))
    #expect(!first(.summary).contains(" old"))
    report.age = DataAge(newest: newest, clock: newest + 17 * day)
    #expect(first(.summary).contains("look at    The newest event is 17 days old"))
    #expect(first(.full).contains("\nage        The newest event is 17 days old"))
    #expect(first(.full).contains("the last complete week, ended 19 days ago."))
    let page = String(decoding: ReportDocument.render(report, .html), as: UTF8.self)
    #expect(page.contains("The newest event is 17\u{A0}days old") && page.contains("ended 19\u{A0}days ago"))
    report.age = DataAge(newest: newest + day, clock: newest)
    #expect(first(.summary).contains("look at    The newest event is ahead of the clock"))
  }

  // MARK: Values

  @Test func valuesAreOrderedLimitedAndTested() throws {
    var histories = SampleHistories()
    // Value n has 40 − n users; half of those of even values grant, and all of the others.
    histories.propertyBytes = [[]] + (1...20).map { Array("v\(100 - $0)".utf8) }
    for value in 1...20 {
      for user in 0..<(40 - value) {
        let time = monday + Milliseconds(value * 100 + user) * 60_000
        let isGranted = value % 2 == 1 || user % 2 == 0
        histories.users.append([
          .init(time: time, kind: .promptShown, permission: 2, property: UInt32(value)),
          .init(time: time + 4000, kind: isGranted ? .granted : .denied, permission: 2, property: UInt32(value)),
        ])
      }
    }
    let report = histories.report(asOf: monday + 10 * day) { $0.properties = [.appVersion] }
    let test = try #require(report.valueTests.first)
    #expect(test.values == 20 && test.tested == 20 && report.valueTests.count == 1)
    let result = try #require(test.result)
    #expect(result.degreesOfFreedom == 19 && result.pValue < 1e-20)
    let ranked = lines(report, .values)
    #expect(ranked.contains { $0.hasPrefix("The rates differ: chi-square") && $0.contains("df 19") })
    #expect(ranked.contains("and 8 more") && ranked.contains { $0.hasPrefix("v99 39 100.0 %") })
    let granted = lines(report, .granted)
    let shown = granted.filter { $0.hasPrefix("v") && $0.contains("%") }.compactMap { $0.split(separator: " ").first }
    #expect(shown.map(String.init) == (1...12).map { "v\(100 - $0)" })
    #expect(granted.contains("and 8 more"))
    #expect(
      Attention(ReportScope(report)).lines.contains {
        $0.hasPrefix("Values of app_version differ in grant rate: camera (p")
      })
    // Programs get them all, in the order of their bytes.
    #expect(report.rows.filter { $0.week == nil }.compactMap { $0.by.first?.value } == (80...99).map { "v\($0)" })
  }

  @Test func thereIsNoTestOfOneValueOrOfNoDifference() {
    let report = asked().report(asOf: monday + 10 * day) { $0.properties = [.appVersion] }
    #expect(report.valueTests.map(\.result) == [nil] && report.valueTests[0].values == 1)
    #expect(asked().report(asOf: monday + 10 * day).valueTests.isEmpty)
    #expect(!Attention(ReportScope(report)).lines.contains { $0.contains("differ") })
  }
}
