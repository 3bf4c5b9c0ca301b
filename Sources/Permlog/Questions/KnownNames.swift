// Names that a user gives and the log may not have: an error lists those that it has.

import EventLog
import PermissionEvents
import ReportRendering

enum KnownNames {
  /// The code of a permission that is in the log.
  static func permission(
    _ name: String, _ scan: HistoryScan, _ snapshot: LogSnapshot
  ) throws(PermlogError) -> UInt32 {
    try code(name, scan.contexts.permissions, "permission", snapshot.information.values[.permission])
  }

  /// The code of a name among `values` that is in use; values are compared byte for byte.
  static func code(
    _ name: String, _ values: [[UInt8]], _ what: String, _ known: [String]?
  ) throws(PermlogError) -> UInt32 {
    let known = known ?? []
    guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }),
      let code = values.firstIndex(of: Array(name.utf8))
    else { throw unknown(what, name, known) }
    return UInt32(code)
  }

  private static func unknown(_ what: String, _ name: String, _ known: [String]) -> PermlogError {
    let shown = known.prefix(30).map { TextStyle().legible($0) }.joined(separator: ", ")
    let more = known.count > 30 ? " and \(known.count - 30) more" : ""
    return PermlogError(.usage, "the log has no \(what) \(name). It has: \(known.isEmpty ? "none" : shown + more).")
  }
}
