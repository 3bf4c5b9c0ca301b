// The versions of a part's format. Parts of all of them are read; new parts are written in the newest.

/// A version of the format, as the header has it.
enum PartVersion: UInt16, CaseIterable, Sendable {
  /// Kinds, fields and the taxonomy of permissions are those of the first release, in its order.
  case v1 = 1
  /// The footer names kinds, fields and permissions; codes belong to the part.
  case v2 = 2

  static let newest = v2
}
