// JSON objects by simdjson: the fields of the canonical form, for every line that is not in the common form, and the values
// at any places, for the records of vendors.

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

/// Finds the values at places in objects: each place has a node in a tree of keys, and a slot for its value. Owned by one
/// thread.
struct JSONExtractor: ~Copyable {
  private let extractor: OpaquePointer
  static let root: Int32 = 0

  /// - Parameters:
  ///   - slots: values of a line at most.
  ///   - capacity: bytes of the longest line.
  /// - Returns: nil if there is not enough memory.
  init?(slots: Int, capacity: Int) {
    guard let extractor = csj_extractor_new(max(1, slots), max(1, capacity)) else { return nil }
    self.extractor = extractor
  }

  deinit { csj_extractor_free(extractor) }

  /// Puts the value at a place, its keys from the root, into a slot. Several places may share one.
  /// - Returns: the node of the place's first key.
  @discardableResult
  func want(_ keys: [String], slot: Int) -> Int32 {
    var node = Self.root
    var first = node
    for (depth, key) in keys.enumerated() where node >= 0 {
      let bytes = Array(key.utf8)
      node = bytes.withUnsafeBufferPointer { csj_extractor_child(extractor, node, $0.baseAddress, $0.count) }
      if depth == 0 { first = node }
    }
    csj_extractor_want(extractor, node, slot)
    return first
  }

  /// Begins a line: all values are absent.
  func begin() { csj_extractor_begin(extractor) }

  /// Reads an object whose members belong below a node.
  func read(_ text: PaddedBytes, at node: Int32 = root) -> csj_result {
    csj_extractor_read(extractor, node, text.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count)
  }

  /// The line's value in a slot; valid until the next line.
  subscript(_ slot: Int) -> FieldValue {
    csj_extractor_values(extractor).map { FieldValue($0[slot]) } ?? .absent
  }

  /// True if something is at the place of a slot, a null within an object too.
  func has(_ slot: Int) -> Bool {
    csj_extractor_values(extractor).map { UInt32($0[slot].type) != CSJ_ABSENT.rawValue } ?? false
  }

  /// Puts the line's values if there are none yet.
  func fill(_ values: borrowing Buffer<FieldValue>) {
    guard let found = csj_extractor_values(extractor) else { return }
    for slot in 0..<values.count where values[slot].kind == .absent { values[slot] = FieldValue(found[slot]) }
  }
}

extension PaddedBytes {
  /// True if the first byte that is not blank opens an object.
  var beginsObject: Bool { bytes.first { !ByteSearch.isBlank($0) } == 0x7B }
}

extension FieldValue {
  /// A value in memory of simdjson, which is padded.
  @inline(__always)
  fileprivate init(_ value: csj_value) {
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
