// Rates, differences and durations for people. Spaces inside a number do not break.

import PermissionAnalysis
import PermissionEvents

enum NumberText {
  private static let space = "\u{A0}"

  /// A finite number in full precision, for programs.
  static func exact(_ value: Double) -> String { whole(value).map { String($0) } ?? value.description }

  /// The integer that stands for a number in `exact`, where one does.
  static func whole(_ value: Double) -> Int? {
    value == value.rounded() && abs(value) < 1e15 ? Int(value) : nil
  }

  /// A whole number, its digits in groups.
  static func count(_ n: Int) -> String { String(grouped(n).map { $0 == " " ? "\u{A0}" : $0 }) }

  /// `1 user`, `2 users`.
  static func counted(_ n: Int, _ noun: String) -> String { count(n) + space + noun + (n == 1 ? "" : "s") }

  /// `48.0 %` of a share of 1.
  static func percent(_ share: Double) -> String { fixed(share * 100, 1) + space + "%" }

  /// `44.4–51.8`, in percent.
  static func interval(_ estimate: Estimate) -> String? {
    guard let low = estimate.low, let high = estimate.high else { return nil }
    return fixed(low * 100, 1) + "–" + fixed(high * 100, 1)
  }

  /// `+3.4`; no sign where it rounds to 0.
  static func signed(_ value: Double, _ decimals: Int = 1) -> String {
    let size = fixed(abs(value), decimals)
    guard size.utf8.contains(where: { (49...57).contains($0) }) else { return size }
    return (value < 0 ? "−" : "+") + size
  }

  /// `−1.0 to +7.9`: with signs, a dash would be read as one.
  static func signedInterval(_ estimate: Estimate, scale: Double, _ decimals: Int = 1) -> String? {
    guard let low = estimate.low, let high = estimate.high else { return nil }
    return signed(low * scale, decimals) + space + "to" + space + signed(high * scale, decimals)
  }

  /// About three digits that count: `137`, `32.7`, `4.01`, `0.029`; `0` is exact.
  static func threeDigits(_ value: Double) -> String {
    // Decided by the rounded value, so that 9.996 is 10.0 and not 10.00.
    if value == 0 || abs(value) >= 99.95 { return fixed(value, 0) }
    if value > 0, value < 0.0005 { return "<0.001" }
    return fixed(value, abs(value) >= 9.995 ? 1 : abs(value) >= 0.0995 ? 2 : 3)
  }

  /// `412 ms`, `2.4 s`, `1 min 12 s`, `15 h 51 min`, `3 d 4 h`.
  static func duration(_ milliseconds: Double) -> String {
    guard milliseconds.isFinite, abs(milliseconds) < 1e15 else { return fixed(.nan, 0) }
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
}
