// Cuts a stream of bytes into chunks of whole lines or records. The thread that claims the next chunk fills its own
// memory here, under the queue's lock, while the others parse their chunks.

import Buffers

/// The rest of one file or member, from after its byte-order mark and header.
final class StreamCutter {
  private let bytes: any ByteSource
  /// Whether the bytes ended before their end.
  private let isPartial: () -> Bool
  /// Finds the borders of records; nil if every line end is one.
  private var records: RecordBorders?
  private let goal: Int
  /// The bytes read after the last border.
  private var carry: [UInt8]
  private var linesSkipped: Int
  /// Line ends of the chunks so far; counted for records.
  private var lineEnds = 0
  /// Inside the rest of a line that was too long.
  private var isSkipping = false
  private var atEnd = false

  /// - Parameters:
  ///   - head: bytes already read, that come before those of `bytes`.
  ///   - linesSkipped: line ends before the head.
  ///   - goal: bytes of a chunk; at most `ImportLimit.chunk`.
  init(
    head: some Collection<UInt8>, bytes: any ByteSource, isPartial: @escaping () -> Bool, layout: InputLayout,
    linesSkipped: Int, goal: Int = ImportLimit.chunk
  ) {
    self.bytes = bytes
    self.isPartial = isPartial
    self.goal = goal
    records = layout.shape.map { RecordBorders($0) }
    self.linesSkipped = linesSkipped
    carry = Array(head)
  }

  var storedBytes: Int { bytes.storedBytes }

  /// Fills a chunk that was reset; false if nothing is left.
  func next(into chunk: Chunk) throws(ImportError) -> Bool {
    var count = carry.count
    chunk.room.copyBytes(from: carry)
    carry.removeAll(keepingCapacity: true)
    if isSkipping { count = try finishSkipping(chunk.room, count) }
    // The carried bytes may be more than a chunk: records after a quote with a distant end.
    var wanted = max(0, goal - count)
    while true {
      count += try read(chunk.room, count, wanted)
      wanted = goal
      if count == 0 { return false }
      chunk.linesBefore = linesSkipped
      chunk.lineEndsBefore = lineEnds
      chunk.quoteLine = records?.quoteLine
      let border = border(chunk, count)
      let rest = count - border.offset
      if border.offset >= goal {
        finish(chunk, border, count: count)
      } else if rest > ImportLimit.line {
        // The chunk ends in the beginning of a line that is too long, and the rest of that is skipped.
        isSkipping = true
        chunk.endsOverlong = true
        take(chunk, border, end: border.offset + ImportLimit.rejectedText)
      } else if atEnd {
        // A line that was torn could be taken for a whole one.
        let isPartial = isPartial()
        let end = isPartial ? border.offset : count
        if end == 0 { return false }
        take(chunk, RecordBorders.Border(offset: end, quoteLine: border.quoteLine), end: end, isFileEnd: !isPartial)
      } else if border.offset > 0 {
        finish(chunk, border, count: count)
      } else {
        continue
      }
      return true
    }
  }

  /// Ends the chunk at a border, and keeps the bytes after it.
  private func finish(_ chunk: Chunk, _ border: RecordBorders.Border, count: Int) {
    carry.append(contentsOf: chunk.bytes[border.offset..<count])
    take(chunk, border, end: border.offset)
  }

  private func take(_ chunk: Chunk, _ border: RecordBorders.Border, end: Int, isFileEnd: Bool = false) {
    if isFileEnd { chunk.finishFile(end: end) } else { chunk.finish(end: end) }
    if records != nil {
      let inside = ByteSearch.count(ByteSearch.newline, chunk.bytes, 0..<end)
      lineEnds += chunk.linesBefore + inside + chunk.linesAfter
      records?.quoteLine = border.quoteLine
    }
    linesSkipped = 0
  }

  private func border(_ chunk: Chunk, _ count: Int) -> RecordBorders.Border {
    records?.last(
      chunk.read(count), goal: goal, lineEnds: lineEnds + linesSkipped, isWhole: atEnd, isFileEnd: atEnd && !isPartial()
    )
      ?? RecordBorders.Border(offset: RecordBorders.lineBorder(chunk.bytes, 0, count, goal: goal) ?? 0, quoteLine: nil)
  }

