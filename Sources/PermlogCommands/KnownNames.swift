// Names that a user gives and the log may not have: an error lists those that it has.

import EventLog
import PermissionEvents
import ReportRendering

enum KnownNames {
  /// Throws unless a permission is in the log.
  static func check(_ permission: String, _ snapshot: LogSnapshot) throws {
    let known = snapshot.information.values[.permission] ?? []
    guard known.contains(permission) else { throw unknown("permission", permission, known) }
  }

  static func unknown(_ what: String, _ name: String, _ known: [String]) -> CommandFailure {
    let shown = known.prefix(30).map { TextStyle().legible($0) }.joined(separator: ", ")
    let more = known.count > 30 ? " and \(known.count - 30) more" : ""
    return .usage("the log has no \(what) \(name). It has: \(known.isEmpty ? "none" : shown + more).")
  }
}
