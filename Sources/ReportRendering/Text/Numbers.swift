// Numbers, durations and moments for people. Spaces inside a number do not break.

import PermissionAnalysis
import PermissionEvents

/// A whole number with spaces between groups of three digits, from five digits on.
package func grouped(_ n: Int) -> String {
  let digits = String(n.magnitude)
  guard digits.utf8.count > 4 else { return String(n) }
  var out = ""
  for (i, digit) in digits.enumerated() {
    if i > 0, (digits.utf8.count - i) % 3 == 0 { out += " " }
    out.append(digit)
  }
  return (n < 0 ? "-" : "") + out
}

/// A number with a fixed number of decimals, rounded half away from zero.
package func fixed(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite, abs(value) < 1e15 else { return value.isNaN ? "–" : value < 0 ? "-∞" : "∞" }
  var scale = 1
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((abs(value) * Double(scale)).rounded())
  let whole = String(scaled / scale)
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard decimals > 0 else { return sign + whole }
  let rest = String(scaled % scale)
  return sign + whole + "." + String(repeating: "0", count: decimals - rest.utf8.count) + rest
}

/// Returns the first of some names, and the number of the rest.
package func listed(_ names: [String], most: Int) -> String {
  names.prefix(most).joined(separator: ", ") + (names.count > most ? " and \(names.count - most) more" : "")
}

package func counted(_ n: Int, _ one: String, _ many: String) -> String { "\(grouped(n)) \(n == 1 ? one : many)" }

/// A positive number as `4.4e-6`.
/// - Parameter least: of the part before the exponent.
func scientific(_ value: Double, from least: Double) -> String {
  var (mantissa, exponent) = (value, 0)
  while mantissa < least {
    mantissa *= 10
    exponent -= 1
  }
  return "\(fixed(mantissa, 1))e\(exponent)"
}

extension Estimate {
  /// Of its interval; nil if one of them is not known.
  var ends: (low: Double, high: Double)? { low.flatMap { low in high.map { (low, $0) } } }
}

enum NumberText {
  private static let space = "\u{A0}"

  /// A finite number in full precision, for programs.
  static func exact(_ value: Double) -> String { whole(value).map { String($0) } ?? value.description }

  /// The integer that `exact` writes for a number, if it does.
  static func whole(_ value: Double) -> Int? {
    value == value.rounded() && abs(value) < 1e15 ? Int(value) : nil
  }

  static func count(_ n: Int) -> String { String(grouped(n).map { $0 == " " ? "\u{A0}" : $0 }) }

  /// `1 user`, `2 users`.
  static func counted(_ n: Int, _ noun: String) -> String { count(n) + space + noun + (n == 1 ? "" : "s") }

  /// `48.0 %` of a share of 1.
  static func percent(_ share: Double) -> String { fixed(share * 100, 1) + space + "%" }

  /// `44.4–51.8`, in percent.
  static func interval(_ estimate: Estimate) -> String? {
    estimate.ends.map { fixed($0.low * 100, 1) + "–" + fixed($0.high * 100, 1) }
  }

  /// `48.0 % (44.4–51.8)`.
  static func rate(_ rate: Estimate, _ space: String = space) -> String {
    percent(rate.value) + (interval(rate).map { space + "(\($0))" } ?? "")
  }

  /// `+3.4`; no sign if it rounds to 0.
  static func signed(_ value: Double, _ decimals: Int = 1) -> String {
    let size = fixed(abs(value), decimals)
    guard size.utf8.contains(where: { (49...57).contains($0) }) else { return size }
    return (value < 0 ? "−" : "+") + size
  }

  /// `−1.0 to +7.9`: with signs, a dash would be read as one.
  static func signedInterval(_ estimate: Estimate, scale: Double, _ decimals: Int = 1) -> String? {
    estimate.ends.map { signed($0.low * scale, decimals) + space + "to" + space + signed($0.high * scale, decimals) }
  }

  /// About three digits that count: `137`, `32.7`, `4.01`, `0.029`; `0` is exact.
  static func threeDigits(_ value: Double) -> String {
    // Depends on the rounded value: 9.996 is 10.0, not 10.00.
    if value == 0 || abs(value) >= 99.95 { return fixed(value, 0) }
    if value > 0, value < 0.0005 { return "<0.001" }
    return fixed(value, abs(value) >= 9.995 ? 1 : abs(value) >= 0.0995 ? 2 : 3)
  }

  /// `412 ms`, `2.4 s`, `1 min 12 s`, `15 h 51 min`, `3 d 4 h`.
  ///
  /// - Parameter step: how finely it is known, in milliseconds. To the second: `4 s`, `<1 s`; to the minute:
  ///   `3 min`, `<1 min`.
  static func duration(_ milliseconds: Double, step: Milliseconds = 1) -> String {
    guard milliseconds.isFinite, abs(milliseconds) < 1e15 else { return fixed(.nan, 0) }
    if step >= 60_000, (0..<3_570_000).contains(milliseconds) {
      return milliseconds < 30_000 ? "<1" + space + "min" : fixed(milliseconds / 60_000, 0) + space + "min"
    }
    if step >= 1000, (0..<59_500).contains(milliseconds) {
      return milliseconds < 500 ? "<1" + space + "s" : fixed(milliseconds / 1000, 0) + space + "s"
    }
    if milliseconds == 0 { return "<1" + space + "ms" }
    if milliseconds < 999.5 { return fixed(milliseconds, 0) + space + "ms" }
    if milliseconds < 59_950 { return fixed(milliseconds / 1000, 1) + space + "s" }
    let seconds = Int64((milliseconds / 1000).rounded())
    if seconds < 3600 { return parts([(seconds / 60, "min"), (seconds % 60, "s")]) }
    let minutes = Int64((milliseconds / 60_000).rounded())
    if minutes < 1440 { return parts([(minutes / 60, "h"), (minutes % 60, "min")]) }
    let hours = Int64((milliseconds / 3_600_000).rounded())
    return parts([(hours / 24, "d"), (hours % 24, "h")])
  }

