// Where people stop: the explanation, the prompt, how long both take, and explained against cold.

import PermissionAnalysis

enum StepsSection {
  static func write(_ scope: ReportScope, on page: inout TextPage) {
    explanation(scope, on: &page)
    prompt(scope, on: &page)
    time(scope, on: &page)
    cold(scope, on: &page)
  }

  private static func explanation(_ scope: ReportScope, on page: inout TextPage) {
    let cells = FigureCells(style: page.style)
    page.section("Steps: explanation, " + scope.leadName)
    page.paragraph(
      "What followed the app's own screen, where a journey begins with one. Continued: the system's prompt came up. "
        + "Answered: granted or denied, with no prompt recorded. Dropped: neither.")
    page.blank()
    var table = Table(Table.nameTitle(scope.report), ["shown", "continued", "skipped", "answered", "dropped"])
    table.add(scope.leadRows) { row in
      let step = row.explanationStep
      guard step.shown > 0 else { return nil }
      return [cells.count(step.shown)]
        + [step.continued, step.skipped, step.answered, step.dropped].map { cells.part($0, of: step.shown) }
    }
    page.table(table, of: scope.leadRows, empty: "No journey of the base begins with an explanation.")
  }

  private static func prompt(_ scope: ReportScope, on page: inout TextPage) {
    let cells = FigureCells(style: page.style)
    page.section("Steps: system prompt, " + scope.leadName)
    page.paragraph("What became of those who saw the system's dialog, explained before or not.")
    page.blank()
    var table = Table(Table.nameTitle(scope.report), ["shown", "granted", "denied", "skipped", "dropped"])
    table.add(scope.leadRows) { row in
      let step = row.promptStep
      guard step.shown > 0 else { return nil }
      return [cells.count(step.shown)]
        + [step.granted, step.denied, step.skipped, step.dropped].map { cells.part($0, of: step.shown) }
    }
    page.table(table, of: scope.leadRows, empty: "Nobody in the base saw the system's prompt.")
  }

  private static func time(_ scope: ReportScope, on page: inout TextPage) {
    let cells = FigureCells(style: page.style)
    let isWide = page.style.isWide
    page.section("Time to answer, " + scope.leadName)
    page.paragraph(
      "From the first screen to the answer: half answer within the median, nine in ten within p90. Then medians by "
        + "answer and by step. Descriptive: only those who answered have a time, and faster is not better by itself.")
    page.blank()
    let titles = ["granted", "denied", "skipped", isWide ? "explanation" : "explan.", "prompt"]
    var table = Table(
      Table.nameTitle(scope.report),
      (isWide ? ["answered", "mean", "median", "p90", "p99"] : ["median", "p90"]) + titles)
    table.add(scope.leadRows) { row in
      let all = row.timeToAnswer
      guard all.count > 0 else { return nil }
      let head =
        isWide
        ? [cells.count(all.count), cells.time(all.mean), cells.time(all.p50), cells.time(all.p90), cells.time(all.p99)]
        : [cells.time(all.p50), cells.time(all.p90)]
      return head + row.timeByOutcome.map { cells.time($0.p50) }
        + [cells.time(row.explanationTime.p50), cells.time(row.promptTime.p50)]
    }
    page.table(table, of: scope.leadRows, empty: "Nobody in the base answered.")
  }

  private static func cold(_ scope: ReportScope, on page: inout TextPage) {
    let cells = FigureCells(style: page.style)
    page.section("Explained against cold, all weeks")
    page.paragraph(
      "Grant rates of journeys that begin with an explanation and with the system's prompt, and the difference in "
        + "points. An observation, not an effect, unless chance decided who saw an explanation.")
    page.blank()
    var table = Table(Table.nameTitle(scope.report), ["explained", "cold", "difference"])
    table.add(scope.allRows) { row in
      guard row.base > 0 else { return nil }
      return [
        cells.shareOf(row.explained.granted, row.explained.base), cells.shareOf(row.cold.granted, row.cold.base),
        cells.points(row.explainedAgainstCold),
      ]
    }
    page.table(table, of: scope.allRows, empty: "There is nobody in the base.")
  }
}
