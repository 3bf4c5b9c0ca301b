// What people answered, after which step they stopped, and how long they took.

import PermissionAnalysis
import PermissionEvents
import Statistics

extension ReportSection {
  /// The grant rate's relatives over all weeks: of the prompt, partial, and by the end of the follow-up.
  static func granted(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "By \(scope.followUpName): granted in any way, including later in Settings, of exposures at least that old. "
      + "First: the grant rate of the same users. "
      + "Of the prompt: granted out of granted and denied; a primer (pre-permission prompt) that turns reluctant users "
      + "away raises it, so do not choose a message by it. Partial: share of the grants (limited, provisional and similar)."
    let counts = [
      style.column("exposed", \.exposed), style.column("pending", \.pending), style.column("restricted", \.restricted),
    ]
    let rates: [TableColumn<ReportRow>] = [
      style.column("base", \.base),
      TableColumn("grant rate") { style.isWide ? style.rate($0.grants.grantRate) : style.share($0.grants.grantRate) },
      TableColumn("by " + scope.followUpName) { style.rate($0.grants.grantedByFollowUp.rate) },
      TableColumn("first") { style.share($0.grants.grantedFirst.rate) },
      TableColumn("of the prompt") { style.rate($0.grants.promptGrantRate) },
      TableColumn("partial") { style.share($0.grants.partial, of: $0.grants.granted) },
    ]
    let table = Table(scope, scope.allRows, style.isWide ? counts + rates : rates)
    return ReportSection(
      .granted, "Granted, " + scope.allName, words, table, of: scope.allRows, naming: scope.names,
      notes: scope.published(
        .promptGrantRate, of: scope.allRows.filter { $0.grants.promptGrantRate != nil }.map(\.permission)),
      empty: "None.")
  }

  static func explanation(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "What happened after the app's own explanation screen (the primer), in journeys that begin with one. Continued: the "
      + "system's prompt came up. Answered: granted or denied, with no prompt recorded. No answer: neither a prompt "
      + "nor an answer followed."
    return steps(
      .explanation, "Steps: explanation, ", words, scope, style, shown: { $0.knownExplanation?.shown },
      [
        ("continued", { $0.knownExplanation?.continued }), ("skipped", { $0.knownExplanation?.skipped }),
        ("answered", { $0.knownExplanation?.answered }), ("no answer", { $0.knownExplanation?.dropped }),
      ], [.screens, .explanation], empty: "No journey of the base begins with an explanation.")
  }

  static func prompt(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    steps(
      .prompt, "Steps: system prompt, ",
      "What users who saw the system's prompt did, with or without an explanation before it.", scope, style,
      shown: { $0.knownPrompt?.shown },
      [
        ("granted", { $0.answered($0.prompt.granted) }), ("denied", { $0.answered($0.prompt.denied) }),
        ("skipped", { $0.prompt.skipped }), ("no answer", { $0.answered($0.prompt.dropped) }),
      ], [.screens, .answers], empty: "No users in the base saw the system's prompt.")
  }

  /// Ways on from a screen, each with its share of those who saw it.
  /// - Parameter evidence: what the counts rest on.
  private static func steps(
    _ name: Name, _ title: String, _ words: String, _ scope: ReportScope, _ style: TextStyle,
    shown: @escaping (StepFigures) -> Int?, _ ways: [(title: String, count: (StepFigures) -> Int?)],
    _ evidence: [Evidence], empty: String
  ) -> ReportSection {
    let columns = ways.map { way in
      TableColumn<ReportRow>(way.title) { style.part(way.count($0.steps), of: shown($0.steps) ?? 0) }
    }
    let table = Table(
      scope, scope.leadRows, [TableColumn("shown") { style.count(shown($0.steps)) }] + columns,
      where: { shown($0.steps) ?? 0 > 0 })
    let asked = scope.leadRows.filter { $0.grants.base > 0 }
    let isUnknown = asked.contains { shown($0.steps) == nil }
    return ReportSection(
      name, title + scope.leadName, words, table, of: scope.leadRows, naming: scope.names,
      notes: EvidenceNotes.sentences(evidence, asked), empty: isUnknown ? EvidenceNotes.nothing : empty)
  }

