// Takes CSV records apart (RFC 4180, with any delimiter). Where a record ends and whether it is one is decided here alone, so
// that who cuts a file into chunks and who parses them agree.

/// Reads the record that begins at a physical line, and keeps its cells. Owned by one thread.
struct CSVRecord {
  /// Why a line is no record.
  enum Fault: Error, Equatable {
    /// A quote stands inside a cell that does not begin with one.
    case strayQuote
    /// A quoted cell goes on after its closing quote.
    case textBehindQuote
  }

  /// What comes after the memory's end.
  enum Tail {
    /// Nothing, or a line that begins.
    case whole
    /// The rest of a line that is too long.
    case cut
    /// Bytes that have not been read.
    case more
  }

  /// What begins at a physical line.
  enum Reading: Equatable {
    /// A record with the heading's columns, perhaps over several lines.
    case cells
    /// A line with another number of cells.
    case otherCount
    case blank
    case fault(Fault)
    /// A line that opens a quote, but no record with the heading's columns begins there.
    case openQuote
    case tooLong
    /// More bytes must be read to tell.
    case undecided
  }

  /// Cells of the last record; valid until the next one.
  var cells: [UnsafeRawBufferPointer] = []
  /// The index of the line end behind what was read, or the memory's end.
  var end = 0
  /// Line ends inside of the record.
  var lines = 0
  /// Text of cells whose doubled quotes were made one; made if a file has such cells.
  var scratch: UnsafeMutableRawBufferPointer?
  var used = 0

  func deallocate() { scratch?.deallocate() }

  /// Reads what begins at `range.lowerBound`, which is the beginning of a physical line.
  mutating func read(
    _ memory: UnsafeRawPointer, _ range: Range<Int>, _ shape: CSVShape, _ tail: Tail
  ) -> Reading {
    cells.removeAll(keepingCapacity: true)
    lines = 0
    let newline = ByteSearch.firstNewline(memory, range)
    end = newline ?? range.upperBound
    if end - range.lowerBound > ImportLimit.line { return .tooLong }
    if newline == nil, tail != .whole { return tail == .cut ? .tooLong : .undecided }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    let stop = Self.textEnd(bytes, range.lowerBound, end)
    if shape.isBlank(bytes, range.lowerBound..<stop) { return .blank }
    if ByteSearch.first(ByteSearch.quote, memory, range.lowerBound..<stop) != nil {
      return readQuoted(memory, range, shape, tail)
    }
    var start = range.lowerBound
    var i = start
    while i < stop {
      if bytes[i] == shape.delimiter {
        cells.append(UnsafeRawBufferPointer(start: memory + start, count: i - start))
        start = i + 1
      }
      i += 1
    }
    cells.append(UnsafeRawBufferPointer(start: memory + start, count: stop - start))
    return shape.fits(cells) ? .cells : .otherCount
  }

  /// The end of a line's text, the carriage returns of its line end left out.
  @inline(__always)
  static func textEnd(_ bytes: UnsafePointer<UInt8>, _ from: Int, _ end: Int) -> Int {
    var stop = end
    while stop > from, bytes[stop - 1] == 0x0D { stop -= 1 }
    return stop
  }
}
