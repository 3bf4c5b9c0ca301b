// Figure 1: rates, partial grants and grants by the end of the follow-up; and figure 11, what came after a grant.

/// The counts and rates that a row begins with.
func rateFigures(_ journeys: [OracleJourney], _ terms: Terms) -> [OracleMember] {
  let base = journeys.filter(\.isInBase)
  let granted = base.count(of: .granted)
  let denied = base.count(of: .denied)
  let skipped = base.count(of: .skipped)
  let droppedOff = base.count(of: .droppedOff)
  return [
    OracleMember(key: "exposed", value: .int(journeys.count)),
    OracleMember(key: "pending", value: .int(journeys.count(of: .pending))),
    OracleMember(key: "restricted", value: .int(journeys.count(of: .restricted))),
    OracleMember(key: "base", value: .int(base.count)),
    OracleMember(key: "granted", value: .int(granted)),
    OracleMember(key: "partial", value: .int(base.filter(\.isPartialGrant).count)),
    OracleMember(key: "denied", value: .int(denied)),
    OracleMember(key: "skipped", value: .int(skipped)),
    OracleMember(key: "dropped_off", value: .int(droppedOff)),
    // "Every rate is over the base unless it says otherwise, so the four rates add up to one."
    OracleMember(key: "grant_rate", value: OracleEstimate.json(wilson(granted, of: base.count))),
    OracleMember(key: "deny_rate", value: OracleEstimate.json(wilson(denied, of: base.count))),
    OracleMember(key: "skip_rate", value: OracleEstimate.json(wilson(skipped, of: base.count))),
    OracleMember(key: "drop_off_rate", value: OracleEstimate.json(wilson(droppedOff, of: base.count))),
    // "Prompt grant rate = granted / (granted + denied)."
    OracleMember(key: "prompt_grant_rate", value: OracleEstimate.json(wilson(granted, of: granted + denied))),
    OracleMember(key: "granted_by_follow_up", value: grantedByFollowUp(base, terms)),
  ]
}

/// "Of journeys with t0 + H ≤ as_of, those found on in [t0, t0 + H], by whatever path."
/// Over the base, as all figures are.
private func grantedByFollowUp(_ base: [OracleJourney], _ terms: Terms) -> OracleJSON {
  let eligible = base.filter { $0.t0 + terms.followUp <= terms.asOf }
  let granted = eligible.compactMap { journey in journey.foundOnByFollowUp(terms).map { (journey, $0) } }
  let partial = granted.filter { isPartial(status: $0.1.status, permission: $0.0.permission) }
  return [
    "eligible": .int(eligible.count), "granted": .int(granted.count),
    "rate": OracleEstimate.json(wilson(granted.count, of: eligible.count)), "partial": .int(partial.count),
    "granted_first": .int(eligible.count(of: .granted)),
  ]
}

/// "Of granted journeys with t1 + H ≤ as_of: revoked = a `revoked`, or a `status_checked` with `denied`, in (t1, t1 + H]. Of the partial ones among them:
/// upgraded = a `granted`, `re_enabled` or `status_checked` in (t1, t1 + H] whose status means on."
func afterGrant(_ base: [OracleJourney], _ terms: Terms) -> OracleJSON {
  let eligible = base.of(.granted).filter { $0.tr(terms) + terms.followUp <= terms.asOf }

  func eventsInFollowUp(_ journey: OracleJourney) -> [OracleEvent] {
    let t1 = journey.tr(terms)
    return journey.events.filter { $0.timestamp > t1 && $0.timestamp <= t1 + terms.followUp }
  }
  let revoked = eligible.filter { eventsInFollowUp($0).contains(where: findsOff) }
  let partial = eligible.filter(\.isPartialGrant)
  let upgraded = partial.filter { journey in
    eventsInFollowUp(journey).contains {
      ["granted", "re_enabled", "status_checked"].contains($0.event)
        && isOn(status: $0.status, permission: journey.permission)
    }
  }
  return [
    "eligible": .int(eligible.count), "revoked": .int(revoked.count),
    "revoked_rate": OracleEstimate.json(wilson(revoked.count, of: eligible.count)),
    "partial_eligible": .int(partial.count), "upgraded": .int(upgraded.count),
    "upgraded_rate": OracleEstimate.json(wilson(upgraded.count, of: partial.count)),
  ]
}

/// "A `revoked`, or a `status_checked` with `denied`."
func findsOff(_ event: OracleEvent) -> Bool {
  event.event == "revoked" || event.event == "status_checked" && isDenial(event.status)
}
