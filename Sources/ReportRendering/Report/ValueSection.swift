// Which value of the property that a report is split by loses people: what each has lost against the best of them.

import PermissionAnalysis
import PermissionEvents
import Statistics

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
      + "Not corrected for the number of permissions. The sentence above names the largest loss whose interval against the best "
      + "does not hold 0, of permissions whose values differ after Holm's correction. An observation, not an effect, unless chance decided who got "
      + "which value: other \(isOfSurfaces ? "screens" : "values") meet other users."
    let rankings = scope.report.rankings
    var section = ReportSection(
      .values, "Which \(property) \(scope.report.properties.count > 1 ? "lose" : "loses") people, \(scope.allName)",
      words, table(scope, rankings, style),
      permissions: rankings.map(\.permission), empty: "The report is not split by a property.")
    section.lead = RankingWords.lead(scope.whole.report.rankings).map { [$0] } ?? []
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
          RowNames.bare(value.by),
          [cells.count(value.base), cells.rate(value.rate), lost ?? cells.unknown], weight: Double(value.base),
          depth: 1)
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

  /// Values of a permission that are looked at: the losses behind them are of a few users each.
  private static let mostTested = 1000

  /// The largest loss that chance does not explain, of permissions whose values differ.
  /// - Parameter rankings: of all permissions of the report.
  static func lead(_ rankings: [ValueRanking]) -> String? {
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
    return RowNames.permission(most.ranking.permission) + (isPlace ? " on " : ", " + property) + worst + ": "
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
