// The truths of a simulation as JSON, `permlog.truth/1`; docs/simulation.md describes the keys. For a figure of the report
// with an interval the truth has a number under the same name: names, nesting and order are those of its tree.

import ExportSimulation
import PermissionAnalysis
import PermissionEvents
import ReportRendering

enum TruthJSON {
  static func render(_ truth: SimulationTruth) -> [UInt8] {
    let options = truth.options
    return JSONWriter.document(
      [
        "schema": "permlog.truth/1", "users": options.users, "seed": String(options.seed), "weeks": options.weeks,
        "start": CivilDate(options.firstDay).text, "as_of": Timestamp.text(truth.asOf), "time_zone": "UTC",
        "response_window_ms": 1_800_000, "follow_up_days": 28, "settings_window_days": 7,
        "decided_before": options.decidedBefore,
        "not_asked": truth.notAsked.map { ["permission": $0.permission, "users": $0.users] as JSONMembers },
        "rows": truth.rows.map { Row(row: $0) }, "experiments": truth.experiments.map(experiment),
      ] as JSONMembers)
  }

  /// The tree of the report's figures, with those alone that have a truth.
  private struct Row: JSONWritable {
    var row: TrueRow

    func write(to json: inout JSONWriter) {
      let truths = truths(row.figures)
      var taken = 0
      json.object { json in
        json.member("permission", row.permission)
        json.member("week", row.week)
        members(ReportRow.figures.nodes, truths, "", &json, &taken)
      }
      assert(taken == truths.count, "a truth has no figure of its name")
    }

    /// - Parameter taken: counts the truths that have a place in the tree.
    private func members(
      _ nodes: [FigureNode<ReportRow>], _ truths: [String: Double?], _ path: String, _ json: inout JSONWriter,
      _ taken: inout Int
    ) {
      func put(_ name: StaticString, _ nodes: [FigureNode<ReportRow>], _ json: inout JSONWriter) {
        let path = path + "\(name)"
        if let truth = truths[path] {
          json.member(name, truth)
          taken += 1
        } else if truths.keys.contains(where: { $0.hasPrefix(path + ".") }) {
          json.object(name) { members(nodes, truths, path + ".", &$0, &taken) }
        }
      }
      for node in nodes {
        switch node {
        case .figure(let figure): put(figure.name, [], &json)
        case .group(let name, let nodes), .optional(let name, _, let nodes), .knowable(let name, _, let nodes):
          put(name, nodes, &json)
        case .days(let name, let days):
          json.array(name) { json in
            for (day, nodes) in days {
              json.element { json in
                json.member("day", day)
                members(nodes, truths, path + "\(name).day_\(day).", &json, &taken)
              }
            }
          }
        case .classes(let name, let classes):
          json.array(name) { json in
            for (name, nodes) in classes {
              json.element { json in
                json.member("class", "\(name)")
                members(nodes, truths, path + "\(name).", &json, &taken)
              }
            }
          }
        // A row of a report has none of these.
        case .part, .inJSON, .inTables: break
        }
      }
    }
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
  private static func experiment(_ experiment: TrueExperiment) -> JSONMembers {
    let metrics: [(ComparisonMetric, (TrueFigures) -> Double?)] = [
      (.grantRate, \.grantRate), (.grantedByDay28, \.grantedByFollowUp), (.denyRate, \.denyRate),
      (.skipRate, \.skipRate), (.dropOffRate, \.dropOffRate), (.promptGrantRate, \.promptGrantRate),
      (.retentionDay7, \.retentionDay7),
    ]
    return [
      "experiment": experiment.name, "permission": experiment.permission, "a": "A", "b": "B",
      "not_asked": ["a": experiment.notAsked, "b": experiment.notAsked] as JSONMembers,
      "metrics": metrics.map { metric, value -> JSONMembers in
        let (a, b) = (value(experiment.a), value(experiment.b))
        let ratio = a.flatMap { a in b.flatMap { a > 0 ? $0 / a : nil } }
        return [
          "metric": metric.rawValue, "a": a, "b": b, "difference": TrueFigures.difference(b, a), "ratio": ratio,
        ]
      },
    ]
  }

  private static func difference(_ pair: [Double?]) -> Double? {
    TrueFigures.difference(pair.first ?? nil, pair.last ?? nil)
  }
}
