// The answer of a comparison: first and last in text, one verdict over several messages, checks that say ok only if they were
// made and passed, and the same rows on every page.

import Foundation
import PermissionEvents
import Testing

@testable import PermissionAnalysis
@testable import ReportRendering

@Suite struct ComparisonAnswerTests {
  private typealias Comparison = PermissionAnalysis.Comparison

  private static let sets: [ComparisonSet] = [
    SampleComparisons.won, SampleComparisons.running, SampleComparisons.tooEarly, SampleComparisons.noDifference,
    SampleComparisons.fewEvents, SampleComparisons.declared, SampleComparisons.alwaysValid,
    SampleComparisons.firstLook,
  ]

  /// C wins against A, B does not differ enough to tell.
  private static let three = SampleComparisons.several

  private func text(_ set: ComparisonSet, _ style: TextStyle = TextStyle()) -> [String] {
    String(decoding: ComparisonDocument.render(set, .text, style), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func theVerdictIsTheFirstAndTheLastLine() {
    for set in Self.sets + [Self.three] {
      let lines = text(set)
      let verdict = OverallVerdict(set).sentence.replacing("\u{A0}", with: " ")
      #expect(lines[3] == verdict && lines[lines.count - 2] == verdict && lines.last == "", "\(lines)")
    }
  }

  @Test func theFirstScreenHasTheAnswerTheReasonsAndTheChecks() {
    for set in Self.sets + [Self.three] {
      let whole = String(decoding: ComparisonDocument.render(set, .text, isFull: false), as: UTF8.self)
      #expect(whole.split(separator: "\n", omittingEmptySubsequences: false).count <= 24, "\(whole)")
      let screen = whole.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
      for pair in set.pairs {
        let rates = ComparisonWords.rates(pair, TextStyle()).replacing("\u{A0}", with: " ")
        #expect(screen.contains(rates), "\(rates)\n\(screen)")
        for caution in pair.cautionSentences { #expect(screen.contains(caution), "\(caution)\n\(screen)") }
        // Of several pairs there is no room, and the line of the size says where it is.
        let reasons = zip(pair.reasons, pair.reasonSentences).filter { reason, _ in
          if case .notCrossed = reason { pair.size == nil } else { true }
        }
        for (_, reason) in reasons where set.pairs.count == 1 {
          #expect(screen.contains(reason), "\(reason)\n\(screen)")
        }
      }
      #expect(screen.contains("Checks: "), "\(screen)")
    }
  }

  @Test func pagesLeadWithTheRatesAndTheVerdict() {
    for form in [Document.Form.markdown, .html] {
      let page = String(decoding: ComparisonDocument.render(SampleComparisons.won, form), as: UTF8.self)
      let rates = page.range(of: "A 41.8\u{A0}% → B 56.1\u{A0}%, +14.3 points (of 840 and 840\u{A0}users)")
      let verdict = page.range(of: "B WON on ")
      #expect(rates != nil && verdict != nil && (rates?.upperBound).map { $0 < verdict?.lowerBound ?? $0 } == true)
    }
  }

  // MARK: Several messages

  private func verdict(_ decisions: [Comparison.Decision]) -> OverallVerdict {
    var set = Self.three
    while set.pairs.count < decisions.count { set.pairs.append(Self.three.pairs[1]) }
    for (place, decision) in decisions.enumerated() { set.pairs[place].decision = decision }
    return OverallVerdict(set)
  }

  @Test func severalMessagesHaveOneVerdict() {
    #expect(Self.three.pairs.map(\.decision) == [.keepRunning, .bWins])
    #expect(OverallVerdict(Self.three).sentence == "C WON against A; B is not decided yet: take C, or keep running.")
    #expect(OverallVerdict(Self.three).winners == ["C"])
    #expect(verdict([.noDifference, .bWins]).sentence.hasSuffix("between A and B: take C."))
    #expect(verdict([.aWins, .aWins]).sentence == "A WON against B and C: keep A.")
    #expect(verdict([.aWins, .aWins]).winners == ["A"])
    #expect(verdict([.aWins, .keepRunning]).sentence == "A WON against B; C is not decided yet: keep running.")
    #expect(verdict([.aWins, .keepRunning]).winners.isEmpty)
    #expect(verdict([.review, .bWins]).sentence == "REVIEW B; C WON against A: look at the reasons first.")
    #expect(verdict([.review, .bWins]).decision == .review)
    #expect(verdict([.invalid, .invalid]).sentence == "INVALID: nothing can be concluded from these numbers.")
    for decision in Comparison.Decision.allCases {
      for other in Comparison.Decision.allCases {
        let words = verdict([decision, other]).sentence
        #expect(words.hasSuffix(".") && !words.contains("\n") && words.contains { $0.isUppercase }, "\(words)")
      }
    }
  }

  @Test func whatIsSaidOfAllPairsIsSaidOnce() throws {
    let words = text(Self.three).joined(separator: " ").split(separator: " ").joined(separator: " ")
    for once in [
      "are compared with A", "How the difference came about", "sample ratio ok", "smallest effect that matters (±",
    ] {
      #expect(words.components(separatedBy: once).count == 2, "\(once): \(words)")
    }
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(ComparisonJSON.render(Self.three))) as? [String: Any])
    #expect((json["overall"] as? [String: Any])?["winners"] as? [String] == ["C"])
    let one = try JSONSerialization.jsonObject(with: Data(ComparisonJSON.render(SampleComparisons.won)))
    #expect((one as? [String: Any])?["overall"] is NSNull)
  }

  @Test func theIntervalsHaveOneScale() throws {
    let lines = text(Self.three).filter { $0.contains("●") && !$0.contains("difference") }
    try #require(lines.count == 2)
    // Zero and the smallest effect are where they are in every line.
    let zeros = lines.map { line in line.firstIndex(of: "│").map { line.distance(from: line.startIndex, to: $0) } }
    #expect(zeros[0] == zeros[1] && zeros[0] != nil, "\(lines)")
    let widths = zip(lines, Self.three.pairs).map { line, pair -> Double in
      let columns = line.distance(
        from: line.firstIndex(of: "├") ?? line.startIndex, to: line.firstIndex(of: "┤") ?? line.startIndex)
      return Double(columns) / ((pair.headline?.high ?? 0) - (pair.headline?.low ?? 0))
    }
    #expect(abs(widths[0] / widths[1] - 1) < 0.1, "\(widths)")
  }

  // MARK: Checks

  @Test func nothingIsOkThatWasNotChecked() {
    let nobody = SampleComparisons.compare(
      SampleComparisons.users(perDay: 3, grants: [40, 50], days: 1, from: 50), asOfDay: 20)
    let words = text(nobody).joined(separator: "\n")
    #expect(words.contains("not checked: no users were shown a message") && !words.contains(" ok "), "\(words)")
    // On the first day nothing is finished.
    let today = SampleComparisons.compare(
      SampleComparisons.users(perDay: 30, grants: [40, 50], days: 1), asOfDay: 0)
    #expect(text(today).contains { $0.hasPrefix("sample ratio     not checked: no day with exposures is over") })
    for set in Self.sets {
      let lines = text(set)
      let missing = lines.filter { $0.contains("no user has a value of") && $0.hasPrefix("by property") }
      #expect(
        missing.count == 1 && lines.count { $0.hasPrefix("by property") } == 1
          && !lines.contains { $0.hasPrefix("by platform") }, "\(lines)")
      let isDecided = set.pairs[0].monitoring.crossing != nil
      #expect(lines.contains { $0.hasPrefix("novelty") && $0.contains(" ok ") } == isDecided, "\(lines)")
    }
  }

