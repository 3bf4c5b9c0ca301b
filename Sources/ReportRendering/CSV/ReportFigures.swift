// Every figure of a report as a flat list, in the order of the JSON: what was asked, and the rates of the first asking.

import PermissionAnalysis
import PermissionEvents

enum ReportFigures {
  static func all(of report: Report) -> [Figure] {
    [
      Figure("as_of_ms", report.asOf.map(Double.init)),
      Figure("response_window_ms", Double(report.responseWindow)),
      Figure("follow_up_days", Double(report.followUp) / Double(millisecondsPerDay)),
      Figure("settings_window_days", Double(report.settingsWindow) / Double(millisecondsPerDay)),
      Figure("events", report.events), Figure("users", report.users), Figure("unexposed", report.unexposed),
    ]
  }

  static func all(of row: ReportRow) -> [Figure] {
    counts(row) + rates(row) + steps(row) + times(row) + afterGrant(row) + enabledLater(row) + settings(row)
      + engagement(row) + row.retention.flatMap { retention($0) } + trend(row)
  }

  static func all(of row: ReachRow) -> [Figure] {
    [
      ("never_asked", row.neverAsked), ("on", row.on), ("partial", row.partial), ("off", row.off),
      ("restricted", row.restricted), ("undecided", row.undecided),
    ].reduce(into: [Figure("reach.active_users", row.activeUsers)]) {
      $0.append(Figure("reach." + $1.0, $1.1, n: row.activeUsers))
    }
  }

  static func all(of row: ActivityRow, kinds: ArraySlice<String>) -> [Figure] {
    zip(kinds, row.counts).map { Figure("activity." + $0, $1) }
  }

  private static func counts(_ row: ReportRow) -> [Figure] {
    [
      Figure("exposed", row.exposed), Figure("pending", row.pending, n: row.exposed),
      Figure("restricted", row.restricted, n: row.exposed), Figure("base", row.base, n: row.exposed),
      Figure("granted", row.granted, n: row.base), Figure("partial", row.partial, n: row.granted),
      Figure("denied", row.denied, n: row.base), Figure("skipped", row.skipped, n: row.base),
      Figure("dropped_off", row.droppedOff, n: row.base),
    ]
  }

  private static func rates(_ row: ReportRow) -> [Figure] {
    [
      Figure("grant_rate", row.grantRate, n: row.base), Figure("deny_rate", row.denyRate, n: row.base),
      Figure("skip_rate", row.skipRate, n: row.base), Figure("drop_off_rate", row.dropOffRate, n: row.base),
      Figure("prompt_grant_rate", row.promptGrantRate, n: row.granted + row.denied),
    ] + Figure.share("granted_by_follow_up", row.grantedByFollowUp, count: "granted")
  }

  private static func steps(_ row: ReportRow) -> [Figure] {
    let (explanation, prompt) = (row.explanationStep, row.promptStep)
    func part(_ step: String, _ name: String, _ count: Int, of shown: Int) -> Figure {
      Figure("steps.\(step).\(name)", count, n: shown)
    }
    func side(_ name: String, _ side: (base: Int, granted: Int)) -> [Figure] {
      let path = "explained_against_cold." + name
      return [Figure(path + ".base", side.base), Figure(path + ".granted", side.granted, n: side.base)]
    }
    return [
      Figure("steps.explanation.shown", explanation.shown),
      part("explanation", "continued", explanation.continued, of: explanation.shown),
      part("explanation", "skipped", explanation.skipped, of: explanation.shown),
      part("explanation", "answered", explanation.answered, of: explanation.shown),
      part("explanation", "dropped", explanation.dropped, of: explanation.shown),
      Figure("steps.prompt.shown", prompt.shown), part("prompt", "granted", prompt.granted, of: prompt.shown),
      part("prompt", "denied", prompt.denied, of: prompt.shown),
      part("prompt", "skipped", prompt.skipped, of: prompt.shown),
      part("prompt", "dropped", prompt.dropped, of: prompt.shown),
    ] + side("explained", row.explained) + side("cold", row.cold) + [
      Figure("explained_against_cold.difference", row.explainedAgainstCold, n: row.explained.base + row.cold.base)
    ]
  }

  private static func times(_ row: ReportRow) -> [Figure] {
    Figure.times("time_to_answer_ms", row.timeToAnswer) + Figure.times("explanation_time_ms", row.explanationTime)
      + Figure.times("prompt_time_ms", row.promptTime)
      + zip(["granted", "denied", "skipped"], row.timeByOutcome).flatMap {
        Figure.times("time_by_outcome_ms." + $0, $1)
      }
  }
}
