// Names of rows, and the cautions that go with two of the permissions.

import PermissionAnalysis

enum RowNames {
  /// The permission; a `!` says that a caution goes with it.
  static func permission(_ name: String) -> String { caution(name) == nil ? name : name + "\u{A0}!" }

  /// The value of a property; a value that reads like the absent one is quoted.
  static func value(_ by: PropertyValue) -> String {
    guard let value = by.value else { return "(none)" }
    return value == "(none)" ? "\"(none)\"" : value
  }

  /// Permission and, under a breakdown, the value: `notifications, variant A`.
  static func full(_ row: ReportRow) -> String {
    let name = permission(row.permission)
    guard let by = row.by else { return name }
    return name + ", " + by.property.name + " " + value(by)
  }

  /// Permission and value alone: `notifications A`.
  static func short(_ row: ReportRow) -> String {
    let name = permission(row.permission)
    return row.by.map { name + "\u{A0}" + value($0) } ?? name
  }

  /// What to keep in mind with a permission's numbers.
  static func caution(_ permission: String) -> String? {
    switch permission {
    case "health_read": "health_read: the system hides the answer from the app, so grants and denials are guesses."
    case "mail": "mail is an availability (an account is set up), not a permission that anybody grants."
    default: nil
    }
  }

  static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}

extension Table {
  /// One line a row: permissions by name or, under a breakdown, values below a heading of their permission.
  /// - Parameter cells: nil leaves the row out.
  /// - Parameter notes: words below a row.
  mutating func add(
    _ rows: [ReportRow], notes: (ReportRow) -> [String] = { _ in [] }, cells: (ReportRow) -> [TableCell]?
  ) {
    var headed: String?
    for row in rows {
      guard let cells = cells(row) else { continue }
      if let by = row.by {
        if headed.map({ !RowNames.isSame($0, row.permission) }) ?? true { heading(RowNames.permission(row.permission)) }
        headed = row.permission
        self.row("  " + RowNames.value(by), cells)
      } else {
        self.row(RowNames.permission(row.permission), cells)
      }
      for text in notes(row) { note(text) }
    }
  }

  /// Title of the names' column.
  static func nameTitle(_ report: Report) -> String { report.property?.name ?? "permission" }
}
