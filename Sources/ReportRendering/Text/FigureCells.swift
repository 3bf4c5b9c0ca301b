// Table cells of a report's figures. Unknown numbers are a dash, never 0.

import PermissionAnalysis
import PermissionEvents

extension TextStyle {
  var unknownCell: TableCell { TableCell(unknown) }

  /// The cell of a number; unknown if it is nil or not finite.
  private func known(_ value: Double?, _ cell: (Double) -> TableCell) -> TableCell {
    guard let value, value.isFinite else { return unknownCell }
    return cell(value)
  }

  func count(_ n: Int?) -> TableCell { n.map { TableCell(NumberText.count($0)) } ?? unknownCell }

  func column(_ title: String, _ count: @escaping (GrantFigures) -> Int) -> TableColumn<ReportRow> {
    TableColumn(title) { self.count(count($0.grants)) }
  }

  /// `60.0 %` and, next to it, its interval.
  func rate(_ estimate: Estimate?) -> TableCell {
    known(estimate?.value) { TableCell(NumberText.percent($0), estimate.flatMap(NumberText.interval)) }
  }

  /// `60.0 %`.
  func share(_ estimate: Estimate?) -> TableCell { known(estimate?.value) { TableCell(NumberText.percent($0)) } }

  func share(_ count: Int, of all: Int) -> TableCell {
    known(Double(count) / Double(all)) { TableCell(NumberText.percent($0)) }
  }

  /// `108` and, next to it, its share of the whole.
  func part(_ count: Int?, of all: Int) -> TableCell {
    guard let count else { return unknownCell }
    return known(Double(count) / Double(all)) { TableCell(NumberText.count(count), NumberText.percent($0)) }
  }

  /// `60.0 % of 135`, the `of` in line.
  func shareOf(_ count: Int?, _ all: Int) -> TableCell {
    guard let count else { return unknownCell }
    return known(Double(count) / Double(all)) { TableCell(NumberText.percent($0) + "\u{A0}of", NumberText.count(all)) }
  }

  /// `19 of 226`, the `of` in line; unknown if no users could be counted.
  func countOf(_ count: Int?, _ all: Int) -> TableCell {
    guard let count, all > 0 else { return unknownCell }
    return TableCell(NumberText.count(count) + "\u{A0}of", NumberText.count(all))
  }

  func trials(_ group: SettingsFigures.Trials.Group?) -> TableCell {
    group.map { countOf($0.enabled, $0.n) } ?? unknownCell
  }

  /// A difference of shares in percentage points.
  func points(_ estimate: Estimate?) -> TableCell { difference(estimate, scale: 100, 1) }

  /// A difference in units of its own.
  func difference(_ estimate: Estimate?, scale: Double = 1, _ decimals: Int = 2) -> TableCell {
    known(estimate?.value) { value in
      TableCell(
        NumberText.signed(value * scale, decimals),
        estimate.flatMap { NumberText.signedInterval($0, scale: scale, decimals) })
    }
  }

  func mean(_ value: Double?) -> TableCell { known(value) { TableCell(fixed($0, 2)) } }

  /// A ratio and its interval, to three digits.
  func ratio(_ estimate: Estimate?) -> TableCell {
    known(estimate?.value) { value in
      let ends = estimate?.ends.map { NumberText.threeDigits($0.low) + "–" + NumberText.threeDigits($0.high) }
      return TableCell(NumberText.threeDigits(value), ends)
    }
  }

  func number(_ value: Double?) -> TableCell { known(value) { TableCell(NumberText.threeDigits($0)) } }

  /// - Parameter step: how finely the log has times, in milliseconds.
  func time(_ milliseconds: Double?, step: Milliseconds = 1) -> TableCell {
    known(milliseconds) { TableCell(NumberText.duration($0, step: step)) }
  }

  /// The change from the week before in points, with a mark if the week is outside its usual range.
  func change(_ row: ReportRow) -> TableCell {
    guard let change = row.trend?.change?.value else {
      return row.usual?.outside.map { TableCell($0.mark, tone: $0.tone) } ?? unknownCell
    }
    let text = NumberText.signed(change * 100)
    guard let outside = row.usual?.outside else { return TableCell(text) }
    return TableCell(text, outside.mark, tone: outside.tone)
  }

  /// `30.1–38.2 %`.
  func usual(_ week: UsualWeek?) -> TableCell {
    guard let week else { return unknownCell }
    return TableCell(fixed(week.low * 100, 1) + "–" + fixed(week.high * 100, 1))
  }
}

extension Trend {
  /// At 5 % after the correction for the number of permissions.
  static func isSignificant(_ adjustedPValue: Double?) -> Bool { (adjustedPValue ?? 1) < 0.05 }
}

extension UsualWeek.Side {
  var mark: String { self == .lower ? "▼" : "▲" }
  fileprivate var tone: TextTone { self == .lower ? .bad : .good }
}

extension UsualWeek {
  /// `36.1 %, usual 40.2 to 47.5 %`.
  package func words(_ rate: Double?) -> String {
    (rate.map { NumberText.percent($0) + ", " } ?? "")
      + "usual \(fixed(low * 100, 1)) to \(NumberText.percent(high))"
  }

