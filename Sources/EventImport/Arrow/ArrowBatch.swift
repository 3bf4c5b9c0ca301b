// A batch of rows, which the threads that read its chunks share.

/// Rows of a stream, with the values of the columns that are read.
final class ArrowBatch: @unchecked Sendable {
  // Unchecked: nothing is written after the stream has handed it over.
  private let body: ArrowBody
  let rows: Int
  let columns: [ArrowColumn]
  /// What the columns point to.
  private let dictionaries: [ArrowDictionary]
  /// Columns with nulls that are counted row by row. What further ones have is not counted: the work would be rows times
  /// columns.
  static let maximumIgnored = 4096

  /// Columns that nobody asks for and that have a value in every row, and those of the others that have one.
  private var alwaysIgnored = 0
  private var ignored: [UnsafeRawBufferPointer] = []
  var bytes: Int { body.count }

  init(body: ArrowBody, rows: Int, columns: [ArrowColumn], dictionaries: [ArrowDictionary]) {
    self.body = body
    self.dictionaries = dictionaries
    self.rows = rows
    self.columns = columns
  }

  /// Counts the values of a column that nobody asks for.
  /// - Parameter validity: a bit for each row with a value; nil if all have one.
  func ignore(_ validity: UnsafeRawBufferPointer?) {
    guard let validity else {
      alwaysIgnored += 1
      return
    }
    if ignored.count < Self.maximumIgnored { ignored.append(validity) }
  }

  /// The values of a row that nobody asks for.
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
  /// Bytes that are counted with these rows: those of the whole batch with its first ones.
  let bytes: Int

  /// Checks what the values of these rows point to; none may be asked for before.
  func check() throws(ArrowDamage) {
    for column in batch.columns { try column.check(range) }
  }
}

/// Cuts a stream into chunks of rows.
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

  /// The next rows; nil at the end.
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
