// The lines of a file of user ids.

import SystemCalls

/// The lines of a file. Line feeds end lines, with or without a carriage return before them. A byte-order mark, blank
/// lines and lines that begin with # are skipped; everything else is kept as it is.
package struct UserIDLines {
  package private(set) var lines: [[UInt8]] = []
  /// Lines that begin with #.
  package private(set) var comments = 0

  package enum Fault: Error {
    case unreadable(String)
    /// The number of a line that is too long.
    case longLine(Int)
  }

  /// - Parameters:
  ///   - path: of the file; `-` for standard input.
  ///   - most: bytes of the longest line. A line is not read much beyond it.
  package init(_ path: String, most: Int) throws(Fault) {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(systemText(errno)) }
    defer { if descriptor > 0 { close(descriptor) } }
    var (line, number): ([UInt8], Int) = ([], 1)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { SystemCalls.read(descriptor, $0) }
      if count < 0 { throw .unreadable(systemText(errno)) }
      if count == 0 { break }
      for byte in buffer[..<count] {
        if byte == 0x0A {
          try end(&line, &number, most)
        } else {
          line.append(byte)
          // A byte-order mark and a carriage return do not count.
          guard line.count <= most + 4 else { throw .longLine(number) }
        }
      }
    }
    try end(&line, &number, most)
  }

  private mutating func end(_ line: inout [UInt8], _ number: inout Int, _ most: Int) throws(Fault) {
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if line.last == 0x0D { line.removeLast() }
    guard line.count <= most else { throw .longLine(number) }
    if line.first == 0x23 {
      comments += 1
    } else if line.contains(where: { $0 != 0x20 && $0 != 0x09 }) {
      lines.append(line)
    }
    line.removeAll(keepingCapacity: true)
    number += 1
  }
}
