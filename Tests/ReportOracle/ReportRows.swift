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
  /// One, or two that are crossed.
  let properties: [String]
  /// By property; nil: those without it. Of all values that are joined all are nil.
  var values: [String?]
  /// Values with rows of their own, if this is the row of all others.
  fileprivate(set) var others: Set<[Bytes]>?

  func holds(_ journey: OracleJourney) -> Bool {
    let own = valuesOfProperties(journey, properties)
    guard let others else { return key(own) == key(values) }
    return own.contains { $0 != nil } && !others.contains(key(own))
  }

  func isOf(_ other: OracleBreakdown) -> Bool {
    key(values) == key(other.values) && (others == nil) == (other.others == nil)
  }
}

/// The exposure's value of each property; nil is none.
func valuesOfProperties(_ journey: OracleJourney, _ properties: [String]) -> [String?] {
  properties.map { journey.exposure.property($0) }
}

/// Values as bytes, none as nothing: so they are compared and ordered.
private func key(_ values: [String?]) -> [Bytes] { values.map { Bytes($0 ?? "") } }

/// Each combination once, by the first value, then by the second, none first.
private func combinations(_ values: [[String?]]) -> [[String?]] {
  var distinct: [[Bytes]: [String?]] = [:]
  for one in values { distinct[key(one)] = one }
  let keys: [[Bytes]] = distinct.keys.sorted { (a: [Bytes], b: [Bytes]) -> Bool in
    for (left, right) in zip(a, b) where left != right { return left < right }
    return false
  }
  return keys.compactMap { distinct[$0] }
}

/// "`--by-limit N` (default 1,000 by exposures, the rest together as `other`)": the values with the most exposures of the report, in
/// all permissions together; of values with as many the first bytewise (a reading). Having none is not a value.
func largestValues(_ journeys: [OracleJourney], _ properties: [String], _ limit: Int) -> [[String?]] {
  let values = journeys.map { valuesOfProperties($0, properties) }.filter { $0.contains { $0 != nil } }
  let inOrder = combinations(values)
  let counts = inOrder.map { one in values.count { key($0) == key(one) } }
  return inOrder.indices.sorted { (counts[$1], $0) < (counts[$0], $1) }.prefix(limit).map { inOrder[$0] }
}

/// "For each permission, for each ISO week of t0 in the report's time zone, and for all weeks together; on demand broken
/// down by one property of the exposure. A row exists where exposed ≥ 1." "Two `--by` cross, at most two."
///
/// Order (a reading): permission bytewise, value (null first, then bytewise, the others together last), all weeks first, then
/// weeks.
func rows(_ journeys: [OracleJourney], by properties: [String], limit: Int) -> [OracleRow] {
  let largest = Set(largestValues(journeys, properties, limit).map(key))
  return names(journeys.map(\.permission)).flatMap { permission in
    let ofPermission = journeys.filter { Bytes($0.permission) == Bytes(permission) }
    if properties.isEmpty { return weekRows(permission, nil, ofPermission) }
    let values = combinations(ofPermission.map { valuesOfProperties($0, properties) }).filter { values in
      values.allSatisfy { $0 == nil } || largest.contains(key(values))
    }
    let parts =
      values.map { OracleBreakdown(properties: properties, values: $0) }
      + [OracleBreakdown(properties: properties, values: properties.map { _ in nil }, others: largest)]
    return parts.flatMap { part in weekRows(permission, part, ofPermission.filter(part.holds)) }
  }
}

private func weekRows(
  _ permission: String, _ by: OracleBreakdown?, _ journeys: [OracleJourney]
) -> [OracleRow] {
  if journeys.isEmpty { return [] }
  let weeks = Set(journeys.map(\.week)).sorted { $0.firstDay < $1.firstDay }
  return [OracleRow(permission: permission, by: by, week: nil, journeys: journeys)]
    + weeks.map { week in
      OracleRow(permission: permission, by: by, week: week, journeys: journeys.filter { $0.week == week })
    }
}

/// A row as JSON. `trend` and `usual` are written as they are.
func json(_ row: OracleRow, trend: OracleJSON, usual: OracleJSON, _ terms: Terms) -> OracleJSON {
  // "All further figures are over journeys of the base."
  let base = row.journeys.filter(\.isInBase)
  let parts: [OracleJSON] =
    row.by.map { by in
      zip(by.properties, by.values).map { property, value in
        by.others == nil
          ? ["property": .string(property), "value": .text(value)]
          : ["property": .string(property), "value": .null, "other": .bool(true)]
      }
    } ?? []
  let by: OracleJSON = parts.count > 1 ? .array(parts) : parts.first ?? .null
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
      OracleMember(key: "trend", value: trend), OracleMember(key: "usual", value: usual),
      OracleMember(key: "answered_by_status", value: .int(base.filter(\.isByStatus).count)),
    ])
}

/// "Complete (the week's end ≤ as_of)."
func isComplete(_ week: OracleWeek, _ terms: Terms) -> Bool { terms.calendar.end(of: week) <= terms.asOf }
