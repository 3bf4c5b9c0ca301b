// How often each event name occurred and what became of it, for the whole import.

import PermissionEvents

import EventMapping

/// What an import made of the events of one name.
package struct TalliedEvent: Sendable, Equatable {
  package var name: String
  /// `granted notifications`, `not mapped`.
  package var outcome: String
  package var count: Int
  package var isStored: Bool
  /// The name speaks of a permission.
  package var looksLikePermission: Bool
}

/// Counts by name and outcome; safe to use from several threads.
final class EventTally: Sendable {
  private struct Key: Hashable {
    var name: [UInt8]
    var outcome: String
  }

  private struct Entry {
    var count: Int
    var isStored: Bool
    var looksLikePermission: Bool
  }

  /// Names that are kept apart: some exports put ids into the names.
  private static let maximumEntries = 20_000
  private let entries = Mutex<[Key: Entry]>([:])
  private let allowsCustomPermissions: Bool

  /// - Parameter allowsCustomPermissions: permissions outside the taxonomy are stored too.
  init(allowsCustomPermissions: Bool) { self.allowsCustomPermissions = allowsCustomPermissions }

  func add(_ name: [UInt8], _ decision: Decision, looksLikePermission: Bool, count: Int) {
    var isStored = if case .event = decision.outcome { true } else { false }
    var key = Key(name: name, outcome: decision.label)
    var looks = looksLikePermission
    if case .nothing = decision.outcome { looks = false }
    let isRefused = isStored && !allowsCustomPermissions && decision.hasUnknownPermission
    if isRefused {
      key.outcome = "rejected: \(String(decoding: decision.permission, as: UTF8.self)) is no known permission"
      isStored = false
      looks = true
    }
    entries.withLock { entries in
      if entries[key] == nil, entries.count >= Self.maximumEntries {
        // Neither names nor what stands in properties may fill the memory.
        key.name = Array("(other names)".utf8)
        key.outcome = isRefused ? "rejected: no known permission" : decision.shortLabel
        looks = false
      }
      entries[key, default: Entry(count: 0, isStored: isStored, looksLikePermission: looks)].count += count
    }
  }

  /// All counts: what is not stored and looks like a permission event first, then by count.
  var list: [TalliedEvent] {
    entries.withLock { entries in
      entries.map { key, entry in
        TalliedEvent(
          name: String(decoding: key.name, as: UTF8.self), outcome: key.outcome, count: entry.count,
          isStored: entry.isStored, looksLikePermission: entry.looksLikePermission)
      }.sorted { a, b in
        let (x, y) = (!a.isStored && a.looksLikePermission, !b.isStored && b.looksLikePermission)
        if x != y { return x }
        if a.count != b.count { return a.count > b.count }
        return (a.name, a.outcome) < (b.name, b.outcome)
      }
    }
  }
}
