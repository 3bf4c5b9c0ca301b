// The experiments of a log as JSON, schema permlog.experiments/1: every key always there, in this order.

import PermissionAnalysis
import PermissionEvents

/// The list of experiments for programs.
package enum ExperimentsJSON {
  static let schema = "permlog.experiments/1"

  /// - Parameter words: for what is left to the program that shows it.
  package static func render(_ list: ExperimentList, words: RemedyWords = { $0.advice }) -> [UInt8] {
    JSONWriter.document(
      [
        "schema": schema, "as_of": list.asOf.map { Timestamp.text($0) }, "time_zone": list.timeZone,
        "response_window_ms": Int(list.responseWindow), "follow_up_days": Double(list.followUp) / 86_400_000,
        "permission": list.permission, "experiments": list.experiments.map { $0.members(saying: words) },
      ] as JSONMembers)
  }
}

extension ExperimentSummary {
  fileprivate func members(saying words: RemedyWords) -> JSONMembers {
    let first = comparison?.pairs.first
    return [
      "permission": permission, "experiment": experiment, "running": isRunning,
      "first_exposure": CivilDate(firstExposure).text, "last_exposure": CivilDate(lastExposure).text,
      "exposed": exposed, "without_message": withoutMessage, "control": control, "messages": messages,
      "not_compared": notCompared?.rawValue, "metric": first?.metric.rawValue, "sample_ratio": first?.ratioMembers,
      "contaminated": first?.contaminatedMembers, "pending": comparison?.pending,
      "comparisons": (comparison?.pairs ?? []).map { $0.summary(saying: words) },
    ]
  }
}

extension ExperimentSummary.Message: JSONObject {
  var members: JSONMembers { ["variant": variant, "exposed": exposed] }
}

extension ComparisonSet {
  /// Journeys of all messages that are still open.
  fileprivate var pending: JSONMembers {
    let exposed = arms.reduce(0) { $0 + $1.exposed }
    let users = arms.reduce(0) { $0 + $1.pending }
    return ["users": users, "share": exposed > 0 ? Double(users) / Double(exposed) : nil]
  }
}

extension Comparison {
  /// Checks of the whole experiment, the same for each pair.
  fileprivate var ratioMembers: JSONMembers? {
    sampleRatio.map { ratio in
      [
        "expected": ratio.expected, "observed": ratio.observed, "p_value": ratio.pValue, "mismatch": ratio.isMismatch,
        "sequential": ratio.sequential,
      ]
    }
  }

  fileprivate var contaminatedMembers: JSONMembers? {
    contamination.map { ["users": $0.users, "share": $0.share, "policy": $0.policy.rawValue] }
  }

  /// What a list says of a pair: the rest is the comparison's.
  fileprivate func summary(saying words: RemedyWords) -> JSONMembers {
    [
      "a": a, "b": b, "difference": difference, "decision": decision.rawValue,
      "decided_on": decidedOn.map { CivilDate($0).text }, "decided_day": decidedDay,
      "reasons": reasonSentences(saying: words),
      "cautions": [RowNames.caution(permission)].compactMap { $0 } + cautionSentences(saying: words),
      "rule_interval": ["at_decision": monitoring.atDecision, "now": monitoring.now] as JSONMembers,
    ]
  }
}