  static func time(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "From the first screen to the answer: half answer within the median, nine in ten within p90. Then medians by "
      + "answer and by step. Descriptive: only those who answered have a time, and faster is not better by itself."
    func time(_ title: String, _ value: @escaping (TimeFigures) -> Double?) -> TableColumn<ReportRow> {
      TableColumn(title) { style.time(value($0.times), step: scope.timeStep($0)) }
    }
    var columns = [time("median", \.toAnswer.p50), time("p90", \.toAnswer.p90)]
    if style.isWide {
      columns =
        [
          TableColumn("answered") { style.count($0.times.toAnswer.count) }, time("mean", \.toAnswer.mean),
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
      .time, "Time to answer, " + scope.leadName, words, table, of: scope.leadRows, naming: scope.names,
      notes: EvidenceNotes.sentences([.promptTimes, .screens], scope.leadRows),
      empty: isAnswered
        ? "How long people take is not known." : EvidenceNotes.empty("No users in the base answered.", scope.leadRows))
  }

  static func cold(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let words =
      "Grant rates of journeys that begin with an explanation and with the system's prompt, and the difference in "
      + "points. An observation, not an effect, unless chance decided who saw an explanation."
    let columns: [TableColumn<ReportRow>] = [
      TableColumn("explained") { side($0.steps, $0.steps.knownBeginnings?.explained) },
      TableColumn("cold") { side($0.steps, $0.steps.knownBeginnings?.cold) },
      TableColumn("difference") { row in
        style.points(row.steps.knownBeginnings.flatMap { _ in row.steps.explainedAgainstCold })
      },
    ]
    func side(_ steps: StepFigures, _ side: StepFigures.Beginning?) -> TableCell {
      style.shareOf(side.flatMap { steps.answered($0.granted) }, side?.base ?? 0)
    }
    let asked = scope.allRows.filter { $0.grants.base > 0 }
    let table = Table(scope, asked, columns)
    return ReportSection(
      .cold, "Explained against cold, " + scope.allName, words, table, of: scope.allRows, naming: scope.names,
      notes: EvidenceNotes.sentences([.screens, .explanation, .answers], asked), empty: "The base has no users."
    )
  }
}

// MARK: How many answered, of a permission: 0 % may be true, or the app does not log its answers

/// The answers to one permission in some rows.
struct Answers {
  let permission: String
  let base, granted, denied: Int

  /// Answers of one kind from which on it is no chance that the other is missing.
  private static let least = Int(AuditCheck.oneSidedAnswers.least)

  /// Whether many users were asked, and none answered.
  var areNone: Bool { granted + denied == 0 && base >= Attention.Threshold.fewest }
  var lackGrants: Bool { granted == 0 && denied >= Self.least }
  var lackDenials: Bool { denied == 0 && granted >= Self.least }

  /// In the order of the rows, which is by permission; without those whose answers are one-sided by nature.
  static func byPermission(_ rows: [RowCounts], of report: ReportOverview) -> [Answers] {
    report.permissions(rows).compactMap { rows in
      let name = rows.first.map(report.permission) ?? ""
      guard UnansweredPermission(rawValue: name) == nil else { return nil }
      return Answers(
        permission: name, base: rows.reduce(0) { $0 + $1.base }, granted: rows.reduce(0) { $0 + $1.granted },
        // Restrictions are denials in which the user had no choice. The app logs them.
        denied: rows.reduce(0) { $0 + $1.denied + $1.restricted })
    }
  }
}

// MARK: Which value of the property that a report is split by loses people: what each has lost against the best of them

extension ReportSection {
  static func values(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let property = scope.propertyWords ?? "value"
    let isOfSurfaces = scope.report.properties == [.surface]
    let others = scope.joinedValues == nil ? "" : "The others together are not a value and are left out. "
    let words =
      "Lost grants: the grants expected at the best rate of the permission, minus the actual grants. The best is the highest "
      + "rate with a base of \(ValueRanking.leastBaseOfBest) or more; a loss below 0 is a higher rate on a smaller base. "
      + "Could all rates be the same? Pearson's chi-square over the values with a base of \(ValueTest.leastBase) or more; a "
      + "small p speaks against it. " + others
      + "p is not corrected for the number of permissions. The sentence above names the largest loss whose interval "
      + "against the best excludes 0, among permissions whose values differ after Holm's correction. An observation, not an "
      + "effect, unless chance decided who got which value: other \(isOfSurfaces ? "screens" : "values") meet other users."
    let rankings = scope.report.rankings
    var section = ReportSection(
      .values, "Which \(property) \(scope.report.properties.count > 1 ? "lose" : "loses") people, \(scope.allName)",
      words, table(scope, rankings, style),
      permissions: rankings.map(\.permission), empty: "The report is not split by a property.")
    section.lead = RankingWords.lead(scope.whole.report.rankings, scope.names).map { [$0] } ?? []
    return section
  }

