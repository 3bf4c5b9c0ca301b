// The comparison as JSON, schema permlog.compare/3: every key always there, in this order. Of several messages the first
// pair is the object itself, and the others are in `others`.

import PermissionAnalysis
import PermissionEvents

/// The comparison for programs.
package enum ComparisonJSON {
  static let schema = "permlog.compare/3"

  /// - Parameters:
  ///   - isExplained: with the method, formula and source of each figure.
  ///   - words: for what is left to the program that shows it.
  package static func render(
    _ set: ComparisonSet, isExplained: Bool = false, words: RemedyWords = { $0.advice }
  ) -> [UInt8] {
    guard let first = set.pairs.first else { return JSONWriter.document(Int?.none) }
    var json = JSONWriter()
    json.object { json in
      json.member("schema", schema)
      json.members(first.members(saying: words, set.plan))
      json.member("overall", set.pairs.count > 1 ? OverallVerdict(set) : nil)
      // The best is chosen among messages; a value of a property is not.
      json.member("probability_best", first.isOfMessages ? set.probabilityBest : nil)
      json.member("error_bound", ComparisonWords.errorBound(set))
      json.member("others", set.pairs.dropFirst().map { $0.members(saying: words, set.plan) })
      json.member("explain", isExplained ? ComparisonExplanation.numbers(set, words) : nil)
    }
    json.endLine()
    return json.take()
  }
}

extension OverallVerdict: JSONObject {
  var members: JSONMembers { ["winners": winners, "sentence": sentence] }
}

extension Comparison: JSONObject {
  /// - Parameter plan: of all pairs.
  func members(saying words: RemedyWords, _ plan: SavedPlan?) -> JSONMembers {
    [
      "permission": permission, "experiment": experiment, "property": comparedProperty.name,
      "where": conditions.map(\.description),
      "metric": metric.rawValue, "a": a, "b": b, "difference": difference, "ratio": ratio, "p_value": test?.pValue,
      "test": test?.method.rawValue,
      "always_valid": alwaysValidMembers, "always_valid_refused": alwaysValidRefused?.sentence(armNoun),
      "bayes": bayes.map { $0.members(hasLoss: isOfMessages) },
      "sample_ratio": sampleRatio, "contaminated": contamination, "needed": needed, "secondary": secondary,
      "decision": decision.rawValue, "decided_on": decidedOn.map { CivilDate($0).text }, "decided_day": decidedDay,
      "reasons": reasonSentences(saying: words), "rule": monitoring.rule.name, "rule_interval": ruleIntervalMembers,
      "rule_p_value": monitoring.pValue, "plan": plan, "as_of": Timestamp.text(windows.asOf),
      "time_zone": timeZone, "at_once_ms": Int(windows.atOnce),
      "cautions": [RowNames.caution(permission)].compactMap { $0 } + cautionSentences(saying: words),
      "confidence": confidence, "log10_p_value": test?.log10PValue, "p_adjusted": adjustedPValue,
      "exact_sequence": exactSequence.map { ["low": $0.low, "high": $0.high] as JSONMembers },
      "monitoring": monitoring, "guardrails": guardrails, "strata": strata, "novelty": noveltyMembers,
      "observations": observations, "segments": segments, "series": series,
    ]
  }

  var members: JSONMembers { members(saying: { $0.advice }, nil) }

  private var alwaysValidMembers: JSONMembers? {
    alwaysValid.map { sequence in
      [
        "p_value": sequence.pValue, "low": sequence.low, "high": sequence.high, "planned_n": plannedUsers,
        "log10_p_value": sequence.log10PValue,
      ]
    }
  }

  private var ruleIntervalMembers: JSONMembers { ["at_decision": monitoring.atDecision, "now": monitoring.now] }

  /// Fading is claimed only after a decision.
  private var noveltyMembers: JSONMembers {
    [
      "days": novelty.days, "slope_per_day": novelty.slope, "p_value": novelty.pValue,
      "first_half": novelty.firstHalf, "second_half": novelty.secondHalf,
      "fading": novelty.isFading && monitoring.crossing != nil, "refused": novelty.refused?.sentence(armNoun),
    ]
  }
}

extension Comparison.Arm: JSONObject {
  var members: JSONMembers {
    [
      "variant": variant, "exposed": counts.exposed, "pending": counts.pending, "restricted": counts.restricted,
      "base": counts.base, "granted": counts[.granted], "denied": counts[.denied], "skipped": counts[.skipped],
      "dropped_off": isDropOffKnown ? counts[.droppedOff] : nil, "not_asked": notAsked, "successes": successes,
      "trials": trials, "rate": rate,
    ]
  }
}

extension Comparison.Bayes {
  /// - Parameter hasLoss: false if nobody chooses between the two: a loss is of a choice.
  fileprivate func members(hasLoss: Bool) -> JSONMembers {
    [
      "p_b_beats_a": probabilityBGreater, "expected_loss_a": hasLoss ? expectedLossA : nil,
      "expected_loss_b": hasLoss ? expectedLossB : nil,
      "difference": difference,
    ]
  }
}

