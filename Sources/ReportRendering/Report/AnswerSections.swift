// What people answered, after which step they stopped, and how long they took.

import PermissionAnalysis

extension ReportSection {
  /// The grant rate's relatives over all weeks: of the prompt, partial, and by the end of the follow-up.
  static func granted(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let words =
      "By \(scope.followUpName): granted in any way, including later in Settings, of exposures at least that old. "
      + "Of the prompt: granted out of granted and denied; a primer (pre-permission prompt) that turns reluctant users "
      + "away raises it, so do not choose a message by it. Partial: share of the grants (limited, provisional and similar)."
    let counts: [TableColumn<ReportRow>] = [
      TableColumn("exposed") { cells.count($0.grants.exposed) },
      TableColumn("pending") { cells.count($0.grants.pending) },
      TableColumn("restricted") { cells.count($0.grants.restricted) },
    ]
    let rates: [TableColumn<ReportRow>] = [
      TableColumn("base") { cells.count($0.grants.base) },
      TableColumn("grant rate") { style.isWide ? cells.rate($0.grants.grantRate) : cells.share($0.grants.grantRate) },
      TableColumn("by " + scope.followUpName) { cells.rate($0.grants.grantedByFollowUp.rate) },
      TableColumn("of the prompt") { cells.rate($0.grants.promptGrantRate) },
      TableColumn("partial") { cells.share($0.grants.partial, of: $0.grants.granted) },
    ]
    let table = Table(scope, scope.allRows, style.isWide ? counts + rates : rates)
    return ReportSection(.granted, "Granted, " + scope.allName, words, table, of: scope.allRows, empty: "None.")
  }

  static func explanation(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "What happened after the app's own explanation screen (the primer), in journeys that begin with one. Continued: the "
      + "system's prompt came up. Answered: granted or denied, with no prompt recorded. No answer: none of these."
    let table = steps(
      scope, style, shown: \.explanation.shown,
      [
        ("continued", \.explanation.continued), ("skipped", \.explanation.skipped),
        ("answered", \.explanation.answered), ("no answer", \.explanation.dropped),
      ])
    return ReportSection(
      .explanation, "Steps: explanation, " + scope.leadName, words, table, of: scope.leadRows,
      empty: "No journey of the base begins with an explanation.")
  }

  static func prompt(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let table = steps(
      scope, style, shown: \.prompt.shown,
      [
        ("granted", \.prompt.granted), ("denied", \.prompt.denied), ("skipped", \.prompt.skipped),
        ("no answer", \.prompt.dropped),
      ])
    return ReportSection(
      .prompt, "Steps: system prompt, " + scope.leadName,
      "What users who saw the system's prompt did, with or without an explanation before it.", table,
      of: scope.leadRows,
      empty: "Nobody in the base saw the system's prompt.")
  }

  /// Ways on from a screen, each with its share of those who saw it.
  private static func steps(
    _ scope: ReportScope, _ style: TextStyle, shown: KeyPath<StepFigures, Int>,
    _ ways: [(title: String, count: KeyPath<StepFigures, Int>)]
  ) -> Table {
    let cells = FigureCells(style: style)
    let columns = ways.map { way in
      TableColumn<ReportRow>(way.title) { cells.part($0.steps[keyPath: way.count], of: $0.steps[keyPath: shown]) }
    }
    return Table(
      scope, scope.leadRows, [TableColumn("shown") { cells.count($0.steps[keyPath: shown]) }] + columns,
      where: { $0.steps[keyPath: shown] > 0 })
  }

  static func time(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let words =
      "From the first screen to the answer: half answer within the median, nine in ten within p90. Then medians by "
      + "answer and by step. Descriptive: only those who answered have a time, and faster is not better by itself."
    func time(_ title: String, _ value: @escaping (TimeFigures) -> Double?) -> TableColumn<ReportRow> {
      TableColumn(title) { cells.time(value($0.times)) }
    }
    var columns = [time("median", \.toAnswer.p50), time("p90", \.toAnswer.p90)]
    if style.isWide {
      columns =
        [
          TableColumn("answered") { cells.count($0.times.toAnswer.count) }, time("mean", \.toAnswer.mean),
        ] + columns + [time("p99", \.toAnswer.p99)]
    }
    for (i, name) in ["granted", "denied", "skipped"].enumerated() {
      columns.append(time(name) { $0.byOutcome[i].p50 })
    }
    columns += [
      time(style.isWide ? "explanation" : "explan.", \.explanation.p50), time("prompt", \.prompt.p50),
    ]
    let table = Table(scope, scope.leadRows, columns, where: { $0.times.toAnswer.count > 0 })
    let isAnswered = scope.leadRows.contains { $0.grants.granted + $0.grants.denied + $0.grants.skipped > 0 }
    return ReportSection(
      .time, "Time to answer, " + scope.leadName, words, table, of: scope.leadRows,
      notes: EvidenceNotes.sentences([.promptTimes, .screens], scope.leadRows),
      empty: isAnswered ? "How long people take is not known." : "Nobody in the base answered.")
  }

  static func cold(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let cells = FigureCells(style: style)
    let words =
      "Grant rates of journeys that begin with an explanation and with the system's prompt, and the difference in "
      + "points. An observation, not an effect, unless chance decided who saw an explanation."
    let columns: [TableColumn<ReportRow>] = [
      TableColumn("explained") { cells.shareOf($0.steps.explained.granted, $0.steps.explained.base) },
      TableColumn("cold") { cells.shareOf($0.steps.cold.granted, $0.steps.cold.base) },
      TableColumn("difference") { cells.points($0.steps.explainedAgainstCold) },
    ]
    let table = Table(scope, scope.allRows, columns, where: { $0.grants.base > 0 })
    return ReportSection(
      .cold, "Explained against cold, " + scope.allName, words, table, of: scope.allRows,
      empty: "There is nobody in the base."
    )
  }
}
