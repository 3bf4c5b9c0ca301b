// The fast path of NDJSON: a line as serializers write it, `{"key":"value",…}` in any order of keys, with or
// without one blank after colons and commas, values in plain ASCII. One pass, no copy, no allocation.
// Anything else, and every line that breaks a rule, is left to the general path, which also finds the reason:
// so this path may refuse whatever it likes, but what it takes must come out as there.

import Buffers
import CVectorBytes
import PermissionEvents

/// Parses lines in the common form. Owned by one thread and one sink.
struct CommonLine: ~Copyable {
  private let assembler: EventAssembler
  private var packer: CommonEvent
  private let keys = KeyTable()
  private var values = ShortValueTable()
  private var dates = TimestampReader()
  /// Blanks after commas, 0 or 1, as far as is known.
  private var blanks = 0

  init(_ assembler: EventAssembler) {
    self.assembler = assembler
    packer = CommonEvent(assembler)
  }

  /// Appends the events of lines as long as they are in the common form and keep the rules.
  /// - Parameters:
  ///   - text: lines, with a newline after the last one in any case.
  ///   - position: where the first one begins; afterwards the first that was not taken, or the end.
  /// - Returns: the number of events.
  mutating func parse(_ text: PaddedBytes, from position: inout Int) -> Int {
    guard let memory = text.bytes.baseAddress else { return 0 }
    let end = memory + text.count
    var place = memory + position
    var count = 0
    while place < end, let next = parse(place) {
      place = next
      count += 1
    }
    position = place - memory
    return count
  }

  /// Appends the event of the line that begins at `line`. A newline is after the text, and readable bytes after that.
  /// - Returns: the first byte after the line's end; nil if the line is not in the common form or breaks a rule, and
  ///   then nothing was appended.
  @inline(__always)
  private mutating func parse(_ line: UnsafeRawPointer) -> UnsafeRawPointer? {
    guard line.load(as: UInt8.self) == 0x7B else { return nil }
    let codes = assembler.codes.unsafeAddress
    codes.update(repeating: 0, count: ImportField.codeCount)
    codes[ImportField.event] = .max
    let spans = assembler.spans.unsafeAddress
    var place = line + 1
    var field = ImportField.count
    var seen: UInt32 = 0
    var user = CommonEvent.ReadID()
    var event = CommonEvent.ReadID()
    var time: Milliseconds = .min
    while true {
      let isString: Bool
      let expected = keys.expected(after: field)
      if cvb_is_key(expected, place) {
        field = Int(truncatingIfNeeded: expected.pointee.field)
        place += Int(truncatingIfNeeded: expected.pointee.count)
        isString = true
      } else {
        guard let key = otherKey(&place, after: field) else { return nil }
        (field, isString) = key
      }
      let bit = 1 as UInt32 &<< UInt32(truncatingIfNeeded: field)
      if seen & bit != 0 { return nil }
      seen |= bit
      if field < ImportField.codeCount {
        guard isString else { return nil }
        let found = values.find(field, place)
        var count = Int(truncatingIfNeeded: found.count)
        if found.known {
          codes[field] = found.code
        } else if count <= ShortValueTable.longest {
          guard let code = values.code(field, place, found, assembler) else { return nil }
          codes[field] = code
        } else {
          guard let text = PlainString(place) else { return nil }
          count = text.count
          let value = PaddedBytes(unsafePadded: place, count: count)
          guard let code = assembler.code(field, value, (text.low, text.high)) else { return nil }
          codes[field] = UInt64(code)
        }
        spans[field] = UnsafeRawBufferPointer(start: place, count: count)
        place += count &+ 1
      } else if field == ImportField.timestamp {
        guard let value = timestamp(&place, isString) else { return nil }
        time = value
      } else if field == ImportField.userID {
        guard Self.identifier(&place, isString, into: &user) else { return nil }
      } else {
        guard Self.identifier(&place, isString, into: &event) else { return nil }
      }
      let next = place.load(as: UInt8.self)
      if next == 0x2C {
        if blanks != 0, place.load(fromByteOffset: 1, as: UInt8.self) != 0x20 { blanks = 0 }
        place += 1 &+ blanks
      } else if next == 0x7D {
        break
      } else {
        return nil
      }
    }
    // The line's end.
    place += 1
    if place.load(as: UInt8.self) == 0x0D { place += 1 }
    guard place.load(as: UInt8.self) == ByteSearch.newline else { return nil }

    guard packer.times.contains(time), let kind = packer.kind() else { return nil }
    return packer.append(user, event, time, kind, seen) ? place + 1 : nil
  }

  /// Sets the attributes of the last event, which wait for the next one.
  mutating func finishAttributes() { packer.finishAttributes() }

  /// Finds the field of a key that is not the expected one, and learns it and how lines are spaced.
  /// - Returns: nil if there is no key that is known.
  @inline(never)
  private mutating func otherKey(_ place: inout UnsafeRawPointer, after before: Int) -> (field: Int, isString: Bool)? {
    if before < ImportField.count, place.load(as: UInt8.self) == 0x20 {
      place += 1
      blanks = 1
    }
    guard let (field, count) = keys.field(place) else { return nil }
    place += count
    let hasBlank = place.load(as: UInt8.self) == 0x20
    if hasBlank { place += 1 }
    guard place.load(as: UInt8.self) == 0x22 else { return (field, false) }
    place += 1
    keys.expect(field, hasBlank: hasBlank, after: before)
    return (field, true)
  }

  /// Reads an id; false if it is neither a plain string nor an integer.
  @inline(__always)
  private static func identifier(
    _ place: inout UnsafeRawPointer, _ isString: Bool, into value: inout CommonEvent.ReadID
  ) -> Bool {
    if isString {
      if place.load(fromByteOffset: 36, as: UInt8.self) == 0x22, let uuid = UUIDPacker.pack(place) {
        value.form = uuid.form
        value.high = uuid.high
        value.low = uuid.low
        value.text = UnsafeRawBufferPointer(start: place, count: 36)
        place += 37
        return true
      }
      guard let text = PlainString(place) else { return false }
      value.text = UnsafeRawBufferPointer(start: place, count: text.count)
      place += text.count + 1
      return true
    }
    let count = digits(place)
    guard count > 0 else { return false }
    value.text = UnsafeRawBufferPointer(start: place, count: count)
    place += count
    return true
  }

  /// Reads a timestamp; nil if it is neither RFC 3339 nor an integer.
  @inline(__always)
  private mutating func timestamp(_ place: inout UnsafeRawPointer, _ isString: Bool) -> Milliseconds? {
    if isString {
      if let (time, count) = dates.common(place) {
        place += count + 1
        return time
      }
      guard let text = PlainString(place) else { return nil }
      defer { place += text.count + 1 }
      return Timestamp.parse(rfc3339: UnsafeRawBufferPointer(start: place, count: text.count))
    }
    let count = Self.digits(place)
    defer { place += count }
    return Timestamp.parse(digits: UnsafeRawBufferPointer(start: place, count: count))
  }

  /// Digits that are a JSON integer, up to 20; 0 if there is none.
  @inline(never)
  private static func digits(_ place: UnsafeRawPointer) -> Int {
    var count = 0
    while count <= 20, place.load(fromByteOffset: count, as: UInt8.self) &- 48 <= 9 { count += 1 }
    if count > 20 || (count > 1 && place.load(as: UInt8.self) == 48) { return 0 }
    return count
  }
}