extension Comparison.SampleRatio: JSONObject {
  var members: JSONMembers {
    [
      "expected": expected, "observed": observed, "p_value": pValue, "mismatch": isMismatch,
      "p_value_after_policy": countedPValue, "days": days, "sequential": sequential,
    ]
  }
}

extension Comparison.SequentialRatio: JSONObject {
  var members: JSONMembers {
    [
      "e_value": eValue, "log_e_value": logE, "p_value": pValue, "alarm": firstAlarm != nil,
      "first_alarm_day": firstAlarm.map { CivilDate($0).text },
    ]
  }
}

extension Comparison.DayRatio: JSONObject {
  var members: JSONMembers {
    ["day": CivilDate(day).text, "observed": observed, "p_value": pValue, "p_adjusted": adjustedPValue]
  }
}

extension Comparison.Contamination: JSONObject {
  var members: JSONMembers {
    [
      "users": users, "share": share, "policy": policy.rawValue, "difference_excluding": differenceExcluding,
      "difference_first": differenceFirst, "users_by_first": usersByFirst, "exposed_by_first": exposedByFirst,
      "asymmetry_p_value": asymmetryPValue,
    ]
  }
}

extension Comparison.Needed: JSONObject {
  var members: JSONMembers {
    [
      "minimum_effect": minimumEffect, "per_variant": perVariant, "days": days,
      "per_variant_always_valid": perVariantAlwaysValid, "days_always_valid": daysAlwaysValid, "power": power,
      "detectable_up": detectableUp, "detectable_down": detectableDown, "outlook": outlook, "progress": progress,
    ]
  }
}

extension Comparison.Needed.Progress: JSONObject {
  var members: JSONMembers {
    ["users": users, "planned": planned, "until": until.map { CivilDate($0).text }]
  }
}

extension Comparison.Needed.Outlook: JSONObject {
  var members: JSONMembers {
    [
      "users_per_day": usersPerDay, "days": days, "detectable": detectable, "effect": effect,
      "days_for_effect": daysForEffect,
    ]
  }
}

extension Comparison.Secondary: JSONObject {
  var members: JSONMembers {
    [
      "metric": measure.name, "a": a, "b": b, "difference": difference, "p_value": pValue,
      "p_adjusted": adjustedPValue, "descriptive": isDescriptive, "log10_p_value": log10PValue, "test": test,
      "p_b_greater": probabilityBGreater, "a_n": usersA, "b_n": usersB, "reason": noEvidence?.sentence,
    ]
  }
}

extension Comparison.Guardrail: JSONObject {
  var members: JSONMembers {
    [
      "metric": metric.rawValue, "margin": margin, "state": state.rawValue, "a": noEvidence == nil ? a : nil,
      "b": noEvidence == nil ? b : nil, "difference": difference, "p_value": pValue, "low": low, "high": high,
      "method": method?.rawValue, "reason": noEvidence?.sentence,
    ]
  }
}

extension Comparison.Tally: JSONObject {
  var members: JSONMembers { ["exposed": exposed, "trials": trials, "successes": successes, "rate": rate] }
}

extension Comparison.PropertyCheck: JSONObject {
  var members: JSONMembers {
    let ratio: JSONMembers? =
      hasSampleRatio
      ? ["p_adjusted": sampleRatioPValue, "value": sampleRatioValue ?? nil, "mismatch": isRatioMismatched] : nil
    return [
      "property": property, "strata": allStrata, "strata_used": usedStrata, "post_stratified": postStratified,
      "mantel_haenszel": mantelHaenszel, "cmh_p_value": associationPValue, "heterogeneity": heterogeneity,
      "reversed": isReversed, "flagged": isFlagged, "sample_ratio": ratio,
    ]
  }
}

extension Comparison.Heterogeneity: JSONObject {
  var members: JSONMembers {
    [
      "q": q, "degrees_of_freedom": degreesOfFreedom, "p_value": pValue, "p_adjusted": adjustedPValue,
      "differ": areDifferent,
    ]
  }
}

extension Comparison.Segments: JSONObject {
  var members: JSONMembers { ["property": property, "heterogeneity": heterogeneity, "segments": segments] }
}

extension Comparison.Segments.Segment: JSONObject {
  var members: JSONMembers {
    [
      "value": value, "a": a, "b": b, "difference": difference, "p_value": pValue, "p_adjusted": adjustedPValue,
      "sample_ratio_p_value": sampleRatioPValue,
    ]
  }
}

extension ComparisonExplanation.ExplainedNumber: JSONObject {
  var members: JSONMembers {
    ["figure": figure, "value": value, "method": method, "formula": formula, "source": source, "limits": limits]
  }
}
