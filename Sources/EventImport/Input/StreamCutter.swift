// Cuts a stream of bytes into chunks of whole lines or records. Whichever thread claims the next chunk
// fills its own memory here, under the queue's lock, while the others parse what they have.

/// The rest of one file or member, from behind its byte-order mark and header.
final class StreamCutter {
  private let bytes: any ByteSource
  /// True where the bytes ended before their end.
  private let isPartial: () -> Bool
  /// In CSV a line end inside quotes does not end a record.
  private let hasQuotes: Bool
  /// The beginning of a record whose end has not been read.
  private var carry: [UInt8]
  private var linesSkipped: Int
  /// Inside the rest of a record that was too long; the value tells whether a quote is open there.
  private var skipping: Bool?
  private var atEnd = false

  /// - Parameters:
  ///   - head: bytes already read, that come before those of `bytes`.
  ///   - linesSkipped: line ends before the head.
  init(
    head: some Collection<UInt8>, bytes: any ByteSource, isPartial: @escaping () -> Bool, layout: InputLayout,
    linesSkipped: Int
  ) {
    self.bytes = bytes
    self.isPartial = isPartial
    hasQuotes = layout.hasQuotes
    self.linesSkipped = linesSkipped
    carry = Array(head)
  }

  var storedBytes: Int { bytes.storedBytes }

  /// Fills a chunk that was reset; false where nothing is left.
  func next(into chunk: Chunk) throws(ImportError) -> Bool {
    let memory = chunk.memory
    var count = carry.count
    UnsafeMutableRawBufferPointer(start: memory, count: count).copyBytes(from: carry)
    carry.removeAll(keepingCapacity: true)
    var limit = ImportLimit.chunk
    if skipping != nil {
      count = try finishSkipping(memory, count)
      limit -= count
    }
    while true {
      count += try read(memory, count, limit)
      limit = ImportLimit.chunk
      if count == 0 { return false }
      chunk.linesBefore = linesSkipped
      let (border, isOpen) = lastBorder(memory, count)
      let rest = count - border
      if rest > ImportLimit.line {
        cut(chunk, border: border, count: count, isOpen: isOpen)
        return true
      }
      if atEnd {
        // A line that was torn could be taken for a whole one.
        let end = isPartial() ? border : count
        if end == 0 { return false }
        chunk.finish(end: end)
        linesSkipped = 0
        return true
      }
      if border > 0 {
        carry.append(contentsOf: UnsafeRawBufferPointer(start: memory + border, count: rest))
        chunk.finish(end: border)
        linesSkipped = 0
        return true
      }
    }
  }

  /// Ends the chunk in the beginning of a record that is too long, and leaves the rest of that to be skipped.
  private func cut(_ chunk: Chunk, border: Int, count: Int, isOpen: Bool) {
    let end = border + ImportLimit.rejectedText
    chunk.linesAfter = ByteSearch.count(ByteSearch.newline, chunk.memory, end..<count)
    chunk.endsOverlong = true
    chunk.finish(end: end)
    skipping = isOpen
    linesSkipped = 0
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

  /// The end of the last whole record in `memory[..<count]`, which begins with a record, and whether a
  /// quote is open at `count`.
  private func lastBorder(_ memory: UnsafeRawPointer, _ count: Int) -> (border: Int, isOpen: Bool) {
    guard hasQuotes else {
      return (ByteSearch.lastNewline(memory, 0..<count).map { $0 + 1 } ?? 0, false)
    }
    var border = 0
    while true {
      let record = CSVRecord.end(memory, from: border, end: count)
      if record.end == count { return (border, record.isOpen) }
      border = record.end + 1
    }
  }

  /// Drops the rest of a record that was too long. `memory[..<count]` holds what was read; returns how much
  /// of it, moved to the front, comes after that record.
  private func finishSkipping(_ memory: UnsafeMutableRawPointer, _ count: Int) throws(ImportError) -> Int {
    guard var isOpen = skipping else { return count }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    var count = count
    while true {
      if count == 0 {
        count = try read(memory, 0, ImportLimit.chunk)
        if count == 0 {
          skipping = nil
          return 0
        }
      }
      var i = 0
      while i < count {
        let byte = bytes[i]
        i += 1
        if hasQuotes, byte == ByteSearch.quote { isOpen.toggle() }
        guard byte == ByteSearch.newline else { continue }
        linesSkipped += 1
        if isOpen { continue }
        skipping = nil
        memory.copyMemory(from: memory + i, byteCount: count - i)
        return count - i
      }
      count = 0
    }
  }
}
