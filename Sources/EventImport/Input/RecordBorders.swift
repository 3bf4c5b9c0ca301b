// Where a stream of CSV may be cut: between two records as the parser will find them. The parser sees the same bytes up to the
// border and no further, and comes to the same decisions, because none depends on bytes after a border.

/// Finds borders, and carries the line of an open quote from one to the next. Used under the queue's lock.
struct RecordBorders {
  private let shape: CSVShape
  private var record = CSVRecord()
  /// The line of the file that opened a quote, as of the last border that was taken.
  var quoteLine: Int?

  init(_ shape: CSVShape) { self.shape = shape }

  func deallocate() { record.deallocate() }

  /// A border, and the line of an open quote there.
  struct Border {
    var offset: Int
    var quoteLine: Int?
  }

  /// The first border at or past `goal`, else the last one.
  /// - Parameters:
  ///   - count: bytes of the memory, which begins where a record may begin.
  ///   - lineEnds: line ends of the file before them.
  ///   - isWhole: nothing follows.
  mutating func last(
    _ memory: UnsafeRawPointer, _ count: Int, goal: Int, lineEnds: Int, isWhole: Bool
  ) -> Border {
    var border = Border(offset: 0, quoteLine: quoteLine)
    var line = LineNumber(lineEnds)
    while border.offset < count, border.offset < goal {
      let from = border.offset
      if border.quoteLine == nil {
        guard let quote = ByteSearch.first(ByteSearch.quote, memory, from..<count) else {
          border.offset = Self.lineBorder(memory, from, count, goal: goal) ?? from
          return border
        }
        // Lines without quotes are records, or faults, of their own.
        if let newline = ByteSearch.lastNewline(memory, from..<quote) {
          border.offset = Self.lineBorder(memory, from, newline + 1, goal: goal) ?? newline + 1
          continue
        }
        guard let stop = ByteSearch.firstNewline(memory, quote..<count) else { return border }
        // Nor does a line leave a quote open whose quotes are even in number.
        if ByteSearch.count(ByteSearch.quote, memory, quote..<stop).isMultiple(of: 2) {
          border.offset = stop + 1
          continue
        }
      }
      let reading = record.read(memory, from..<count, shape, isWhole ? .whole : .more)
      guard reading != .undecided, record.end < count else { return border }
      switch reading {
      case .cells: border.quoteLine = nil
      case .openQuote, .fault:
        if border.quoteLine == nil { border.quoteLine = line.number(at: from, memory) }
      case .otherCount, .blank, .tooLong, .undecided: break
      }
      border.offset = record.end + 1
    }
    return border
  }

  /// The end of the first line that ends at or past the goal, else of the last one.
  static func lineBorder(_ memory: UnsafeRawPointer, _ from: Int, _ end: Int, goal: Int) -> Int? {
    let past = max(from, goal - 1)
    if past < end, let newline = ByteSearch.firstNewline(memory, past..<end) { return newline + 1 }
    return ByteSearch.lastNewline(memory, from..<end).map { $0 + 1 }
  }

  /// Counts lines onward, so that many questions cost one pass.
  private struct LineNumber {
    private var counted = 0
    private var lineEnds: Int

    init(_ lineEnds: Int) { self.lineEnds = lineEnds }

    mutating func number(at offset: Int, _ memory: UnsafeRawPointer) -> Int {
      lineEnds += ByteSearch.count(ByteSearch.newline, memory, counted..<offset)
      counted = offset
      return lineEnds + 1
    }
  }
}
