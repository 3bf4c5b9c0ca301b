// Timestamps as logs spell them, `YYYY-MM-DDTHH:MM:SS.mmmZ` or without a fraction: the date is looked up
// (it is nearly always that of the line before), the time is read eight digits at once. Every other form
// goes to `Timestamp.parse`.

import Buffers
import PermissionEvents

/// Reads RFC 3339 timestamps. Owned by one thread.
struct TimestampReader {
  private var dateLow: UInt64 = 0
  private var dateHigh: UInt16 = 0
  /// The first moment of that date.
  private var midnight: Milliseconds = 0

  /// Reads a timestamp that ends with a quote; 32 bytes must be readable.
  /// - Returns: the time and the length of its text; nil if it is not in the common form.
  @inline(__always)
  mutating func common(_ text: UnsafeRawPointer) -> (time: Milliseconds, count: Int)? {
    guard let seconds = seconds(text) else { return nil }
    let fraction = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 19, as: UInt64.self))
    if fraction & 0xFFFF == 0x225A { return (seconds, 20) }
    return Self.fraction(fraction).map { (seconds &+ $0, 24) }
  }

  /// Reads a whole text; nil if it is not in the common form.
  @inline(__always)
  mutating func common(whole text: PaddedBytes) -> Milliseconds? {
    guard text.count == 24 || text.count == 20, let start = text.bytes.baseAddress, let seconds = seconds(start) else {
      return nil
    }
    let fraction = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 19, as: UInt64.self))
    if text.count == 20 { return fraction & 0xFF == 0x5A ? seconds : nil }
    // With the quote that a line would have after it.
    return Self.fraction(fraction & 0xFF_FFFF_FFFF | 0x2200_0000_0000).map { seconds &+ $0 }
  }

  /// The time up to its seconds; nil if it is not in the common form.
  @inline(__always)
  private mutating func seconds(_ text: UnsafeRawPointer) -> Milliseconds? {
    let low = text.loadUnaligned(as: UInt64.self)
    let high = text.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
    if low != dateLow || high != dateHigh {
      guard learn(text, low, high) else { return nil }
    }
    guard text.load(fromByteOffset: 10, as: UInt8.self) == 0x54, let clock = Self.clock(text + 11) else { return nil }
    return midnight &+ clock
  }

  /// The milliseconds of `.mmmZ"`.
  @inline(__always)
  private static func fraction(_ word: UInt64) -> Int64? {
    let digits = word ^ 0x225A_3030_302E
    guard digits & 0xFFFF_0000_00FF == 0, (digits | (digits &+ 0x7676_7600)) & 0x8080_8000 == 0 else { return nil }
    let hundreds = digits >> 8 & 0xFF
    let tens = digits >> 16 & 0xFF
    let ones = digits >> 24 & 0xFF
    return Int64(truncatingIfNeeded: hundreds &* 100 &+ tens &* 10 &+ ones)
  }

  /// The milliseconds of `HH:MM:SS`.
  @inline(__always)
  private static func clock(_ text: UnsafeRawPointer) -> Int64? {
    let word = UInt64(littleEndian: text.loadUnaligned(as: UInt64.self))
    // Digits become 0 to 9, the colons 0.
    let digits = word ^ 0x3030_3A30_303A_3030
    guard (digits | (digits &+ 0x7676_7F76_767F_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    let pairs = digits &* 10 &+ digits >> 8
    let hour = pairs & 0xFF
    let minute = pairs >> 24 & 0xFF
    let second = pairs >> 48 & 0xFF
    guard hour <= 23, minute <= 59, second <= 60 else { return nil }
    return Int64(truncatingIfNeeded: (hour &* 3600 &+ minute &* 60 &+ second) &* 1000)
  }

  /// Caches a date; false if it is not a date.
  @inline(never)
  private mutating func learn(_ text: UnsafeRawPointer, _ low: UInt64, _ high: UInt16) -> Bool {
    let parsed = withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { whole -> Milliseconds? in
      whole.copyBytes(from: UnsafeRawBufferPointer(start: text, count: 10))
      for (i, byte) in "T00:00:00Z".utf8.enumerated() { whole[10 + i] = byte }
      return Timestamp.parse(rfc3339: UnsafeRawBufferPointer(whole))
    }
    guard let parsed else { return false }
    dateLow = low
    dateHigh = high
    midnight = parsed
    return true
  }
}

// MARK: Times as spreadsheets, warehouses and scripts write them: `2026-03-02 10:00`, with or without seconds and a
// fraction, with `Z`, ` UTC`, `+01:00`, `+0100`, `+01` or no zone at all. Day and month are never guessed: `03/04/2026`
// is not a time here.

/// A date and a time of day as they were written.
struct LooseTime {
  /// The time by its own zone; by UTC if it names none.
  var time: Milliseconds
  var hasZone: Bool

  /// - Returns: nil if the text is not such a time.
  init?(_ text: UnsafeRawBufferPointer) {
    var bytes = ByteCursor(text)
    guard let year = bytes.number(4), bytes.take(0x2D), let month = bytes.number(2), bytes.take(0x2D),
      let day = bytes.number(2)
    else { return nil }
    guard bytes.take(0x54) || bytes.take(0x74) || bytes.blanks() else { return nil }
    guard let hour = bytes.number(2), bytes.take(0x3A), let minute = bytes.number(2) else { return nil }
    var second: Int64 = 0
    var millisecond: Int64 = 0
    if bytes.take(0x3A) {
      guard let read = bytes.number(2) else { return nil }
      second = read
      if bytes.take(0x2E) || bytes.take(0x2C) {
        guard let read = bytes.fraction() else { return nil }
        millisecond = read
      }
    }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.isValid, hour <= 23, minute <= 59, second <= 60 else { return nil }
    _ = bytes.blanks()
    guard let zone = bytes.zone() else { return nil }
    hasZone = zone.isNamed
    let seconds = date.dayNumber * 86_400 + hour * 3600 + (minute - zone.offset) * 60 + second
    time = seconds * 1000 + millisecond
  }
}

private struct ByteCursor {
  private let text: UnsafeRawBufferPointer
  private var position = 0

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  private var rest: Slice<UnsafeRawBufferPointer> { text[position...] }

  mutating func take(_ byte: UInt8) -> Bool {
    guard position < text.count, text[position] == byte else { return false }
    position += 1
    return true
  }

  /// Whether there was at least one.
  mutating func blanks() -> Bool {
    var found = false
    while take(0x20) { found = true }
    return found
  }

  mutating func number(_ digits: Int) -> Int64? {
    guard text.count - position >= digits else { return nil }
    var value: Int64 = 0
    for i in position..<position + digits {
      guard text[i] &- 48 <= 9 else { return nil }
      value = value * 10 + Int64(text[i] &- 48)
    }
    position += digits
    return value
  }

  /// 1 to 9 digits, cut to milliseconds.
  mutating func fraction() -> Int64? {
    var scale: Int64 = 100
    var value: Int64 = 0
    var count = 0
    while position < text.count, text[position] &- 48 <= 9 {
      value += Int64(text[position] &- 48) * scale
      scale /= 10
      count += 1
      position += 1
    }
    return (1...9).contains(count) ? value : nil
  }

  struct Zone {
    var isNamed: Bool
    /// Minutes east of UTC.
    var offset: Int64
  }

  /// The zone, which may be absent; nil if the rest is not a zone.
  mutating func zone() -> Zone? {
    if position == text.count { return Zone(isNamed: false, offset: 0) }
    if rest.elementsEqual("Z".utf8) || rest.elementsEqual("z".utf8) || rest.elementsEqual("UTC".utf8)
      || rest.elementsEqual("GMT".utf8)
    {
      return Zone(isNamed: true, offset: 0)
    }
    let isWest = rest.first == 0x2D
    guard take(0x2B) || take(0x2D), let hours = number(2) else { return nil }
    var minutes: Int64 = 0
    if !rest.isEmpty {
      _ = take(0x3A)
      guard let read = number(2) else { return nil }
      minutes = read
    }
    guard rest.isEmpty, hours <= 23, minutes <= 59 else { return nil }
    return Zone(isNamed: true, offset: (hours * 60 + minutes) * (isWest ? -1 : 1))
  }
}
