// A row of the report as JSON. A report has hundreds of rows with hundreds of numbers each, so they are written straight
// into bytes.

import PermissionAnalysis
import PermissionEvents

extension JSONWriter {
  /// Every key always there, in this order.
  mutating func members(of row: ReportRow) {
    member("permission", row.permission)
    member("week", row.week?.text)
    member("complete", row.isComplete)
    if let by = row.by {
      object("by") { json in
        json.member("property", by.property.name)
        json.member("value", by.value)
      }
    } else {
      null("by")
    }
    counts(row)
    steps(row)
    times(row)
    afterGrant(row)
    enabledLater(row)
    settings(row.settings)
    engagement(row.engagement)
    array("retention") { json in
      for retention in row.retention { json.element { $0.retention(retention) } }
    }
    guard let trend = row.trend else { return null("trend") }
    object("trend") { json in
      json.member("previous_week", trend.previousWeek.text)
      json.estimate("change", trend.change)
      json.member("p_value", trend.pValue)
      json.member("p_adjusted", trend.adjustedPValue)
    }
  }

  mutating func estimate(_ key: StaticString, _ estimate: Estimate?) {
    guard let estimate, estimate.value.isFinite else { return null(key) }
    object(key) { json in
      json.member("value", estimate.value)
      json.member("low", estimate.low)
      json.member("high", estimate.high)
    }
  }

  mutating func share(_ key: StaticString, _ share: Share, count: StaticString) {
    object(key) { json in
      json.member("eligible", share.eligible)
      json.member(count, share.count)
      json.estimate("rate", share.rate)
    }
  }

  private mutating func counts(_ row: ReportRow) {
    member("exposed", row.exposed)
    member("pending", row.pending)
    member("restricted", row.restricted)
    member("base", row.base)
    member("granted", row.granted)
    member("partial", row.partial)
    member("denied", row.denied)
    member("skipped", row.skipped)
    member("dropped_off", row.droppedOff)
    estimate("grant_rate", row.grantRate)
    estimate("deny_rate", row.denyRate)
    estimate("skip_rate", row.skipRate)
    estimate("drop_off_rate", row.dropOffRate)
    estimate("prompt_grant_rate", row.promptGrantRate)
    share("granted_by_follow_up", row.grantedByFollowUp, count: "granted")
  }

  private mutating func steps(_ row: ReportRow) {
    object("steps") { json in
      json.object("explanation") { json in
        let step = row.explanationStep
        json.member("shown", step.shown)
        json.member("continued", step.continued)
        json.member("skipped", step.skipped)
        json.member("answered", step.answered)
        json.member("dropped", step.dropped)
      }
      json.object("prompt") { json in
        let step = row.promptStep
        json.member("shown", step.shown)
        json.member("granted", step.granted)
        json.member("denied", step.denied)
        json.member("skipped", step.skipped)
        json.member("dropped", step.dropped)
      }
    }
    object("explained_against_cold") { json in
      json.side("explained", row.explained)
      json.side("cold", row.cold)
      json.estimate("difference", row.explainedAgainstCold)
    }
  }

  private mutating func side(_ key: StaticString, _ side: (base: Int, granted: Int)) {
    object(key) { json in
      json.member("base", side.base)
      json.member("granted", side.granted)
    }
  }

  private mutating func times(_ row: ReportRow) {
    summary("time_to_answer_ms", row.timeToAnswer)
    summary("explanation_time_ms", row.explanationTime)
    summary("prompt_time_ms", row.promptTime)
    let names: [StaticString] = ["granted", "denied", "skipped"]
    object("time_by_outcome_ms") { json in
      for (name, times) in zip(names, row.timeByOutcome) { json.summary(name, times) }
    }
  }

  private mutating func summary(_ key: StaticString, _ times: TimeSummary) {
    object(key) { json in
      json.member("count", times.count)
      json.member("mean", times.mean)
      json.member("p50", times.p50)
      json.member("p90", times.p90)
      json.member("p99", times.p99)
    }
  }
}
