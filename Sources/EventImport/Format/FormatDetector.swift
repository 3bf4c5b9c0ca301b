// Tells the form of a file by its first bytes.

/// What the first bytes of a file say.
struct DetectedFormat {
  /// The CSV header; nil where the lines are JSON.
  var header: CSVHeader?
  /// Bytes before the first line or record of content: the byte-order mark and the header.
  var contentOffset: Int
  /// Line ends among those bytes.
  var lines: Int

  /// - Parameters:
  ///   - head: the first bytes, `ImportLimit.head` of them where the file has as many.
  ///   - name: the file, for messages.
  init(head: [UInt8], format: ImportFormat, name: String) throws(ImportError) {
    contentOffset = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    lines = 0
    if format == .ndjson { return }
    // The first line that is not blank.
    var start = contentOffset
    var i = contentOffset
    while i < head.count, ByteSearch.isBlank(head[i]) || head[i] == ByteSearch.newline {
      if head[i] == ByteSearch.newline {
        lines += 1
        start = i + 1
      }
      i += 1
    }
    if i == head.count {
      lines = 0
      return
    }
    if format == .auto, head[i] == 0x7B {
      lines = 0
      return
    }
    try readHeader(head, from: start, format: format, name: name)
  }

  private mutating func readHeader(
    _ head: [UInt8], from start: Int, format: ImportFormat, name: String
  ) throws(ImportError) {
    let utf16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    let line = lines + 1
    let (end, inner, _) = head.withUnsafeBytes { memory in
      memory.baseAddress.map { CSVRecord.end($0, from: start, end: head.count) } ?? (head.count, 0, false)
    }
    let isCut = end == head.count && head.count == ImportLimit.head
    let names = isCut ? nil : Self.names(Array(head[start..<end]))
    if format == .auto {
      guard let names, CSVHeader.isHeader(names) else { throw .unknownFormat(name, utf16: utf16) }
    }
    guard let names else { throw .unreadableHeader(name, line: line) }
    header = try CSVHeader(names: names, file: name, line: line)
    contentOffset = min(end + 1, head.count)
    lines += inner + 1
  }

  /// The cells of a header; nil where it is no CSV record.
  private static func names(_ record: [UInt8]) -> [[UInt8]]? {
    var splitter = CSVRecord()
    defer { splitter.deallocate() }
    return record.withUnsafeBytes { bytes in
      do throws(CSVRecord.Fault) {
        try splitter.split(bytes)
        return splitter.cells.map { Array($0) }
      } catch {
        return nil
      }
    }
  }
}
