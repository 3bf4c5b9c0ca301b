// The numbers that apps give their rows. Most rows of an export are not stored and have a number all the same: so nothing is read of
// them that the row before them had.

import Buffers
import EventMapping
import PermissionEvents

/// Reads the numbers of one mapping's records. Owned by one thread.
final class RowNumbers {
  private let from: [Int]
  private let within: [[Int]]
  private let versions, platforms: [Int]
  /// Of the mapping: counters of two vendors are different, even with equal ids.
  private let seed: UInt64
  @exclusivity(unchecked) private var hour = LastHour()
  @exclusivity(unchecked) private var source = LastSource()

  /// Nil if records have no numbers.
  init?(_ program: MappingProgram, seed: UInt64) {
    guard let (from, within) = program.number else { return nil }
    (self.from, self.within, self.seed) = (from, within, UserHash.mix(seed))
    versions = program.fields[StringField.appVersion.rawValue]
    platforms = program.fields[StringField.platform.rawValue]
  }

  /// The number of a record, and the hash of what counts; nil without one of them.
  @inline(__always)
  func number(_ values: borrowing Buffer<FieldValue>) -> (counter: UInt64, number: UInt64)? {
    guard let digits = Self.first(from, of: values, maximum: 20)?.bytes else { return nil }
    var number: UInt64 = 0
    var i = 0
    while i < digits.count, digits[i] &- 48 <= 9, i < 15 {
      number = number &* 10 &+ UInt64(digits[i] &- 48)
      i += 1
    }
    // A column with empty cells may have become one of floats: 5.0.
    guard i > 0, i == digits.count || Self.isWhole(digits[i...]), number < EventNumber.limit else { return nil }
    var counter = seed
    for slots in within {
      guard let part = Self.first(slots, of: values, maximum: 256), !EventAssembler.isNobody(part.bytes) else {
        return nil
      }
      counter = UserHash.mix(counter) ^ UserHash.text(part.bytes)
    }
    return (counter, number)
  }

  /// Whether a number ends here but for zeros after a point.
  private static func isWhole(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
    rest.first == 0x2E && rest.count > 1 && rest.dropFirst().allSatisfy { $0 == 0x30 }
  }

  @inline(__always)
  private static func first(
    _ slots: [Int], of values: borrowing Buffer<FieldValue>, maximum: Int
  ) -> FieldValue? {
    for slot in slots {
      if let value = values[slot].asText(maximum: maximum) { return value }
    }
    return nil
  }

  /// The minute of a time in the usual form; nil if its hour is not that of the last one.
  func minute(_ value: FieldValue) -> Milliseconds? { hour.minute(value.text) }

  func keep(_ value: FieldValue, _ time: Milliseconds) { hour = LastHour(value.text, time) }

  /// The code of a record's version and platform.
  /// - Parameter make: the code of those that the last record did not have.
  func attributes(
    _ values: borrowing Buffer<FieldValue>, _ make: (_ version: FieldValue, _ platform: FieldValue) -> UInt32
  ) -> UInt32 {
    let most = StringField.maximumLength
    let version = Self.first(versions, of: values, maximum: most) ?? .absent
    let platform = Self.first(platforms, of: values, maximum: most) ?? .absent
    if !source.isOf(version.text, platform.text) {
      source = LastSource(version.text, platform.text, make(version, platform))
    }
    return source.code
  }
}

/// The hour of a text like `2025-11-24 18:03:21.412000` or `2025-11-24T18:03:21Z`: nearly always the next row's too.
private struct LastHour {
  private var words: (low: UInt64, high: UInt64) = (0, 0)
  private var count = 0
  private var begin: Milliseconds = 0

  private static let hourDigits = PaddedBytes.ones(5)

  init() {}

  init(_ text: PaddedBytes, _ time: Milliseconds) {
    guard Self.isUsual(text) else { return }
    let minutes = Self.minutes(text)
    guard minutes < 60 else { return }
    let words = text.words
    (self.words, count) = ((words.low, words.high & Self.hourDigits), text.count)
    // Seconds are not needed.
    begin = floorDivide(time, 60_000) * 60_000 - minutes * 60_000
  }

  func minute(_ text: PaddedBytes) -> Milliseconds? {
    guard text.count == count, count > 0, Self.isUsual(text) else { return nil }
    let (words, minutes) = (text.words, Self.minutes(text))
    guard words.low == self.words.low, words.high & Self.hourDigits == self.words.high, minutes < 60 else { return nil }
    return begin + minutes * 60_000
  }

  /// 60 or more if these are no minutes.
  private static func minutes(_ text: PaddedBytes) -> Int64 {
    let (tens, ones) = (text.bytes[14] &- 48, text.bytes[15] &- 48)
    return tens <= 5 && ones <= 9 ? Int64(tens) * 10 + Int64(ones) : 60
  }

  /// Whether a text is a date, hour and minute, and has no offset from UTC.
  private static func isUsual(_ text: PaddedBytes) -> Bool {
    guard (19...32).contains(text.count), text.bytes[4] == 0x2D, text.bytes[13] == 0x3A else { return false }
    for i in 16..<text.count {
      let byte = text.bytes[i]
      guard byte &- 48 <= 10 || byte == 0x2E || byte == 0x5A else { return false }
    }
    return true
  }
}

private struct LastSource {
  private var version: (low: UInt64, high: UInt64) = (0, 0)
  private var platform: (low: UInt64, high: UInt64) = (0, 0)
  /// The lengths of both texts; -1 if there is no row yet.
  private var counts = (-1, 0)
  private(set) var code: UInt32 = 0

  init() {}

  init(_ version: PaddedBytes, _ platform: PaddedBytes, _ code: UInt32) {
    self.code = code
    // Longer ones are looked up each time.
    guard version.count <= 16, platform.count <= 16 else { return }
    (self.version, self.platform) = (version.words, platform.words)
    counts = (version.count, platform.count)
  }

  func isOf(_ version: PaddedBytes, _ platform: PaddedBytes) -> Bool {
    (version.count, platform.count) == counts && version.words == self.version && platform.words == self.platform
  }
}
