// JSON objects by simdjson: the fields of the canonical form, for every line that is not in the common form.

import Buffers
import CSimdJSON
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
  /// - Returns: the number of members that are no fields.
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
  /// True if the first byte that is not blank opens an object.
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
  /// Why the text is refused; nil if it is not.
  var reason: Rejection? {
    switch UInt32(status) {
    case CSJ_OK.rawValue: nil
    case CSJ_NOT_OBJECT.rawValue: .notAnObject
    case CSJ_INVALID_UTF8.rawValue: .invalidUTF8
    case CSJ_DUPLICATE.rawValue: .duplicateField(duplicate)
    case CSJ_UNCLOSED_STRING.rawValue: .invalidJSON("a string is not closed")
    case CSJ_CONTROL_CHARACTER.rawValue: .invalidJSON("a control character is in a string")
    case CSJ_BAD_ESCAPE.rawValue: .invalidJSON("a string has an escape that JSON does not know")
    case CSJ_BAD_NUMBER.rawValue: .invalidJSON("a number is not spelled as JSON asks")
    case CSJ_TOO_DEEP.rawValue: .invalidJSON("it is nested more than 256 deep")
    case CSJ_OUT_OF_MEMORY.rawValue: .invalidJSON("there is not enough memory to parse it")
    default: .invalidJSON("its structure is wrong")
    }
  }

  var isDuplicate: Bool { UInt32(status) == CSJ_DUPLICATE.rawValue }
}
