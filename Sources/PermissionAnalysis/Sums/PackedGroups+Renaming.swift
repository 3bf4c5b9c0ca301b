// Packed groups under other keys: several may become one.

import Folding

extension PackedGroups {
  /// The same groups under other keys; those that get one key become one group.
  func renamed(_ rename: (GroupKey) -> GroupKey) throws(SumsError) -> PackedGroups {
    let names = keys.map(rename)
    if names == keys { return self }
    let order = names.indices.sorted { names[$0] < names[$1] }
    var renamed = PackedGroups()
    var sums: CellSums?
    var i = 0
    while i < order.count {
      let key = names[order[i]]
      var end = i + 1
      while end < order.count, names[order[end]] == key { end += 1 }
      if end == i + 1 {
        renamed.append(self, order[i], as: key)
      } else {
        let joined = sums ?? CellSums()
        sums = joined
        for slot in order[i..<end] { try joined.add(cells(of: slot)) }
        joined.move(to: &renamed, as: key)
      }
      i = end
    }
    return renamed
  }
}

/// The cells of many groups, added up one after the other.
private final class CellSums {
  private var values = [Int64](repeating: 0, count: PackedGroups.places)
  private var places: [Int] = []

  func add(_ cells: PackedGroups.Cells) throws(SumsError) {
    for cell in cells {
      if values[cell.place] == 0 { places.append(cell.place) }
      values[cell.place] = try PackedGroups.sum(cell.place, values[cell.place], cell.value)
    }
  }

  /// Appends the sums as one group, and begins anew.
  func move(to groups: inout PackedGroups, as key: GroupKey) {
    for place in places.sorted() {
      groups.append(place, values[place])
      values[place] = 0
    }
    places.removeAll(keepingCapacity: true)
    groups.end(key)
  }
}
