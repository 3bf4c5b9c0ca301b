// What the usual spellings make of an event.

import PermissionEvents

/// What an event means.
package enum UsualMeaning: Equatable, Sendable {
  case event(EventKind)
  /// It is understood, and there is no kind for it: the reason.
  case nothing(String)
  /// Nobody knows for sure; the reason, if there is a particular one.
  case unknown(String?)
}
