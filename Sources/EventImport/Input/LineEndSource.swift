// Carriage returns as line ends, as old Macs and some spreadsheets write them: everything else here knows line feeds alone.

/// Gives one line feed for each carriage return, line feed, or pair of both.
final class LineEndSource: ByteSource {
  private let source: any ByteSource
  private var afterReturn = false

  init(_ source: any ByteSource) { self.source = source }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { return 0 }
      var kept = 0
      for i in 0..<count {
        let byte = buffer[i]
        if byte == ByteSearch.newline, afterReturn {
          afterReturn = false
          continue
        }
        afterReturn = byte == 0x0D
        buffer[kept] = afterReturn ? ByteSearch.newline : byte
        kept += 1
      }
      if kept > 0 { return kept }
    }
  }

  /// True if a carriage return ends a line in this head: one without a line feed, outside of quotes. In JSON, where it may stand
  /// between any two values, only if there is no line feed at all.
  static func isNeeded(_ head: [UInt8]) -> Bool {
    guard head.contains(0x0D) else { return false }
    let first = head.first { !ByteSearch.isBlank($0) && $0 != ByteSearch.newline }
    if first == 0x7B || first == 0x5B { return !head.contains(ByteSearch.newline) }
    var isOpen = false
    for (i, byte) in head.enumerated() {
      if byte == ByteSearch.quote {
        isOpen = !isOpen && (i == 0 || beginsCell(after: head[i - 1]))
      } else if byte == 0x0D, !isOpen, i + 1 < head.count, head[i + 1] != 0x0D, head[i + 1] != ByteSearch.newline {
        return true
      }
    }
    return false
  }

  private static func beginsCell(after byte: UInt8) -> Bool {
    byte == ByteSearch.newline || byte == 0x0D || byte == ByteSearch.quote || CSVShape.delimiters.contains(byte)
  }
}
