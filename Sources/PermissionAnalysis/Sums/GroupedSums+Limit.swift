// The values of a property that get rows of their own: those with the most exposures.

import Folding

extension GroupedSums {
  /// The groups of some values, and those of all others as one value.
  struct Limited {
    var groups: GroupedSums
    /// The others' place among the names of values; nil if there are none.
    var other: UInt32?
    /// How many values have exposures, those of the others too.
    var values: Int
  }

  /// Keeps the values with the most exposures, in all permissions and weeks; of values with as many, the first in the order of their
  /// bytes. No value is not counted, and is kept.
  func limited(toValues most: Int) throws(SumsError) -> Limited {
    let most = max(1, most)
    var exposures = [Int64](repeating: 0, count: values.count)
    for (slot, key) in keys.enumerated() where key.value > 0 {
      let sum = try CheckedSum.add(exposures[Int(key.value)], integer(slot, Counter.exposed.rawValue))
      exposures[Int(key.value)] = sum
    }
    let exposed = exposures.indices.filter { exposures[$0] > 0 }
    guard exposed.count > most else { return Limited(groups: self, other: nil, values: exposed.count) }
    let largest = exposed.sorted { a, b in
      if exposures[a] != exposures[b] { return exposures[a] > exposures[b] }
      return values[a].lexicographicallyPrecedes(values[b])
    }.prefix(most)
    let other = UInt32(truncatingIfNeeded: most + 1)
    var places = [UInt32](repeating: other, count: values.count)
    places[0] = 0
    for (place, code) in largest.enumerated() { places[code] = UInt32(truncatingIfNeeded: place + 1) }
    let groups = try renamed(values: [[]] + largest.map { values[$0] } + [[]]) { places[Int($0)] }
    return Limited(groups: groups, other: other, values: exposed.count)
  }
}
