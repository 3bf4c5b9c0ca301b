// Figure 14: which value of a property loses people.

import Foundation

/// `by_ranking`: a ranking for each permission under a breakdown, over all weeks; none without.
/// - Parameter isKnown: whether the log holds answers of a permission.
func ranking(_ rows: [OracleRow], isKnown: (String) -> Bool) -> OracleJSON {
  // The others together are no value.
  let ofValues = rows.filter { $0.week == nil && $0.by != nil && $0.by?.others == nil }
  return .array(
    names(rows.filter { $0.by != nil }.map(\.permission)).map { permission in
      let own = ofValues.filter { Bytes($0.permission) == Bytes(permission) }
      let ranking = ranking(
        permission, rows.compactMap(\.by?.properties.first).first ?? "", own, isKnown: isKnown(permission))
      guard !isKnown(permission) else { return ranking }
      return ["best", "values.*.granted", "values.*.rate", "values.*.lost_grants", "test"].reduce(ranking) {
        $0.null(at: $1)
      }
    })
}

private struct RankedValue {
  let name: String?
  let base, granted: Int
}

private func ranking(
  _ permission: String, _ property: String, _ rows: [OracleRow], isKnown: Bool
) -> OracleJSON {
  let values = rows.map { row in
    let base = row.journeys.filter(\.isInBase)
    return RankedValue(name: row.by?.values.first ?? nil, base: base.count, granted: base.count(of: .granted))
  }
  // "best = the highest rate among values with base ≥ 100".
  let best = values.filter { isKnown && $0.base >= 100 }.max {
    Double($0.granted) / Double($0.base) < Double($1.granted) / Double($1.base)
  }
  /// "base × (best rate − rate)" times the base of the best, a whole number: equal losses are equal.
  func lost(_ value: RankedValue) -> Int? {
    guard let best, value.base > 0 else { return nil }
    return value.base * best.granted - value.granted * best.base
  }
  // "Order: lost descending, base descending, value bytewise, null last."
  let ordered = values.sorted { a, b in
    let (left, right) = (lost(a) ?? .min, lost(b) ?? .min)
    if left != right { return left > right }
    if a.base != b.base { return a.base > b.base }
    guard let name = a.name else { return false }
    guard let other = b.name else { return true }
    return Bytes(name) < Bytes(other)
  }
  return [
    "permission": .string(permission), "property": .string(property),
    "best": .real(best.map { Double($0.granted) / Double($0.base) }),
    "values": .array(
      ordered.map { value in
        [
          "value": .text(value.name), "base": .int(value.base), "granted": .int(value.granted),
          "rate": OracleEstimate.json(wilson(value.granted, of: value.base)),
          "lost_grants": .real(lost(value).map { lost in best.map { Double(lost) / Double($0.base) } } ?? nil),
        ]
      }),
    "test": test(values),
  ]
}

/// "Pearson's chi-square over values with base ≥ 10, without correction; null below two, or where none or all granted."
private func test(_ values: [RankedValue]) -> OracleJSON {
  let tested = values.filter { $0.base >= 10 }
  let (all, granted) = (tested.map(\.base).reduce(0, +), tested.map(\.granted).reduce(0, +))
  guard tested.count >= 2, granted > 0, granted < all else { return .null }
  var statistic = 0.0
  for value in tested {
    for (found, share) in [
      (value.granted, Double(granted) / Double(all)), (value.base - value.granted, 1 - Double(granted) / Double(all)),
    ] {
      let expected = Double(value.base) * share
      statistic += (Double(found) - expected) * (Double(found) - expected) / expected
    }
  }
  return [
    "statistic": .double(statistic), "df": .int(tested.count - 1),
    "p_value": .double(chiSquareTail(statistic, freedom: tested.count - 1)),
  ]
}

/// P(χ² > x): of one degree erfc(√(x/2)), of two e^(−x/2), and two more add (x/2)^(k/2) e^(−x/2) / Γ(k/2 + 1).
private func chiSquareTail(_ x: Double, freedom: Int) -> Double {
  guard x > 0 else { return 1 }
  var k = freedom % 2 == 1 ? 1 : 2
  var tail = k == 1 ? erfc((x / 2).squareRoot()) : exp(-x / 2)
  while k < freedom {
    tail += exp(Double(k) / 2 * log(x / 2) - x / 2 - lgamma(Double(k) / 2 + 1))
    k += 2
  }
  return min(1, tail)
}
