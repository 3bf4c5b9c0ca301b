// Where people stop: the explanation, the prompt, how long both take, and explained against cold.

import PermissionAnalysis

enum StepsSection {
  static func sections(_ scope: ReportScope, _ style: TextStyle) -> [ReportSection] {
    [explanation(scope, style), prompt(scope, style), time(scope, style), cold(scope, style)]
  }

  private static func explanation(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let title = "Steps: explanation, " + scope.leadName
    let words =
      "What followed the app's own screen, where a journey begins with one. Continued: the system's prompt came up. "
      + "Answered: granted or denied, with no prompt recorded. Dropped: neither."
    var table = Table(Table.nameTitle(scope.report), ["shown", "continued", "skipped", "answered", "dropped"])
    table.add(scope.leadRows) { row in
      let step = row.steps.explanation
      guard step.shown > 0 else { return nil }
      return [cells.count(step.shown)]
        + [step.continued, step.skipped, step.answered, step.dropped].map { cells.part($0, of: step.shown) }
    }
    return ReportSection(
      .explanation, title, words, table, of: scope.leadRows, empty: "No journey of the base begins with an explanation."
    )
  }

  private static func prompt(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let title = "Steps: system prompt, " + scope.leadName
    let words = "What became of those who saw the system's dialog, explained before or not."
    var table = Table(Table.nameTitle(scope.report), ["shown", "granted", "denied", "skipped", "dropped"])
    table.add(scope.leadRows) { row in
      let step = row.steps.prompt
      guard step.shown > 0 else { return nil }
      return [cells.count(step.shown)]
        + [step.granted, step.denied, step.skipped, step.dropped].map { cells.part($0, of: step.shown) }
    }
    return ReportSection(
      .prompt, title, words, table, of: scope.leadRows, empty: "Nobody in the base saw the system's prompt.")
  }

  static func time(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let isWide = style.isWide
    let title = "Time to answer, " + scope.leadName
    let words =
      "From the first screen to the answer: half answer within the median, nine in ten within p90. Then medians by "
      + "answer and by step. Descriptive: only those who answered have a time, and faster is not better by itself."
    let titles = ["granted", "denied", "skipped", isWide ? "explanation" : "explan.", "prompt"]
    var table = Table(
      Table.nameTitle(scope.report),
      (isWide ? ["answered", "mean", "median", "p90", "p99"] : ["median", "p90"]) + titles)
    table.add(scope.leadRows) { row in
      let all = row.times.toAnswer
      guard all.count > 0 else { return nil }
      let head =
        isWide
        ? [cells.count(all.count), cells.time(all.mean), cells.time(all.p50), cells.time(all.p90), cells.time(all.p99)]
        : [cells.time(all.p50), cells.time(all.p90)]
      return head + row.times.byOutcome.map { cells.time($0.p50) }
        + [cells.time(row.times.explanation.p50), cells.time(row.times.prompt.p50)]
    }
    return ReportSection(
      .time, title, words, table, of: scope.leadRows, empty: "Nobody in the base answered.")
  }

  private static func cold(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let title = "Explained against cold, all weeks"
    let words =
      "Grant rates of journeys that begin with an explanation and with the system's prompt, and the difference in "
      + "points. An observation, not an effect, unless chance decided who saw an explanation."
    var table = Table(Table.nameTitle(scope.report), ["explained", "cold", "difference"])
    table.add(scope.allRows) { row in
      guard row.grants.base > 0 else { return nil }
      return [
        cells.shareOf(row.steps.explained.granted, row.steps.explained.base),
        cells.shareOf(row.steps.cold.granted, row.steps.cold.base),
        cells.points(row.steps.explainedAgainstCold),
      ]
    }
    return ReportSection(
      .cold, title, words, table, of: scope.allRows, empty: "There is nobody in the base.")
  }
}
