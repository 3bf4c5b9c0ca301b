// Records when data that a reader may have seen changed later: events that arrived after newer ones, and users who were
// erased. An answer for a past day is computed from the present log; this record shows whether it may have been
// different then.

import PermissionEvents

/// A change of the past of a log, or several of them together.
struct PastChange: Sendable, Equatable {
  enum Kind: String, Sendable, CaseIterable {
    case latePermission = "late-permission"
    case lateActivity = "late-activity"
    case erasedUsers = "erased-users"
    case undoneIngest = "undone-ingest"
    case excludedUsers = "excluded-users"

    /// What is gone may have been of any time.
    var isOfAnyTime: Bool { self != .latePermission && self != .lateActivity }
  }

  var kind: Kind
  /// The time of the commit, by the machine's clock: the first and the last time if several are combined.
  var first, last: Milliseconds
  /// The newest event that readers had before it.
  var reach: Milliseconds
  /// The oldest event that was added; 0, for any time, if users were erased or excluded, or an ingest was taken back.
  var oldest: Milliseconds
  /// Events or users.
  var count: Int

  /// Whether the log had reached one of these moments, and events before it were changed afterwards.
  /// - Parameter moments: in order.
  func touches(_ moments: [Milliseconds]) -> Bool {
    let index = moments.firstPlace { $0 > oldest }
    return index < moments.count && moments[index] <= reach
  }

  /// Both as one, which touches all that either does, and perhaps more.
  func joined(_ other: Self) -> Self {
    PastChange(
      kind: kind, first: min(first, other.first), last: max(last, other.last), reach: max(reach, other.reach),
      oldest: min(oldest, other.oldest), count: min(Self.mostCounted, count + other.count))
  }

  /// The time by which a combined range exceeds the longer of the two, in milliseconds.
  func excess(with other: Self) -> Milliseconds {
    let both = joined(other)
    return both.reach - both.oldest - max(reach - oldest, other.reach - other.oldest)
  }

  static let mostCounted = 1 << 40

  /// False for values that no writer records.
  var isValid: Bool {
    [first, last, reach, oldest].allSatisfy(ChangeHistory.Sitting.times.contains) && first <= last && oldest < reach
      && kind.isOfAnyTime == (oldest == 0) && (1...Self.mostCounted).contains(count)
  }
}

/// The changes of the past that a manifest records.
struct ChangeHistory: Sendable, Equatable {
  /// Ingests of one sitting: files that are read one by one, without a reader of the log in between.
  struct Sitting: Sendable, Equatable {
    /// The commit of the first, by the machine's clock.
    var start: Milliseconds
    /// The newest event before it; nil if there was none.
    var reach: Milliseconds?

    /// Ingests within an hour of the first are of its sitting.
    static let length: Milliseconds = 3_600_000

    var isValid: Bool { Self.times.contains(start) && reach.map(Self.times.contains) != false }

    static let times = 0..<Milliseconds(1) << 42
  }

  var sitting: Sitting?
  /// At most `limit` of each kind, as they were noted.
  var changes: [PastChange] = []

  /// More than these are joined: the two neighbours of a kind that lose the least by it.
  static let limit = 128

  var isEmpty: Bool { sitting == nil && changes.isEmpty }

  var isValid: Bool {
    sitting?.isValid != false && changes.allSatisfy(\.isValid)
      && PastChange.Kind.allCases.allSatisfy { kind in changes.count { $0.kind == kind } <= Self.limit }
  }

  /// The sitting of an ingest at a time.
  /// - Parameter newest: the newest event of the present log.
  func sitting(at time: Milliseconds, newest: Milliseconds?) -> Sitting {
    if let sitting, (sitting.start..<sitting.start + Sitting.length).contains(time) { return sitting }
    // A clock can be far off.
    return Sitting(start: min(max(time, 0), Sitting.times.upperBound - 1), reach: newest)
  }

  mutating func note(_ change: PastChange) {
    guard change.isValid else { return }
    changes.append(change)
    let places = changes.indices.filter { changes[$0].kind == change.kind }
    guard places.count > Self.limit else { return }
    let pairs = zip(places, places.dropFirst())
    let closest = pairs.min { changes[$0.0].excess(with: changes[$0.1]) < changes[$1.0].excess(with: changes[$1.1]) }
    guard let (a, b) = closest else { return }
    changes[a] = changes[a].joined(changes[b])
    changes.remove(at: b)
  }

  /// Removes changes before a time, because the events before it are gone.
  mutating func expire(before time: Milliseconds) {
    changes = changes.compactMap { change in
      guard change.reach > time else { return nil }
      var change = change
      if !change.kind.isOfAnyTime { change.oldest = max(change.oldest, time) }
      return change
    }
  }

  // MARK: The lines of a manifest for changes of the past

  var lines: [String] {
    var lines: [String] = []
    if let sitting {
      lines.append("ingests since \(sitting.start)" + (sitting.reach.map { " reach \($0)" } ?? ""))
    }
    return lines
      + changes.map {
        "\($0.kind.rawValue) first \($0.first) last \($0.last) reach \($0.reach) oldest \($0.oldest) count \($0.count)"
      }
  }

  /// Reads a line; false if it is not one of these. The caller checks that it is in canonical form.
  mutating func read(_ words: [Substring]) -> Bool {
    if words.count == 3 || words.count == 5, words[0] == "ingests", let start = Milliseconds(words[2]) {
      sitting = Sitting(start: start, reach: words.count == 5 ? Milliseconds(words[4]) : nil)
      return true
    }
    guard words.count == 11, let kind = PastChange.Kind(rawValue: String(words[0])), let first = Milliseconds(words[2]),
      let last = Milliseconds(words[4]), let reach = Milliseconds(words[6]), let oldest = Milliseconds(words[8]),
      let count = Int(words[10])
    else { return false }
    changes.append(PastChange(kind: kind, first: first, last: last, reach: reach, oldest: oldest, count: count))
    return true
  }
}
