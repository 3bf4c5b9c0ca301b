// Figure 9: each week's grant rate against the week before.

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
