// What a comparison would have found at the end of each finished day, each day evaluated anew as if nothing had come after it.

import Foundation

/// A comparison at the end of one day.
public struct OracleLook: Sendable {
  /// Days since 1970-01-01.
  public let day: Int
  private let journeys: [ComparedJourney]
  private let terms: Terms

  fileprivate init(day: Int, journeys: [ComparedJourney], terms: Terms) {
    (self.day, self.journeys, self.terms) = (day, journeys, terms)
  }

  /// Successes and trials of a metric in one arm, of journeys whose exposure has these values of some properties.
  ///
  /// - Parameters:
  ///   - policy: `first` or `exclude`.
  ///   - properties: JSON names; none is everybody.
  public func counts(
    _ metric: String, arm: Int, policy: String, of properties: [String] = [], in values: [String?] = []
  ) -> (successes: Int, trials: Int) {
    let counted = journeys.filter { $0.arm == arm && (policy == "first" || !$0.isContaminated) }
    return metricCounts(
      metric, counted.map(\.journey).filter { Self.values(properties, $0) == Self.bytes(values) }, terms)
  }

  /// The combinations of values that the exposures have, in no particular order.
  public func strata(_ properties: [String]) -> [[String?]] {
    var seen: [[Bytes?]: [String?]] = [:]
    for compared in journeys {
      seen[Self.values(properties, compared.journey)] = properties.map { compared.journey.exposure.property($0) }
    }
    return Array(seen.values)
  }

  private static func values(_ properties: [String], _ journey: OracleJourney) -> [Bytes?] {
    bytes(properties.map { journey.exposure.property($0) })
  }

  private static func bytes(_ values: [String?]) -> [Bytes?] { values.map { $0.map { Bytes($0) } } }
}

/// The looks at the ends of days, oldest first: of every day from the first event's on that is over at `as_of`.
///
/// - Parameter events: in the order of ingestion, duplicates and all.
public func oracleLooks(_ events: [OracleEvent], _ options: OracleComparisonOptions) -> [OracleLook] {
  let stored = withoutDuplicates(events).sorted(by: isEarlier)
  // How calls are read is judged over the whole log up to as_of.
  let history = OracleComparedHistory(events, options)
  let calendar = OracleCalendar(options.timeZone)
  guard let first = stored.first?.timestamp, let usual = usualMoment(stored, calendar) else { return [] }
  let asOf = options.asOf ?? usual
  var looks: [OracleLook] = []
  var day = calendar.day(of: first) - 1
  while calendar.firstMoment(ofDay: day + 1) <= asOf {
    // "Nothing counted that happened after it."
    let end = calendar.firstMoment(ofDay: day + 1)
    let terms = Terms(
      asOf: end, responseWindow: options.responseWindow, followUp: options.followUp, calendar: calendar,
      atOnce: options.atOnce)
    let journeys = comparedJourneys(
      history.events.filter { $0.timestamp <= end }, history.reading, options, terms)
    looks.append(OracleLook(day: day, journeys: journeys, terms: terms))
    day += 1
  }
  return looks
}
