// ISO 8601 weeks: Monday to Sunday, the first week of a year is the one with its first Thursday.

/// An ISO week, as the number of weeks since the one that holds 1970-01-01.
public struct ISOWeek: Hashable, Comparable, Sendable {
  public let index: Int64

  public init(index: Int64) { self.index = index }

  /// The week of a day. 1970-01-01 was a Thursday.
  public init(day: DayNumber) { index = floorDivide(day + 3, 7) }

  /// The Monday.
  public var firstDay: DayNumber { index * 7 - 3 }

  public static func < (a: Self, b: Self) -> Bool { a.index < b.index }

  /// `2026-W14`.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public var bytes: [UInt8] {
    let thursday = firstDay + 3
    let year = CivilDate(thursday).year
    let week = (thursday - CivilDate(year: year, month: 1, day: 1).dayNumber) / 7 + 1
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8)
    DateDigits.append(year, 4, to: &bytes)
    bytes.append(0x2D)
    bytes.append(0x57)
    DateDigits.append(week, 2, to: &bytes)
    return bytes
  }

  /// `2026-W14`; nil if the text is not a week, or the year has no such week.
  public init?(parsing text: String) { self.init(parsing: Array(text.utf8)) }

  public init?(parsing bytes: [UInt8]) {
    guard bytes.count == 8, bytes[4] == 0x2D, bytes[5] == 0x57, let year = DateDigits.value(bytes[..<4]), year >= 1,
      let week = DateDigits.value(bytes[6...]), (1...53).contains(week)
    else { return nil }
    let fourth = ISOWeek(day: CivilDate(year: year, month: 1, day: 4).dayNumber)
    index = fourth.index + week - 1
    // A 53rd week may be the first of the next year, which has another name.
    guard self.bytes == bytes else { return nil }
  }
}
