// Files of user ids: one a line, or pairs of an account and an install.

import Permlog
import ReportRendering

enum UserIDFile {
  static let longest = PermissionLog.longestUserID

  /// The ids of `--users-from`. Skipped comments are named, since an id may begin with # too.
  /// - Throws: if there are none: a request of nobody would look fulfilled.
  static func named(_ path: String, option: String = "--users-from") throws -> [[UInt8]] {
    let file = try lines(path, option: option, most: longest, of: "a user id")
    if file.comments > 0 {
      Output.message(
        "\(option) \(path): \(counted(file.comments, "line", "lines")) with # at the start skipped; give an id that begins with # by itself"
      )
    }
    guard !file.lines.isEmpty else { throw CommandFailure.usage("\(option) \(path): it has no ids. Nothing was done.") }
    return file.lines
  }

  /// Pairs of an account and an install, one a line, as CSV; a heading is skipped, as are what `read` skips.
  /// - Returns: the installs of each account.
  static func readLinks(_ path: String) throws -> [[UInt8]: [[UInt8]]] {
    var links: [[UInt8]: [[UInt8]]] = [:]
    for line in try lines(path, option: "--link-file", most: 4 * longest, of: "a pair of ids").lines {
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

  private static func lines(
    _ path: String, option: String, most: Int, of what: String
  ) throws -> UserIDLines {
    do { return try UserIDLines(path, most: most) } catch {
      switch error {
      case .unreadable(let reason):
        throw CommandFailure.failed(
          "\(option) \(path): \(reason). Name a file that can be read. Nothing was changed.")
      case .longLine(let number):
        throw CommandFailure.badData(
          "\(option) \(path), line \(number): \(what) has 1 to \(most) bytes, but this line is longer. "
            + "Nothing was changed.")
      }
    }
  }
}
