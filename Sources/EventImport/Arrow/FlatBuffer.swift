// FlatBuffers as Arrow's messages use them: tables, vectors and texts at offsets. All of it comes from the stream, so every
// offset is checked before it is followed.

/// The fault of an Arrow stream, for the sentence of the error.
struct ArrowDamage: Error, Equatable {
  let cause: String

  init(_ cause: String) { self.cause = cause }

  static let outside = ArrowDamage("a message points past its own end")
  static let missingValidity = ArrowDamage("the validity bitmap of a column is missing or too short")
  static let repeating = ArrowDamage("its description refers to the same bytes too often")
}

/// The amount that may still be read of a schema. Offsets may refer to the same bytes repeatedly, so that a small
/// description could take any amount of memory and time.
struct ArrowBudget {
  /// Columns, those in others counted.
  var columns: Int
  /// Bytes of texts: at most those of the whole description.
  var bytes: Int
  /// Pairs of metadata, each of which has an offset of four bytes of its own.
  var pairs: Int

  init(columns: Int, description: FlatTable) {
    self.columns = columns
    bytes = description.bufferBytes
    pairs = description.bufferBytes / 4
  }
}

struct FlatBuffer {
  let bytes: [UInt8]

  func has(_ place: Int, _ count: Int) -> Bool {
    place >= 0 && count >= 0 && count <= bytes.count && place <= bytes.count - count
  }

  func number<Number: FixedWidthInteger>(_ place: Int, as: Number.Type = Number.self) throws(ArrowDamage) -> Number {
    guard has(place, MemoryLayout<Number>.size) else { throw .outside }
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Number.self)) }
  }

  func root() throws(ArrowDamage) -> FlatTable { try table(at: 0) }

  func table(at place: Int) throws(ArrowDamage) -> FlatTable { try FlatTable(self, target(of: place)) }

  fileprivate func target(of place: Int) throws(ArrowDamage) -> Int { place + Int(try number(place, as: UInt32.self)) }
}

/// A table: fields by number, each of which may be absent.
struct FlatTable {
  private let buffer: FlatBuffer
  private let position: Int
  /// Where the offsets of the fields are, and how many bytes they take.
  private let offsets: Int
  private let size: Int

  fileprivate init(_ buffer: FlatBuffer, _ position: Int) throws(ArrowDamage) {
    self.buffer = buffer
    self.position = position
    offsets = position - Int(try buffer.number(position, as: Int32.self))
    size = Int(try buffer.number(offsets, as: UInt16.self))
    guard size >= 4, buffer.has(offsets, size) else { throw .outside }
  }

  private func place(_ field: Int) throws(ArrowDamage) -> Int? {
    let entry = 4 + 2 * field
    guard entry + 2 <= size else { return nil }
    let offset = Int(try buffer.number(offsets + entry, as: UInt16.self))
    return offset == 0 ? nil : position + offset
  }

  var bufferBytes: Int { buffer.bytes.count }

  func has(_ field: Int) throws(ArrowDamage) -> Bool { try place(field) != nil }

  func number<Number: FixedWidthInteger>(_ field: Int, else absent: Number) throws(ArrowDamage) -> Number {
    guard let place = try place(field) else { return absent }
    return try buffer.number(place)
  }

  func flag(_ field: Int) throws(ArrowDamage) -> Bool { try number(field, else: 0 as UInt8) != 0 }

  func table(_ field: Int) throws(ArrowDamage) -> FlatTable? {
    guard let place = try place(field) else { return nil }
    return try buffer.table(at: place)
  }

  /// A text. Its bytes count against the limit for texts of the description, because many fields may point to one text.
  /// - Parameter maximum: bytes that it may have; `what` names it if it has more.
  func text(
    _ field: Int, _ what: String, maximum: Int, _ left: inout ArrowBudget
  ) throws(ArrowDamage) -> String? {
    guard let vector = try vector(field, of: 1) else { return nil }
    guard vector.count <= maximum else { throw ArrowDamage("\(what) has more than \(maximum) bytes") }
    left.bytes -= vector.count
    guard left.bytes >= 0 else { throw .repeating }
    return String(bounded: buffer.bytes[vector.start..<vector.start + vector.count])
  }

  func hasText(_ field: Int) throws(ArrowDamage) -> Bool { try vector(field, of: 1).map { $0.count > 0 } ?? false }

  func isText(_ field: Int, _ text: StaticString) throws(ArrowDamage) -> Bool {
    guard let vector = try vector(field, of: 1), vector.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { $0.elementsEqual(buffer.bytes[vector.start..<vector.start + vector.count]) }
  }

  /// A vector of values of `bytes` bytes each; nil if it is absent.
  func vector(_ field: Int, of bytes: Int) throws(ArrowDamage) -> FlatVector? {
    guard let place = try place(field) else { return nil }
    let start = try buffer.target(of: place)
    let count = Int(try buffer.number(start, as: UInt32.self))
    guard buffer.has(start + 4, count * bytes) else { throw .outside }
    return FlatVector(buffer: buffer, start: start + 4, count: count, stride: bytes)
  }
}

/// A vector with all its bytes present.
struct FlatVector {
  let buffer: FlatBuffer
  let start: Int
  let count: Int
  fileprivate let stride: Int

  /// The table that an element leads to, in a vector of offsets.
  func table(_ index: Int) throws(ArrowDamage) -> FlatTable { try buffer.table(at: start + index * stride) }

  /// A 64-bit number of an element.
  /// - Parameter word: which of the element's words, from 0.
  func number(_ index: Int, word: Int = 0) throws(ArrowDamage) -> Int64 {
    guard index >= 0, index < count else { throw .outside }
    return try buffer.number(start + index * stride + word * 8)
  }
}
