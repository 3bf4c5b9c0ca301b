// The truths of a simulation as JSON, `permlog.truth/1`; docs/simulation.md describes the keys. Where the report has a
// figure with an interval, the truth has a number under the same name: names, nesting and order are those of its tree.

import ExportSimulation
import PermissionAnalysis
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
    let truths = truths(row.figures)
    var taken = 0
    let figures = members(ReportRow.figures.nodes, truths, "", &taken)
    assert(taken == truths.count, "a truth has no figure of its name")
    return .object([("permission", .string(row.permission)), ("week", .optional(row.week))] + figures)
  }

  /// The tree of the report's figures, with those alone that have a truth.
  /// - Parameter taken: counts the truths that have a place in it.
  private static func members(
    _ nodes: [FigureNode<ReportRow>], _ truths: [String: Double?], _ path: String, _ taken: inout Int
  ) -> [(String, JSONValue)] {
    var members: [(String, JSONValue)] = []
    func put(_ name: StaticString, _ nodes: [FigureNode<ReportRow>]) {
      let path = path + "\(name)"
      if let truth = truths[path] {
        members.append(("\(name)", .optional(truth)))
        taken += 1
      } else {
        let inside = Self.members(nodes, truths, path + ".", &taken)
        if !inside.isEmpty { members.append(("\(name)", .object(inside))) }
      }
    }
    for node in nodes {
      switch node {
      case .figure(let figure): put(figure.name, [])
      case .group(let name, let nodes), .optional(let name, _, let nodes): put(name, nodes)
      case .days(let name, let days):
        let list = days.map { day, nodes -> JSONValue in
          .object([("day", .integer(day))] + Self.members(nodes, truths, path + "\(name).day_\(day).", &taken))
        }
        members.append(("\(name)", .array(list)))
      }
    }
    return members
  }

  /// What is true of a row, under the names of the report's figures. A group may have a number instead of its parts.
  private static func truths(_ figures: TrueFigures) -> [String: Double?] {
    var truths: [String: Double?] = [
      "exposed": figures.exposed, "restricted": figures.restricted, "base": figures.base,
      "grant_rate": figures.grantRate, "deny_rate": figures.denyRate, "skip_rate": figures.skipRate,
      "drop_off_rate": figures.dropOffRate, "prompt_grant_rate": figures.promptGrantRate,
      "granted_by_follow_up": figures.grantedByFollowUp, "explained_against_cold.explained": figures.explained,
      "explained_against_cold.cold": figures.cold,
      "explained_against_cold.difference": TrueFigures.difference(figures.explained, figures.cold),
      "after_grant.revoked_rate": figures.revoked, "after_grant.upgraded_rate": figures.upgraded,
      "settings_prompt.opened": figures.settingsOpened, "settings_prompt.enabled": figures.settingsEnabled,
      "engagement.active_days_difference": difference(figures.activeDays),
      "engagement.feature_events_difference": difference(figures.featureEvents),
    ]
    for (name, later) in zip(["denied", "skipped", "dropped_off"], figures.enabledLater) {
      truths["enabled_later.\(name)"] = .some(later)
    }
    for (i, side) in ["granted", "not_granted"].enumerated() {
      truths["engagement.\(side).mean_active_days"] = .some(figures.activeDays[i])
      truths["engagement.\(side).mean_feature_events"] = .some(figures.featureEvents[i])
    }
    for day in figures.retention {
      let path = "retention.day_\(day.day)."
      for (name, share) in zip(["granted", "denied", "skipped", "dropped_off"], day.byOutcome) {
        truths[path + name] = .some(share)
      }
      truths[path + "difference"] = .some(TrueFigures.difference(day.byOutcome[0], day.notGranted))
    }
    return truths
  }

  /// Metrics of `permlog compare`, for both messages, and what B changes.
  private static func experiment(_ experiment: TrueExperiment) -> JSONValue {
    let metrics: [(ComparisonMetric, (TrueFigures) -> Double?)] = [
      (.grantRate, \.grantRate), (.grantedByDay28, \.grantedByFollowUp), (.denyRate, \.denyRate),
      (.skipRate, \.skipRate), (.dropOffRate, \.dropOffRate), (.promptGrantRate, \.promptGrantRate),
      (.retentionDay7, \.retentionDay7),
    ]
    return .object([
      ("experiment", .string(experiment.name)), ("permission", .string(experiment.permission)),
      ("a", .string("A")), ("b", .string("B")),
      (
        "metrics",
        .array(
          metrics.map { metric, value in
            let (a, b) = (value(experiment.a), value(experiment.b))
            let ratio = a.flatMap { a in b.flatMap { a > 0 ? $0 / a : nil } }
            return .object([
              ("metric", .string(metric.rawValue)), ("a", .optional(a)), ("b", .optional(b)),
              ("difference", .optional(TrueFigures.difference(b, a))), ("ratio", .optional(ratio)),
            ])
          })
      ),
    ])
  }

  private static func difference(_ pair: [Double?]) -> Double? {
    TrueFigures.difference(pair.first ?? nil, pair.last ?? nil)
  }
}
