// Chunks of NDJSON to events: the common form of a line by `CommonLine`, every other line by simdjson.

import Buffers
import CSimdJSON
import CVectorBytes
import PermissionEvents
import SystemCalls

/// Parses chunks of lines. Owned by one thread.
final class NDJSONParser {
  private let assembler: EventAssembler
  private let object: CanonicalObject
  private let names: CanonicalNames
  @exclusivity(unchecked) private var common: CommonLine
  /// False sends every line along the general path; both give the same result.
  private let usesCommonLine: Bool

  init(_ assembler: EventAssembler, names: CanonicalNames, usesCommonLine: Bool) throws(ImportError) {
    self.assembler = assembler
    self.names = names
    self.usesCommonLine = usesCommonLine
    object = try CanonicalObject()
    common = CommonLine(assembler)
  }

  func parse(_ chunk: Chunk, into result: inout ChunkResult) {
    let text = chunk.text
    var line = chunk.linesBefore
    var position = chunk.start
    while position < text.count {
      // A line that was cut is longer than any in the common form.
      if usesCommonLine {
        let accepted = common.parse(text, from: &position)
        line += accepted
        result.counts.lines += accepted
        result.counts.events += accepted
        if position >= text.count { break }
      }
      let stop = ByteSearch.firstNewline(text.bytes, position..<text.count) ?? text.count
      let end = LineEnd(chunk, at: stop)
      parseLine(text[position..<stop], number: line, end, into: &result)
      position = stop + 1
      line += 1
    }
    common.finishAttributes()
    // The newline after the content is not part of the file.
    result.lineEnds = line + chunk.linesAfter - (position > text.count ? 1 : 0)
  }

  private func parseLine(_ line: PaddedBytes, number: Int, _ end: LineEnd, into result: inout ChunkResult) {
    if end == .tooLong || line.count > ImportLimit.line {
      return result.reject(.tooLongLine, line: number, text: line.bytes)
    }
    if line.bytes.allSatisfy({ ByteSearch.isBlank($0) }) { return }
    do throws(Rejection) {
      let unknown = try object.parse(line)
      let isStored = try assembler.append(object.values, form: .json) { () throws(Rejection) in
        try names.read(object.values, line: number, into: &result, .json) {
          (extractor: RecordExtractor) throws(Rejection) in
          _ = try extractor.readJSON(line)
        }
      }
      guard isStored else { return result.passOver() }
      result.accept(ignoredFields: unknown, isRespelled: assembler.isRespelled)
    } catch {
      names.note(error, line: number, into: &result)
      if end == .missing, let cut = LineCut(line.bytes, error, isJSON: true) {
        return result.cut(cut, line: number, text: line.bytes)
      }
      result.reject(error, line: number, text: line.bytes)
    }
  }
}

// MARK: The fast path of NDJSON: a line as serializers write it, `{"key":"value",…}` in any order of keys, with or
// without one space after colons and commas, values in plain ASCII. One pass, no copy, no allocation. Anything else,
// and every line that breaks a rule, is left to the general path, which also finds the reason. So this path may refuse
// any line, but accepted events must equal those of the general path.

/// Parses lines in the common form. Owned by one thread and one sink.
struct CommonLine: ~Copyable {
  private let assembler: EventAssembler
  private var packer: CommonEvent
  private let keys = KeyTable()
  private var values = ShortValueTable()
  private var dates = TimestampReader()
  /// Spaces after commas, 0 or 1, as last seen.
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
    var cursor = memory + position
    var count = 0
    while cursor < end, let next = parse(cursor) {
      cursor = next
      count += 1
    }
    position = cursor - memory
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
    var cursor = line + 1
    var field = ImportField.count
    var seen: UInt32 = 0
    var user = CommonEvent.ReadID()
    var event = CommonEvent.ReadID()
    var time: Milliseconds = .min
    while true {
      let isString: Bool
      let expected = keys.expected(after: field)
      if cvb_is_key(expected, cursor) {
        field = Int(truncatingIfNeeded: expected.pointee.field)
        cursor += Int(truncatingIfNeeded: expected.pointee.count)
        isString = true
      } else {
        guard let key = otherKey(&cursor, after: field) else { return nil }
        (field, isString) = key
      }
      let bit = 1 as UInt32 &<< UInt32(truncatingIfNeeded: field)
      if seen & bit != 0 { return nil }
      seen |= bit
      if field < ImportField.codeCount {
        guard isString else { return nil }
        let found = values.find(field, cursor)
        var count = Int(truncatingIfNeeded: found.count)
        if found.known {
          codes[field] = found.code
        } else if count <= ShortValueTable.longest {
          guard let code = values.code(field, cursor, found, assembler) else { return nil }
          codes[field] = code
        } else {
          guard let text = PlainString(cursor) else { return nil }
          count = text.count
          let value = PaddedBytes(unsafePadded: cursor, count: count)
          guard let code = assembler.code(field, value, (text.low, text.high)) else { return nil }
          codes[field] = UInt64(code)
        }
        spans[field] = UnsafeRawBufferPointer(start: cursor, count: count)
        cursor += count &+ 1
      } else if field == ImportField.timestamp {
        guard let value = timestamp(&cursor, isString) else { return nil }
        time = value
      } else if field == ImportField.userID {
        guard Self.identifier(&cursor, isString, into: &user) else { return nil }
      } else {
        guard Self.identifier(&cursor, isString, into: &event) else { return nil }
      }
      let next = cursor.load(as: UInt8.self)
      if next == 0x2C {
        if blanks != 0, cursor.load(fromByteOffset: 1, as: UInt8.self) != 0x20 { blanks = 0 }
        cursor += 1 &+ blanks
      } else if next == 0x7D {
        break
      } else {
        return nil
      }
    }
    // The line's end.
    cursor += 1
    if cursor.load(as: UInt8.self) == 0x0D { cursor += 1 }
    guard cursor.load(as: UInt8.self) == ByteSearch.newline else { return nil }

