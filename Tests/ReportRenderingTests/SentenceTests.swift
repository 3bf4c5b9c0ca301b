// The sentence of every reason and caution, and the verdict of every decision.

import PermissionEvents
import Testing

@testable import PermissionAnalysis
@testable import ReportRendering

@Suite struct ComparisonSentenceTests {
  private typealias Comparison = PermissionAnalysis.Comparison

  /// 2026-03-16.
  private static let day: DayNumber = CivilDate(year: 2026, month: 3, day: 16).dayNumber
  private static let daily = SampleComparisons.won.pairs[0]
  private static let looks = SampleComparisons.declared.pairs[0]
  private static let sequence = SampleComparisons.alwaysValid.pairs[0]
  private static let undecided = SampleComparisons.running.pairs[0]

  private func sentence(_ reason: Comparison.Reason, of comparison: Comparison = daily) -> String {
    var comparison = comparison
    comparison.reasons = [reason]
    return comparison.reasonSentences[0]
  }

  private func sentence(_ caution: Comparison.Caution) -> String {
    var comparison = Self.daily
    comparison.cautions = [caution]
    return comparison.cautionSentences[0]
  }

  private static let estimate = Estimate(0.1219, low: 0.051, high: 0.193)

  private func crossed(isExact: Bool = false) -> Comparison.Reason {
    .crossed(
      Comparison.Crossed(
        isExact: isExact, isHigher: true, day: Self.day, dayNumber: 21, estimate: Self.estimate, pValue: 0.0012))
  }

  // MARK: Reasons

