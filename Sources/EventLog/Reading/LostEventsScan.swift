// What apps' recorders say that they could not keep. These events are in no history of a question: they are read apart, and only in
// logs that have any.

import Folding
import PermissionEvents

extension LogSnapshot {
  /// Whether any event has a surface that is asked for, by the dictionaries alone.
  package func hasSurface(where condition: ([UInt8]) -> Bool) -> Bool {
    parts.contains { $0.footer.dictionary.values[StringField.surface.rawValue].contains(where: condition) }
  }

  /// Whether any event may be of a kind, by the dictionaries alone. Of kinds of the first release it is not known.
  package func has(_ kind: EventKind) -> Bool {
    parts.contains { $0.footer.dictionary.kinds.contains { $0.known == kind } }
  }

  /// Whether ids of users are pseudonyms.
  package var hasHashedUsers: Bool { !manifest.users.isEmpty }

  /// Sums of the events of the kind `lost`, by kind and reason, in this order. Users that answers leave out are left out.
  /// - Parameter end: the latest time that counts; nil for all.
  package func lostEvents(upTo end: Milliseconds? = nil, threads: Int) throws -> [LostEvents] {
    guard has(.lost) else { return [] }
    var selection = HistorySelection(surfaces: true)
    selection.allKinds = true
    return try fold(selection, threads: threads) { LossFold($0, end: end ?? .max) }.counts
      .map { LostEvents(count: $1, kind: $0.kind, reason: $0.reason) }
      .sorted { ($0.kind, $0.reason) < ($1.kind, $1.reason) }
  }
}

private struct LossFold: Fold, ~Copyable {
  /// By context.
  private let said: [LostEvents]
  private let end: Milliseconds

  init(_ contexts: HistoryContexts, end: Milliseconds) {
    self.end = end
    said = contexts.contexts.map { context in
      // One that says nothing tells of one event at least.
      LostEvents(surface: contexts.surfaces[Int(context.surface)])
        ?? LostEvents(count: 1, kind: "unknown", reason: "unknown")
    }
  }

  mutating func fold(_ user: borrowing UserHistory, into sums: inout Losses) {
    for i in 0..<user.eventCount where user.unsafeCodes[i] & 15 == UInt32(EventKind.lost.rawValue) {
      if user.unsafeTimes[i] <= end { sums.add(said[Int(user.unsafeCodes[i] >> HistoryBatch.contextShift)]) }
    }
  }
}

/// By kind and reason. They are never written to a file.
private struct Losses: FoldSums {
  struct Key: Hashable {
    var kind, reason: String
  }

  static let name = "losses 1"
  static var layout: SumsLayout<Self> { [] }
  private(set) var counts: [Key: Int] = [:]

  mutating func add(_ one: LostEvents) { counts[Key(kind: one.kind, reason: one.reason), default: 0] += one.count }
  mutating func add(_ other: Losses) { counts.merge(other.counts, uniquingKeysWith: +) }
}
