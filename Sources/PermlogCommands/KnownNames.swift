// Names that a user gives and the log may not have: an error lists those that it has.

import EventLog
import PermissionEvents
import ReportRendering

enum KnownNames {
  /// The code of a permission that is in the log.
  static func permission(_ name: String, _ scan: HistoryScan, _ snapshot: LogSnapshot) throws -> UInt32 {
    let known = snapshot.information.values[.permission] ?? []
    guard known.contains(name), let code = scan.contexts.permissions.firstIndex(of: Array(name.utf8)) else {
      throw unknown("permission", name, known)
    }
    return UInt32(code)
  }

  static func unknown(_ what: String, _ name: String, _ known: [String]) -> CommandFailure {
    let shown = known.prefix(30).map { TextStyle().legible($0) }.joined(separator: ", ")
    let more = known.count > 30 ? " and \(known.count - 30) more" : ""
    return .usage("the log has no \(what) \(name). It has: \(known.isEmpty ? "none" : shown + more).")
  }
}