  /// `about 70 fewer grants`, to two digits.
  var grants: String {
    let count = abs(moreGrants)
    guard count >= 0.5 else { return "no fewer grants" }
    var step = 1.0
    while count / step >= 99.5 { step *= 10 }
    let rounded = Int((count / step).rounded() * step)
    return
      "about \(NumberText.count(rounded)) \(moreGrants < 0 ? "fewer" : "more") \(rounded == 1 ? "grant" : "grants")"
  }
}

// MARK: A table of names from outside: how often each occurred, with which answer, and what became of it

package enum NameTable {
  /// A name, the properties that decided, and the position of the first one. Both may be empty.
  package typealias Row = (count: Int, name: String, answer: String, outcome: String, example: String)

  /// Lines of at most the style's width. People copy names, so names are cut only at the line's end. If the columns
  /// do not fit side by side, the result has its own line.
  package static func text(_ rows: [Row], _ style: TextStyle) -> String {
    let cells =
      [["event", "answer", "became", "first at"]]
      + rows.map { row in
        [row.name, row.answer, row.outcome, row.example].map { style.legible($0) }
      }
    let counts = ["count"] + rows.map { grouped($0.count) }
    let countWidth = counts.map { DisplayWidth.of($0) }.max() ?? 5
    let used = (0..<4).filter { column in rows.isEmpty || cells.dropFirst().contains { !$0[column].isEmpty } }
    let widths = used.map { column in cells.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
    let fits = countWidth + widths.reduce(0) { $0 + $1 + 2 } <= style.width
    let lines = zip(counts, cells).map { count, row in
      let begin = DisplayWidth.padLeft(count, to: countWidth)
      if !fits { return begin + below(row, margin: countWidth + 4, style) }
      return begin + zip(used, widths).map { "  " + DisplayWidth.padRight(row[$0], to: $1) }.joined().trimmedRight
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The name and its answer, then what became of them and the example on the next line.
  private static func below(_ row: [String], margin: Int, _ style: TextStyle) -> String {
    let mark = style.isASCII ? "..." : "…"
    let name = DisplayWidth.cut(row[0], to: style.width - margin + 2, mark: mark)
    let space = DisplayWidth.spaces(margin)
    var lines = "  " + name
    let answer = row[1]
    if !answer.isEmpty {
      let isBeside = margin + DisplayWidth.of(name) + DisplayWidth.of(answer) <= style.width
      lines += isBeside ? "  " + answer : "\n" + space + DisplayWidth.cut(answer, to: style.width - margin, mark: mark)
    }
    let rest = (style.isASCII ? "-> " : "→ ") + (row[3].isEmpty ? row[2] : row[2] + "  " + row[3])
    return lines + "\n" + space + DisplayWidth.cut(rest, to: style.width - margin, mark: mark)
  }
}

// MARK: Days and weeks as people write them

enum DayWords {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// `23 March 2026`.
  static func day(_ day: DayNumber) -> String {
    let date = CivilDate(day)
    return "\(date.day) \(month(date)) \(date.year)"
  }

  /// `23 to 29 March 2026`, `30 March to 5 April 2026`: the common part of both ends is printed once.
  static func range(_ first: DayNumber, _ last: DayNumber) -> String {
    guard first < last else { return day(last) }
    let (a, b) = (CivilDate(first), CivilDate(last))
    if a.year != b.year { return day(first) + " to " + day(last) }
    let start = a.month == b.month ? "\(a.day)" : "\(a.day) \(month(a))"
    return start + " to " + day(last)
  }

  /// `23 to 29 March 2026 (2026-W13)`; of a week that is named by its first day without the name.
  static func week(_ week: CalendarWeek) -> String {
    range(week.firstDay, week.firstDay + 6) + (week.start == .monday ? " (" + week.text + ")" : "")
  }

  /// The name of a week at the beginning of a sentence: a date alone would be a day.
  static func subject(_ week: CalendarWeek) -> String { week.start == .monday ? week.text : "Week " + week.text }

  /// `22 Mar`.
  static func short(_ day: DayNumber) -> String {
    let date = CivilDate(day)
    return "\(date.day)\u{A0}\(month(date).prefix(3))"
  }

  /// The week, or the days, that were asked for: `week of …`, `since …`, `up to …`; nil for all.
  /// - Parameters:
  ///   - from: the moment at which they begin.
  ///   - to: the moment after them.
  static func span(from: Milliseconds?, to: Milliseconds?, _ zone: ZoneTable) -> String? {
    if let from, let to {
      let week = zone.week(of: zone.day(of: from))
      let isWeek = week.firstDay == zone.day(of: from) && week.firstDay + 6 == zone.day(of: to - 1)
      if isWeek { return "week of " + self.week(week) }
    }
    return interval(from, to, zone)
  }

  /// The same without a word for a week: `3 to 16 February 2026`.
  static func interval(_ from: Milliseconds?, _ to: Milliseconds?, _ zone: ZoneTable) -> String? {
    switch (from.map { zone.day(of: $0) }, to.map { zone.day(of: $0 - 1) }) {
    case (let first?, let last?): range(first, last)
    case (let first?, nil): "since " + day(first)
    case (nil, let last?): "up to " + day(last)
    case (nil, nil): nil
    }
  }

  static func month(_ date: CivilDate) -> String {
    let index = Int(date.month) - 1
    return months.indices.contains(index) ? months[index] : ""
  }
}
