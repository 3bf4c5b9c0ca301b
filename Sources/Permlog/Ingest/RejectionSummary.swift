// Refused lines, counted by reason.

import EventImport

/// The refused lines of an import by reason, the most frequent first.
public struct RejectionSummary: Sendable, Equatable {
  /// Lines that were refused for one reason.
  public struct Group: Sendable, Equatable {
    /// The first of them.
    public var first: RejectedLine
    public var count: Int
  }

  /// Reasons that are kept apart: more than there are, so that which are kept never depends on the order of the lines.
  static let maximumGroups = 1000
  public internal(set) var groups: [Group] = []
  /// All refused lines.
  public internal(set) var count = 0
  /// Those that are not in the file that keeps them, since it has reached its limit.
  public internal(set) var notKept = 0
}
