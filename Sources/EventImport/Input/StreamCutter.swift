// Cuts a stream of bytes into chunks of whole lines or records. Whichever thread claims the next chunk
// fills its own memory here, under the queue's lock, while the others parse what they have.

/// The rest of one file or member, from behind its byte-order mark and header.
final class StreamCutter {
  private let bytes: any ByteSource
  /// True where the bytes ended before their end.
  private let isPartial: () -> Bool
  /// Finds the borders of records; nil if every line end is one.
  private var records: RecordBorders?
  /// Bytes of a chunk that are wanted.
  private let goal: Int
  /// What was read past the last border.
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

  deinit { records?.deallocate() }

  var storedBytes: Int { bytes.storedBytes }

  /// Fills a chunk that was reset; false where nothing is left.
  func next(into chunk: Chunk) throws(ImportError) -> Bool {
    let memory = chunk.memory
    var count = carry.count
    UnsafeMutableRawBufferPointer(start: memory, count: count).copyBytes(from: carry)
    carry.removeAll(keepingCapacity: true)
    if isSkipping { count = try finishSkipping(memory, count) }
    // What was carried over may be more than a chunk: records after a quote whose end was looked for.
    var wanted = max(0, goal - count)
    while true {
      count += try read(memory, count, wanted)
      wanted = goal
      if count == 0 { return false }
      chunk.linesBefore = linesSkipped
      chunk.lineEndsBefore = lineEnds
      chunk.quoteLine = records?.quoteLine
      let border = border(memory, count)
      let rest = count - border.offset
      if border.offset >= goal {
        finish(chunk, border: border, count: count)
        return true
      }
      if rest > ImportLimit.line {
        cut(chunk, border: border)
        return true
      }
      if atEnd {
        // A line that was torn could be taken for a whole one.
        let end = isPartial() ? border.offset : count
        if end == 0 { return false }
        finish(chunk, border: RecordBorders.Border(offset: end, quoteLine: border.quoteLine), count: end)
        return true
      }
      if border.offset > 0 {
        finish(chunk, border: border, count: count)
        return true
      }
    }
  }

  /// Ends the chunk at a border, and keeps what was read past it.
  private func finish(_ chunk: Chunk, border: RecordBorders.Border, count: Int) {
    carry.append(
      contentsOf: UnsafeRawBufferPointer(start: chunk.memory + border.offset, count: count - border.offset))
    chunk.finish(end: border.offset)
    took(chunk, border)
  }

  /// Ends the chunk in the beginning of a line that is too long, and leaves the rest of that to be skipped.
  private func cut(_ chunk: Chunk, border: RecordBorders.Border) {
    let end = border.offset + ImportLimit.rejectedText
    isSkipping = true
    chunk.endsOverlong = true
    chunk.finish(end: end)
    took(chunk, border)
  }

  private func took(_ chunk: Chunk, _ border: RecordBorders.Border) {
    if records != nil {
      let inside = ByteSearch.count(ByteSearch.newline, chunk.memory, 0..<chunk.end)
      lineEnds += chunk.linesBefore + inside + chunk.linesAfter
      records?.quoteLine = border.quoteLine
    }
    linesSkipped = 0
  }

  private func border(_ memory: UnsafeRawPointer, _ count: Int) -> RecordBorders.Border {
    records?.last(memory, count, goal: goal, lineEnds: lineEnds + linesSkipped, isWhole: atEnd)
      ?? RecordBorders.Border(offset: RecordBorders.lineBorder(memory, 0, count, goal: goal) ?? 0, quoteLine: nil)
  }

  /// Reads up to `limit` bytes to `memory + offset`.
  private func read(
    _ memory: UnsafeMutableRawPointer, _ offset: Int, _ limit: Int
  ) throws(ImportError) -> Int {
    if atEnd { return 0 }
    let count = try bytes.fill(UnsafeMutableRawBufferPointer(start: memory + offset, count: limit))
    if count < limit { atEnd = true }
    return count
  }

  /// Drops the rest of a line that was too long. `memory[..<count]` holds what was read; returns how much
  /// of it, moved to the front, comes after that line.
  private func finishSkipping(_ memory: UnsafeMutableRawPointer, _ count: Int) throws(ImportError) -> Int {
    var count = count
    while true {
      if count == 0 {
        count = try read(memory, 0, goal)
        if count == 0 {
          isSkipping = false
          return 0
        }
      }
      if let newline = ByteSearch.firstNewline(memory, 0..<count) {
        linesSkipped += 1
        isSkipping = false
        memory.copyMemory(from: memory + newline + 1, byteCount: count - newline - 1)
        return count - newline - 1
      }
      count = 0
    }
  }
}
