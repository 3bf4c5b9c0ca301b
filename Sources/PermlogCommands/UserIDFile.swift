// Files of user ids: one a line, or pairs of an account and an install.

import Permlog
import ReportRendering
import SystemCalls

enum UserIDFile {
  static let longest = PermissionLog.longestUserID

  /// The ids of `--users-from`. Skipped comments are named, since an id may begin with # too.
  /// - Throws: if there are none: a request of nobody would look fulfilled.
  static func named(_ path: String) throws -> [[UInt8]] {
    var comments = 0
    let ids = try lines(path, option: "--users-from", most: longest, of: "a user id", comments: &comments)
    if comments > 0 {
      Output.message(
        "--users-from \(path): \(counted(comments, "line", "lines")) with # at the start skipped; give an id that begins with # as --user"
      )
    }
    guard !ids.isEmpty else { throw CommandFailure.usage("--users-from \(path): it has no ids. Nothing was done.") }
    return ids
  }

  /// Pairs of an account and an install, one a line, as CSV; a heading is skipped, as are what `read` skips.
  /// - Returns: the installs of each account.
  static func readLinks(_ path: String) throws -> [[UInt8]: [[UInt8]]] {
    var links: [[UInt8]: [[UInt8]]] = [:]
    var comments = 0
    for line in try lines(
      path, option: "--link-file", most: 4 * longest, of: "a pair of ids", comments: &comments)
    {
      // As an ingest cuts spaces at the ends of ids.
      let cells = cells(line).map { cell in
        Array(cell.drop { $0 == 0x20 || $0 == 0x09 }.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed())
      }
      guard cells.count == 2, cells.allSatisfy({ (1...longest).contains($0.count) }) else {
        throw CommandFailure.badData(
          "--link-file \(path): the line \(LongNames.cut(String(bounded: line))) is not a pair of ids: account,install. Nothing was changed."
        )
      }
      if cells != [Array("account".utf8), Array("install".utf8)] { links[cells[0], default: []].append(cells[1]) }
    }
    return links
  }

  /// The cells of a line of CSV, without the quotes.
  private static func cells(_ line: [UInt8]) -> [[UInt8]] {
    var cells: [[UInt8]] = [[]]
    var isQuoted = false
    var i = 0
    while i < line.count {
      let byte = line[i]
      if byte == 0x22, isQuoted, i + 1 < line.count, line[i + 1] == 0x22 {
        cells[cells.count - 1].append(byte)
        i += 1
      } else if byte == 0x22, isQuoted || cells[cells.count - 1].isEmpty {
        isQuoted.toggle()
      } else if byte == 0x2C, !isQuoted {
        cells.append([])
      } else {
        cells[cells.count - 1].append(byte)
      }
      i += 1
    }
    return cells
  }

  /// The lines of a file, or of standard input for `-`. Line feeds end lines, with or without a carriage return before them. A
  /// byte-order mark, blank lines and lines that begin with # are skipped; everything else is kept as it is. If the file
  /// cannot be read to its end, or a line is too long, this throws before anything is changed.
  private static func lines(
    _ path: String, option: String, most: Int, of what: String, comments: inout Int
  ) throws -> [[UInt8]] {
    func failure() -> CommandFailure {
      .failed(
        "\(option) \(path): \(String(cString: strerror(errno))). Name a file that can be read. Nothing was changed.")
    }
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { if descriptor > 0 { close(descriptor) } }
    var ids: [[UInt8]] = []
    var (line, number): ([UInt8], Int) = ([], 1)
    func checkLength(_ limit: Int) throws {
      guard line.count > limit else { return }
      throw CommandFailure.badData(
        "\(option) \(path), line \(number): \(what) has 1 to \(most) bytes, but this line is longer. "
          + "Nothing was changed.")
    }
    func endLine() throws {
      if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
      if line.last == 0x0D { line.removeLast() }
      try checkLength(most)
      if line.first == 0x23 {
        comments += 1
      } else if line.contains(where: { $0 != 0x20 && $0 != 0x09 }) {
        ids.append(line)
      }
      line.removeAll(keepingCapacity: true)
      number += 1
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { SystemCalls.read(descriptor, $0) }
      if count < 0 { throw failure() }
      if count == 0 { break }
      for byte in buffer[..<count] {
        if byte == 0x0A {
          try endLine()
        } else {
          line.append(byte)
          // A line is not read beyond the longest id. A byte-order mark and a carriage return do not count.
          try checkLength(most + 4)
        }
      }
    }
    try endLine()
    return ids
  }
}
