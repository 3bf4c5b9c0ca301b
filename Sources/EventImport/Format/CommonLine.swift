// The fast path of NDJSON: a line as serializers write it, `{"key":"value",…}` in any order of keys, with or
// without one blank behind colons and commas, values in plain ASCII. One pass, no copy, no allocation.
// Anything else, and every line that breaks a rule, is left to the general path, which also finds the reason:
// so this path may refuse whatever it likes, but what it takes must come out as there.

import PermissionEvents

/// Parses lines in the common form. Owned by one thread and one sink.
struct CommonLine {
  private let assembler: EventAssembler
  private let batch: EventBatch
  private let latestTime: Milliseconds
  private let keys = KeyTable()
  private var dates = TimestampReader()

  init(_ assembler: EventAssembler) {
    self.assembler = assembler
    batch = assembler.batch
    latestTime = assembler.latestTime
  }

  func deallocate() { keys.deallocate() }

  /// A value of an id: packed, or a text.
  private struct Identifier {
    var packed = EventBatch.Identifier(form: .text, high: 0, low: 0)
    var text = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Appends the event of the line that begins at `line`. A newline stands behind the text, and readable bytes behind
  /// that.
  /// - Returns: the place behind the line's end; nil where the line is not in the common form or breaks a rule, and
  ///   then nothing was appended.
  @inline(__always)
  mutating func parse(_ line: UnsafeRawPointer) -> UnsafeRawPointer? {
    guard line.load(as: UInt8.self) == 0x7B else { return nil }
    let codes = assembler.codes
    codes.update(repeating: 0, count: ImportField.stringCount)
    var place = line + 1
    var seen: UInt32 = 0
    var user = Identifier()
    var event = Identifier()
    var time: Milliseconds = .min
    var kind: UInt32 = .max
    var status: UInt32 = 0
    while true {
      guard let (field, keyCount) = keys.field(place) else { return nil }
      let bit = 1 as UInt32 &<< UInt32(truncatingIfNeeded: field)
      if seen & bit != 0 { return nil }
      seen |= bit
      place += keyCount
      if place.load(as: UInt8.self) == 0x20 { place += 1 }
      let isString = place.load(as: UInt8.self) == 0x22
      if isString { place += 1 }
      switch field {
      case ImportField.userID:
        guard Self.identifier(&place, isString, into: &user) else { return nil }
      case ImportField.eventID:
        guard Self.identifier(&place, isString, into: &event) else { return nil }
      case ImportField.timestamp:
        guard let value = timestamp(&place, isString) else { return nil }
        time = value
      default:
        guard isString, let value = PlainString(place) else { return nil }
        if field < ImportField.stringCount {
          assembler.spans[field] = UnsafeRawBufferPointer(start: place, count: value.count)
        }
        if value.count > 0 {
          let table = field < ImportField.stringCount ? field : field - 3
          guard let code = assembler.code(table, place, value.count, value.low, value.high) else { return nil }
          if field < ImportField.stringCount {
            codes[field] = code
          } else if field == ImportField.event {
            kind = code
          } else {
            status = code
          }
        }
        place += value.count + 1
      }
      let next = place.load(as: UInt8.self)
      if next == 0x2C {
        place += place.load(fromByteOffset: 1, as: UInt8.self) == 0x20 ? 2 : 1
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

    guard time >= Timestamp.earliest, time <= latestTime,
      let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: kind)),
      codes[0] != 0 || kind.isEngagement
    else { return nil }
    return append(user, event, time, kind, status, seen) ? place + 1 : nil
  }

  @inline(__always)
  private func append(
    _ user: Identifier, _ event: Identifier, _ time: Milliseconds, _ kind: EventKind, _ status: UInt32, _ seen: UInt32
  ) -> Bool {
    var user = user
    var hash: UInt64
    if user.packed.form == .text {
      guard user.text.count > 0, user.text.count <= ImportField.maximumUserID, !Self.mayBeNobody(user.text),
        event.text.count <= ImportField.maximumEventID
      else { return false }
      user.packed = batch.identifier(user.text)
      hash = UserHash.text(user.text)
    } else {
      guard user.packed.high | user.packed.low != 0, event.text.count <= ImportField.maximumEventID else {
        return false
      }
      hash = UserHash.uuid(high: user.packed.high, low: user.packed.low)
    }
    var identifier = event.packed
    if identifier.form == .text {
      identifier =
        event.text.isEmpty ? derived(user.text, time, kind, status, seen) : batch.identifier(event.text)
    }
    batch.append(
      userHash: hash, user: user.packed, event: identifier, time: time, kind: kind,
      context: assembler.contextCode(status: status), attributes: assembler.attributeCode())
    return true
  }

  /// Reads an id; false where it is neither a plain string nor an integer.
  @inline(__always)
  private static func identifier(
    _ place: inout UnsafeRawPointer, _ isString: Bool, into value: inout Identifier
  ) -> Bool {
    if isString {
      if place.load(fromByteOffset: 36, as: UInt8.self) == 0x22, let packed = UUIDPacker.pack(place) {
        value.packed = packed
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

  /// Reads a timestamp; nil where it is neither RFC 3339 nor an integer.
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

  /// Digits that are a JSON integer, up to 20; 0 where there is none.
  @inline(never)
  private static func digits(_ place: UnsafeRawPointer) -> Int {
    var count = 0
    while count <= 20, place.load(fromByteOffset: count, as: UInt8.self) &- 48 <= 9 { count += 1 }
    if count > 20 || (count > 1 && place.load(as: UInt8.self) == 48) { return 0 }
    return count
  }

  /// True for the ids of nobody; only ids that begin and end like one are looked at closely.
  @inline(__always)
  private static func mayBeNobody(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, let last = text.last else { return true }
    if first > 0x20, last > 0x20, text.count > 9 { return false }
    return IdentifierText.standsForNobody(text)
  }

  /// The id of an event that came without one.
  @inline(never)
  private func derived(
    _ user: UnsafeRawBufferPointer, _ time: Milliseconds, _ kind: EventKind, _ status: UInt32, _ seen: UInt32
  ) -> EventBatch.Identifier {
    DerivedEventID.make(
      user: user, time: time, kind: kind,
      status: AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: status)) ?? .none
    ) { field in
      seen & 1 << UInt32(field.rawValue) != 0 ? assembler.spans[field.rawValue] : FieldValue.absent.bytes
    }
  }
}