  @Test func longListsAreCounted() {
    let names = (1...200).map { "x\($0)" }
    #expect(
      Sentence.list(names, most: 3) == "x1, x2, x3 and 197 more"
        && Sentence.list(Array(names.prefix(3)), most: 3) == "x1, x2 and x3")
  }

  @Test func whatMakesAComparisonInvalid() {
    #expect(sentence(.nobodySaw(variant: "B", isExcluded: false)) == "No users were shown B.")
    #expect(
      sentence(.nobodySaw(variant: "B", isExcluded: true))
        == "No users were shown B, leaving out those who saw several messages.")
    #expect(
      sentence(.notAsPlanned(observed: [12_700, 500], pValue: 0.0004, since: Self.day, isAssumed: false))
        == "The users are not divided as planned, since 2026-03-16 (12 700 : 500; p = 4.0e-4, valid at every look): assignment or logging is broken."
    )
    #expect(
      sentence(.notAsPlanned(observed: [12_700, 500], pValue: 0.0004, since: Self.day, isAssumed: true))
        == "The users do not fit the assumed even split, since 2026-03-16 (12 700 : 500; p = 4.0e-4, valid at every look): assignment or logging is broken. If the test has another split, declare it."
    )
    #expect(
      sentence(Comparison.Reason.contaminated(share: 0.12))
        == "12.0 % of the users saw both messages; from 10 % on a comparison says nothing.")
    #expect(
      sentence(.wasDecided(isBetterB: true, day: Self.day, dayNumber: 21))
        == "B had won on 2026-03-16 (day 21): do not rely on it.")
  }

  @Test func whatAPersonHasToLookAt() {
    #expect(
      sentence(.intervalsDisagree(since: Self.day, until: Self.day + 9))
        == "The results by 2026-03-16 and by 2026-03-25 contradict each other: their always-valid intervals have no difference in common. Something changed: the users, the app or a message."
    )
    #expect(
      sentence(.turned(low: -0.0712, high: -0.0221))
        == "By now the difference is on the other side of zero: −7.12 to −2.21 points, for one look.")
    #expect(
      sentence(.signTurns(difference: -0.012))
        == "Without the users who saw both messages the difference has the other sign (−1.20 points).")
    #expect(
      sentence(.simpsonsParadox(property: "platform", inAll: 0.04, within: -0.03))
        == "Simpson's paradox by platform: +4.00 points overall, −3.00 points within its values, weighted by their users."
    )
    #expect(
      sentence(.fading(slope: -0.0041, pValue: 0.0002, recent: nil))
        == "The difference fades: it changes by −0.41 points a day of exposure, against its sign (p = 2.0e-4).")
    #expect(
      sentence(.guardrailHarmed(.dropOffRate, margin: 0.01))
        == "The guardrail is harmed: the drop-off rate rises by more than 1.00 point.")
    #expect(
      sentence(.guardrailNotSafe(.denyRate, margin: 0.02, state: .undecided))
        == "Guardrail: the deny rate is not yet shown to be safe (margin 2.00 points).")
    #expect(
      sentence(
        .recordDiffers(Comparison.RecordDifference(recorded: .init(day: Self.day, isHigher: true), fromLog: nil)))
        == "By the recorded looks: B won on 2026-03-16. By the log as it is now: nothing decided. Events of days already looked at were added or removed; the record remains valid."
    )
    #expect(
      sentence(
        .recordDiffers(Comparison.RecordDifference(recorded: nil, fromLog: .init(day: Self.day, isHigher: nil)))
      ).hasPrefix("By the recorded looks: nothing decided. By the log as it is now: no difference on 2026-03-16."))
  }

  @Test func howItWasDecidedUnderEachRule() {
    let start = "At the end of that day the difference was +12.19 points"
    let end = "; for the grant rate higher is better."
    #expect(
      sentence(crossed()) == start + " (interval of the daily looks +5.10 to +19.30, stage-wise p = 0.001)" + end)
    #expect(
      sentence(crossed(), of: Self.looks)
        == start + " (interval of the declared looks +5.10 to +19.30, stage-wise p = 0.001)" + end)
    #expect(
      sentence(crossed(), of: Self.sequence)
        == start + " (always-valid interval +5.10 to +19.30, always-valid p = 0.001)" + end)
    #expect(
      sentence(crossed(isExact: true))
        == start + ". The events are few and were tested exactly (stage-wise p = 0.001)" + end)
  }

  @Test func whatHappenedSince() {
    #expect(
      sentence(.since(day: Self.day, Self.estimate)) == "By 2026-03-16 it is +12.19 points (+5.10 to +19.30).")
    #expect(
      sentence(.since(day: Self.day, Estimate(0.02, low: -0.01, high: 0.05)))
        == "By 2026-03-16 it is +2.00 points (−1.00 to +5.00), an interval that includes 0 again; the decision stays.")
    #expect(
      sentence(.differsByLess(effect: 0.01, day: Self.day))
        == "The messages differ, and by less than 1.00 point: the days up to 2026-03-16 exclude any larger difference.")
    #expect(
      sentence(.withinEffect(low: -0.008, high: 0.007, effect: 0.01, day: Self.day))
        == "By the end of 2026-03-16 the equivalence interval (two one-sided always-valid bounds, 95 % each) was −0.80 to +0.70 points: all of it within ± 1.00 point, the smallest effect that matters."
    )
  }

  @Test func whatIsSaidOfGuardrailsOfALoserPlansAndEnds() {
    #expect(
      sentence(.loserHarmsGuardrail(.dropOffRate, margin: 0.01))
        == "B also harms the guardrail: the drop-off rate rises by more than 1.00 point. One more reason for A.")
    #expect(
      sentence(.noNewUsers(last: Self.day - 15))
        == "No new users since 2026-03-01: the test seems to have ended; this is what it can show.")
    func progress(_ users: Int, until day: DayNumber?) -> String {
      sentence(.planProgress(Comparison.Needed.Progress(users: users, planned: 16_500, until: day)))
    }
    #expect(progress(4210, until: Self.day) == "4210 of 16 500 users planned, until about 2026-03-16.")
    #expect(progress(4210, until: nil) == "4210 of 16 500 users planned.")
    #expect(progress(17_000, until: nil).hasPrefix("17 000 users have an outcome; the plan is for 16 500."))
  }

  @Test func whenItWillNoLongerBeTooEarly() {
    #expect(
      sentence(.fewDays(have: 3, need: 7, earliest: Self.day))
        == "Exposures cover 3 days so far; a decision needs 7, including a weekend. The earliest is the end of 2026-03-16, if exposures go on."
    )
    #expect(
      sentence(.pending(share: 0.31, most: 0.2, until: 1_773_655_200_000))
        == "31.0 % of the journeys are pending; a decision allows at most 20 %. The journeys pending now are decided by 2026-03-16 10:00."
    )
  }

  @Test func whatIsStillToCome() {
    let headline = Comparison.Headline(kind: .rule, day: Self.day, value: 0.013, low: -0.031, high: 0.057)
    #expect(
      sentence(.notCrossed(headline), of: Self.undecided)
        == "At the latest look, the end of 2026-03-16, the difference was +1.30 points; the interval of the daily looks, −3.10 to +5.70, still includes 0."
    )
    #expect(sentence(.noLook).hasPrefix("No look yet. The first look needs seven days"))
    #expect(sentence(.refused(.noVariance)) == "The outcome does not vary for either message.")
    #expect(
      sentence(.firstLookAhead(declared: 2, at: 4500, have: 600))
        == "The first of 2 declared looks comes at 4500 users with an outcome; there are 600.")
    #expect(
      sentence(.nextLookAhead(declared: 4, at: 12_500))
        == "The next of 4 declared looks comes at 12 500 users with an outcome.")
    #expect(
      sentence(.looksOver(declared: 4))
        == "All 4 declared looks are over and none crossed its bound: the plan ends undecided.")
  }

  // MARK: The outlook

  private func outlook(_ perDay: Double, _ detectable: Double?, _ effect: Double, _ days: Int?) -> Comparison.Reason {
    .outlook(
      Comparison.Needed.Outlook(
        usersPerDay: perDay, detectable: detectable, days: 28, effect: effect, daysForEffect: days))
  }

  @Test func whatCanBeFoundAtThePresentPace() {
    #expect(
      sentence(outlook(11.3, 0.14, 0.01, 152))
        == "At 11 users a day, four more weeks can find a difference of 14.0 points or more (80 % power). For 1.00 point it takes about 5 months."
    )
    #expect(
      sentence(outlook(11.3, 0.14, 0.01, nil))
        == "At 11 users a day, four more weeks can find a difference of 14.0 points or more (80 % power). For 1.00 point it takes more than a year."
    )
    #expect(
      sentence(outlook(0.4, nil, 0.02, nil))
        .hasPrefix(
          "At 0.4 users a day, four more weeks cannot find a difference of any size. For 2.00 points it takes more than a year."
        ))
    #expect(sentence(outlook(40_000, 0.004, 0.01, 6)).contains("a difference of 0.40 points or more"))
    for (days, words) in [(1, "1 day."), (14, "14 days."), (20, "3 weeks."), (63, "9 weeks."), (365, "12 months.")] {
      #expect(sentence(outlook(40_000, 0.004, 0.01, days)).hasSuffix("about \(words)"))
    }
  }

  @Test func whatTheProgramCallsItIsUpToTheProgram() {
    var comparison = Self.undecided
    comparison.reasons = [outlook(11, 0.14, 0.01, nil)]
    comparison.course = .outOfReach
    comparison.cautions = [.farBeyondPlan(users: 200_000, planned: 5000)]
    let words: RemedyWords = { remedy in
      remedy == .smallestEffect ? " (effect=)" : remedy == .plannedUsers ? " (users=)" : remedy.advice
    }
    #expect(comparison.reasonSentences(saying: words)[0].hasSuffix("the smallest effect that matters (effect=)."))
    #expect(
      comparison.cautionSentences(saying: words) == [
        "200 000 users under a plan for 5000: so far beyond it the interval is wide and the rule slow. Name the planned number before the next test (users=)."
      ])
  }

  // MARK: Cautions

  @Test func whatShouldBeReadWithADecision() {
    #expect(
      sentence(.notAsPlanned(observed: [700, 560], pValue: 0.0001, isAssumed: false))
        == "For one look, the users are not divided as planned (700 : 560, chi-square p = 1.0e-4); the test that holds at every look raises no alarm. Look into the assignment."
    )
    #expect(
      sentence(.notAsPlannedOnDays(day: Self.day, otherDays: 1, observed: [60, 0], pValue: 0.0001, isAssumed: false))
        == "On 2026-03-16 and on 1 other day the users are not divided as planned, for one look (60 : 0, chi-square p = 1.0e-4 after Holm). Look into the assignment of that day."
    )
    for caution in [
      Comparison.Caution.notAsPlanned(observed: [700, 560], pValue: 0.0001, isAssumed: true),
      .notAsPlannedOnDays(day: Self.day, otherDays: 1, observed: [60, 0], pValue: 0.0001, isAssumed: true),
      .notAsPlannedAmong(property: "platform", value: "ios", pValue: 0.0001, isAssumed: true),
      .notAsAssumed(observed: [900, 900, 200], pValue: 0.0001, since: Self.day),
    ] {
      let sentence = sentence(caution)
      #expect(sentence.contains("the users do not fit the assumed even split") || sentence.hasPrefix("The users do"))
      #expect(!sentence.contains("planned"), "\(sentence)")
    }
    #expect(
      sentence(.notAsAssumed(observed: [900, 900, 200], pValue: 0.0001, since: Self.day))
        == "The users do not fit the assumed even split, since 2026-03-16 (900 : 900 : 200; p = 1.0e-4, valid at every look). Declare the split of the test to have it checked."
    )
    #expect(
      sentence(.planTooLate(saved: Self.day + 3, first: Self.day))
        == "The plan was saved on 2026-03-19, after the first exposure on 2026-03-16: it fixes nothing beforehand. Error is spent as without a plan (r = 2); only its planned number is kept."
    )
    #expect(
      sentence(.fewEvents)
        == "There are few events, and exact tests decide. The interval shown beside them is wider than they are, and may still include 0."
    )
    #expect(
      sentence(.signTurnsWithin(property: "platform"))
        == "Within the values of platform the difference changes its sign, by at least the smallest effect that matters: the total may mislead."
    )
    #expect(sentence(.signTurnsWithout(difference: -0.02)).hasSuffix("has the other sign (−2.00 points)."))
    #expect(sentence(Comparison.Caution.contaminated(share: 0.05)) == "5.0 % of the users saw both messages.")
    let other = "an earlier reading may have differed, even in its decision."
    #expect(
      sentence(Comparison.Caution.lateEvents(atMost: 1, last: Self.day + 4))
        == "Up to 1 event of days already looked at came in later, the last on 2026-03-20: " + other)
    #expect(
      sentence(Comparison.Caution.erased(atMost: 2, last: Self.day + 4))
        == "Up to 2 users of days already looked at were erased, the last on 2026-03-20: " + other)
    #expect(
      sentence(Comparison.Caution.expired(before: Self.day - 15))
        == "Events before 2026-03-01 were dropped: if exposures of this experiment were among them, " + other)
    #expect(
      sentence(Comparison.Caution.severalExperiments(["one", "two"]))
        == "The screens of 2 experiments are counted together: one and two. Choose one.")
    #expect(sentence(.adjustmentDisagrees).hasSuffix("The decision stays."))
    #expect(
      sentence(.severalMessages(count: 2, confidence: 0.975))
        == "2 messages are compared with A: intervals hold together at 95 %, each at 97.5 %. The others are not compared with each other."
    )
  }

  // MARK: Verdicts

  @Test func theVerdictSaysWhatAndWhen() throws {
    var won = Self.daily
    let date = CivilDate(try #require(won.decidedOn)).text
    let number = try #require(won.decidedDay)
    #expect(ComparisonWords.verdict(won) == "B WON on \(date) (day\u{A0}\(number)): take B.")
    won.decision = .review
    #expect(
      ComparisonWords.verdict(won) == "REVIEW: B won on \(date) (day\u{A0}\(number)), but look at the reasons first.")
    won.decision = .aWins
    #expect(ComparisonWords.verdict(won).hasSuffix("keep B."))
    #expect(ComparisonWords.verdict(Self.undecided) == "KEEP RUNNING: not decided yet.")
    let none = SampleComparisons.noDifference.pairs[0]
    #expect(
      ComparisonWords.verdict(none)
        == "NO DIFFERENCE that matters, found on \(CivilDate(try #require(none.decidedOn)).text) (day\u{A0}\(try #require(none.decidedDay))): take either."
    )
    #expect(ComparisonWords.verdict(SampleComparisons.tooEarly.pairs[0]) == "TOO EARLY to decide.")
  }

  @Test func theBoundIsSaidOncePerOutput() {
    let three = SampleComparisons.compare(
      SampleComparisons.users(perDay: 30, grants: [40, 45, 55], days: 20), asOfDay: 20, names: ["A", "B", "C"])
    let text = String(decoding: ComparisonDocument.render(three, .text), as: UTF8.self)
    #expect(text.components(separatedBy: "end with a winner").count == 2)
    #expect(ComparisonWords.errorBound(three).hasSuffix("fixed beforehand."))
    let planned = SampleComparisons.compare(
      SampleComparisons.users(perDay: 30, grants: [40, 55], days: 20), asOfDay: 20
    ) { $0.plan = PlanFacts(savedAt: SampleComparisons.start - 1000, plannedUsers: 1200, exponent: 3) }
    #expect(ComparisonWords.errorBound(planned).hasSuffix("fixed beforehand, as they are by the plan."))
    let late = SampleComparisons.compare(
      SampleComparisons.users(perDay: 30, grants: [40, 55], days: 20), asOfDay: 20
    ) {
      $0.plan = PlanFacts(
        savedAt: SampleComparisons.start + 3 * millisecondsPerDay, plannedUsers: 1200, exponent: 3)
    }
    #expect(ComparisonWords.errorBound(late).hasSuffix("fixed beforehand."))
  }
}