  /// A window, exactly: every unit that is not 0.
  static func window(_ milliseconds: Milliseconds) -> String {
    let day = millisecondsPerDay
    return parts([
      (milliseconds / day, "d"), (milliseconds % day / 3_600_000, "h"), (milliseconds % 3_600_000 / 60_000, "min"),
      (milliseconds % 60_000 / 1000, "s"), (milliseconds % 1000, "ms"),
    ])
  }

  private static func parts(_ parts: [(Int64, String)]) -> String {
    let shown = parts.filter { $0.0 != 0 }.map { "\($0.0)" + space + $0.1 }
    return shown.isEmpty ? "0" + space + (parts.last?.1 ?? "") : shown.joined(separator: space)
  }

  /// `2026-03-30` for the first moment of a day, else `2026-03-30 22:47`, `2026-03-30 22:47:06.059`: exact, and in words a
  /// person would write. Zones whose clocks are turned back have their offset, as the same hour may come twice.
  static func moment(_ time: Milliseconds, _ zone: ZoneTable) -> String {
    let day = zone.day(of: time)
    if zone.firstMoment(of: day) == time { return CivilDate(day).text }
    let minutes = zone.offset(at: time) / 60_000
    var text = Timestamp.text(time + minutes * 60_000).replacing("T", with: " ")
    text.removeLast(text.hasSuffix(":00.000Z") ? 8 : text.hasSuffix(".000Z") ? 5 : 1)
    guard minutes != 0 || zone.name != "UTC" else { return text }
    return text + (minutes < 0 ? " -" : " +") + two(abs(minutes) / 60) + ":" + two(abs(minutes) % 60)
  }

  private static func two(_ n: Int64) -> String { n < 10 ? "0\(n)" : "\(n)" }
}

// MARK: Grant rates of the last complete weeks, a line of small bars for each permission

enum Sparkline {
  private static let bars = Array("▁▂▃▄▅▆▇█")
  /// Without bars: the height as a digit from 1 to 8.
  private static let digits = Array("12345678")
  /// The least span, 20 percentage points, so noise does not look like a mountain range.
  private static let leastSpan = 0.2

  /// - Parameter shares: one a week, oldest first; nil is a gap.
  static func draw(_ shares: [Double?], isASCII: Bool) -> String {
    let known = shares.compactMap { $0 }
    guard let low = known.min(), let high = known.max() else { return "" }
    let span = max(leastSpan, high - low)
    let bottom = max(0, min((low + high - span) / 2, 1 - span))
    let levels = isASCII ? digits : bars
    return String(
      shares.map { share in
        guard let share else { return isASCII ? "." : "·" }
        return levels[min(levels.count - 1, max(0, Int((share - bottom) / span * Double(levels.count))))]
      })
  }
}

/// The lines of the groups that a report leads with.
struct Sparklines {
  /// The last complete weeks up to the one that the report leads with, gaps included; none if fewer than two have rows, as
  /// one point is no line.
  let weeks: [CalendarWeek]
  /// A line for each of `leadRows`: grant rates, nil for a gap; that of the others together is empty.
  let lines: [[Double?]]
  /// The same without shares of a few users.
  let drawn: [[Double?]]

  init(_ scope: ReportScope, last most: Int64 = 12) {
    var weeks: [CalendarWeek] = []
    if let lead = scope.leadWeek {
      let known = scope.groups.flatMap(\.weeks).compactMap(\.week).filter { $0 <= lead && scope.report.isWhole($0) }
      if let first = known.min(), first < lead {
        weeks = (max(first.index, lead.index - most + 1)...lead.index).map { CalendarWeek(index: $0) }
      }
    }
    self.weeks = weeks
    func shares(leastBase: Int) -> [[Double?]] {
      scope.leadGroups.map { group in
        // The others together are no value, and in no chart.
        if group.all.by.isOther { return weeks.map { _ in nil } }
        return weeks.map { week in
          group.row(in: week).flatMap { $0.grants.base < leastBase ? nil : $0.grants.grantRate?.value }
        }
      }
    }
    lines = shares(leastBase: 0)
    drawn = shares(leastBase: Drawable.leastBase)
  }

  var title: String { "last \(weeks.count) weeks" }

  /// The lines as a table for narrow pages. Nil if there is no data.
  func table(_ scope: ReportScope, _ style: TextStyle) -> Table? {
    guard let first = weeks.first, let last = weeks.last else { return nil }
    func percent(_ share: Double?) -> TableCell { TableCell(share.map { NumberText.percent($0) } ?? style.unknown) }
    var table = Table(
      scope, scope.leadRows,
      [
        TableColumn(title: "\(first.text) to \(last.text)") { _, i in
          TableCell(Sparkline.draw(lines[i], isASCII: style.isASCII))
        },
        TableColumn(title: "lowest") { _, i in percent(lines[i].compactMap { $0 }.min()) },
        TableColumn(title: "highest") { _, i in percent(lines[i].compactMap { $0 }.max()) },
      ], where: { !$0.by.isOther })
    table.nameTitle = "grant rate by week"
    return table
  }
}
