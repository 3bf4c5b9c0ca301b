// The columns of a table that an ingest would look at.

import EventImport
import PermissionEvents

extension VendorMappings {
  /// The names of the columns that an ingest would look at, in the table's order. Nothing is stored, and no rows are read.
  /// - Parameters:
  ///   - path: a CSV file with a heading, or an Arrow stream, which need have no rows; or `-` for standard input.
  ///   - options: as for an ingest.
  /// - Throws: what an ingest would refuse the table for; `dataRefused` if it is no table.
  public static func columns(
    of path: FilePath, options: IngestOptions = IngestOptions()
  ) throws(PermlogError) -> [String] {
    try translating {
      try TableColumns.names(of: .files([path]), options: try options.importOptions(threads: 1))
    }
  }
}
