// The page's chart of the times between prompts and answers: two humps, and the line at the limit between them.

import PermissionEvents
import Testing

@testable import PermissionAnalysis
@testable import ReportRendering

@Suite struct CallChartTests {
  private static let end = SampleHistories.sampleEnd

  /// Counts of one unit by time, in milliseconds.
  private static func counts(_ times: [Milliseconds: Int64], limit: Milliseconds = 250, inSeconds: Bool = false)
    -> CallSums.Counts
  {
    var counts = CallSums.Counts()
    for (time, prompts) in times {
      counts.answered += prompts
      if time < limit { counts.atOnce += prompts }
      counts.times[CallTime.edges.firstIndex { time <= $0 } ?? CallTime.edges.count] += prompts
    }
    if inSeconds { counts.wholeSeconds = counts.answered }
    return counts
  }

  private static func unit(_ permission: String, _ platform: String = "") -> CallSums.Unit {
    CallSums.Unit(permission: Array(permission.utf8), platform: Array(platform.utf8))
  }

  private static let humps: [Milliseconds: Int64] = [
    0: 3, 1: 4, 15: 60, 40: 30, 240: 2, 250: 5, 900: 40, 3000: 100, 45_000: 6,
  ]

  /// The sample app, with every kind of counts.
  static let histories: SampleHistories = {
    var histories = SampleHistories.app()
    histories.calls.units.rows = [
      unit("notifications", "iOS"): counts(humps), unit("notifications", "Android"): counts([4000: 80]),
      unit("camera"): counts([0: 90, 3: 10]), unit("tracking"): counts([0: 20, 1000: 30, 2000: 10], inSeconds: true),
      unit("contacts"): counts([20: 5, 2000: 4]), unit("microphone"): counts([700: 30, 3_000_000: 1]),
    ]
    return histories
  }()

  private func page(_ histories: SampleHistories = histories, limit: Milliseconds = 250) throws -> (DrawnPage, String) {
    let bytes = ReportDocument.render(histories.report(asOf: Self.end) { $0.windows.atOnce = limit }, .html)
    return (try DrawnPage(bytes), String(decoding: bytes, as: UTF8.self))
  }

  private func titles(_ page: DrawnPage) -> [String] {
    page.charts.map(\.title).filter { $0.hasPrefix("Prompt to answer") }
  }

  /// Those with most prompts first; no chart of a platform without such calls, of few prompts, or of a permission of which all take their time.
  @Test func whatHasCallsThatReturnedAtOnceIsDrawn() throws {
    let (page, text) = try page()
    #expect(
      titles(page) == [
        "Prompt to answer, Notifications, iOS", "Prompt to answer, Camera", "Prompt to answer, Tracking",
      ])
    for words in [
      "99 of 250 answers are left of the line, less than 250\u{A0}ms from their prompt: no dialog was shown",
      "100 of 100 answers are left of the line, less than 250\u{A0}ms from their prompt: prompts and answers are logged together",
      "20 of 60 answers are left of the line, less than 250\u{A0}ms from their prompt: the times are whole seconds",
      ">at once: 99<", ">later: 151<",
    ] { #expect(text.contains(words), "\(words)") }
  }

  /// On the right of all bars of less than the limit, whatever it is.
  @Test(arguments: [100, 250, 1000] as [Milliseconds])
  func theLineIsAtTheLimit(limit: Milliseconds) throws {
    var histories = Self.histories
    histories.calls.units.rows = [Self.unit("notifications"): Self.counts(Self.humps, limit: limit)]
    let (page, text) = try page(histories, limit: limit)
    let drawing = try #require(page.charts.first { $0.title.hasPrefix("Prompt to answer") })
    let line = try #require(
      text.split(separator: "Prompt to answer").last?.firstMatch(of: /<line x1="([0-9.]+)"[^>]* class="median"/))
    let x = try #require(Double(line.1))
    let bars = try #require(drawing.series("prompts")).marks(.bar)
    let left = Set(Self.humps.keys.filter { $0 < limit }.map { time in CallTime.edges.firstIndex { time <= $0 } })
    // 0 and 1 ms are one bar.
    #expect(bars.count { $0.points[1].x <= x } == left.count - 1)
    #expect(bars.count { $0.points[0].x >= x } == bars.count - left.count + 1)
  }

  @Test func withoutSuchCallsNothingIsDrawnOrSaid() throws {
    for calls in [
      [Self.unit("camera"): Self.counts([700: 40])], [Self.unit("camera"): Self.counts(Self.humps, limit: 0)],
    ] {
      var histories = SampleHistories.app()
      histories.calls.units.rows = calls
      let (page, text) = try page(histories)
      #expect(titles(page).isEmpty && !text.contains("dashed line, at"))
    }
  }
}
