// Every figure of a report as a flat list: what comes after the first answer.

import PermissionAnalysis

extension ReportFigures {
  static func afterGrant(_ row: ReportRow) -> [Figure] {
    [
      Figure("after_grant.eligible", row.revoked.eligible),
      Figure("after_grant.revoked", row.revoked.count, n: row.revoked.eligible),
      Figure("after_grant.revoked_rate", row.revoked.rate, n: row.revoked.eligible),
      Figure("after_grant.partial_eligible", row.upgraded.eligible),
      Figure("after_grant.upgraded", row.upgraded.count, n: row.upgraded.eligible),
      Figure("after_grant.upgraded_rate", row.upgraded.rate, n: row.upgraded.eligible),
    ]
  }

  static func enabledLater(_ row: ReportRow) -> [Figure] {
    zip(["denied", "skipped", "dropped_off"], row.enabledLater).flatMap { name, later -> [Figure] in
      let path = "enabled_later." + name
      return Figure.share(path, later.share, count: "enabled")
        + later.kaplanMeier.map { point in
          var figure = Figure(path + ".kaplan_meier.day_\(point.day)", point.value, n: point.atRisk)
          (figure.low, figure.high) = (point.low, point.high)
          return figure
        }
    }
  }

  static func settings(_ row: ReportRow) -> [Figure] {
    let settings = row.settings
    func side(_ name: String, _ side: SettingsEffect.Side) -> [Figure] {
      let path = "settings_prompt." + name
      return [
        Figure(path + ".person_days", side.personDays), Figure(path + ".enabled", side.enabled),
        Figure(path + ".per_100_person_days", side.per100PersonDays),
      ]
    }
    return [
      Figure("settings_prompt.shown", settings.shown, n: row.denied),
      Figure("settings_prompt.opened", settings.opened, n: settings.shown),
      Figure("settings_prompt.eligible", settings.eligible, n: settings.shown),
      Figure("settings_prompt.enabled", settings.enabled, n: settings.eligible),
    ] + side("exposed", settings.exposed) + side("unexposed", settings.unexposed) + [
      Figure("settings_prompt.rate_ratio", settings.rateRatio, n: row.denied)
    ]
  }

  static func engagement(_ row: ReportRow) -> [Figure] {
    let engagement = row.engagement
    func side(_ name: String, _ side: Engagement.Side) -> [Figure] {
      let path = "engagement." + name
      return [
        Figure(path + ".n", side.users), Figure(path + ".mean_active_days", side.meanActiveDays, n: side.users),
        Figure(path + ".mean_feature_events", side.meanFeatureEvents, n: side.users),
      ]
    }
    func estimate(_ name: String, _ estimate: Estimate?) -> Figure {
      Figure("engagement." + name, estimate, n: engagement.eligible)
    }
    return [Figure("engagement.eligible", engagement.eligible)] + side("granted", engagement.granted)
      + side("not_granted", engagement.notGranted) + [
        estimate("active_days_difference", engagement.activeDaysDifference),
        estimate("feature_events_difference", engagement.featureEventsDifference),
        estimate("active_days_correlation", engagement.activeDaysCorrelation),
        estimate("feature_events_correlation", engagement.featureEventsCorrelation),
      ]
  }

  static func retention(_ retention: Retention) -> [Figure] {
    let path = "retention.day_\(retention.day)"
    let outcomes = zip(["granted", "denied", "skipped", "dropped_off"], retention.outcomes)
    return outcomes.flatMap { Figure.share(path + "." + $0, $1, count: "retained") } + [
      Figure(path + ".difference", retention.difference, n: retention.outcomes.reduce(0) { $0 + $1.eligible })
    ]
  }

  /// Nothing where there is no trend.
  static func trend(_ row: ReportRow) -> [Figure] {
    guard let trend = row.trend else { return [] }
    return [
      Figure("trend.change", trend.change, n: row.base), Figure("trend.p_value", trend.pValue, n: row.base),
      Figure("trend.p_adjusted", trend.adjustedPValue, n: row.base),
    ]
  }
}
