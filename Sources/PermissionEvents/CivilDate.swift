// Days and civil dates of the proleptic Gregorian calendar, by integer arithmetic alone (the algorithms
// of Howard Hinnant, "chrono-compatible low-level date algorithms").

/// A day as a number of days since 1970-01-01.
public typealias DayNumber = Int64

public let millisecondsPerDay: Int64 = 86_400_000

public struct CivilDate: Hashable, Sendable {
  public var year: Int64
  public var month: Int64
  public var day: Int64

  public init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date of a day.
  public init(_ number: DayNumber) {
    let z = number + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The day of this date. Years 0 to 9999, months 1 to 12, days 1 to 31.
  public var dayNumber: DayNumber {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Whether the month has that day.
  public var isValid: Bool {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1 else { return false }
    return day <= Self.daysInMonth(year: year, month: month)
  }

  static func daysInMonth(year: Int64, month: Int64) -> Int64 {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
  }

  /// `YYYY-MM-DD`, nil if the text is not a date.
  public init?(parsing text: String) { self.init(parsing: Array(text.utf8)) }

  public init?(parsing bytes: [UInt8]) {
    guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D, let year = DateDigits.value(bytes[..<4]),
      let month = DateDigits.value(bytes[5..<7]), let day = DateDigits.value(bytes[8...])
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard isValid else { return nil }
  }

  /// `YYYY-MM-DD`.
  public var text: String { String(bounded: bytes) }

  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(10)
    write(into: &bytes)
    return bytes
  }

  /// Appends `YYYY-MM-DD`.
  func write(into bytes: inout [UInt8]) {
    DateDigits.append(year, 4, to: &bytes)
    bytes.append(0x2D)
    DateDigits.append(month, 2, to: &bytes)
    bytes.append(0x2D)
    DateDigits.append(day, 2, to: &bytes)
  }
}

/// Digits of dates and times.
enum DateDigits {
  /// A number of digits alone, few enough not to overflow.
  static func value(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for byte in digits {
      let digit = byte &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return value
  }

  /// Appends the decimal digits of a number, with leading zeros up to a width of 2 to 4. Years before 0 are in no log.
  @inline(__always)
  static func append(_ number: Int64, _ width: Int, to bytes: inout [UInt8]) {
    var rest = number.magnitude
    var unit: UInt64 = width == 4 ? 1000 : width == 3 ? 100 : 10
    while rest / unit > 9 { unit *= 10 }
    while unit > 0 {
      bytes.append(0x30 + UInt8(truncatingIfNeeded: rest / unit))
      rest %= unit
      unit /= 10
    }
  }
}

/// Floor division, for negative numerators too.
public func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
  let q = a / b
  return a % b < 0 ? q - 1 : q
}
