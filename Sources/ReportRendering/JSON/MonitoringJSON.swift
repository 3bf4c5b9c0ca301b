// The rule of decision and its looks as JSON.

import PermissionAnalysis
import PermissionEvents

extension Comparison.Monitoring: JSONObject {
  var members: JSONMembers {
    [
      "rule": rule.name, "planned_n": plannedUsers, "exponent": exponent, "adjusted_by": adjustedBy,
      "users_saved": usersSaved, "looks": looks,
      "no_difference": noDifference, "contradiction": contradiction, "declared": declared,
      "record_differs": recordDiffers,
    ]
  }
}

extension Comparison.Look: JSONObject {
  var members: JSONMembers {
    let bounds: (score: Double?, lower: Int?, upper: Int?) =
      switch boundary {
      case .score(let bound): (bound, nil, nil)
      case .events(let lower, let upper): (nil, lower, upper)
      case .interval: (nil, nil, nil)
      }
    return [
      "day": CivilDate(day).text, "day_number": dayNumber, "a": a.settled, "b": b.settled, "time": time, "z": z,
      "bound": bounds.score, "lower": bounds.lower, "upper": bounds.upper, "difference": estimate,
      "crossed": isCrossed,
    ]
  }
}

extension Comparison.NoDifference: JSONObject {
  var members: JSONMembers {
    ["day": CivilDate(day).text, "day_number": dayNumber, "low": low, "high": high]
  }
}

extension Comparison.Contradiction: JSONObject {
  var members: JSONMembers {
    switch self {
    case .intervalsDisagree(let since, let until): Self.members("intervals_disagree", since: since, until: until)
    case .otherSide(let low, let high): Self.members("other_side", low: low, high: high)
    }
  }

  private static func members(
    _ kind: String, since: DayNumber? = nil, until: DayNumber? = nil, low: Double? = nil, high: Double? = nil
  ) -> JSONMembers {
    [
      "kind": kind, "since": since.map { CivilDate($0).text }, "until": until.map { CivilDate($0).text }, "low": low,
      "high": high,
    ]
  }
}

extension Comparison.DeclaredLooks: JSONObject {
  var members: JSONMembers {
    ["count": count, "planned_n": plannedUsers, "next_at": nextAt, "overrun": isOverrun]
  }
}

extension Comparison.RecordDifference: JSONObject {
  var members: JSONMembers {
    ["recorded": recorded, "from_log": fromLog]
  }
}

extension Comparison.RecordDifference.Verdict: JSONObject {
  var members: JSONMembers { ["day": CivilDate(day).text, "b_higher": isHigher] }
}

extension Comparison.SeriesPoint: JSONObject {
  var members: JSONMembers {
    [
      "day": CivilDate(day).text, "a": a.settled, "b": b.settled, "difference": difference, "low": interval?.low,
      "high": interval?.high, "rule_low": look?.estimate.low, "rule_high": look?.estimate.high,
    ]
  }
}

extension Comparison.Tally {
  /// Users whose outcome is known; when they were exposed does not count here.
  fileprivate var settled: JSONMembers { ["trials": trials, "successes": successes, "rate": rate] }
}
