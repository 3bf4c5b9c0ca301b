// A batch of rows, which the threads that read its chunks share.

import Buffers
import SystemCalls

/// Rows of a stream, with the values of the columns that are read.
final class ArrowBatch: @unchecked Sendable {
  // Unchecked: nothing is written after the stream has handed it over.
  private let body: ArrowBody
  let rows: Int
  let columns: [ArrowColumn]
  private let dictionaries: [ArrowDictionary]
  /// Columns with nulls that are counted row by row. What further ones have is not counted: the work would be rows times
  /// columns.
  static let maximumIgnored = 4096

  /// The number of unwanted columns with a value in every row, and the other unwanted columns.
  private var alwaysIgnored = 0
  private var ignored: [UnsafeRawBufferPointer] = []
  var bytes: Int { body.count }

  init(body: ArrowBody, rows: Int, columns: [ArrowColumn], dictionaries: [ArrowDictionary]) {
    self.body = body
    self.dictionaries = dictionaries
    self.rows = rows
    self.columns = columns
  }

  /// Counts the values of an unwanted column.
  /// - Parameter validity: a bit for each row with a value; nil if all have one.
  func ignore(_ validity: UnsafeRawBufferPointer?) {
    guard let validity else {
      alwaysIgnored += 1
      return
    }
    if ignored.count < Self.maximumIgnored { ignored.append(validity) }
  }

  @inline(__always)
  func ignored(_ row: Int) -> Int {
    var count = alwaysIgnored
    for bits in ignored { count += Int(bits[row &>> 3] &>> UInt8(truncatingIfNeeded: row & 7) & 1) }
    return count
  }
}

/// Rows of a batch that one thread reads: a chunk.
struct ArrowRows {
  let batch: ArrowBatch
  let range: Range<Int>
  /// Bytes that are counted with these rows: all bytes of the batch with its first rows.
  let bytes: Int

  /// Checks the references of these rows' values. No value may be read before.
  func checkBounds() throws(ArrowDamage) {
    for column in batch.columns { try column.checkBounds(of: range) }
  }
}

final class ArrowCutter {
  /// Rows of a chunk.
  private let goal: Int
  private let stream: ArrowStream
  private var batch: ArrowBatch?
  private var next = 0

  init(_ stream: ArrowStream, goal: Int) {
    self.stream = stream
    self.goal = goal
  }

  var storedBytes: Int { stream.storedBytes }

  func rows() throws(ImportError) -> ArrowRows? {
    if batch == nil {
      batch = try stream.next()
      next = 0
    }
    guard let batch else { return nil }
    let first = next
    next = min(first + goal, batch.rows)
    if next == batch.rows { self.batch = nil }
    return ArrowRows(batch: batch, range: first..<next, bytes: first == 0 ? batch.bytes : 0)
  }
}

// MARK: The bytes of one message's body. Chunks of a batch share them by reference; the last one's end frees them

/// Bytes that are filled once and then only read, with `PaddedBytes.padding` after them.
final class ArrowBody: @unchecked Sendable {
  // Unchecked: no thread writes after the memory has been filled.
  private let memory: UnsafeMutableRawPointer
  let count: Int

  /// Bytes that are requested before any have arrived. Memory grows with the bytes that arrive, not with the size that
  /// a message claims.
  private static let firstStep = 1 << 20

  /// Reads a number of bytes.
  /// - Throws: what the source throws.
  /// - Returns: nil if there is not enough memory, or if there are too few bytes.
  static func read(
    _ count: Int, from source: any ByteSource
  ) throws(ImportError) -> (body: ArrowBody?, isShort: Bool) {
    var room = min(count, firstStep)
    guard var memory = malloc(room + PaddedBytes.padding) else { return (nil, false) }
    var filled = 0
    while true {
      do throws(ImportError) {
        filled += try source.fill(UnsafeMutableRawBufferPointer(start: memory + filled, count: room - filled))
      } catch {
        free(memory)
        throw error
      }
      if filled < room {
        free(memory)
        return (nil, true)
      }
      if room == count { break }
      room = count - room > room ? room * 2 : count
      guard let larger = realloc(memory, room + PaddedBytes.padding) else {
        free(memory)
        return (nil, false)
      }
      memory = larger
    }
    memset(memory + count, 0, PaddedBytes.padding)
    return (ArrowBody(memory, count), false)
  }

