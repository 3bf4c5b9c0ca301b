// Times as spreadsheets, warehouses and scripts write them: `2026-03-02 10:00`, with or without seconds and a fraction, with
// `Z`, ` UTC`, `+01:00`, `+0100`, `+01` or no zone at all. Day and month are never guessed: `03/04/2026` is no time here.

import PermissionEvents

/// A date and a time of day as they were written.
struct LooseTime {
  /// The time by its own zone; by UTC if it names none.
  var time: Milliseconds
  var hasZone: Bool

  /// - Returns: nil if the text is no such time.
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

/// Reads a short text from its beginning.
private struct ByteCursor {
  private let text: UnsafeRawBufferPointer
  private var place = 0

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  private var rest: Slice<UnsafeRawBufferPointer> { text[place...] }

  mutating func take(_ byte: UInt8) -> Bool {
    guard place < text.count, text[place] == byte else { return false }
    place += 1
    return true
  }

  /// True if there was one at least.
  mutating func blanks() -> Bool {
    var found = false
    while take(0x20) { found = true }
    return found
  }

  /// A number of just so many digits.
  mutating func number(_ digits: Int) -> Int64? {
    guard text.count - place >= digits else { return nil }
    var value: Int64 = 0
    for i in place..<place + digits {
      guard text[i] &- 48 <= 9 else { return nil }
      value = value * 10 + Int64(text[i] &- 48)
    }
    place += digits
    return value
  }

  /// 1 to 9 digits, cut to milliseconds.
  mutating func fraction() -> Int64? {
    var scale: Int64 = 100
    var value: Int64 = 0
    var count = 0
    while place < text.count, text[place] &- 48 <= 9 {
      value += Int64(text[place] &- 48) * scale
      scale /= 10
      count += 1
      place += 1
    }
    return (1...9).contains(count) ? value : nil
  }

  /// What a time ends with.
  struct Zone {
    var isNamed: Bool
    /// Minutes east of UTC.
    var offset: Int64
  }

  /// The zone, which may be absent; nil if what follows is none.
  mutating func zone() -> Zone? {
    if place == text.count { return Zone(isNamed: false, offset: 0) }
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
