// Records with quotes. A quoted cell may go over several lines, but only if a record with the heading's columns comes out:
// else the quote is one of its own line alone, and costs that line and no other.

extension CSVRecord {
  /// Reads a record whose first line has a quote and ends at `end`.
  mutating func readQuoted(
    _ memory: UnsafeRawPointer, _ range: Range<Int>, _ shape: CSVShape, _ tail: Tail
  ) -> Reading {
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    let firstEnd = end
    // One byte more than a record may have, for its line end.
    let limit = min(range.upperBound, range.lowerBound + ImportLimit.line + 1)
    var lineEnd = firstEnd
    var stop = Self.textEnd(bytes, range.lowerBound, lineEnd)
    var i = range.lowerBound
    used = 0
    // A file that was put behind another one brings its mark along.
    if i + 3 <= stop, bytes[i] == 0xEF, bytes[i + 1] == 0xBB, bytes[i + 2] == 0xBF { i += 3 }

    func ended(_ reading: Reading, _ record: inout CSVRecord) -> Reading {
      record.end = firstEnd
      record.lines = 0
      return reading
    }
    while true {
      guard i < stop, bytes[i] == ByteSearch.quote else {
        let from = i
        while i < stop, bytes[i] != shape.delimiter {
          if bytes[i] == ByteSearch.quote { return ended(lines == 0 ? .fault(.strayQuote) : .openQuote, &self) }
          i += 1
        }
        cells.append(UnsafeRawBufferPointer(start: memory + from, count: i - from))
        if i == stop { break }
        i += 1
        continue
      }
      let from = i + 1
      var isDoubled = false
      var search = from
      while true {
        guard let quote = ByteSearch.first(ByteSearch.quote, memory, search..<limit) else {
          let mayGoOn = limit == range.upperBound && limit - range.lowerBound <= ImportLimit.line
          return ended(tail == .more && mayGoOn ? .undecided : .openQuote, &self)
        }
        i = quote + 1
        guard i < limit, bytes[i] == ByteSearch.quote else { break }
        isDoubled = true
        search = i + 1
      }
      let text = from..<(i - 1)
      if i > lineEnd {
        lines += ByteSearch.count(ByteSearch.newline, memory, lineEnd..<i)
        if lines > CSVShape.maximumLines { return ended(.openQuote, &self) }
        if let newline = ByteSearch.firstNewline(memory, i..<limit) {
          lineEnd = newline
        } else if limit == range.upperBound, tail != .cut, limit - range.lowerBound <= ImportLimit.line {
          if tail == .more { return ended(.undecided, &self) }
          lineEnd = limit
        } else {
          return ended(.openQuote, &self)
        }
        stop = max(i, Self.textEnd(bytes, i, lineEnd))
      }
      guard i == stop || bytes[i] == shape.delimiter else {
        return ended(lines == 0 ? .fault(.textBehindQuote) : .openQuote, &self)
      }
      cells.append(isDoubled ? unescaped(memory, text) : part(memory, text))
      if i == stop { break }
      i += 1
    }
    end = lineEnd
    if shape.fits(cells) { return .cells }
    return lines == 0 ? .otherCount : ended(.openQuote, &self)
  }

  private func part(_ memory: UnsafeRawPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count)
  }

  /// A cell's text with one quote for two. A record has at most `ImportLimit.line` bytes, and so have its cells together.
  private mutating func unescaped(_ memory: UnsafeRawPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
    let target = scratch ?? .allocate(byteCount: ImportLimit.line + Chunk.padding, alignment: 16)
    if scratch == nil {
      target.initializeMemory(as: UInt8.self, repeating: 0)
      scratch = target
    }
    let first = used
    var skip = false
    for byte in part(memory, range) {
      if skip {
        skip = false
        continue
      }
      target[used] = byte
      used += 1
      skip = byte == ByteSearch.quote
    }
    return UnsafeRawBufferPointer(rebasing: target[first..<used])
  }
}
