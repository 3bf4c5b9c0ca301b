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

  /// Remembers a date; false if it is none.
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
