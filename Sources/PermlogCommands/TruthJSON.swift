// The truths of a simulation as JSON, `permlog.truth/1`; docs/simulation.md describes the keys. Where the report has a
// figure with an interval, the truth has a number under the same name.

import ExportSimulation
import PermissionEvents
import ReportRendering

enum TruthJSON {
  static func render(_ truth: SimulationTruth) -> [UInt8] {
    let options = truth.options
    return JSONValue.object([
      ("schema", .string("permlog.truth/1")),
      ("users", .integer(options.users)), ("seed", .string(String(options.seed))), ("weeks", .integer(options.weeks)),
      ("start", .string(CivilDate(options.firstDay).text)), ("as_of", .string(Timestamp.text(truth.asOf))),
      ("time_zone", .string("UTC")), ("response_window_ms", .integer(1_800_000)), ("follow_up_days", .integer(28)),
      ("settings_window_days", .integer(7)),
      ("rows", .array(truth.rows.map(row))),
      ("experiments", .array(truth.experiments.map(experiment))),
    ]).encode()
  }

  private static func row(_ row: TrueRow) -> JSONValue {
    .object([("permission", .string(row.permission)), ("week", .optional(row.week))] + figures(row.figures))
  }

  private static func figures(_ figures: TrueFigures) -> [(String, JSONValue)] {
    let rates: [(String, Double?)] = [
      ("exposed", figures.exposed), ("restricted", figures.restricted), ("base", figures.base),
      ("grant_rate", figures.grantRate), ("deny_rate", figures.denyRate), ("skip_rate", figures.skipRate),
      ("drop_off_rate", figures.dropOffRate), ("prompt_grant_rate", figures.promptGrantRate),
      ("granted_by_follow_up", figures.grantedByFollowUp),
    ]
    let groups = ["granted", "not_granted"]
    return rates.map { ($0.0, .optional($0.1)) } + [
      (
        "explained_against_cold",
        numbers([
          ("explained", figures.explained), ("cold", figures.cold),
          ("difference", TrueFigures.difference(figures.explained, figures.cold)),
        ])
      ),
      ("after_grant", numbers([("revoked_rate", figures.revoked), ("upgraded_rate", figures.upgraded)])),
      ("enabled_later", numbers(Array(zip(["denied", "skipped", "dropped_off"], figures.enabledLater)))),
      ("settings_prompt", numbers([("opened", figures.settingsOpened), ("enabled", figures.settingsEnabled)])),
      (
        "engagement",
        .object(
          groups.indices.map { group in
            (
              groups[group],
              numbers([
                ("mean_active_days", figures.activeDays[group]), ("mean_feature_events", figures.featureEvents[group]),
              ])
            )
          } + [
            ("active_days_difference", difference(figures.activeDays)),
            ("feature_events_difference", difference(figures.featureEvents)),
          ])
      ),
      ("retention", .array(figures.retention.map(retention))),
    ]
  }

  private static func retention(_ retention: TrueFigures.Retention) -> JSONValue {
    let outcomes = ["granted", "denied", "skipped", "dropped_off"]
    return .object(
      [("day", .integer(retention.day))]
        + zip(outcomes, retention.byOutcome).map { ($0, .optional($1)) }
        + [("difference", .optional(TrueFigures.difference(retention.byOutcome[0], retention.notGranted)))])
  }

  /// Metrics of `permlog compare`, for both messages, and what B changes.
  private static func experiment(_ experiment: TrueExperiment) -> JSONValue {
    let metrics: [(String, (TrueFigures) -> Double?)] = [
      ("grant_rate", \.grantRate), ("granted_by_day_28", \.grantedByFollowUp), ("deny_rate", \.denyRate),
      ("skip_rate", \.skipRate), ("drop_off_rate", \.dropOffRate), ("prompt_grant_rate", \.promptGrantRate),
      ("retention_day_7", \.retentionDay7),
    ]
    return .object([
      ("experiment", .string(experiment.name)), ("permission", .string(experiment.permission)),
      ("a", .string("A")), ("b", .string("B")),
      (
        "metrics",
        .array(
          metrics.map { name, value in
            let (a, b) = (value(experiment.a), value(experiment.b))
            let ratio = a.flatMap { a in b.flatMap { a > 0 ? $0 / a : nil } }
            return .object([
              ("metric", .string(name)), ("a", .optional(a)), ("b", .optional(b)),
              ("difference", .optional(TrueFigures.difference(b, a))), ("ratio", .optional(ratio)),
            ])
          })
      ),
    ])
  }

  private static func numbers(_ values: [(String, Double?)]) -> JSONValue {
    .object(values.map { ($0.0, .optional($0.1)) })
  }

  private static func difference(_ pair: [Double?]) -> JSONValue {
    .optional(TrueFigures.difference(pair.first ?? nil, pair.last ?? nil))
  }
}
