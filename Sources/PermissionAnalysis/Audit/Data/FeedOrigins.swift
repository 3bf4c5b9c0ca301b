// What the attributes of an event say of where it came from, by their code in a walk.

import Buffers
import PermissionEvents
import Threads

/// Platforms and versions by code of the selected attributes. All threads of a walk read the same: to make it takes as long as
/// there are versions in the log.
package final class FeedOrigins: @unchecked Sendable {
  // Unchecked: the buffers are filled before anybody else sees them, and never after.
  /// By code of the attributes the number of their version and platform in `pairs`.
  let pairOfCode: Buffer<UInt32>
  /// By code of the attributes the place of the version among all, in their order; 0 if it is none that has numbers. Versions
  /// of the same numbers, as 3.2 and 3.2.0, have one.
  let rankOfCode: Buffer<UInt32>
  /// Codes of version and platform, 0 for none.
  let pairs: [SIMD2<UInt32>]
  let versions: [[UInt8]]
  let platforms: [[UInt8]]

  init(_ selection: HistorySelection, _ contexts: HistoryContexts) {
    let places = SIMD2(
      selection.attributes.firstIndex(of: .appVersion) ?? -1, selection.attributes.firstIndex(of: .platform) ?? -1)
    func names(_ place: Int) -> [[UInt8]] {
      contexts.attributeValues.indices.contains(place) ? contexts.attributeValues[place] : [[]]
    }
    let (versions, platforms) = (names(places[0]), names(places[1]))
    let numbers = versions.map { VersionNumber($0) }
    var ranks: [VersionNumber: UInt32] = [:]
    for number in Set(numbers.compactMap { $0 }).sorted() {
      ranks[number] = UInt32(truncatingIfNeeded: ranks.count + 1)
    }
    var pairCodes = CodeTable<SIMD2<UInt32>>([.zero])
    var pairOfCode = Buffer<UInt32>()
    var rankOfCode = Buffer<UInt32>()
    for values in contexts.attributes {
      func code(_ place: Int) -> UInt32 { values.indices.contains(place) ? values[place] : 0 }
      pairOfCode.append(pairCodes.code(SIMD2(code(places[0]), code(places[1]))))
      rankOfCode.append(numbers[Int(code(places[0]))].flatMap { ranks[$0] } ?? 0)
    }
    // Of a walk without attributes every event has code 0.
    if pairOfCode.count == 0 {
      pairOfCode.append(0)
      rankOfCode.append(0)
    }
    self.pairOfCode = pairOfCode
    self.rankOfCode = rankOfCode
    pairs = pairCodes.values
    self.versions = versions
    self.platforms = platforms
  }
}

/// What the folds of one walk share: made by the first thread that asks.
package final class SharedOrigins: Sendable {
  private let made = Mutex<FeedOrigins?>(nil)

  package init() {}

  /// - Parameters: the same each time.
  package func origins(_ selection: HistorySelection, _ contexts: HistoryContexts) -> FeedOrigins {
    made.withLock { made in
      if let made { return made }
      let origins = FeedOrigins(selection, contexts)
      made = origins
      return origins
    }
  }
}
