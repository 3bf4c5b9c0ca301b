// The first record of a CSV file: which column holds which field.

/// Fields by column.
struct CSVHeader: Sendable {
  /// `ImportField` number of each column; -1 for a column that is not asked for.
  let fields: [Int]

  /// - Parameter names: the cells of the header.
  /// - Throws: `ImportError.badHeader` where a field has two columns or a required one has none.
  init(names: [[UInt8]], file: String, line: Int) throws(ImportError) {
    fields = names.map { ImportField.index(of: $0) ?? -1 }
    var seen = Set<Int>()
    for field in fields where field >= 0 && !seen.insert(field).inserted {
      throw .duplicateColumn(file, ImportField.names[field], line: line)
    }
    let missing = ImportField.required.filter { !seen.contains($0) }
    if !missing.isEmpty { throw .missingColumns(file, missing.map { ImportField.names[$0] }, line: line) }
  }

  /// True where the names are those of a canonical CSV file.
  static func isHeader(_ names: [[UInt8]]) -> Bool {
    let fields = Set(names.compactMap { ImportField.index(of: $0) })
    return ImportField.required.allSatisfy(fields.contains)
  }
}
