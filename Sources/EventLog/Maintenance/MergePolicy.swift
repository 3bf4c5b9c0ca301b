// Which parts to merge. As soon as there are four of about one size they become one of the next size, so that the number
// of parts grows with the logarithm of the log and an event is rewritten that often. And as soon as the others have a
// quarter of the largest one's rows, all become one: a report then finds most users' events in one place.

extension PartReader {
  /// Bytes that the part brings to a merged dictionary; more than any limit if it cannot be rewritten.
  var mergeWeight: Int { footer.extensions.isEmpty ? footer.dictionary.weight : 1 << 40 }
}

enum MergePolicy {
  static let partsPerTier = 4
  /// Of four parts or more, the largest has at least this many times the rows of all others together.
  static let largestShare: UInt64 = 4
  private static let smallestTier: UInt64 = 16_384
  /// Most bytes of a merged dictionary; a part with more than its share of them is not merged any further.
  static let dictionaryLimit = 64 << 20

  static func tier(rows: UInt64) -> Int {
    var tier = 0
    var size = smallestTier
    while rows >= size {
      tier += 1
      size *= UInt64(partsPerTier)
    }
    return tier
  }

  /// Indices of the parts to merge into one; empty if there is nothing to do.
  /// - Parameter parts: rows, and weight of the dictionary, of each part.
  static func choose(_ parts: [(rows: UInt64, dictionary: Int)]) -> [Int] {
    let mergeable = parts.indices.filter { parts[$0].dictionary < dictionaryLimit / partsPerTier }
    let largest = mergeable.map { parts[$0].rows }.max() ?? 0
    let all = mergeable.reduce(0) { $0 + parts[$1].rows }
    let tiers = Dictionary(grouping: mergeable) { tier(rows: parts[$0].rows) }
    let full: Int
    if mergeable.count >= partsPerTier, all - largest >= largest / largestShare {
      full = .max
    } else if let tier = tiers.filter({ $0.value.count >= partsPerTier }).keys.max() {
      full = tier
    } else {
      return []
    }
    // What is smaller goes along: it would have to be merged soon, and adds little.
    var weight = 0
    return mergeable.filter { i in
      guard tier(rows: parts[i].rows) <= full, weight + parts[i].dictionary <= dictionaryLimit else { return false }
      weight += parts[i].dictionary
      return true
    }
  }

  /// Indices of parts in as few groups as the limit of a merged dictionary allows; a part that weighs more stays alone.
  /// - Parameter weights: of the parts' dictionaries.
  static func fewest(_ weights: [Int]) -> [[Int]] {
    var groups: [[Int]] = []
    // Nothing more fits into the group before the first.
    var weight = dictionaryLimit + 1
    for i in weights.indices where weights[i] <= dictionaryLimit {
      if weight + weights[i] > dictionaryLimit {
        groups.append([])
        weight = 0
      }
      groups[groups.count - 1].append(i)
      weight += weights[i]
    }
    return groups + weights.indices.filter { weights[$0] > dictionaryLimit }.map { [$0] }
  }
}
