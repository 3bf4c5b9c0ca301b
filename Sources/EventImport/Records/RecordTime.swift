// The times of exports: epochs in four units, dates with a zone and dates without one.

import CTimeFormat
import EventMapping
import PermissionEvents
import SystemCalls

/// The clock of a time without a zone.
enum WallClock: Sendable {
  case utc
  /// - ofEpochs: numbers count by this clock too, as Mixpanel's older projects had them.
  case zone(ZoneTable, ofEpochs: Bool)
  /// Unknown: such a time is not a moment.
  case unknown
  /// Unknown, and numbers count by it too.
  case unknownEpochs
}

struct RecordTime: Sendable {
  let unit: TimeUnit
  let clock: WallClock
  /// `strptime`'s, for texts that need one.
  let format: String?

  init(unit: TimeUnit, clock: WallClock, format: String? = nil) {
    self.unit = unit
    self.clock = clock
    self.format = format
  }

  /// A time as exported and as UTC; they differ if it was the wall clock of a zone.
  struct Reading {
    var exported: Milliseconds
    var time: Milliseconds
  }

  /// The time that a value means.
  /// - Throws: if it is not a time, or has no zone and none was given.
  func read(_ value: FieldValue) throws(Rejection) -> Reading {
    var found: Reading?
    switch value.kind {
    case .number where unit == .digits:
      found = try digits(value.bytes).map { time throws(Rejection) in try local(time, value) }
    case .number: found = try epoch(value.bytes).map { time throws(Rejection) in try numbered(time, value) }
    case .string:
      let text = value.bytes.first == 0x20 || value.bytes.last == 0x20 ? Self.trimmed(value.bytes) : value.bytes
      if let format {
        found = try formatted(text, format, value)
      } else if unit == .digits {
        found = try digits(text).map { time throws(Rejection) in try local(time, value) }
      } else if let time = Timestamp.parse(rfc3339: text) {
        found = Reading(exported: time, time: time)
      } else if let number = IdentifierText.isRounded(text) ? nil : epoch(text) {
        found = try numbered(number, value)
      } else if let loose = LooseTime(text) {
        found = loose.hasZone ? Reading(exported: loose.time, time: loose.time) : try local(loose.time, value)
      }
    default: break
    }
    guard let found else { throw .badRecordTime(value) }
    return found
  }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var slice = bytes[...]
    while slice.first == 0x20 { slice = slice.dropFirst() }
    while slice.last == 0x20 { slice = slice.dropLast() }
    return UnsafeRawBufferPointer(rebasing: slice)
  }

  /// A number counts from 1970 by UTC, unless the vendor counts by its project's clock.
  private func numbered(_ exported: Milliseconds, _ value: FieldValue) throws(Rejection) -> Reading {
    if case .unknownEpochs = clock { throw .noZone(value) }
    // No clock shows a time beyond all limits.
    guard exported != .max, case .zone(let zone, true) = clock else {
      return Reading(exported: exported, time: exported)
    }
    return Reading(exported: exported, time: Self.utc(exported, in: zone))
  }

  private func local(_ exported: Milliseconds, _ value: FieldValue) throws(Rejection) -> Reading {
    guard let time = moment(ofWallClock: exported) else { throw .noZone(value) }
    return Reading(exported: exported, time: time)
  }

  /// A time by `strptime`; a fraction of the second may follow.
  private func formatted(
    _ text: UnsafeRawBufferPointer, _ format: String, _ value: FieldValue
  ) throws(Rejection) -> Reading? {
    guard text.count <= 64, !text.contains(0) else { return nil }
    var parts = tm()
    let string = String(bounded: text)
    // Parts that a format does not set stay; without a day there is no date.
    parts.tm_mday = -1
    let rest = string.withCString { start in ctf_parse(start, format, &parts).map { String(cString: $0) } }
    guard let rest, parts.tm_mday > 0 else { return nil }
    var millisecond: Int64 = 0
    if !rest.isEmpty {
      let digits = rest.utf8.dropFirst()
      guard rest.hasPrefix("."), (1...9).contains(digits.count), digits.allSatisfy({ $0 &- 48 <= 9 }) else {
        return nil
      }
      for (place, digit) in zip([100, 10, 1] as [Int64], digits) { millisecond += Int64(digit - 48) * place }
    }
    let date = CivilDate(year: Int64(parts.tm_year) + 1900, month: Int64(parts.tm_mon) + 1, day: Int64(parts.tm_mday))
    guard date.isValid else { return nil }
    let seconds =
      ((date.dayNumber * 24 + Int64(parts.tm_hour)) * 60 + Int64(parts.tm_min)) * 60 + Int64(parts.tm_sec)
      - Int64(parts.tm_gmtoff)
    let time = seconds * 1000 + millisecond
    let plain = format.replacing("%%", with: "")
    let hasZone = plain.contains("%z") || plain.contains("%s")
    return hasZone ? Reading(exported: time, time: time) : try local(time, value)
  }

  /// The moment at which the clocks of a zone showed a time: the first one, if they showed it twice; if they never did,
  /// the one by the clocks before the change.
  static func utc(_ wall: Milliseconds, in zone: ZoneTable) -> Milliseconds {
    let before = zone.offset(at: wall &- millisecondsPerDay)
    let first = wall &- before
    if zone.offset(at: first) == before { return first }
    let second = wall &- zone.offset(at: first)
    return zone.offset(at: second) == zone.offset(at: first) ? second : first
  }

  /// An epoch; times beyond all limits come out as `.max`.
  private func epoch(_ bytes: UnsafeRawBufferPointer) -> Milliseconds? {
    if unit == .digits { return digits(bytes) }
    var whole: Int64 = 0
    var thousandths: Int64 = 0
    var i = 0
    guard let first = bytes.first, first &- 48 <= 9 else { return nil }
    while i < bytes.count, bytes[i] &- 48 <= 9 {
      guard whole < Int64.max / 10 - 10 else { return Self.isNumber(bytes[i...]) ? .max : nil }
      whole = whole * 10 + Int64(bytes[i] - 48)
      i += 1
    }
    if i < bytes.count {
      guard let number = Self.decimal(bytes) else { return nil }
      guard number.whole < Self.mostWhole else { return .max }
      (whole, thousandths) = number
    }
    switch unit {
    case .seconds: return whole < 1 << 50 ? whole * 1000 + thousandths : .max
    case .milliseconds: return whole
    case .microseconds: return whole / 1000
    case .auto, .digits: return Self.epochBySize(whole, thousandths: thousandths)
    }
  }

  /// An epoch of our time, with a unit that follows from its size.
  @inline(__always)
  static func epochBySize(_ whole: Int64, thousandths: Int64) -> Milliseconds {
    if whole < 100_000_000_000 { return whole * 1000 + thousandths }
    if whole < 100_000_000_000_000 { return whole }
    return whole < 100_000_000_000_000_000 ? whole / 1000 : whole / 1_000_000
  }

  /// The moment at which the clocks showed a time; nil if the clock is unknown.
  @inline(__always)
  func moment(ofWallClock exported: Milliseconds) -> Milliseconds? {
    switch clock {
    case .utc: exported
    case .zone(let zone, _): Self.utc(exported, in: zone)
    case .unknown, .unknownEpochs: nil
    }
  }

  private static func isNumber(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.allSatisfy { $0 &- 48 <= 9 || $0 == 0x2E }
  }

  /// Larger numbers are no time in any unit.
  private static let mostWhole: Int64 = 9_000_000_000_000_000

  /// A number of decimal digits with a fraction or an exponent, cut to thousandths; `mostWhole` if it is larger. By its
  /// digits: as a binary fraction, .123 is often a little less than that.
  private static func decimal(_ bytes: UnsafeRawBufferPointer) -> (whole: Int64, thousandths: Int64)? {
    guard bytes.count <= 40 else { return nil }
    var digits: [Int64] = []
    var point: Int?
    var i = 0
    while i < bytes.count {
      if bytes[i] == 0x2E, point == nil {
        point = digits.count
      } else if bytes[i] &- 48 <= 9 {
        digits.append(Int64(bytes[i] - 48))
      } else {
        break
      }
      i += 1
    }
    var exponent = 0
    if i < bytes.count {
      guard bytes[i] | 0x20 == 0x65, let given = Int(String(bounded: bytes[(i + 1)...])) else { return nil }
      exponent = min(max(given, -100), 100)
    }
    let end = (point ?? digits.count) + exponent
    var whole: Int64 = 0
    for place in 0..<max(0, end) {
      whole = whole * 10 + (place < digits.count ? digits[place] : 0)
      if whole >= mostWhole { return (mostWhole, 0) }
    }
    let thousandths = (end..<end + 3).reduce(Int64(0)) { $0 * 10 + (digits.indices.contains($1) ? digits[$1] : 0) }
    return (whole, thousandths)
  }

  /// `yyyyMMddHHmmss`.
  private func digits(_ bytes: UnsafeRawBufferPointer) -> Milliseconds? {
    guard bytes.count == 14, bytes.allSatisfy({ $0 &- 48 <= 9 }) else { return nil }
    func number(_ range: Range<Int>) -> Int64 { range.reduce(0) { $0 * 10 + Int64(bytes[$1] &- 48) } }
    let date = CivilDate(year: number(0..<4), month: number(4..<6), day: number(6..<8))
    let (hour, minute, second) = (number(8..<10), number(10..<12), number(12..<14))
    guard date.isValid, hour <= 23, minute <= 59, second <= 60 else { return nil }
    return ((date.dayNumber * 24 + hour) * 60 + minute) * 60_000 + second * 1000
  }
}
