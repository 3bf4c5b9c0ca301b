// Which value of the property that a report is split by loses people: what each has lost against the best of them.

import PermissionAnalysis
import PermissionEvents

extension ReportSection {
  static func values(_ scope: ReportScope, _ style: TextStyle) -> ReportSection {
    let property = scope.propertyWords ?? "value"
    let isOfSurfaces = scope.report.properties == [.surface]
    let others = scope.joinedValues == nil ? "" : "The others together are no value and are left out. "
    let words =
      "Lost grants: those that the base would have brought at the best rate of the permission, less those that it "
      + "brought. The best is the highest rate of a base of \(ValueRanking.leastBaseOfBest) or more; below 0 is a rate above it, of "
      + "a smaller base. Could the rates be one and the same? Pearson's chi-square over the values with a base of "
      + "\(ValueTest.leastBase) or more; a small p speaks against it. " + others
      + "Not corrected for the number of permissions. An observation, not an effect, unless chance decided who got "
      + "which value: other \(isOfSurfaces ? "screens" : "values") meet other users."
    let rankings = scope.report.rankings
    var section = ReportSection(
      .values, "Which \(property) \(scope.report.properties.count > 1 ? "lose" : "loses") people, \(scope.allName)",
      words, table(scope, rankings, style),
      permissions: rankings.map(\.permission), empty: "The report is not split by a property.")
    section.lead = RankingWords.lead(rankings).map { [$0] } ?? []
    return section
  }

  private static func table(_ scope: ReportScope, _ rankings: [ValueRanking], _ style: TextStyle) -> Table {
    let cells = FigureCells(style: style)
    var table = Table(scope.propertyWords ?? "value", ["base", "grant rate", "lost grants"])
    for ranking in rankings {
      table.heading(RowNames.permission(ranking.permission))
      for value in ranking.first(scope.mostValues) {
        let lost = value.lostGrants.map { TableCell(RankingWords.lost($0), value.isBest ? "best" : nil) }
        table.row(
          "  " + RowNames.values(value.by),
          [cells.count(value.base), cells.rate(value.rate), lost ?? cells.unknown], weight: Double(value.base))
      }
      let more = ranking.count - scope.mostValues
      if more > 0 { table.note("and \(NumberText.count(more)) more") }
      table.note(RankingWords.test(ranking.test))
    }
    return table
  }
}

/// What is said of the values of a property.
enum RankingWords {
  /// Whole grants; below 0 for a small base with a higher rate.
  static func lost(_ grants: Double) -> String {
    let whole = Int(grants.rounded())
    return whole < 0 ? "−" + NumberText.count(-whole) : NumberText.count(whole)
  }

  /// The test in one sentence.
  static func test(_ test: ValueTest) -> String {
    guard let result = test.result else {
      return test.tested < 2
        ? "Not tested: that takes two values with a base of \(ValueTest.leastBase) or more."
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

  /// The largest loss of a permission whose values differ.
  static func lead(_ rankings: [ValueRanking]) -> String? {
    guard !rankings.isEmpty else { return nil }
    let differing = rankings.filter { ($0.test.result?.pValue ?? 1) < 0.05 }
    let losses = differing.compactMap { ranking in
      ranking.first(1).first.flatMap { value in value.lostGrants.map { (ranking: ranking, value: value, lost: $0) } }
    }
    guard let most = losses.max(by: { $0.lost < $1.lost }), most.lost >= 0.5, let rate = most.value.rate,
      let best = most.ranking.bestValue, let bestRate = best.rate
    else { return "No loss is shown: no value is surely worse than the best." }
    let (worst, other) = (RowNames.values(most.value.by), RowNames.values(best.by))
    let isPlace = most.ranking.properties == [.surface]
    let property = most.ranking.properties.count == 1 ? most.ranking.properties.first.map { $0.name + " " } ?? "" : ""
    return RowNames.permission(most.ranking.permission) + (isPlace ? " on " : ", " + property) + worst + ": "
      + NumberText.percent(rate.value) + " instead of " + NumberText.percent(bestRate.value)
      + (isPlace ? " on " : " of ") + other + ": " + lost(most.lost)
      + (Int(most.lost.rounded()) == 1 ? " grant lost." : " grants lost.")
  }
}
