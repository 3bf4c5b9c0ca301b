// Which columns of a table an import looks at: a program that hands a table on need read no others.

import EventMapping

package enum TableColumns {
  /// The names of the columns, in the table's order and as the table has them.
  /// - Parameters:
  ///   - source: the first table of it is looked at: a CSV file with a heading, or an Arrow stream, which need have no rows.
  ///   - options: how it would be read.
  /// - Throws: what an import would refuse the table for, and if it is none.
  package static func names(of source: ImportSource, options: ImportOptions) throws(ImportError) -> [String] {
    let formats = try RecordFormats(
      options.mappings, prefersAccount: options.prefersAccount, hidesNames: options.userKey != nil)
    let queue = InputQueue(files: try source.inputs(), format: options.format, formats: formats)
    let names = try names(queue.firstLayout(), of: queue.path)
    // In a list with one name a line it would be two.
    let broken = names.first { name in name.utf8.contains { $0 == 0x0A || $0 == 0x0D } }
    if let broken { throw .brokenColumnName(queue.path, broken) }
    return names
  }

  private static func names(_ layout: InputLayout?, of path: String) throws(ImportError) -> [String] {
    switch layout {
    case .arrow(let table), .records(_, .arrow(let table)): return table.ownNames
    case .table(let header):
      return zip(header.ownNames, header.fields).filter { $1 >= 0 || CanonicalNames.telling.contains($0) }.map(\.0)
    case .records(let program, .csv(let columns)):
      return columns.names.filter { program.wants(column: $0) }
    case .lines, .records, nil: throw .noTable(path, isEmpty: layout == nil)
    }
  }
}
