// How early users were asked, as a table of a file of sums, and back.

import Folding

enum TimingSums {
  private static let empty = SumTable(
    "timing", keys: ["permission", "classification", "class"], columns: ["base", "granted"])

  /// Names of the classifications, as keys.
  private static let scales: [(scale: TimingScale, name: [UInt8])] = TimingScale.allCases.map {
    ($0, Array(CounterNames.snakeCase("\($0)").utf8))
  }

  private static func bytes(_ name: StaticString) -> [UInt8] { Array("\(name)".utf8) }

  /// - Parameter counts: by permission, then by `TimingPlace`: base, granted.
  static func table(_ counts: [[UInt8]: [Int64]]) -> SumTable {
    var table = empty
    for (permission, counts) in counts {
      for (scale, name) in scales {
        for (number, of) in scale.classes.enumerated() {
          let place = 2 * (TimingPlace.first[scale.rawValue] + number)
          table.setRow([permission, name, bytes(of)], SumTable.Row([counts[place], counts[place + 1]]))
        }
      }
    }
    return table
  }

  /// The same counts of a table that anybody may have written.
  static func counts(_ tables: [SumTable]) throws(SumsError) -> [[UInt8]: [Int64]] {
    var all: [[UInt8]: [Int64]] = [:]
    for (key, row) in try tables.table(like: empty).orderedRows {
      let permission = try SumKeys.present(key[0])
      guard let scale = scales.first(where: { $0.name == key[1] })?.scale,
        let number = scale.classes.firstIndex(where: { bytes($0) == key[2] })
      else { throw SumsError(.damaged, "table timing has a class that this version does not know") }
      let (base, granted) = (try SumKeys.journeys(row[0]), try SumKeys.journeys(row[1]))
      guard granted <= base else { throw SumsError(.damaged, "table timing has more granted than there are") }
      let place = 2 * (TimingPlace.first[scale.rawValue] + number)
      all[permission, default: [Int64](repeating: 0, count: TimingTable.width)][place] = base
      all[permission]?[place + 1] = granted
    }
    // Every journey is in one class of each classification.
    for counts in all.values {
      let totals = scales.map { total(counts, $0.scale) }
      guard totals.allSatisfy({ $0 == totals[0] }) else {
        throw SumsError(.damaged, "table timing has other journeys in one classification than in another")
      }
    }
    return all
  }

  /// Journeys of the base and those granted, by any of the classifications.
  static func journeys(_ counts: [Int64]) -> SIMD2<Int64> { total(counts, .install) }

  /// Base and granted in all classes. Each is at most 2^40, so that nothing overflows.
  private static func total(_ counts: [Int64], _ scale: TimingScale) -> SIMD2<Int64> {
    scale.classes.indices.reduce(into: .zero) { sum, number in
      let place = 2 * (TimingPlace.first[scale.rawValue] + number)
      sum &+= SIMD2(counts[place], counts[place + 1])
    }
  }
}
