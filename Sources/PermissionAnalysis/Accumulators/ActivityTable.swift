// How many events of each kind there were, by context (which has the permission) and ISO week of the event
// itself.

import PermissionEvents

/// Counts of kinds. Owned by one thread.
struct ActivityTable: ~Copyable, @unchecked Sendable {
  struct Key: Hashable, Sendable {
    /// Index of the context.
    var context: Int
    var week: Int64
  }

  fileprivate static let kinds = 12
  private static let directLimit = 1 << 16
  private let firstWeek: Int64
  private let weekCount: Int
  private let contexts: Int
  /// By week, context and kind, for the weeks that were announced. What is new is counted in half the width, which
  /// stays in the nearest cache, and moved before it can overflow.
  private let direct: FlatBuffer<Int64>
  private let recent: FlatBuffer<UInt32>
  private var others: [Key: [Int64]] = [:]

  init(contexts: Int, weeks: ClosedRange<Int64>) {
    self.contexts = contexts
    firstWeek = weeks.lowerBound
    let count = Int(weeks.upperBound - weeks.lowerBound) + 1
    weekCount = count <= Self.directLimit / max(1, contexts) ? count : 0
    direct = FlatBuffer(repeating: 0, count: max(1, weekCount * contexts * Self.kinds))
    recent = FlatBuffer(repeating: 0, count: direct.count)
  }

  /// Counts events in locals of the loop that goes over them.
  struct Writer {
    fileprivate let recent: UnsafeMutablePointer<UInt32>
    fileprivate let firstWeek: Int64
    fileprivate let weekCount: Int
    fileprivate let contexts: Int

    /// False for a week that was not announced: the event is for `addElsewhere`.
    @inline(__always)
    func add(context: Int, kind: Int, week: Int64) -> Bool {
      let place = Int(truncatingIfNeeded: week &- firstWeek)
      guard place >= 0, place < weekCount else { return false }
      recent[(place &* contexts &+ context) &* ActivityTable.kinds &+ kind] &+= 1
      return true
    }
  }

  /// Valid as long as the table.
  var writer: Writer {
    Writer(recent: recent.pointer, firstWeek: firstWeek, weekCount: weekCount, contexts: contexts)
  }

  @inline(never)
  mutating func addElsewhere(context: Int, kind: Int, week: Int64) {
    others[Key(context: context, week: week), default: [Int64](repeating: 0, count: Self.kinds)][kind] += 1
  }

  /// Moves what is new; at least once every 2^32 events.
  func flush() {
    for i in 0..<recent.count {
      direct[i] += Int64(recent[i])
      recent[i] = 0
    }
  }

  /// Adds another table of the same contexts and weeks.
  mutating func merge(_ other: borrowing ActivityTable) {
    other.flush()
    for i in 0..<direct.count { direct[i] += other.direct[i] }
    for (key, counts) in other.others {
      var sums = others[key] ?? [Int64](repeating: 0, count: Self.kinds)
      for i in sums.indices { sums[i] += counts[i] }
      others[key] = sums
    }
  }

  /// Counts by `EventKind` of each context and week that has any.
  func counts() -> [Key: [Int64]] {
    flush()
    var all = others.mapValues { Array($0[..<EventKind.allCases.count]) }
    for place in 0..<weekCount {
      for context in 0..<contexts {
        let start = (place * contexts + context) * Self.kinds
        let counts = (0..<EventKind.allCases.count).map { direct[start + $0] }
        guard counts.contains(where: { $0 != 0 }) else { continue }
        all[Key(context: context, week: firstWeek + Int64(place))] = counts
      }
    }
    return all
  }
}
