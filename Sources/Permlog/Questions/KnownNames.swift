// Names that a user gives and the log may not have: an error lists those that it has.

import EventLog
import PermissionEvents
import ReportRendering

extension LogSnapshot {
  /// Calls `body` if a later version has put something into the log.
  func tellUnknown(_ body: ((UnknownVocabulary) -> Void)?) {
    guard let body else { return }
    let unknown = unknown
    if !unknown.isEmpty { body(unknown) }
  }
}

enum KnownNames {
  /// Throws unless a name is in use; values are compared byte for byte.
  static func check(_ name: String, _ field: StringField, in snapshot: LogSnapshot) throws(PermlogError) {
    let known = snapshot.information.values[field] ?? []
    guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { throw unknown(field.name, name, known) }
  }

  private static func unknown(_ what: String, _ name: String, _ known: [String]) -> PermlogError {
    let shown = known.prefix(30).map { TextStyle().legible($0) }.joined(separator: ", ")
    let more = known.count > 30 ? " and \(known.count - 30) more" : ""
    return PermlogError(.usage, "the log has no \(what) \(name). It has: \(known.isEmpty ? "none" : shown + more).")
  }
}
