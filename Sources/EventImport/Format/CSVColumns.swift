// The columns of a CSV file that a mapping describes.

/// Columns under the names of the file's heading.
struct CSVColumns: Sendable, Equatable {
  let names: [String]
  let shape: CSVShape

  init(names: [[UInt8]], delimiter: UInt8) {
    self.names = names.map { String(decoding: $0, as: UTF8.self) }
    shape = CSVShape(delimiter: delimiter, names: names)
  }

  /// True for the heading once more, as `cat` leaves it between two files.
  func isHeading(_ cells: [UnsafeRawBufferPointer]) -> Bool {
    guard cells.count == names.count else { return false }
    for (name, cell) in zip(names, cells) {
      // Shorter than the name: told without a look at the text.
      if cell.count < name.utf8.count || !CSVDialect.trimmed(cell).elementsEqual(name.utf8) { return false }
    }
    return true
  }
}
