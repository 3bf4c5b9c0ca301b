// Figures 6 and 7: engagement and retention after the exposure.

/// `engagement` of a row.
func engagement(_ base: [OracleJourney], _ terms: Terms) -> OracleJSON {
  // "Eligible when the first moment of day 28 ≤ as_of."
  let eligible = base.filter { terms.calendar.firstMoment(ofDay: $0.day0 + 28) <= terms.asOf }
  let granted = eligible.of(.granted)
  let notGranted = eligible.filter { $0.outcome != .granted }

  func days(_ journeys: [OracleJourney]) -> [Double] { journeys.map { Double(activeDays($0)) } }
  func features(_ journeys: [OracleJourney]) -> [Double] { journeys.map { Double(featureEvents($0)) } }
  func group(_ journeys: [OracleJourney]) -> OracleJSON {
    [
      "n": .int(journeys.count), "mean_active_days": .real(mean(days(journeys))),
      "mean_feature_events": .real(mean(features(journeys))),
    ]
  }
  func correlation(_ value: (OracleJourney) -> Int) -> OracleJSON {
    OracleEstimate.json(pointBiserial(eligible.map { ($0.outcome == .granted, value($0)) }))
  }
  return [
    "eligible": .int(eligible.count), "granted": group(granted), "not_granted": group(notGranted),
    "active_days_difference": OracleEstimate.json(meanDifference(days(granted), minus: days(notGranted))),
    "feature_events_difference": OracleEstimate.json(meanDifference(features(granted), minus: features(notGranted))),
    "active_days_correlation": correlation(activeDays),
    "feature_events_correlation": correlation(featureEvents),
  ]
}

/// "Distinct calendar days, report time zone, 0 to 27 after the day of t0 (whole days, also the hours before t0), on
/// which the user has a `feature_used` or `app_active`."
func activeDays(_ journey: OracleJourney) -> Int {
  Set(journey.engagement.map(\.dayAfterExposure).filter { (0...27).contains($0) }).count
}

/// "The same for the number of `feature_used` events in those days."
func featureEvents(_ journey: OracleJourney) -> Int {
  journey.engagement.filter { $0.isFeature && (0...27).contains($0.dayAfterExposure) }.count
}

/// "Day n (1, 7, 30): an active event on calendar day n after the day of t0; eligible when the first moment of day
/// n + 1 ≤ as_of. By outcome, and granted minus not granted."
func retention(_ base: [OracleJourney], _ terms: Terms) -> OracleJSON {
  .array(
    [1, 7, 30].map { day in
      let eligible = base.filter { terms.calendar.firstMoment(ofDay: $0.day0 + day + 1) <= terms.asOf }
      func retained(_ journeys: [OracleJourney]) -> Int {
        journeys.filter { $0.engagement.contains { $0.dayAfterExposure == day } }.count
      }
      func group(_ outcome: OracleOutcome) -> OracleJSON {
        let journeys = eligible.of(outcome)
        return [
          "eligible": .int(journeys.count), "retained": .int(retained(journeys)),
          "rate": OracleEstimate.json(wilson(retained(journeys), of: journeys.count)),
        ]
      }
      let granted = eligible.of(.granted)
      let notGranted = eligible.filter { $0.outcome != .granted }
      let difference = rateDifference(
        retained(granted), of: granted.count, minus: retained(notGranted), of: notGranted.count)
      return [
        "day": .int(day), "granted": group(.granted), "denied": group(.denied), "skipped": group(.skipped),
        "dropped_off": group(.droppedOff), "difference": OracleEstimate.json(difference),
      ]
    })
}