  // MARK: What an interval rests on

  @Test func noDifferenceShowsTheIntervalThatDecided() throws {
    let pair = SampleComparisons.noDifference.pairs[0]
    let none = try #require(pair.monitoring.noDifference)
    let headline = try #require(pair.headline)
    #expect(headline.kind == .noDifference && headline.low == none.low && headline.high == none.high)
    #expect(headline.low >= -0.1 && headline.high <= 0.1 && headline.day == pair.decidedOn)
    #expect(
      text(SampleComparisons.noDifference).contains { $0.hasPrefix("  equivalence interval that decided, 2026-") })
    #expect(SampleComparisons.won.pairs[0].headline?.kind == .rule)
  }

  // MARK: The follow-up

  @Test func aShorterFollowUpHasItsOwnName() {
    let week = SampleComparisons.compare(
      SampleComparisons.users(perDay: 30, grants: [40, 55], days: 20), asOfDay: 20
    ) { $0.windows.followUp = 7 * millisecondsPerDay }
    let words = text(week).joined(separator: "\n")
    #expect(words.contains("granted by day 7 ") && !words.contains("granted by day 28"), "\(words)")
    // Of those followed so long, and not of all.
    let row = text(week).first { $0.hasPrefix("granted by day 7") } ?? ""
    let users = week.pairs[0].secondary.first { $0.measure == .metric(.grantedByDay28) }?.usersA ?? 0
    #expect(users > 0 && users < week.pairs[0].a.base && row.contains("of \(users)"), "\(row)")
    #expect(ComparisonMetric.grantedByDay28.title(36 * 3_600_000) == "granted within 1\u{A0}d\u{A0}12\u{A0}h")
  }

  // MARK: A test that has ended

  @Test func withoutNewUsersTheTestSeemsToHaveEnded() {
    let users = SampleComparisons.users(perDay: 5, grants: [45, 47], days: 20)
    let running = SampleComparisons.compare(users, asOfDay: 26).pairs[0]
    let ended = SampleComparisons.compare(users, asOfDay: 27).pairs[0]
    #expect(running.endedOn == nil && running.needed.outlook != nil)
    #expect(ended.decision == .stopOutOfReach && ended.course == .outOfReach && ended.needed.outlook == nil)
    #expect(ended.endedOn == SampleComparisons.start / millisecondsPerDay + 19)
    #expect(ended.reasonSentences.first?.hasPrefix("No new users since 2026-02-14: ") == true)
    #expect(!running.reasonSentences.contains { $0.hasPrefix("No new users") })
    let early = SampleComparisons.compare(
      SampleComparisons.users(perDay: 20, grants: [45, 47], days: 3), asOfDay: 40
    ).pairs[0]
    #expect(early.decision == .tooEarly && early.reasonSentences.last?.hasPrefix("No new users since") == true)
  }

  // MARK: The same rows

  /// What is explained is on the page, and the other way round.
  @Test func theExplanationHasTheRowsOfThePage() {
    for set in Self.sets {
      let explained = Set(ComparisonExplanation.numbers(set) { $0.advice }.map(\.name))
      let lines = text(set)
      for name in [
        "always valid", "difference", "ratio", "p-value", "Bayes", "outlook", "needed", "power", "sample ratio",
      ] {
        let isShown =
          lines.contains { $0.hasPrefix(name + " ") }
          // Said among the reasons.
          || name == "outlook" && set.pairs[0].reasons.contains { if case .outlook = $0 { true } else { false } }
        #expect(explained.contains(name) == isShown, "\(name) of \(lines)")
      }
    }
  }
}
