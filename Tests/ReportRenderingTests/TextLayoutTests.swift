// The parts that text is made of: widths, numbers, durations, sparklines.

import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct TextLayoutTests {
  @Test(arguments: [
    ("camera", 6), ("日本語", 6), ("한국어", 6), ("e\u{301}", 1), ("é", 1), ("👍", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("ﾊ", 1), ("ハ", 2),
    ("–…▲█", 4), ("", 0),
  ])
  func widthsAreThoseOfATerminal(text: String, width: Int) { #expect(DisplayWidth.of(text) == width) }

  @Test func cutTextFitsAndSaysSo() {
    #expect(DisplayWidth.cut("notifications", to: 13, mark: "…") == "notifications")
    #expect(DisplayWidth.cut("notifications", to: 8, mark: "…") == "notific…")
    #expect(DisplayWidth.cut("notifications", to: 8, mark: "...") == "notif...")
    // A wide character that would stick out by half is left out.
    #expect(DisplayWidth.cut("日本語", to: 4, mark: "…") == "日…")
  }

  @Test(
    arguments: [
      (0, "<1 ms"), (412, "412 ms"), (999.4, "999 ms"), (999.6, "1.0 s"), (2420, "2.4 s"), (59_949, "59.9 s"),
      (59_951, "1 min"), (72_000, "1 min 12 s"), (3_599_600, "1 h"), (57_060_000, "15 h 51 min"),
      (86_399_000, "1 d"), (97_200_000, "1 d 3 h"),
    ] as [(Double, String)])
  func durations(milliseconds: Double, text: String) {
    #expect(NumberText.duration(milliseconds).replacing("\u{A0}", with: " ") == text)
  }

  /// Quantiles are within 1 %, so 3 minutes may come as less.
  @Test(
    arguments: [
      (0, 1000, "<1 s"), (4012, 1000, "4 s"), (59_400, 1000, "59 s"), (72_000, 1000, "1 min 12 s"),
      (0, 60_000, "<1 min"), (59_700, 60_000, "1 min"), (178_700, 60_000, "3 min"), (3_569_000, 60_000, "59 min"),
      (5_400_000, 60_000, "1 h 30 min"),
    ] as [(Double, Milliseconds, String)])
  func durationsAreAsFineAsTheTimesOfTheLog(milliseconds: Double, step: Milliseconds, text: String) {
    #expect(NumberText.duration(milliseconds, step: step).replacing("\u{A0}", with: " ") == text)
  }

  @Test(
    arguments: [
      (1_800_000, "30 min"), (28 * 86_400_000, "28 d"), (90_061_001, "1 d 1 h 1 min 1 s 1 ms"), (0, "0 ms"),
    ] as [(Milliseconds, String)])
  func windowsAreExact(milliseconds: Milliseconds, text: String) {
    #expect(NumberText.window(milliseconds).replacing("\u{A0}", with: " ") == text)
  }

  @Test func numbers() {
    #expect(NumberText.percent(0.48) == "48.0\u{A0}%")
    #expect(NumberText.signed(-4.39) == "−4.4")
    #expect(NumberText.signed(0.04) == "0.0")
    #expect(NumberText.signed(-0.04) == "0.0")
    #expect(
      [137.29, 99.96, 32.71, 9.996, 4.012, 0.0292, 0.0001, 0].map(NumberText.threeDigits)
        == ["137", "100", "32.7", "10.0", "4.01", "0.029", "<0.001", "0"])
  }

  @Test func momentsCarryTheirOffset() {
    let time: Milliseconds = 1_769_385_600_000
    #expect(NumberText.moment(time, .utc) == "2026-01-26")
    #expect(NumberText.moment(time + 22 * 3_600_000, .utc) == "2026-01-26 22:00")
    #expect(NumberText.moment(time + 7000, .utc) == "2026-01-26 00:00:07")
    #expect(NumberText.moment(time + 37, .utc) == "2026-01-26 00:00:00.037")
    #expect(NumberText.moment(time, ZoneTable(name: "A", initialOffset: -12_600_000)) == "2026-01-25 20:30 -03:30")
    let london = ZoneTable(name: "Europe/London", initialOffset: 0)
    #expect(NumberText.moment(time + 60_000, london) == "2026-01-26 00:01 +00:00")
    #expect(NumberText.moment(time, london) == "2026-01-26")
  }

  @Test func sparklinesShowHeightsAndGaps() {
    #expect(Sparkline.draw([0, nil, 1], isASCII: false) == "▁·█")
    #expect(Sparkline.draw([0, nil, 1], isASCII: true) == "1.8")
    #expect(Sparkline.draw([nil, nil], isASCII: false) == "")
    // A change of two points in a scale of 20 is a step or so, and not from the floor to the ceiling.
    #expect(Sparkline.draw([0.50, 0.52], isASCII: true) == "45")
    #expect(Sparkline.draw([0.99, 1.0], isASCII: true) == "88")
  }

  @Test func tablesCutLongNamesThenGapsThenNamesThenStandInBands() {
    var table = Table("name", ["first", "second"])
    table.row("a_name_of_twenty_col", [TableCell("12345"), TableCell("123456")])
    var layout = TableLayout(table)
    var long = Table("name", ["first"])
    long.row(String(repeating: "x", count: 60), [TableCell("12345")])
    var longLayout = TableLayout(long)
    longLayout.fit(40)
    #expect(longLayout.name == 33 && longLayout.gaps == [2])
    layout.fit(35)
    #expect(layout.total == 35 && layout.gaps == [2, 2])
    layout.fit(34)
    #expect(layout.total == 34 && layout.gaps == [2, 1])
    layout.fit(30)
    #expect(layout.total == 30 && layout.gaps == [1, 1] && layout.name == 17)
    layout.fit(22)
    #expect(layout.name == TableLayout.leastName && layout.bands(22) == [0..<1, 1..<2])
  }
}
