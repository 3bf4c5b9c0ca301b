// A range of a plain file of lines, read by the thread that claimed it. A line belongs to the range where
// it begins, so ranges need no agreement with one another and no byte is read under a lock.

struct PlainRange {
  let file: InputFile
  /// The file's size when it was opened; later bytes are not looked at.
  let size: Int
  /// Offset of the file's first line, behind a byte-order mark.
  let first: Int
  let range: Range<Int>

  /// Reads the lines that begin in the range. A line that is too long is cut and marked.
  func load(into chunk: Chunk) throws(ImportError) {
    // One byte before the range tells whether a line begins at its first byte.
    let origin = range.lowerBound == first ? first : range.lowerBound - 1
    let memory = chunk.memory
    var loaded = try read(origin, min(range.upperBound + (1 << 14), size) - origin, into: memory)
    let border = range.upperBound - origin
    if origin != first {
      guard let newline = ByteSearch.firstNewline(memory, 0..<border - 1) else {
        chunk.finish(end: 0)
        return
      }
      chunk.start = newline + 1
    }
    // The end of the line that holds the range's last byte.
    var searched = border - 1
    while true {
      if let newline = ByteSearch.firstNewline(memory, searched..<loaded) {
        chunk.finish(end: newline + 1)
        return
      }
      let line = (ByteSearch.lastNewline(memory, chunk.start..<border - 1) ?? chunk.start - 1) + 1
      if loaded - line > ImportLimit.line {
        chunk.finish(end: line + ImportLimit.rejectedText)
        chunk.endsOverlong = true
        chunk.linesAfter = 1
        return
      }
      if origin + loaded == size {
        chunk.finish(end: loaded)
        return
      }
      searched = loaded
      let more = min(1 << 18, size - origin - loaded, ImportLimit.line + 1 - (loaded - line))
      loaded += try read(origin + loaded, more, into: memory + loaded)
    }
  }

  private func read(_ offset: Int, _ count: Int, into memory: UnsafeMutableRawPointer) throws(ImportError) -> Int {
    guard try file.read(at: offset, into: UnsafeMutableRawBufferPointer(start: memory, count: count)) == count else {
      throw .shrank(file.path)
    }
    return count
  }
}
