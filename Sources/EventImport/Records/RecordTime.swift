// The times of exports: epochs in four units, dates with a zone and dates without one.

import EventMapping
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads times as a record description says.
struct RecordTime: Sendable {
  let unit: TimeUnit
  /// The zone of times that name none; nil for UTC.
  let zone: ZoneTable?

  /// A time as exported and as UTC; they differ where it was the wall clock of a zone.
  struct Reading {
    var exported: Milliseconds
    var time: Milliseconds
  }

  /// The time that a value means; nil where it means none.
  func read(_ value: FieldValue) -> Reading? {
    switch value.kind {
    case .number: epoch(value.bytes).map(local)
    case .string:
      if unit == .digits { digits(value.bytes).map(local) } else { epoch(value.bytes).map(local) ?? text(value.bytes) }
    default: nil
    }
  }

  private func local(_ exported: Milliseconds) -> Reading {
    // A time beyond all limits is no clock's.
    guard exported != .max else { return Reading(exported: .max, time: .max) }
    return Reading(exported: exported, time: zone.map { Self.utc(exported, in: $0) } ?? exported)
  }

  /// The moment at which the clocks of a zone showed a time: the first one, where they showed it twice; where they never
  /// did, the one that the clocks before the change would have come to.
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
      guard bytes[i] == 0x2E || bytes[i] | 0x20 == 0x65 else { return nil }
      guard let number = Self.double(bytes), number >= 0 else { return nil }
      guard number < 9e15 else { return .max }
      whole = Int64(number)
      thousandths = Int64((number - number.rounded(.towardZero)) * 1000)
    }
    switch unit {
    case .seconds: return whole < 1 << 50 ? whole * 1000 + thousandths : .max
    case .milliseconds: return whole
    case .microseconds: return whole / 1000
    case .auto, .digits:
      // Epochs of our time, told by their size.
      if whole < 100_000_000_000 { return whole * 1000 + thousandths }
      if whole < 100_000_000_000_000 { return whole }
      return whole < 100_000_000_000_000_000 ? whole / 1000 : whole / 1_000_000
    }
  }

  private static func isNumber(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.allSatisfy { $0 &- 48 <= 9 || $0 == 0x2E }
  }

  /// A number with a fraction or an exponent.
  private static func double(_ bytes: UnsafeRawBufferPointer) -> Double? {
    guard bytes.count <= 40 else { return nil }
    return Double(String(decoding: bytes, as: UTF8.self))
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

  /// RFC 3339, or the same without a zone or with ` UTC` behind it.
  private func text(_ bytes: UnsafeRawBufferPointer) -> Reading? {
    if let time = Timestamp.parse(rfc3339: bytes) { return Reading(exported: time, time: time) }
    guard bytes.count >= 19, bytes.count <= 34 else { return nil }
    let isUTC = bytes.count > 23 && bytes.suffix(4).elementsEqual(" UTC".utf8)
    let plain = isUTC ? bytes.dropLast(4) : bytes[...]
    let time = withUnsafeTemporaryAllocation(byteCount: 36, alignment: 1) { memory -> Milliseconds? in
      for (i, byte) in plain.enumerated() { memory[i] = byte }
      memory[plain.count] = 0x5A
      return Timestamp.parse(rfc3339: UnsafeRawBufferPointer(rebasing: memory[..<(plain.count + 1)]))
    }
    guard let time else { return nil }
    return isUTC ? Reading(exported: time, time: time) : local(time)
  }
}
