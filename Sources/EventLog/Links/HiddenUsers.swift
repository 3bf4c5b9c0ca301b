// Users of older parts whose events a newer part has. When ids are joined, their events are written once more under the user's name; the
// old rows stay in their parts until those are merged, and no reader sees them.

import PermissionEvents

/// Users that are hidden in the parts before some part.
final class HiddenUsers: Sendable {
  struct Entry: Sendable, Equatable {
    var id: UserLinks.ID
    /// The part that has the user's events: rows of parts with a lower id are hidden.
    var part: UInt64
  }

  /// Rows and users of one part that are hidden.
  struct Count: Sendable, Equatable {
    var rows: UInt64 = 0
    var users: UInt64 = 0
  }

  static let none = HiddenUsers([], counts: [:])

  /// In the log's order of users; of two entries of one user the one of the later part counts.
  let entries: [Entry]
  /// By part.
  let counts: [UInt64: Count]

  init(_ entries: [Entry], counts: [UInt64: Count]) {
    var sorted = entries.sorted {
      $0.id == $1.id ? $0.part > $1.part : UserLinks.ID.isBefore($0.id, $1.id)
    }
    var kept = 0
    for i in sorted.indices where i == 0 || sorted[i].id != sorted[kept - 1].id {
      sorted[kept] = sorted[i]
      kept += 1
    }
    sorted.removeLast(sorted.count - kept)
    self.entries = sorted
    self.counts = counts
  }

  /// With more users hidden.
  /// - Parameter more: rows and users by part, beside those that were hidden before.
  func adding(_ added: [Entry], counts more: [UInt64: Count]) -> HiddenUsers {
    let counts = counts.merging(more) { Count(rows: $0.rows + $1.rows, users: $0.users + $1.users) }
    return HiddenUsers(entries + added, counts: counts)
  }

  /// Without what no part of the log has any more.
  func kept(in parts: [UInt64]) -> HiddenUsers {
    let live = counts.filter { parts.contains($0.key) && $0.value.users > 0 }
    guard let oldest = live.keys.min() else { return .none }
    let left = entries.filter { $0.part > oldest }
    return left.count == entries.count && live.count == counts.count ? self : HiddenUsers(left, counts: live)
  }

  /// The first entry whose user is not before a hash.
  func first(from hash: UInt64) -> Int { entries.firstPlace { $0.id.hash >= hash } }

  /// Whether the rows of a user are hidden in a part.
  func hides(_ user: IdentifierView, hash: UInt64, in part: UInt64) -> Bool {
    var i = first(from: hash)
    while i < entries.count, entries[i].id.hash == hash {
      if entries[i].part > part, entries[i].id.matches(user) { return true }
      i += 1
    }
    return false
  }

  /// Whether users of a part are hidden in a range of hashes.
  func concerns(_ part: UInt64, _ range: ClosedRange<UInt64>) -> Bool {
    guard counts[part] != nil else { return false }
    var i = first(from: range.lowerBound)
    while i < entries.count, entries[i].id.hash <= range.upperBound {
      if entries[i].part > part { return true }
      i += 1
    }
    return false
  }
}

extension UserLinks.ID {
  func matches(_ user: IdentifierView) -> Bool {
    guard user.form == form else { return false }
    // The hashes are the same, and with the low word that is the UUID.
    return form == IdentifierForm.text.rawValue ? user.text.elementsEqual(bytes) : user.low == low
  }
}
