// The rows of a report: which there are, in which order, and what each says.

/// One row before it is written: a permission, a week or all of them, a property value, and its journeys.
struct OracleRow {
  let permission: String
  /// Nil without a breakdown.
  let by: OracleBreakdown?
  /// Nil for all weeks together.
  let week: OracleWeek?
  let journeys: [OracleJourney]
}

/// Which journeys a row of a breakdown is of.
struct OracleBreakdown {
  let property: String
  /// Nil: those without the property, or those of all values that are joined.
  var value: String?
  /// Values with rows of their own, if this is the row of all others.
  var others: Set<Bytes>?

  func holds(_ journey: OracleJourney) -> Bool {
    guard let others else { return hasValue(journey, property, value) }
    return journey.exposure.property(property).map { !others.contains(Bytes($0)) } ?? false
  }
}

/// "`--by-limit N` (default 1,000 by exposures, the rest together as `other`)": the values with the most exposures of the report, in
/// all permissions together; of values with as many the first bytewise (a reading). Having none is not a value.
func largestValues(_ journeys: [OracleJourney], _ property: String, _ limit: Int) -> [String] {
  let values = journeys.compactMap { $0.exposure.property(property) }
  return names(values).map { name in (name, values.count { Bytes($0) == Bytes(name) }) }
    .sorted { $0.1 == $1.1 ? Bytes($0.0) < Bytes($1.0) : $0.1 > $1.1 }
    .prefix(limit).map(\.0)
}

/// "For each permission, for each ISO week of t0 in the report's time zone, and for all weeks together; on demand broken
/// down by one property of the exposure. A row exists where exposed ≥ 1."
///
/// Order (a reading): permission bytewise, value (null first, then bytewise, the others together last), all weeks first, then
/// weeks.
func rows(_ journeys: [OracleJourney], by property: String?, limit: Int) -> [OracleRow] {
  let largest = Set(property.map { largestValues(journeys, $0, limit) }?.map(Bytes.init) ?? [])
  return names(journeys.map(\.permission)).flatMap { permission in
    let ofPermission = journeys.filter { Bytes($0.permission) == Bytes(permission) }
    guard let property else { return weekRows(permission, nil, ofPermission) }
    let values = names(ofPermission.compactMap { $0.exposure.property(property) }).filter {
      largest.contains(Bytes($0))
    }
    let parts =
      ([nil] + values).map { OracleBreakdown(property: property, value: $0) }
      + [OracleBreakdown(property: property, others: largest)]
    return parts.flatMap { part in weekRows(permission, part, ofPermission.filter(part.holds)) }
  }
}

private func weekRows(
  _ permission: String, _ by: OracleBreakdown?, _ journeys: [OracleJourney]
) -> [OracleRow] {
  if journeys.isEmpty { return [] }
  let weeks = Set(journeys.map(\.week)).sorted { $0.monday < $1.monday }
  return [OracleRow(permission: permission, by: by, week: nil, journeys: journeys)]
    + weeks.map { week in
      OracleRow(permission: permission, by: by, week: week, journeys: journeys.filter { $0.week == week })
    }
}

/// Whether the exposure has that value of a property, compared bytewise; nil is "has none".
func hasValue(_ journey: OracleJourney, _ property: String, _ value: String?) -> Bool {
  journey.exposure.property(property).map(Bytes.init) == value.map(Bytes.init)
}

/// A row as JSON. `trend` is written as it is.
func json(_ row: OracleRow, trend: OracleJSON, _ terms: Terms) -> OracleJSON {
  // "All further figures are over journeys of the base."
  let base = row.journeys.filter(\.isInBase)
  let by: OracleJSON =
    row.by.map { by in
      by.others == nil
        ? ["property": .string(by.property), "value": .text(by.value)]
        : ["property": .string(by.property), "value": .null, "other": .bool(true)]
    } ?? .null
  let complete: OracleJSON = row.week.map { .bool(isComplete($0, terms)) } ?? .null
  return .object(
    [
      OracleMember(key: "permission", value: .string(row.permission)),
      OracleMember(key: "week", value: .text(row.week?.name)),
      OracleMember(key: "complete", value: complete),
      OracleMember(key: "by", value: by),
      OracleMember(key: "no_evidence", value: .array([])),
    ] + rateFigures(row.journeys, terms) + [
      OracleMember(key: "steps", value: steps(base)),
      OracleMember(key: "explained_against_cold", value: explainedAgainstCold(base)),
    ] + timeFigures(base) + [
      OracleMember(key: "after_grant", value: afterGrant(base, terms)),
      OracleMember(key: "enabled_later", value: enabledLater(base, terms)),
      OracleMember(key: "settings_prompt", value: settingsPrompt(base, terms)),
      OracleMember(key: "engagement", value: engagement(base, terms)),
      OracleMember(key: "retention", value: retention(base, terms)),
      OracleMember(key: "trend", value: trend),
    ])
}

/// "Complete (the week's end ≤ as_of)."
func isComplete(_ week: OracleWeek, _ terms: Terms) -> Bool { terms.calendar.end(of: week) <= terms.asOf }
