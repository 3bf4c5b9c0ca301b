// What followed the answers of a row's journeys, as JSON.

import PermissionAnalysis
import PermissionEvents

extension JSONWriter {
  mutating func afterGrant(_ row: ReportRow) {
    object("after_grant") { json in
      json.member("eligible", row.revoked.eligible)
      json.member("revoked", row.revoked.count)
      json.estimate("revoked_rate", row.revoked.rate)
      json.member("partial_eligible", row.upgraded.eligible)
      json.member("upgraded", row.upgraded.count)
      json.estimate("upgraded_rate", row.upgraded.rate)
    }
  }

  mutating func enabledLater(_ row: ReportRow) {
    let names: [StaticString] = ["denied", "skipped", "dropped_off"]
    object("enabled_later") { json in
      for (name, later) in zip(names, row.enabledLater) { json.object(name) { $0.enabledLater(later) } }
    }
  }

  private mutating func enabledLater(_ later: EnabledLater) {
    member("eligible", later.share.eligible)
    member("enabled", later.share.count)
    estimate("rate", later.share.rate)
    array("kaplan_meier") { json in
      for point in later.kaplanMeier {
        json.element { json in
          json.member("day", point.day)
          json.member("at_risk", point.atRisk)
          json.member("value", point.value)
          json.member("low", point.low)
          json.member("high", point.high)
        }
      }
    }
  }

  mutating func settings(_ settings: SettingsEffect) {
    object("settings_prompt") { json in
      json.member("shown", settings.shown)
      json.member("opened", settings.opened)
      json.member("eligible", settings.eligible)
      json.member("enabled", settings.enabled)
      json.side("exposed", settings.exposed)
      json.side("unexposed", settings.unexposed)
      json.estimate("rate_ratio", settings.rateRatio)
    }
  }

  private mutating func side(_ key: StaticString, _ side: SettingsEffect.Side) {
    object(key) { json in
      json.member("person_days", side.personDays)
      json.member("enabled", side.enabled)
      json.member("per_100_person_days", side.per100PersonDays)
    }
  }

  mutating func engagement(_ engagement: Engagement) {
    object("engagement") { json in
      json.member("eligible", engagement.eligible)
      json.users("granted", engagement.granted)
      json.users("not_granted", engagement.notGranted)
      json.estimate("active_days_difference", engagement.activeDaysDifference)
      json.estimate("feature_events_difference", engagement.featureEventsDifference)
      json.estimate("active_days_correlation", engagement.activeDaysCorrelation)
      json.estimate("feature_events_correlation", engagement.featureEventsCorrelation)
    }
  }

  private mutating func users(_ key: StaticString, _ side: Engagement.Side) {
    object(key) { json in
      json.member("n", side.users)
      json.member("mean_active_days", side.meanActiveDays)
      json.member("mean_feature_events", side.meanFeatureEvents)
    }
  }

  mutating func retention(_ retention: Retention) {
    let names: [StaticString] = ["granted", "denied", "skipped", "dropped_off"]
    member("day", retention.day)
    for (name, outcome) in zip(names, retention.outcomes) { share(name, outcome, count: "retained") }
    estimate("difference", retention.difference)
  }
}