    guard packer.times.contains(time), let kind = packer.kind() else { return nil }
    return packer.append(user, event, time, kind, seen) ? cursor + 1 : nil
  }

  /// Sets the attributes of the last event, which wait for the next one.
  mutating func finishAttributes() { packer.finishAttributes() }

  /// Finds the field of a key that is not the expected one, and learns it and how lines are spaced.
  /// - Returns: nil if there is no known key.
  @inline(never)
  private mutating func otherKey(_ cursor: inout UnsafeRawPointer, after before: Int) -> (field: Int, isString: Bool)? {
    if before < ImportField.count, cursor.load(as: UInt8.self) == 0x20 {
      cursor += 1
      blanks = 1
    }
    guard let (field, count) = keys.field(cursor) else { return nil }
    cursor += count
    let hasBlank = cursor.load(as: UInt8.self) == 0x20
    if hasBlank { cursor += 1 }
    guard cursor.load(as: UInt8.self) == 0x22 else { return (field, false) }
    cursor += 1
    keys.expect(field, hasBlank: hasBlank, after: before)
    return (field, true)
  }

  /// Reads an id; false if it is neither a plain string nor an integer.
  @inline(__always)
  private static func identifier(
    _ cursor: inout UnsafeRawPointer, _ isString: Bool, into value: inout CommonEvent.ReadID
  ) -> Bool {
    if isString {
      if cursor.load(fromByteOffset: 36, as: UInt8.self) == 0x22, let uuid = UUIDPacker.pack(cursor) {
        value.form = uuid.form
        value.high = uuid.high
        value.low = uuid.low
        value.text = UnsafeRawBufferPointer(start: cursor, count: 36)
        cursor += 37
        return true
      }
      guard let text = PlainString(cursor) else { return false }
      value.text = UnsafeRawBufferPointer(start: cursor, count: text.count)
      cursor += text.count + 1
      return true
    }
    let count = digits(cursor)
    guard count > 0 else { return false }
    value.text = UnsafeRawBufferPointer(start: cursor, count: count)
    cursor += count
    return true
  }

  /// Reads a timestamp; nil if it is neither RFC 3339 nor an integer.
  @inline(__always)
  private mutating func timestamp(_ cursor: inout UnsafeRawPointer, _ isString: Bool) -> Milliseconds? {
    if isString {
      if let (time, count) = dates.common(cursor) {
        cursor += count + 1
        return time
      }
      guard let text = PlainString(cursor) else { return nil }
      defer { cursor += text.count + 1 }
      return Timestamp.parse(rfc3339: UnsafeRawBufferPointer(start: cursor, count: text.count))
    }
    let count = Self.digits(cursor)
    defer { cursor += count }
    return Timestamp.parse(digits: UnsafeRawBufferPointer(start: cursor, count: count))
  }

  /// The number of digits of a JSON integer, up to 20; 0 if it is not one.
  @inline(never)
  private static func digits(_ cursor: UnsafeRawPointer) -> Int {
    var count = 0
    while count <= 20, cursor.load(fromByteOffset: count, as: UInt8.self) &- 48 <= 9 { count += 1 }
    if count > 20 || (count > 1 && cursor.load(as: UInt8.self) == 48) { return 0 }
    return count
  }
}

// MARK: JSON objects by simdjson: the fields of the canonical form, for every line that is not in the common form

/// Parses objects into the fields of the canonical form. Owned by one thread.
struct CanonicalObject: ~Copyable {
  private let parser: OpaquePointer
  private let found = Buffer(repeating: csj_value(), count: ImportField.count)
  /// The values of the last object, by `ImportField` number; valid until the next one.
  let values = Buffer(repeating: FieldValue.absent, count: ImportField.count)

