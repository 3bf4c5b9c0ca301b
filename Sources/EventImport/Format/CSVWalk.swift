// One walk over the records of a chunk, for the canonical form and for mappings: what is no record is rejected here, a
// physical line each.

/// Goes from record to record. Owned by one thread, for one chunk.
struct CSVWalk {
  enum Found {
    case record
    /// A line with another number of cells than the heading: `rejectCount` unless it is something else.
    case otherCount
    case end
  }

  private let memory: UnsafeRawPointer
  private let end: Int
  private let shape: CSVShape
  private let tail: CSVRecord.Tail
  /// Line ends of the file before the chunk.
  private let base: Int
  private var position: Int
  private var nextLine: Int
  /// The line of the file that opened a quote, as long as no record was found after it.
  private var quoteLine: Int?
  private(set) var record: CSVRecord
  /// What was found, without its line end, and the line ends of the chunk before it.
  private(set) var text = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var line = 0

  /// - Parameter record: memory to be used, and taken back after the walk.
  init(_ chunk: Chunk, _ shape: CSVShape, _ record: CSVRecord) {
    memory = UnsafeRawPointer(chunk.memory)
    end = chunk.end
    self.shape = shape
    tail = chunk.endsOverlong ? .cut : .whole
    base = chunk.lineEndsBefore
    position = chunk.start
    nextLine = chunk.linesBefore
    quoteLine = chunk.quoteLine
    self.record = record
  }

  /// The number of the line in the file.
  var fileLine: Int { base + line + 1 }
  /// Line ends of the chunk up to where the walk stands, those before its content too.
  var lineEnds: Int { nextLine }

  mutating func next(into result: inout ChunkResult) -> Found {
    while position < end {
      let reading = record.read(memory, position..<end, shape, tail)
      line = nextLine
      let stop = CSVRecord.textEnd(memory.assumingMemoryBound(to: UInt8.self), position, record.end)
      text = UnsafeRawBufferPointer(start: memory + position, count: stop - position)
      nextLine += record.lines + (record.end < end ? 1 : 0)
      position = record.end + 1
      switch reading {
      case .cells:
        quoteLine = nil
        return .record
      case .otherCount: return .otherCount
      case .blank: continue
      case .fault(let fault): rejectQuote(.invalidCSV(fault), into: &result)
      case .openQuote: rejectQuote(.openQuote(columns: shape.columns), into: &result)
      case .tooLong, .undecided: reject(.tooLongLine, into: &result)
      }
    }
    return .end
  }

  func rejectCount(into result: inout ChunkResult) {
    reject(.cellCount(found: record.cells.count, expected: shape.columns), into: &result)
  }

  /// Rejects a line with a fault of its quotes. An odd number of them leaves it open whether the lines after it are text of
  /// a cell, so what is rejected there names this line.
  private mutating func rejectQuote(_ reason: Rejection, into result: inout ChunkResult) {
    reject(reason, into: &result)
    guard quoteLine == nil, let start = text.baseAddress else { return }
    if !ByteSearch.count(ByteSearch.quote, start, 0..<text.count).isMultiple(of: 2) { quoteLine = fileLine }
  }

  private func reject(_ reason: Rejection, into result: inout ChunkResult) {
    result.reject(quoteLine.map { .afterQuote(line: $0, reason) } ?? reason, line: line, text: text)
  }
}
