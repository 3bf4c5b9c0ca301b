// The decision of a comparison: the first crossing stays, later data are told, and checks hold at any look.

import LogTestSupport
import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct FirstCrossingTests {
  private static func even(_ a: (Int, Int), _ b: (Int, Int)) -> [DayCounts] { [DayCounts(a: a, b: b)] }

  /// Days of random counts.
  private static func days(
    _ count: Int, users: Int, rates: (a: Double, b: Double), _ random: inout SeededGenerator
  ) -> [[DayCounts]] {
    (0..<count).map { _ in
      var counts = [(0, 0), (0, 0)]
      for _ in 0..<users {
        let arm = Bool.random(using: &random) ? 1 : 0
        let isGranted = Double.random(in: 0..<1, using: &random) < (arm == 1 ? rates.b : rates.a)
        counts[arm].0 += 1
        counts[arm].1 += isGranted ? 1 : 0
      }
      return even(counts[0], counts[1])
    }
  }

  @Test func beforeTheSeventhDayIsOverNothingIsDecided() throws {
    let log = try DailyLog([[DayCounts]](repeating: Self.even((200, 60), (200, 140)), count: 8))
    for day in 0..<6 {
      let early = try log.compare(after: day)
      #expect(early.decision == .tooEarly && early.decidedOn == nil && early.monitoring.looks.isEmpty)
      #expect(
        early.reasons == [.fewDays(have: day + 1, need: 7, earliest: DailyLog.firstDay + 6)], "day \(day)")
    }
    // Users of the first day have an outcome no earlier than the metric does.
    for (metric, days) in [(ComparisonMetric.grantedByDay28, 28), (.dropOffRate, 6)] {
      let waiting = try log.compare(after: 2) { $0.metric = metric }
      let earliest = DailyLog.firstDay + DayNumber(days)
      #expect(waiting.reasons == [.fewDays(have: 3, need: 7, earliest: earliest)], "\(metric)")
    }
    // A millisecond before the seventh day is over there is no look yet.
    let almost = try log.compare(after: 6, later: -1)
    #expect(almost.decision == .keepRunning && almost.reasons.first == .noLook)
    let decided = try log.compare(after: 6)
    #expect(decided.decision == .bWins)
    #expect(decided.decidedOn == DailyLog.firstDay + 6)
    #expect(decided.decidedDay == 7)
    #expect(decided.monitoring.atDecision?.low ?? 0 > 0)
    #expect(decided.needed.outlook == nil, "nothing is needed after a decision")
  }

  /// Whatever comes later: the same winner on the same day, or a review or worse that names its reason.
  @Test(arguments: 700..<708 as Range<UInt64>)
  func aDecisionIsNeverTakenBack(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let rates = [(0.3, 0.42), (0.5, 0.4), (0.5, 0.5), (0.02, 0.0), (0.2, 0.27)][Int(seed % 5)]
    let log = try DailyLog(Self.days(22, users: 130, rates: (rates.0, rates.1), &random))
    var decided: Comparison?
    var looks: [DayNumber: Double?] = [:]
    for day in 0..<22 {
      let now = try log.compare(after: day, later: day % 3 == 0 ? 0 : 40_000_000) { $0.plannedUsers = 1200 }
      for look in now.monitoring.looks {
        let z = looks.updateValue(look.z, forKey: look.day)
        #expect(z == nil || z == look.z, "seed \(seed): a look changed")
      }
      guard let before = decided else {
        if now.monitoring.crossing != nil { decided = now }
        continue
      }
      #expect(now.monitoring.crossing?.day == before.monitoring.crossing?.day, "seed \(seed), day \(day)")
      #expect(now.monitoring.pValue == before.monitoring.pValue)
      #expect(now.decidedOn == before.decidedOn && now.decidedDay == before.decidedDay)
      if now.decision != before.decision { #expect(now.decision == .review && before.decision != .keepRunning) }
    }
    if rates.0 != rates.1 { #expect(decided != nil, "seed \(seed): an effect of this size is found") }
  }

  @Test func noEventsAgainstSomeAreDecided() throws {
    // 0 of 4,900 against 63 of 4,900: the asymptotic sequence has nothing to say, now or ever.
    let log = try DailyLog((0..<14).map { Self.even((350, 0), (350, $0 % 2 == 0 ? 4 : 5)) })
    let comparison = try log.compare(after: 13)
    #expect(comparison.decision == .bWins)
    #expect(comparison.alwaysValidRefused != nil)
  }

  @Test func fewEventsAreDecidedByExactTests() throws {
    let events = [0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1]
    let log = try DailyLog(events.map { Self.even((50, 0), (50, $0)) })
    let comparison = try log.compare(after: 17)
    #expect(comparison.decision == .bWins)
    guard case .events(_, let upper?) = comparison.monitoring.crossing?.look.boundary else {
      Issue.record("no exact look crossed: \(comparison.monitoring.looks)")
      return
    }
    #expect(comparison.monitoring.crossing?.look.b.successes ?? 0 >= upper)
    #expect(comparison.monitoring.pValue ?? 1 < 0.05)
    #expect(comparison.cautions.contains(.fewEvents))
  }

  @Test func laterDataAgainstTheDecisionAreToldAndNeverSilent() throws {
    // B is ahead for ten days, then as far behind.
    let ahead = [[DayCounts]](repeating: Self.even((200, 80), (200, 110)), count: 10)
    let behind = [[DayCounts]](repeating: Self.even((200, 120), (200, 60)), count: 20)
    let log = try DailyLog(ahead + behind)
    let before = try log.compare(after: 9)
    #expect(before.decision == .bWins)
    let after = try log.compare(after: 29)
    #expect(after.decision == .review && after.decidedOn == before.decidedOn)
    let isTold = after.reasons.contains {
      switch $0 {
      case .intervalsDisagree, .turned: true
      default: false
      }
    }
    #expect(isTold, "\(after.reasons)")
    #expect(after.reasons.contains { if case .crossed(let how) = $0 { how.isHigher } else { false } })
  }

  @Test func aSmallDifferenceMayBothExistAndNotMatter() throws {
    let log = try DailyLog([[DayCounts]](repeating: Self.even((2000, 1000), (2000, 1060)), count: 30))
    let comparison = try log.compare(after: 29) {
      $0.minimumEffect = 0.06
      $0.plannedUsers = 5000
    }
    #expect(comparison.decision == .bWins)
    #expect(comparison.reasons.contains { if case .differsByLess = $0 { true } else { false } })
    #expect(comparison.cautions.contains { if case .farBeyondPlan = $0 { true } else { false } })
  }

  @Test func noDifferenceKeepsItsDay() throws {
    let log = try DailyLog([[DayCounts]](repeating: Self.even((900, 450), (900, 450)), count: 20))
    var day: DayNumber?
    for last in 6..<20 {
      let comparison = try log.compare(after: last) { $0.minimumEffect = 0.05 }
      if comparison.decision == .noDifference, day == nil { day = comparison.decidedOn }
      if let day { #expect(comparison.decision == .noDifference && comparison.decidedOn == day) }
    }
    #expect(day != nil)
  }

  @Test func aBrokenSplitIsInvalidAtItsFirstAlarmAndStaysSo() throws {
    var days = [[DayCounts]](repeating: Self.even((300, 100), (100, 60)), count: 4)
    // Later days outweigh it: all together look as planned.
    days += [[DayCounts]](repeating: Self.even((100, 40), (180, 90)), count: 10)
    let log = try DailyLog(days)
    let comparison = try log.compare(after: 13)
    #expect(comparison.sampleRatio?.pValue ?? 0 > 0.001)
    #expect(comparison.sampleRatio?.sequential.firstAlarm == DailyLog.firstDay)
    #expect(comparison.decision == .invalid && comparison.decidedOn == nil)
  }

  @Test func alwaysValidAndDeclaredLooksDecideForGoodToo() throws {
    let log = try DailyLog([[DayCounts]](repeating: Self.even((150, 60), (150, 84)), count: 20))
    for rule in [Comparison.Rule.alwaysValid, .looks(4)] {
      var day: DayNumber?
      for last in 6..<20 {
        let comparison = try log.compare(after: last) {
          $0.rule = rule
          $0.plannedUsers = 4000
        }
        if comparison.decision == .bWins, day == nil { day = comparison.decidedOn }
        if let day { #expect(comparison.decision == .bWins && comparison.decidedOn == day, "\(rule)") }
      }
      #expect(day != nil, "\(rule)")
    }
  }

  @Test func aPlanOfBeforeIsSteeperAndOneOfAfterIsNone() throws {
    let log = try DailyLog([[DayCounts]](repeating: Self.even((150, 60), (150, 70)), count: 9))
    let first = DailyLog.firstDay * millisecondsPerDay
    let planned = try log.compare(after: 8) {
      $0.plan = PlanFacts(savedAt: first - 1, plannedUsers: 3000, exponent: 3)
    }
    #expect(planned.monitoring.exponent == 3 && planned.plannedUsers == 3000)
    let late = try log.compare(after: 8) {
      $0.plan = PlanFacts(savedAt: first + millisecondsPerDay, plannedUsers: 3000, exponent: 3)
    }
    #expect(late.monitoring.exponent == 2)
    #expect(late.cautions.contains(.planTooLate(saved: DailyLog.firstDay + 1, first: DailyLog.firstDay)))
  }

  @Test func recordedLooksStayAndTheDifferenceIsTold() throws {
    let days = [[DayCounts]](repeating: Self.even((200, 80), (200, 110)), count: 10)
    let original = try DailyLog(days).compare(after: 9)
    // Corrections: B's lead was a mistake in the first days.
    let corrected = try DailyLog([[DayCounts]](repeating: Self.even((200, 80), (200, 82)), count: 12))
    let plain = try corrected.compare(after: 11)
    #expect(plain.decision == .keepRunning)
    let kept = try corrected.compare(after: 11) { $0.recorded = [original.record] }
    #expect(kept.monitoring.crossing?.day == original.monitoring.crossing?.day)
    #expect(kept.decidedOn == original.decidedOn)
    #expect(
      kept.reasons.contains(
        .recordDiffers(
          Comparison.RecordDifference(
            recorded: original.decidedOn.map { .init(day: $0, isHigher: true) }, fromLog: nil))))
    #expect(kept.record.days.prefix(original.record.days.count) == original.record.days[...])
  }

  @Test func theOutlookIsWhatFourWeeksCanFind() throws {
    let log = try DailyLog([[DayCounts]](repeating: Self.even((6, 2), (5, 2)), count: 20))
    let outlook = try log.compare(after: 19, later: -1).needed.outlook
    #expect(outlook?.usersPerDay == 11)
    #expect(outlook?.days == 28)
    #expect(outlook?.daysForEffect == nil, "one point takes years")
    // 528 users in all, by a test a little weaker than one look at the end.
    #expect((0.12...0.3).contains(outlook?.detectable ?? 0), "\(String(describing: outlook))")
  }

  @Test func adjustmentDecidesByStrata() throws {
    // iOS grants more and B is seen more on it: without strata B looks better than it is.
    let days = (0..<12).map { _ in
      [
        DayCounts(a: (40, 30), b: (160, 128), platform: "ios"),
        DayCounts(a: (160, 32), b: (40, 9), platform: "android"),
      ]
    }
    let log = try DailyLog(days)
    let plain = try log.compare(after: 11) { $0.declaredSplit = [1, 1] }
    let adjusted = try log.compare(after: 11) { $0.adjust = [.platform] }
    #expect(plain.monitoring.crossing != nil)
    #expect(adjusted.monitoring.adjustedBy == ["platform"])
    #expect(abs(adjusted.monitoring.now?.value ?? 1) < 0.06 && (plain.monitoring.now?.value ?? 0) > 0.2)
    #expect(adjusted.monitoring.looks.last?.a.trials == plain.monitoring.looks.last?.a.trials)
  }

  @Test func recordedAdjustedLooksKeepTheirGateAndTheirDirection() throws {
    func day(_ b: Int) -> [DayCounts] {
      [DayCounts(a: (20, 0), b: (20, b), platform: "ios"), DayCounts(a: (20, 0), b: (20, 0), platform: "android")]
    }
    // About one event a day: no adjusted look before ten are expected in an arm, recorded days or not.
    let few = try DailyLog((0..<12).map { day($0 % 3 == 0 ? 0 : 1) })
    let early = try few.compare(after: 3) { $0.adjust = [.platform] }
    let later = try few.compare(after: 11) {
      $0.adjust = [.platform]
      $0.recorded = [early.record]
    }
    #expect(early.record.days.count == 4 && later.monitoring.looks.isEmpty)
    #expect(later.reasons.contains { if case .fewEvents = $0 { true } else { false } })

    // A win that was recorded stays B's, whatever becomes of its strata.
    let days = (0..<10).map { _ in
      [
        DayCounts(a: (40, 10), b: (160, 80), platform: "ios"),
        DayCounts(a: (160, 120), b: (40, 38), platform: "android"),
      ]
    }
    let won = try DailyLog(days).compare(after: 9) { $0.adjust = [.platform] }
    #expect(won.monitoring.crossing?.isHigher == true)
    let without = days.map { _ in [DayCounts(a: (200, 130), b: (200, 118), platform: nil)] }
    let kept = try DailyLog(without).compare(after: 9) {
      $0.adjust = [.platform]
      $0.recorded = [won.record]
    }
    #expect(kept.monitoring.crossing?.isHigher == true && kept.decidedOn == won.decidedOn)
    let (then, now) = (won.monitoring.atDecision, kept.monitoring.atDecision)
    #expect(now?.value == then?.value && abs((now?.low ?? 0) - (then?.low ?? 1)) < 1e-12)
  }

  @Test func aRecordKeepsItsFirstDayAndItsRule() throws {
    let days = [[DayCounts]](repeating: Self.even((150, 60), (150, 84)), count: 14)
    let plan = PlanFacts(savedAt: (DailyLog.firstDay + 2) * millisecondsPerDay, plannedUsers: 3000, exponent: 3)
    let late = try DailyLog(days).compare(after: 9) { $0.plan = plan }
    #expect(late.monitoring.exponent == 2)
    // The first three days are dropped: by the log alone the plan would be in time.
    let shorter = try DailyLog([[DayCounts]](repeating: [], count: 3) + days.dropFirst(3))
    let kept = try shorter.compare(after: 13) {
      $0.plan = plan
      $0.recorded = [late.record]
    }
    #expect(kept.monitoring.exponent == 2)
    #expect(kept.decidedOn == late.decidedOn && kept.decidedDay == late.decidedDay)
  }

  @Test func usersEnoughThatFoundNothingAreNotAskedForMore() throws {
    let log = try DailyLog([[DayCounts]](repeating: Self.even((300, 150), (300, 156)), count: 15))
    let outlook = try log.compare(after: 14) { $0.minimumEffect = 0.04 }.needed.outlook
    #expect(outlook?.daysForEffect == 0)
  }
}