  init() throws(ImportError) {
    let names = ImportField.names.map { strdup($0) }
    defer { for name in names { free(name) } }
    guard let parser = csj_parser_new(names.map { UnsafePointer($0) }, names.count, ImportLimit.line) else {
      throw .outOfMemory("the import")
    }
    self.parser = parser
  }

  deinit { csj_parser_free(parser) }

  /// Parses a line into `values`.
  /// - Returns: the number of members that are not fields.
  func parse(_ line: PaddedBytes) throws(Rejection) -> Int {
    guard line.beginsObject else { throw .notAnObject }
    let start = line.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = csj_parse(parser, start, line.count, found.unsafeAddress)
    if let reason = result.reason { throw reason }
    for field in 0..<ImportField.count { values[field] = FieldValue(found[field]) }
    return result.unknown
  }
}

extension PaddedBytes {
  var beginsObject: Bool { bytes.first { !ByteSearch.isBlank($0) } == 0x7B }
}

extension FieldValue {
  /// A value in memory of simdjson, which is padded.
  @inline(__always)
  init(_ value: csj_value) {
    text = PaddedBytes(unsafePadded: value.bytes, count: value.count)
    kind =
      switch UInt32(value.type) {
      case CSJ_STRING.rawValue: .string
      case CSJ_NUMBER.rawValue: .number
      case CSJ_BOOLEAN.rawValue: .boolean
      case CSJ_OBJECT.rawValue: .object
      case CSJ_ARRAY.rawValue: .array
      default: .absent
      }
  }
}

extension csj_result {
  var reason: Rejection? {
    switch UInt32(status) {
    case CSJ_OK.rawValue: nil
    case CSJ_NOT_OBJECT.rawValue: .notAnObject
    case CSJ_INVALID_UTF8.rawValue: .invalidUTF8
    case CSJ_DUPLICATE.rawValue: .duplicateField(duplicate)
    case CSJ_UNCLOSED_STRING.rawValue: .invalidJSON("a string is not closed")
    case CSJ_CONTROL_CHARACTER.rawValue: .invalidJSON("a control character is in a string")
    case CSJ_BAD_ESCAPE.rawValue: .invalidJSON("a string has an escape that JSON does not know")
    case CSJ_BAD_NUMBER.rawValue: .invalidJSON("a number is not written as JSON requires")
    case CSJ_TOO_DEEP.rawValue: .invalidJSON("it is nested more than 256 deep")
    case CSJ_OUT_OF_MEMORY.rawValue: .invalidJSON("there is not enough memory to parse it")
    default: .invalidJSON("its structure is wrong")
    }
  }

  var isDuplicate: Bool { UInt32(status) == CSJ_DUPLICATE.rawValue }
}

// MARK: Reads JSON strings that need no unescaping: printable ASCII without quote and backslash inside

struct PlainString {
  let count: Int
  /// The first 16 bytes, zeros after the end.
  let low: UInt64
  let high: UInt64

  /// Longest value in bytes.
  static let longest = 256

  /// Reads the string whose text begins at `text`, after its quote; nil if it is not plain or too long. A control
  /// character is somewhere after the text, and 16 bytes after that are readable.
  @inline(__always)
  init?(_ text: UnsafeRawPointer) {
    let first = cvb_plain_text(text)
    low = first.low
    high = first.high
    if first.count < 16 {
      count = Int(first.count)
    } else {
      guard let end = Self.end(text) else { return nil }
      count = end
    }
    guard text.load(fromByteOffset: count, as: UInt8.self) == 0x22 else { return nil }
  }

  /// The end of a text of 16 bytes or more; nil if it is too long.
  @inline(never)
  private static func end(_ text: UnsafeRawPointer) -> Int? {
    var i = 16
    while i <= longest {
      let next = Int(cvb_plain_text(text + i).count)
      i += next
      if next < 16 { return i <= longest ? i : nil }
    }
    return nil
  }
}

/// Packs UUIDs sixteen digits at once. The results are those of `IdentifierText.packUUID`.
enum UUIDPacker {
  /// Packs the 36 bytes at `text`; nil if they are not a UUID in one case. The form is the raw value of
  /// `IdentifierForm`.
  @inline(__always)
  static func pack(_ text: UnsafeRawPointer) -> cvb_uuid? {
    let uuid = cvb_pack_lower_uuid(text)
    return uuid.form != 0 ? uuid : inAnyCase(text)
  }

  @inline(never)
  private static func inAnyCase(_ text: UnsafeRawPointer) -> cvb_uuid? {
    let uuid = cvb_pack_uuid(text)
    return uuid.form == 0 ? nil : uuid
  }
}