  private init(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    self.memory = memory
    self.count = count
  }

  deinit { free(memory) }

  /// The start of the body; valid as long as the body exists.
  var start: UnsafeRawPointer { UnsafeRawPointer(memory) }

  func part(offset: Int64, count: Int64) throws(ArrowDamage) -> UnsafeRawBufferPointer {
    guard offset >= 0, count >= 0, count <= self.count, offset <= Int64(self.count) - count else {
      throw ArrowDamage("a buffer points outside its message")
    }
    return UnsafeRawBufferPointer(start: start + Int(offset), count: Int(count))
  }
}

// MARK: The texts of a dictionary. They are copied once, so that a message that replaces or lengthens the dictionary does not touch
// the batches that are still being read.

/// Some texts of a dictionary, one after another. A text that is null is an empty one: both are absent.
final class ArrowTexts: @unchecked Sendable {
  // Unchecked: nothing is written after init.
  let count: Int
  /// Where each text begins, and the last one ends.
  private let offsets: Buffer<Int>
  private let memory: PaddedBuffer

  /// The texts of a column.
  /// - Throws: if the column's offsets are not in it.
  init(_ column: ArrowColumn, isLarge: Bool) throws(ArrowDamage) {
    try column.checkBounds(of: 0..<column.rows)
    var size = 0
    for row in 0..<column.rows where column.isValid(row) { size += column.text(row, isLarge: isLarge).count }
    var memory = PaddedBuffer(capacity: size)
    var offsets = Buffer<Int>(capacity: column.rows + 1)
    for row in 0..<column.rows {
      offsets.append(memory.count)
      if column.isValid(row) { memory.append(column.text(row, isLarge: isLarge).bytes) }
    }
    offsets.append(memory.count)
    count = column.rows
    self.offsets = offsets
    self.memory = memory
  }

  init(_ first: ArrowTexts, _ second: ArrowTexts) {
    count = first.count + second.count
    var memory = PaddedBuffer(capacity: first.memory.count + second.memory.count)
    var offsets = Buffer<Int>(capacity: count + 1)
    for texts in [first, second] {
      for index in 0..<texts.count { offsets.append(memory.count + texts.offsets[index]) }
      memory.append(texts.memory.bytes.bytes)
    }
    offsets.append(memory.count)
    self.offsets = offsets
    self.memory = memory
  }

  /// A text by its index, which is below `count`.
  @inline(__always)
  subscript(_ index: Int) -> PaddedBytes { memory[offsets[index]..<offsets[index + 1]] }
}

/// All texts of a dictionary, as of one message. Another one has other texts, or more.
final class ArrowDictionary: Sendable {
  let count: Int
  /// Each with the index of its first text; the longest first.
  let pieces: [(first: Int, texts: ArrowTexts)]

  /// The texts that it began with. Of two dictionaries with the same beginning, one has all that the other has.
  let beginning: ArrowTexts

  convenience init(_ texts: ArrowTexts) { self.init([(0, texts)], count: texts.count, beginning: texts) }

  private init(_ pieces: [(first: Int, texts: ArrowTexts)], count: Int, beginning: ArrowTexts) {
    self.pieces = pieces
    self.count = count
    self.beginning = beginning
  }

  /// The dictionary with more texts at its end. Pieces of about one length become one, so that there are few of them, however
  /// many messages add to the dictionary, and no text is copied often.
  func appending(_ texts: ArrowTexts) -> ArrowDictionary {
    var pieces = pieces
    var added = (first: count, texts: texts)
    while let last = pieces.last, last.texts.count <= added.texts.count {
      added = (last.first, ArrowTexts(last.texts, added.texts))
      pieces.removeLast()
    }
    pieces.append(added)
    return ArrowDictionary(pieces, count: count + texts.count, beginning: beginning)
  }

  /// A text by its index, which is below `count`.
  func text(_ index: Int) -> PaddedBytes {
    for piece in pieces.reversed() where index >= piece.first { return piece.texts[index - piece.first] }
    return .none
  }
}
