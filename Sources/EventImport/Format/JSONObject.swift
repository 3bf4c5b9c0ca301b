// One JSON object by simdjson, as values of fields: the general path, for every line that is not in the
// common form.

import CSimdJSON
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Parses objects. Owned by one thread.
struct JSONObject {
  private let parser: OpaquePointer
  private let raw = UnsafeMutablePointer<csj_value>.allocate(capacity: ImportField.count)
  /// The values of the last object, by `ImportField` number; valid until the next one.
  let values = UnsafeMutablePointer<FieldValue>.allocate(capacity: ImportField.count)

  init() throws(ImportError) {
    let names = ImportField.names.map { strdup($0) }
    defer { for name in names { free(name) } }
    guard let parser = csj_parser_new(names.map { UnsafePointer($0) }, names.count, ImportLimit.line) else {
      throw .outOfMemory("the import")
    }
    self.parser = parser
    raw.initialize(repeating: csj_value(), count: ImportField.count)
    values.initialize(repeating: .absent, count: ImportField.count)
  }

  func deallocate() {
    csj_parser_free(parser)
    raw.deallocate()
    values.deallocate()
  }

  /// Parses a line into `values`.
  /// - Returns: the number of members that are no fields.
  func parse(_ line: UnsafeRawBufferPointer) throws(Rejection) -> Int {
    guard line.first(where: { !ByteSearch.isBlank($0) }) == 0x7B, let base = line.baseAddress else {
      throw .notAnObject
    }
    let result = csj_parse(parser, base.assumingMemoryBound(to: UInt8.self), line.count, raw)
    if let reason = Self.reason(result) { throw reason }
    for field in 0..<ImportField.count {
      values[field] = Self.fieldValue(raw[field])
    }
    return result.unknown
  }

  @inline(__always)
  static func fieldValue(_ raw: csj_value) -> FieldValue {
    FieldValue(kind: kind(raw.type), bytes: UnsafeRawBufferPointer(start: raw.bytes, count: raw.count))
  }

  private static func kind(_ type: Int32) -> FieldValue.Kind {
    switch UInt32(type) {
    case CSJ_STRING.rawValue: .string
    case CSJ_NUMBER.rawValue: .number
    case CSJ_BOOLEAN.rawValue: .boolean
    case CSJ_OBJECT.rawValue: .object
    case CSJ_ARRAY.rawValue: .array
    default: .absent
    }
  }

  static func reason(_ result: csj_result) -> Rejection? {
    switch UInt32(result.status) {
    case CSJ_OK.rawValue: nil
    case CSJ_NOT_OBJECT.rawValue: .notAnObject
    case CSJ_INVALID_UTF8.rawValue: .invalidUTF8
    case CSJ_DUPLICATE.rawValue: .duplicateField(result.duplicate)
    case CSJ_UNCLOSED_STRING.rawValue: .invalidJSON("a string is not closed")
    case CSJ_CONTROL_CHARACTER.rawValue: .invalidJSON("a control character stands in a string")
    case CSJ_BAD_ESCAPE.rawValue: .invalidJSON("a string has an escape that JSON does not know")
    case CSJ_BAD_NUMBER.rawValue: .invalidJSON("a number is not spelled as JSON asks")
    case CSJ_TOO_DEEP.rawValue: .invalidJSON("it is nested more than 256 deep")
    case CSJ_OUT_OF_MEMORY.rawValue: .invalidJSON("there is not enough memory to parse it")
    default: .invalidJSON("its structure is wrong")
    }
  }
}
