// One column of one batch: where its values are in the batch's body. What the stream says about them is checked once for the
// rows of a chunk; after that they are read without further questions.

import Buffers

/// Values by row. The memory, and the dictionary, are the batch's: nothing is counted when a column is handed on.
struct ArrowColumn: BitwiseCopyable {
  let type: ArrowType
  /// Texts that hold JSON.
  let holdsJSON: Bool
  let rows: Int
  /// A bit for each row that has a value; nil if all have.
  private let validity: UnsafePointer<UInt8>?
  /// Numbers, bits or indices; of texts the offsets.
  private let values: UnsafeRawBufferPointer
  /// Bytes of texts.
  private let data: UnsafeRawBufferPointer
  private let texts: Unmanaged<ArrowDictionary>?

  /// - Parameters:
  ///   - buffer: gives the column's buffers by their place in its list.
  ///   - nulls: rows without a value, as the batch says.
  init(
    _ type: ArrowType, holdsJSON: Bool = false, rows: Int, nulls: Int64, dictionary: ArrowDictionary?,
    buffer: (Int) throws(ArrowDamage) -> UnsafeRawBufferPointer
  ) throws(ArrowDamage) {
    self.type = type
    self.holdsJSON = holdsJSON
    self.rows = rows
    texts = dictionary.map { Unmanaged.passUnretained($0) }
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    guard type != .null, type.isRead, rows > 0 else {
      (validity, values, data) = (nil, none, none)
      return
    }
    let bitBytes = (rows + 7) / 8
    if nulls == 0 {
      validity = nil
    } else {
      let bits = try buffer(0)
      guard bits.count >= bitBytes else { throw .missingValidity }
      validity = bits.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
    let values = try buffer(1)
    var needed = bitBytes
    var data = none
    if case .text(let isLarge) = type {
      needed = (rows + 1) * (isLarge ? 8 : 4)
      data = try buffer(2)
    } else if let width = type.width {
      needed = rows * width
    }
    guard values.count >= needed else { throw ArrowDamage("a column has fewer values than rows") }
    self.values = values
    self.data = data
  }

  @inline(__always)
  func isValid(_ row: Int) -> Bool {
    guard type != .null else { return false }
    guard let validity else { return true }
    return validity[row &>> 3] &>> UInt8(truncatingIfNeeded: row & 7) & 1 != 0
  }

  // MARK: Checks

  /// Checks what the values of some rows point to; no other function may be asked for a row that was not checked.
  func check(_ range: Range<Int>) throws(ArrowDamage) {
    guard range.lowerBound >= 0, range.upperBound <= rows else { throw .outside }
    switch type {
    case .text(let isLarge):
      if isLarge { try checkOffsets(range, Int64.self) } else { try checkOffsets(range, Int32.self) }
    case .dictionary(let index):
      switch (index.bytes, index.isSigned) {
      case (1, true): try checkIndices(range, Int8.self)
      case (1, false): try checkIndices(range, UInt8.self)
      case (2, true): try checkIndices(range, Int16.self)
      case (2, false): try checkIndices(range, UInt16.self)
      case (4, true): try checkIndices(range, Int32.self)
      case (4, false): try checkIndices(range, UInt32.self)
      case (8, true): try checkIndices(range, Int64.self)
      default: try checkIndices(range, UInt64.self)
      }
    default: return
    }
  }

  private func checkOffsets<Offset: FixedWidthInteger>(_ range: Range<Int>, _: Offset.Type) throws(ArrowDamage) {
    guard !range.isEmpty else { return }
    var last = value(range.lowerBound, Offset.self)
    var isGood = last >= 0
    for row in range {
      let next = value(row + 1, Offset.self)
      if next < last { isGood = false }
      last = next
    }
    guard isGood, last <= data.count else { throw ArrowDamage("a text is not in its column") }
  }

  private func checkIndices<Index: FixedWidthInteger>(_ range: Range<Int>, _: Index.Type) throws(ArrowDamage) {
    let count = dictionary?.count ?? 0
    for row in range {
      let index = value(row, Index.self)
      // A row without a value may have any index.
      if index < 0 || index >= count, isValid(row) { throw ArrowDamage("a value is not in its dictionary") }
    }
  }

  // MARK: Values of rows that were checked

  @inline(__always)
  private func value<Number: FixedWidthInteger>(_ row: Int, _: Number.Type) -> Number {
    Number(
      littleEndian: values.loadUnaligned(fromByteOffset: row &* MemoryLayout<Number>.size, as: Number.self))
  }

  /// The text of a row with a value, of a column of texts.
  @inline(__always)
  func text(_ row: Int, isLarge: Bool) -> PaddedBytes {
    let start: Int
    let end: Int
    if isLarge {
      start = Int(truncatingIfNeeded: value(row, Int64.self))
      end = Int(truncatingIfNeeded: value(row &+ 1, Int64.self))
    } else {
      start = Int(value(row, Int32.self))
      end = Int(value(row &+ 1, Int32.self))
    }
    return PaddedBytes(unsafePadded: data.baseAddress.map { $0 + start }, count: end &- start)
  }

  /// The dictionary, of a column of indices.
  var dictionary: ArrowDictionary? { texts?.takeUnretainedValue() }

  /// The text of a row with a value, in a dictionary's column.
  @inline(__always)
  func text(_ row: Int, _ type: ArrowInteger) -> PaddedBytes {
    texts?._withUnsafeGuaranteedRef { $0.text(index(row, type)) } ?? .none
  }

  /// The index of a row with a value, in a dictionary's column.
  @inline(__always)
  func index(_ row: Int, _ type: ArrowInteger) -> Int {
    Int(truncatingIfNeeded: type.isSigned ? signed(row, type) : Int64(bitPattern: unsigned(row, type)))
  }

  @inline(__always)
  func signed(_ row: Int, _ type: ArrowInteger) -> Int64 {
    switch type.bytes {
    case 1: Int64(value(row, Int8.self))
    case 2: Int64(value(row, Int16.self))
    case 4: Int64(value(row, Int32.self))
    default: value(row, Int64.self)
    }
  }

  @inline(__always)
  func unsigned(_ row: Int, _ type: ArrowInteger) -> UInt64 {
    switch type.bytes {
    case 1: UInt64(value(row, UInt8.self))
    case 2: UInt64(value(row, UInt16.self))
    case 4: UInt64(value(row, UInt32.self))
    default: value(row, UInt64.self)
    }
  }

  func double(_ row: Int) -> Double { Double(bitPattern: value(row, UInt64.self)) }
  func float(_ row: Int) -> Float { Float(bitPattern: value(row, UInt32.self)) }

  @inline(__always)
  func ticks(_ row: Int) -> Int64 { value(row, Int64.self) }

  func days(_ row: Int) -> Int32 { value(row, Int32.self) }

  func boolean(_ row: Int) -> Bool { values[row &>> 3] &>> UInt8(truncatingIfNeeded: row & 7) & 1 != 0 }
}
