// The report as JSON, schema permlog.report/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

package struct ReportJSON: ReportRenderer {
  package static let schema = "permlog.report/1"

  private let threads: Int

  /// - Parameter threads: that write rows.
  package init(threads: Int) { self.threads = threads }

  package func render(_ report: Report) -> [UInt8] { Self.value(report, rows: rows(report.rows)).encode() }

  /// The rows as they are written inside the report, made by several threads.
  private func rows(_ rows: [ReportRow]) -> [JSONValue] {
    let results = Mutex([JSONValue](repeating: .null, count: rows.count))
    let tasks = Workers.Tasks(count: rows.count)
    WorkerThreads.run(min(threads, rows.count)) {
      while let task = tasks.claim() {
        let value = Self.row(rows[task]).encoded(indent: 4)
        results.withLock { $0[task] = value }
      }
    }
    return results.withLock { $0 }
  }

  private static func value(_ report: Report, rows: [JSONValue]) -> JSONValue {
    .object([
      ("schema", .string(schema)), ("as_of", .optional(report.asOf.map { Timestamp.text($0) })),
      ("time_zone", .string(report.timeZone)), ("response_window_ms", .integer(Int(report.responseWindow))),
      ("follow_up_days", days(report.followUp)), ("settings_window_days", days(report.settingsWindow)),
      ("events", .integer(report.events)), ("users", .integer(report.users)),
      ("unexposed", .integer(report.unexposed)), ("rows", .array(rows)),
      ("reach", .array(report.reach.map(reach))), ("activity", .array(report.activity.map(activity))),
    ])
  }

  private static func days(_ duration: Milliseconds) -> JSONValue {
    .number(Double(duration) / Double(millisecondsPerDay))
  }

  static func estimate(_ estimate: Estimate?) -> JSONValue {
    guard let estimate, estimate.value.isFinite else { return .null }
    return .object([
      ("value", .number(estimate.value)), ("low", .optional(estimate.low)), ("high", .optional(estimate.high)),
    ])
  }

  private static func row(_ row: ReportRow) -> JSONValue {
    .object(
      [
        ("permission", .string(row.permission)), ("week", .optional(row.week?.text)),
        ("complete", row.isComplete.map { .bool($0) } ?? .null),
        (
          "by",
          row.by.map { .object([("property", .string($0.property.name)), ("value", .optional($0.value))]) } ?? .null
        ),
      ] + counts(row) + steps(row) + times(row) + afterwards(row)
        + [("retention", .array(row.retention.map(retention))), ("trend", row.trend.map(trend) ?? .null)])
  }

  private static func counts(_ row: ReportRow) -> [(String, JSONValue)] {
    [
      ("exposed", .integer(row.exposed)), ("pending", .integer(row.pending)),
      ("restricted", .integer(row.restricted)), ("base", .integer(row.base)), ("granted", .integer(row.granted)),
      ("partial", .integer(row.partial)), ("denied", .integer(row.denied)), ("skipped", .integer(row.skipped)),
      ("dropped_off", .integer(row.droppedOff)), ("grant_rate", estimate(row.grantRate)),
      ("deny_rate", estimate(row.denyRate)), ("skip_rate", estimate(row.skipRate)),
      ("drop_off_rate", estimate(row.dropOffRate)), ("prompt_grant_rate", estimate(row.promptGrantRate)),
      (
        "granted_by_follow_up",
        share(row.grantedByFollowUp, count: "granted")
      ),
    ]
  }

  private static func steps(_ row: ReportRow) -> [(String, JSONValue)] {
    let explanation = row.explanationStep
    let prompt = row.promptStep
    func side(_ side: (base: Int, granted: Int)) -> JSONValue {
      .object([("base", .integer(side.base)), ("granted", .integer(side.granted))])
    }
    return [
      (
        "steps",
        .object([
          (
            "explanation",
            .object([
              ("shown", .integer(explanation.shown)), ("continued", .integer(explanation.continued)),
              ("skipped", .integer(explanation.skipped)), ("answered", .integer(explanation.answered)),
              ("dropped", .integer(explanation.dropped)),
            ])
          ),
          (
            "prompt",
            .object([
              ("shown", .integer(prompt.shown)), ("granted", .integer(prompt.granted)),
              ("denied", .integer(prompt.denied)), ("skipped", .integer(prompt.skipped)),
              ("dropped", .integer(prompt.dropped)),
            ])
          ),
        ])
      ),
      (
        "explained_against_cold",
        .object([
          ("explained", side(row.explained)), ("cold", side(row.cold)),
          ("difference", estimate(row.explainedAgainstCold)),
        ])
      ),
    ]
  }

  private static func times(_ row: ReportRow) -> [(String, JSONValue)] {
    [
      ("time_to_answer_ms", summary(row.timeToAnswer)), ("explanation_time_ms", summary(row.explanationTime)),
      ("prompt_time_ms", summary(row.promptTime)),
      (
        "time_by_outcome_ms",
        .object(zip(["granted", "denied", "skipped"], row.timeByOutcome).map { ($0, summary($1)) })
      ),
    ]
  }

  private static func summary(_ times: TimeSummary) -> JSONValue {
    .object([
      ("count", .integer(times.count)), ("mean", .optional(times.mean)), ("p50", .optional(times.p50)),
      ("p90", .optional(times.p90)), ("p99", .optional(times.p99)),
    ])
  }

  private static func share(_ share: Share, count: String) -> JSONValue {
    .object([
      ("eligible", .integer(share.eligible)), (count, .integer(share.count)), ("rate", estimate(share.rate)),
    ])
  }

  private static func afterwards(_ row: ReportRow) -> [(String, JSONValue)] {
    let settings = row.settings
    let engagement = row.engagement
    func side(_ side: SettingsEffect.Side) -> JSONValue {
      .object([
        ("person_days", .number(side.personDays)), ("enabled", .integer(side.enabled)),
        ("per_100_person_days", .optional(side.per100PersonDays)),
      ])
    }
    func users(_ side: Engagement.Side) -> JSONValue {
      .object([
        ("n", .integer(side.users)), ("mean_active_days", .optional(side.meanActiveDays)),
        ("mean_feature_events", .optional(side.meanFeatureEvents)),
      ])
    }
    return [
      (
        "after_grant",
        .object([
          ("eligible", .integer(row.revoked.eligible)), ("revoked", .integer(row.revoked.count)),
          ("revoked_rate", estimate(row.revoked.rate)), ("partial_eligible", .integer(row.upgraded.eligible)),
          ("upgraded", .integer(row.upgraded.count)), ("upgraded_rate", estimate(row.upgraded.rate)),
        ])
      ),
      (
        "enabled_later",
        .object(zip(["denied", "skipped", "dropped_off"], row.enabledLater).map { ($0, enabledLater($1)) })
      ),
      (
        "settings_prompt",
        .object([
          ("shown", .integer(settings.shown)), ("opened", .integer(settings.opened)),
          ("eligible", .integer(settings.eligible)), ("enabled", .integer(settings.enabled)),
          ("exposed", side(settings.exposed)), ("unexposed", side(settings.unexposed)),
          ("rate_ratio", estimate(settings.rateRatio)),
        ])
      ),
      (
        "engagement",
        .object([
          ("eligible", .integer(engagement.eligible)), ("granted", users(engagement.granted)),
          ("not_granted", users(engagement.notGranted)),
          ("active_days_difference", estimate(engagement.activeDaysDifference)),
          ("feature_events_difference", estimate(engagement.featureEventsDifference)),
          ("active_days_correlation", estimate(engagement.activeDaysCorrelation)),
          ("feature_events_correlation", estimate(engagement.featureEventsCorrelation)),
        ])
      ),
    ]
  }

  private static func enabledLater(_ later: EnabledLater) -> JSONValue {
    .object([
      ("eligible", .integer(later.share.eligible)), ("enabled", .integer(later.share.count)),
      ("rate", estimate(later.share.rate)),
      (
        "kaplan_meier",
        .array(
          later.kaplanMeier.map { point in
            .object([
              ("day", .integer(point.day)), ("at_risk", .integer(point.atRisk)), ("value", .optional(point.value)),
              ("low", .optional(point.low)), ("high", .optional(point.high)),
            ])
          })
      ),
    ])
  }

  private static func retention(_ retention: Retention) -> JSONValue {
    let names = ["granted", "denied", "skipped", "dropped_off"]
    return .object(
      [("day", .integer(retention.day))]
        + zip(names, retention.outcomes).map { ($0, share($1, count: "retained")) }
        + [("difference", estimate(retention.difference))])
  }

  private static func trend(_ trend: Trend) -> JSONValue {
    .object([
      ("previous_week", .string(trend.previousWeek.text)), ("change", estimate(trend.change)),
      ("p_value", .optional(trend.pValue)), ("p_adjusted", .optional(trend.adjustedPValue)),
    ])
  }

  private static func reach(_ row: ReachRow) -> JSONValue {
    .object([
      ("permission", .string(row.permission)), ("active_users", .integer(row.activeUsers)),
      ("never_asked", .integer(row.neverAsked)), ("on", .integer(row.on)), ("partial", .integer(row.partial)),
      ("off", .integer(row.off)), ("restricted", .integer(row.restricted)), ("undecided", .integer(row.undecided)),
    ])
  }

  private static func activity(_ row: ActivityRow) -> JSONValue {
    .object([
      ("permission", .optional(row.permission)), ("week", .string(row.week.text)),
      ("counts", .object(zip(EventKind.names, row.counts).map { ($0, .integer($1)) })),
    ])
  }
}
