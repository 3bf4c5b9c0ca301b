// Figure 9: each week's grant rate against the week before.

import Foundation

/// What a row says about the week before, before Holm's adjustment.
struct OracleTrend {
  let previousWeek: OracleWeek
  let change: OracleEstimate
  let pValue: Double
}

/// "Grant rate against the ISO week before, where both are complete and have a base."
///
/// Reading: the row's own base and grants against the whole week before, whatever limits of time the report has ("trend
/// looks at the week before even where it is not shown"). Null for the row of all weeks.
///
/// - Parameter everyJourney: all journeys that are exposed, not limited by time.
func trend(_ row: OracleRow, everyJourney: [OracleJourney], _ terms: Terms) -> OracleTrend? {
  guard let week = row.week else { return nil }
  let previous = terms.calendar.weekBefore(week)
  guard isComplete(week, terms), isComplete(previous, terms) else { return nil }
  let base = row.journeys.filter(\.isInBase)
  let before = everyJourney.filter { journey in
    journey.isInBase && journey.week == previous && Bytes(journey.permission) == Bytes(row.permission)
      && (row.by?.holds(journey) ?? true)
  }
  let granted = base.count(of: .granted)
  let grantedBefore = before.count(of: .granted)
  guard let change = rateDifference(granted, of: base.count, minus: grantedBefore, of: before.count) else {
    return nil
  }
  let pValue = equalityPValue(granted, of: base.count, against: grantedBefore, of: before.count)
  return OracleTrend(previousWeek: previous, change: change, pValue: pValue)
}

/// "A p′ chart": where a complete week's rate is expected, from the newest 12 complete weeks before it that have a base.
///
/// Reading: the row's own base and grants against all of the earlier weeks, as in the trend.
func usual(_ row: OracleRow, everyJourney: [OracleJourney], _ terms: Terms) -> OracleJSON {
  guard let week = row.week, isComplete(week, terms) else { return .null }
  var earlier: [OracleWeek: (granted: Int, base: Int)] = [:]
  for journey in everyJourney where journey.isInBase && journey.week.firstDay < week.firstDay {
    guard Bytes(journey.permission) == Bytes(row.permission), row.by?.holds(journey) ?? true else { continue }
    earlier[journey.week, default: (0, 0)].base += 1
    if journey.outcome == .granted { earlier[journey.week, default: (0, 0)].granted += 1 }
  }
  let counted = earlier.keys.sorted { $0.firstDay < $1.firstDay }.suffix(12).compactMap { earlier[$0] }
  let base = row.journeys.filter(\.isInBase)
  guard counted.count >= 4, !base.isEmpty else { return .null }
  func y(_ granted: Int, _ base: Int) -> Double {
    asin(((Double(granted) + 0.375) / (Double(base) + 0.75)).squareRoot())
  }
  let v = counted.map { Double($0.base) + 0.5 }
  let all = v.reduce(0, +)
  let mean = zip(v, counted).map { $0 * y($1.granted, $1.base) }.reduce(0, +) / all
  let chi = zip(v, counted).map { 4 * $0 * pow(y($1.granted, $1.base) - mean, 2) }.reduce(0, +)
  let s = max(1, chi / Double(counted.count - 1)).squareRoot()
  let half = 3 * s / 2 * (1 / (Double(base.count) + 0.5) + 1 / all).squareRoot()
  let (low, high) = (max(0, mean - half), min(Double.pi / 2, mean + half))
  let own = y(base.count(of: .granted), base.count)
  return [
    "weeks": .int(counted.count), "low": .double(pow(sin(low), 2)), "high": .double(pow(sin(high), 2)),
    "outside": own < low ? .string("lower") : own > high ? .string("higher") : .null,
  ]
}

/// The rows' trends as JSON. "Holm over the permissions of that week (and property value)": over the rows of the report
/// with the same week and value that have a trend.
///
/// - Parameter isKnown: whether the log holds answers of a permission.
func trendJSON(
  _ rows: [OracleRow], everyJourney: [OracleJourney], _ terms: Terms, isKnown: (String) -> Bool
) -> [OracleJSON] {
  let trends = rows.map { isKnown($0.permission) ? trend($0, everyJourney: everyJourney, terms) : nil }
  return rows.indices.map { index in
    guard let own = trends[index] else { return .null }
    let family = rows.indices.filter { other in
      trends[other] != nil && rows[other].week == rows[index].week
        && (rows[index].by.map { rows[other].by?.isOf($0) ?? false } ?? true)
    }
    let adjusted = holm(family.compactMap { trends[$0]?.pValue })
    let position = family.firstIndex(of: index)
    return [
      "previous_week": .string(own.previousWeek.name), "change": OracleEstimate.json(own.change),
      "p_value": .double(own.pValue), "p_adjusted": .real(position.map { adjusted[$0] }),
    ]
  }
}
