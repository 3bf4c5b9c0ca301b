// What an ingest leaves out, whatever the files hold: erased users, and what is older than the log was expired to.

import PermissionEvents

/// Decides which events may enter a log.
struct Admission: Sendable {
  var erasures: ErasureList?
  var expiredBefore: Milliseconds?

  /// False for an erased user.
  func admits(_ user: IdentifierView) -> Bool {
    guard let erasures else { return true }
    return !erasures.contains(user.bytes)
  }

  func admits(_ time: Milliseconds) -> Bool { time >= expiredBefore ?? .min }
}