  private static func table(_ scope: ReportScope, _ rankings: [ValueRanking], _ style: TextStyle) -> Table {
    var table = Table(scope.propertyWords ?? "value", ["base", "grant rate", "lost grants"])
    for ranking in rankings {
      table.heading(scope.names.permission(ranking.permission))
      for value in ranking.first(scope.mostValues) {
        let lost = value.lostGrants.map { TableCell(RankingWords.lost($0), value.isBest ? "best" : nil) }
        table.row(
          RowNames.bare(value.by),
          [style.count(value.base), style.rate(value.rate), lost ?? style.unknownCell], weight: Double(value.base),
          depth: 1)
      }
      let more = ranking.count - scope.mostValues
      if more > 0 { table.note("and \(NumberText.count(more)) more") }
      table.note(RankingWords.test(ranking.test))
    }
    return table
  }
}

enum RankingWords {
  /// Whole grants; below 0 for a small base with a higher rate.
  static func lost(_ grants: Double) -> String {
    let whole = Int(grants.rounded())
    return whole < 0 ? "−" + NumberText.count(-whole) : NumberText.count(whole)
  }

  static func test(_ test: ValueTest) -> String {
    guard let result = test.result else {
      return test.tested < 2
        ? "Not tested: a test needs two values with a base of \(ValueTest.leastBase) or more."
        : "Not tested: none or all of them granted."
    }
    let tested =
      "\(NumberText.count(test.tested)) of \(NumberText.counted(test.values, "value")) with a base of "
      + "\(ValueTest.leastBase) or more"
    let numbers =
      "chi-square\u{A0}\(NumberText.threeDigits(result.statistic)), df\u{A0}\(result.degreesOfFreedom), "
      + "p\u{A0}\(ComparisonWords.pValue(result.pValue)); \(tested)."
    return (result.pValue < 0.05 ? "The rates differ: " : "No difference shown: ") + numbers
  }

  /// The number of values that are checked. Later values lose only a few users each.
  private static let mostTested = 1000

  /// The largest loss that chance does not explain, of permissions whose values differ.
  /// - Parameter rankings: of all permissions of the report.
  static func lead(_ rankings: [ValueRanking], _ names: RowNames) -> String? {
    guard !rankings.isEmpty else { return nil }
    guard rankings.contains(where: { $0.best != nil }) else {
      return "No value has a base of \(ValueRanking.leastBaseOfBest) or more, so there is no best to measure against."
    }
    // Of many permissions one differs by chance: Holm over all of them.
    let adjusted = MultipleTesting.holm(rankings.map { $0.test.result?.pValue })
    let losses = zip(rankings, adjusted).compactMap { ranking, p in p.map { $0 < 0.05 } == true ? loss(ranking) : nil }
    guard let most = losses.max(by: { $0.lost < $1.lost }), let rate = most.value.rate, let bestRate = most.best.rate
    else { return "No loss is shown: no value is surely worse than the best." }
    let (worst, other) = (RowNames.values(most.value.by), RowNames.values(most.best.by))
    let isPlace = most.ranking.properties == [.surface]
    let property = most.ranking.properties.count == 1 ? most.ranking.properties.first.map { $0.name + " " } ?? "" : ""
    return names.permission(most.ranking.permission) + (isPlace ? " on " : ", " + property) + worst + ": "
      + NumberText.percent(rate.value) + " instead of " + NumberText.percent(bestRate.value)
      + (isPlace ? " on " : " of ") + other + ": " + lost(most.lost)
      + (Int(most.lost.rounded()) == 1 ? " grant lost." : " grants lost.")
  }

  private typealias Loss = (ranking: ValueRanking, value: ValueRanking.Value, best: ValueRanking.Value, lost: Double)

  /// The first, and so the largest, whose difference from the best is not 0 by its interval.
  private static func loss(_ ranking: ValueRanking) -> Loss? {
    guard let best = ranking.bestValue else { return nil }
    for number in 0..<min(ranking.count, mostTested) {
      let value = ranking[number]
      guard let lost = value.lostGrants, lost >= 0.5 else { return nil }
      let difference = Estimate.difference((value.granted, value.base), (best.granted, best.base))
      if let high = difference?.high, high < 0 { return (ranking, value, best, lost) }
    }
    return nil
  }
}
