// What one walk packs, list after list.

import Folding

/// Lists of groups that one walk packed one after the other. Those of like size are merged, so that each cell is written
/// anew a few times, however long the walk.
struct PackedRuns {
  private var runs: [PackedGroups] = []

  var isEmpty: Bool { runs.isEmpty }
  var size: Int { runs.reduce(0) { $0 + $1.size } }

  mutating func append(_ run: PackedGroups) throws(SumsError) {
    runs.append(run)
    while runs.count > 1, runs[runs.count - 2].size < 2 * runs[runs.count - 1].size { try mergeLast() }
  }

  /// Throws if they have no room. A group in several runs counts once.
  mutating func check(_ room: GroupRoom) throws(SumsError) {
    if size > room.bytes { try mergeAll() }
    try room.check(size)
  }

  /// All of them as one; none is left.
  mutating func take() throws(SumsError) -> PackedGroups {
    try mergeAll()
    return runs.popLast() ?? PackedGroups()
  }

  private mutating func mergeAll() throws(SumsError) {
    while runs.count > 1 { try mergeLast() }
  }

  private mutating func mergeLast() throws(SumsError) {
    guard let last = runs.popLast(), let before = runs.popLast() else { return }
    runs.append(try PackedGroups.merged(before, last))
  }
}
