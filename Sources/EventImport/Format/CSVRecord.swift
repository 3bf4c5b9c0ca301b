// Takes a CSV record apart (RFC 4180). Quotes that are doubled are written to scratch memory once.

/// Splits records into cells. Owned by one thread.
struct CSVRecord {
  /// Why a record is no record.
  enum Fault: Error, Equatable {
    /// A quote stands inside a cell that does not begin with one.
    case strayQuote
    /// A quoted cell goes on behind its closing quote.
    case textBehindQuote
    case unclosedQuote
  }

  /// Cells of the last record; valid until the next one.
  private(set) var cells: [UnsafeRawBufferPointer] = []
  private var scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ImportLimit.line + Chunk.padding, alignment: 16)

  init() { scratch.initializeMemory(as: UInt8.self, repeating: 0) }

  func deallocate() { scratch.deallocate() }

  /// The end of the record that begins at `from`: the index of its line end, or `end` where there is none; the
  /// line ends inside its quotes; and whether a quote is open at its end.
  static func end(_ memory: UnsafeRawPointer, from: Int, end: Int) -> (end: Int, lines: Int, isOpen: Bool) {
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    var isOpen = false
    var closed = -1
    var lines = 0
    var i = from
    while i < end {
      if bytes[i] == ByteSearch.quote {
        if isOpen {
          isOpen = false
          closed = i
        } else {
          // A quote opens a cell where the cell begins, or goes on with it where it was doubled. Elsewhere it is a
          // fault of its own line, and takes no other line with it.
          isOpen = i == from || bytes[i - 1] == 0x2C || (closed >= 0 && closed == i - 1)
        }
      } else if bytes[i] == ByteSearch.newline {
        if !isOpen { return (i, lines, false) }
        lines += 1
      }
      i += 1
    }
    return (end, lines, isOpen)
  }

  /// Splits a record, given without its line end, into `cells`. It has at most `ImportLimit.line` bytes.
  mutating func split(_ record: UnsafeRawBufferPointer) throws(Fault) {
    cells.removeAll(keepingCapacity: true)
    guard let base = record.baseAddress else { return }
    let bytes = base.assumingMemoryBound(to: UInt8.self)
    let count = record.count > 0 && bytes[record.count - 1] == 0x0D ? record.count - 1 : record.count
    var used = 0
    var i = 0
    while true {
      if i < count, bytes[i] == ByteSearch.quote {
        cells.append(try quoted(bytes, &i, count, &used))
      } else {
        let from = i
        while i < count, bytes[i] != 0x2C {
          if bytes[i] == ByteSearch.quote { throw .strayQuote }
          i += 1
        }
        cells.append(UnsafeRawBufferPointer(start: base + from, count: i - from))
      }
      if i == count { return }
      i += 1
    }
  }

  /// Reads a quoted cell; `i` stands at its quote and is moved to the comma or end behind it.
  private func quoted(
    _ bytes: UnsafePointer<UInt8>, _ i: inout Int, _ count: Int, _ used: inout Int
  ) throws(Fault) -> UnsafeRawBufferPointer {
    let from = i + 1
    var doubled = false
    i += 1
    while true {
      while i < count, bytes[i] != ByteSearch.quote { i += 1 }
      if i == count { throw .unclosedQuote }
      if i + 1 < count, bytes[i + 1] == ByteSearch.quote {
        doubled = true
        i += 2
        continue
      }
      break
    }
    let text = UnsafeRawBufferPointer(start: bytes + from, count: i - from)
    i += 1
    if i < count, bytes[i] != 0x2C { throw .textBehindQuote }
    guard doubled else { return text }
    let first = used
    var skip = false
    for byte in text {
      if skip {
        skip = false
        continue
      }
      scratch[used] = byte
      used += 1
      skip = byte == ByteSearch.quote
    }
    return UnsafeRawBufferPointer(rebasing: scratch[first..<used])
  }
}
