// Numbers in cells: as they are shown, and as dates if their number format says so (ECMA-376, 18.8.30 and 18.17.4.1).

import PermissionEvents

enum CellNumber {
  /// Number formats that every workbook has and that show dates or times: 27 to 36 and 50 to 58 in East Asia.
  static func isDate(builtIn id: Int) -> Bool {
    switch id {
    case 14...22, 27...36, 45...47, 50...58: true
    default: false
    }
  }

  /// Whether a format of the workbook's own shows a date or a time: it has a day, month, year, hour or second outside of quotes.
  static func isDate(format: [UInt8]) -> Bool {
    var rest = format[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x3B: return false
      case 0x22: rest = rest.drop { $0 != 0x22 }.dropFirst()
      // An escaped character, a blank of its width, one that fills the cell.
      case 0x5C, 0x5F, 0x2A: _ = rest.popFirst()
      case 0x5B:
        // `[h]` is a time that goes on past a day; `[Red]` and `[$-407]` are none.
        let inside = rest.prefix { $0 != 0x5D }.map { $0 | 0x20 }
        if let first = inside.first, "hms".utf8.contains(first), inside.allSatisfy({ $0 == first }) { return true }
        rest = rest.dropFirst(inside.count + 1)
      default: if "dmyhs".utf8.contains(byte | 0x20) { return true }
      }
    }
    return false
  }

  /// A number as a cell shows it without a format: 15 digits, no exponent where it is an integer.
  static func text(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count <= 40, let number = Double(String(decoding: bytes, as: UTF8.self)), number.isFinite else {
      return bytes
    }
    // From here on an exponent tells that an id was rounded.
    guard abs(number) < 1e15 else { return bytes }
    if number == number.rounded() { return Array(String(Int64(number)).utf8) }
    guard abs(number) >= 1e-4 else { return bytes }
    var digits = 14
    var limit = 10.0
    while digits > 1, abs(number) >= limit {
      limit *= 10
      digits -= 1
    }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int64(abs(number))
    let fraction = Int64(((abs(number) - Double(whole)) * scale).rounded())
    guard fraction > 0, fraction < Int64(scale) else {
      return Array(String(Int64(number.rounded())).utf8)
    }
    let places = String(fraction)
    var text =
      (number < 0 ? "-" : "") + String(whole) + "." + String(repeating: "0", count: max(0, digits - places.count))
      + places
    while text.hasSuffix("0") { text.removeLast() }
    return Array(text.utf8)
  }

  /// A day's number as `2026-03-02 10:00:00`, or a time of day; nil if it is no date of the calendar.
  /// - Parameter is1904: days count from 1904, not from 1900.
  static func date(_ bytes: [UInt8], is1904: Bool) -> [UInt8]? {
    guard bytes.count <= 40, let serial = Double(String(decoding: bytes, as: UTF8.self)), serial >= 0,
      serial < 2_958_466
    else { return nil }
    let milliseconds = Int64((serial * 86_400_000).rounded())
    var day = milliseconds / 86_400_000
    let time = milliseconds % 86_400_000
    let clock = Self.clock(time)
    if is1904 {
      day += 1462
    } else if day == 0 {
      return clock
    } else if day == 60 {
      // 1900 was no leap year, but it is one here.
      return nil
    } else if day < 60 {
      day += 1
    }
    // Day 25,569 is 1970-01-01.
    let date = CivilDate(day - 25_569)
    return Array("\(date.year)-".utf8) + padded(date.month, 2) + [0x2D] + padded(date.day, 2) + [0x20] + clock
  }

  private static func clock(_ time: Int64) -> [UInt8] {
    var text =
      padded(time / 3_600_000, 2) + [0x3A] + padded(time / 60_000 % 60, 2) + [0x3A] + padded(time / 1000 % 60, 2)
    if time % 1000 > 0 { text += [0x2E] + padded(time % 1000, 3) }
    return text
  }

  private static func padded(_ number: Int64, _ digits: Int) -> [UInt8] {
    let text = String(number)
    return Array((String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8)
  }
}
