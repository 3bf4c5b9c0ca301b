// Times as text.

import PermissionEvents

/// The dates of the days of an export, and of some before and after it, as `YYYY-MM-DD`.
struct DateTexts {
  private let first: DayNumber
  private let texts: [[UInt8]]

  /// Days that a wrong clock or a late arrival can lie outside of the export.
  private static let margin: Int64 = 64

  init(_ options: SimulationOptions) {
    first = options.firstDay - Self.margin
    texts = (0..<Int64(options.days) + 2 * Self.margin).map { [first] in Array(CivilDate(first + $0).text.utf8) }
  }

  subscript(_ day: DayNumber) -> [UInt8] {
    texts[max(0, min(texts.count - 1, Int(day - first)))]
  }
}

extension LineBuffer {
  /// `YYYY-MM-DD`, a mark, `HH:MM:SS.mmm`.
  @inline(__always)
  mutating func time(_ time: Milliseconds, _ dates: DateTexts, mark: UInt8 = UInt8(ascii: "T")) {
    let day = floorDivide(time, millisecondsPerDay)
    bytes(dates[day])
    byte(mark)
    var rest = time - day * millisecondsPerDay
    twoDigits(rest / 3_600_000)
    rest %= 3_600_000
    byte(UInt8(ascii: ":"))
    twoDigits(rest / 60_000)
    rest %= 60_000
    byte(UInt8(ascii: ":"))
    twoDigits(rest / 1000)
    rest %= 1000
    byte(UInt8(ascii: "."))
    byte(48 + UInt8(truncatingIfNeeded: rest / 100))
    twoDigits(rest % 100)
  }
}