  /// Reads up to `limit` bytes to an offset.
  private func read(
    _ room: UnsafeMutableRawBufferPointer, _ offset: Int, _ limit: Int
  ) throws(ImportError) -> Int {
    if atEnd { return 0 }
    let count = try bytes.fill(UnsafeMutableRawBufferPointer(rebasing: room[offset..<offset + limit]))
    if count < limit { atEnd = true }
    return count
  }

  /// Drops the rest of a line that was too long. `room[..<count]` has the bytes read. Returns the number of bytes after
  /// that line, moved to the front.
  private func finishSkipping(_ room: UnsafeMutableRawBufferPointer, _ count: Int) throws(ImportError) -> Int {
    var count = count
    while true {
      if count == 0 { count = try read(room, 0, goal) }
      if count == 0 {
        isSkipping = false
        return 0
      }
      if let newline = ByteSearch.firstNewline(UnsafeRawBufferPointer(room), 0..<count) {
        linesSkipped += 1
        isSkipping = false
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[newline + 1..<count]))
        return count - newline - 1
      }
      count = 0
    }
  }
}

/// Finds where a stream of CSV may be cut: between two records as the parser will find them. The parser reads the same
/// bytes up to the border and no further, and makes the same decisions, because none depends on bytes after a border.
/// Carries the line of an open quote from one border to the next. Used under the queue's lock.
struct RecordBorders {
  private let shape: CSVShape
  private let record = CSVRecord()
  /// The line of the file that opened a quote, as of the last border that was taken.
  var quoteLine: Int?

  init(_ shape: CSVShape) { self.shape = shape }

  /// A border, and the line of an open quote there.
  struct Border {
    var offset: Int
    var quoteLine: Int?
  }

  /// The first border at or past `goal`, else the last one.
  /// - Parameters:
  ///   - text: begins where a record may begin.
  ///   - lineEnds: line ends of the file before it.
  ///   - isWhole: nothing follows.
  ///   - isFileEnd: nothing follows because the file ends.
  func last(_ text: PaddedBytes, goal: Int, lineEnds: Int, isWhole: Bool, isFileEnd: Bool) -> Border {
    let bytes = text.bytes
    var border = Border(offset: 0, quoteLine: quoteLine)
    // Lines are counted onward, so that many questions cost one pass.
    var (counted, line) = (0, lineEnds + 1)
    while border.offset < text.count, border.offset < goal {
      let from = border.offset
      if border.quoteLine == nil {
        guard let quote = ByteSearch.first(ByteSearch.quote, bytes, from..<text.count) else {
          border.offset = Self.lineBorder(bytes, from, text.count, goal: goal) ?? from
          return border
        }
        // Lines without quotes are records, or faults, of their own.
        if let newline = ByteSearch.lastNewline(bytes, from..<quote) {
          border.offset = Self.lineBorder(bytes, from, newline + 1, goal: goal) ?? newline + 1
          continue
        }
        guard let stop = ByteSearch.firstNewline(bytes, quote..<text.count) else { return border }
        // A line with an even number of quotes leaves no quote open either.
        if ByteSearch.count(ByteSearch.quote, bytes, quote..<stop).isMultiple(of: 2) {
          border.offset = stop + 1
          continue
        }
      }
      let reading = record.read(text, from: from, shape, isWhole ? .whole : .more)
      guard reading != .undecided, record.end < text.count else { return border }
      // A record that is cut off inside quotes is seen as a whole by its parser.
      if isFileEnd, reading == .openQuote, record.isUnclosed { return border }
      switch reading {
      case .cells: border.quoteLine = nil
      case .openQuote, .fault:
        if border.quoteLine == nil {
          line += ByteSearch.count(ByteSearch.newline, bytes, counted..<from)
          counted = from
          border.quoteLine = line
        }
      case .otherCount, .blank, .tooLong, .undecided: break
      }
      border.offset = record.end + 1
    }
    return border
  }

  /// The end of the first line that ends at or past the goal, else of the last one.
  static func lineBorder(_ bytes: UnsafeRawBufferPointer, _ from: Int, _ end: Int, goal: Int) -> Int? {
    let past = max(from, goal - 1)
    if past < end, let newline = ByteSearch.firstNewline(bytes, past..<end) { return newline + 1 }
    return ByteSearch.lastNewline(bytes, from..<end).map { $0 + 1 }
  }
}
