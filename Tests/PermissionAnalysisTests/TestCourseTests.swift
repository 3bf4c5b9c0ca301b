// How a test goes on and ends: the users that it is tuned for, its course, its dates, and a division that changes.

import EventLog
import Folding
import LogTestSupport
import PermissionEvents
import Statistics
import Testing

@testable import PermissionAnalysis

@Suite struct TestCourseTests {
  private static func even(_ users: Int, _ a: Int, _ b: Int) -> [DayCounts] {
    [DayCounts(a: (users, a), b: (users, b))]
  }

  // MARK: The users that it is tuned for

  @Test func withoutAPlanTheFirstSevenDaysTuneIt() throws {
    let days = (0..<10).map { Self.even($0 == 2 ? 0 : 10 + $0, 4, 5) }
    let log = try DailyLog(days)
    // Seven days with exposures: 0, 1, 3, 4, 5, 6, 7.
    let users = 2 * [0, 1, 3, 4, 5, 6, 7].reduce(0) { $0 + 10 + $1 }
    for last in 7..<10 {
      let comparison = try log.compare(after: last)
      #expect(comparison.plannedUsers == 4 * users && comparison.monitoring.isByFirstDays)
      #expect(comparison.monitoring.exponent == 2)
    }
    let named = try log.compare(after: 9) { $0.plannedUsers = 777 }
    #expect(named.plannedUsers == 777 && !named.monitoring.isByFirstDays)
    let few = try DailyLog((0..<8).map { _ in Self.even(2, 1, 1) }).compare(after: 7)
    #expect(few.plannedUsers == 200)
    #expect(UnplannedRule.plannedUsers(exposed: 1_000_000) == 200_000)
  }

  @Test func aSmallAppDecides() throws {
    // 300 users, 33 against 50 %.
    let log = try DailyLog((0..<30).map { Self.even(5, $0 % 3 == 0 ? 1 : 2, $0 % 2 == 0 ? 2 : 3) })
    let comparison = try log.compare(after: 29)
    #expect(comparison.decision == .bWins, "\(comparison.reasons)")
    let size = try #require(comparison.size)
    #expect(size.isDecided && size.difference.value > 0 && (size.difference.low ?? 0) > 0)
    // Stopping at a crossing overstates, and the estimate takes that back.
    #expect(size.difference.value < comparison.monitoring.atDecision?.value ?? 0)
    #expect(size.usersAWeek == 70 && size.aWeek == 70 * size.difference.value)
  }

  // MARK: Its course

  @Test func keepRunningStandsForOnCourseAlone() throws {
    let log = try DailyLog((0..<60).map { Self.even(100, 40, $0 % 2 == 0 ? 40 : 41) })
    var seen: [Comparison.Course] = []
    for last in 2..<60 {
      let comparison = try log.compare(after: last)
      let course = try #require(comparison.course)
      #expect((course == .onCourse) == (comparison.decision == .keepRunning))
      #expect((course == .tooEarly) == (comparison.decision == .tooEarly))
      if seen.last != course { seen.append(course) }
    }
    // After four weeks the users of N* are in.
    #expect(seen == [.tooEarly, .onCourse, .spent])
    let spent = try log.compare(after: 59)
    #expect(spent.decision == .stopOutOfReach)
    #expect(spent.reasons.contains { if case .notBetterBy(let better, _) = $0 { better != nil } else { false } })
  }

  @Test func whatIsNotFoundInHalfAYearIsOutOfReach() throws {
    let log = try DailyLog((0..<40).map { _ in Self.even(10, 4, 4) })
    for last in [20, 26, 27, 39] {
      let comparison = try log.compare(after: last) { $0.plannedUsers = 20_000 }
      #expect((comparison.course == .outOfReach) == (last >= 27), "\(last)")
    }
    // A larger effect is found in time.
    let bold = try log.compare(after: 39) {
      $0.plannedUsers = 20_000
      $0.minimumEffect = 0.08
    }
    #expect(bold.course == .onCourse && bold.decision == .keepRunning)
  }

  @Test func aTestWithoutNewUsersHasEnded() throws {
    let log = try DailyLog((0..<10).map { _ in Self.even(20, 8, 9) })
    #expect(try log.compare(after: 12).course == .onCourse)
    let ended = try log.compare(after: 24)
    #expect(ended.decision == .stopOutOfReach && ended.endedOn == DailyLog.firstDay + 9)
    #expect(ended.needed.priceOfWaiting == nil)
  }

  @Test func waitingCostsTheLossOfTheArmThatIsBelievedWorse() throws {
    let log = try DailyLog((0..<8).map { _ in Self.even(30, 12, 15) })
    let comparison = try log.compare(after: 7, later: -1) { $0.plannedUsers = 100_000 }
    let bayes = try #require(comparison.bayes)
    #expect(comparison.course == .onCourse && bayes.expectedLossA > bayes.expectedLossB)
    let price = try #require(comparison.needed.priceOfWaiting)
    #expect(abs(price - bayes.expectedLossA * 30) < 1e-9)
  }

  @Test func anArmWithoutAnyAnswerIsInvalid() throws {
    func log(_ users: Int) throws -> Comparison {
      var events: [TestEvent] = []
      for user in 0..<2 * users {
        let values: [StringField: String] = [.permission: "notifications", .variant: user % 2 == 0 ? "A" : "B"]
        let time = (DailyLog.firstDay + DayNumber(user % 10)) * millisecondsPerDay + Milliseconds(user)
        events.append(TestEvent(user: "u\(user)", id: "s", time: time, kind: .promptShown, values: values))
        guard user % 2 == 0 else { continue }
        events.append(TestEvent(user: "u\(user)", id: "a", time: time + 900, kind: .granted, values: values))
      }
      return try DailyLog(events: events).compare(after: 12)
    }
    let many = try log(50)
    #expect(many.decision == .invalid && many.course == nil)
    #expect(many.reasons.contains(.nobodyAnswered(variant: "B", of: 50)))
    let few = try log(49)
    #expect(few.decision != .invalid && few.cautions.contains(.answersMissing(variant: "B", of: 49)))
  }

  // MARK: Its dates

  @Test func aTestThatBeganAgainIsReadFromThereOn() throws {
    // In the first week B was broken.
    let log = try DailyLog((0..<7).map { _ in Self.even(50, 20, 2) } + (0..<14).map { _ in Self.even(50, 20, 21) })
    let whole = try log.compare(after: 20)
    #expect(whole.monitoring.crossing?.isHigher == false)
    let second = try log.compare(after: 20) { $0.from = (DailyLog.firstDay + 7) * millisecondsPerDay }
    #expect(second.exposedBefore == 700 && second.a.exposed == 700 && second.b.exposed == 700)
    #expect(second.firstExposureDay == DailyLog.firstDay + 7)
    #expect(second.monitoring.looks.first?.dayNumber == 7 && second.monitoring.crossing == nil)
    #expect(second.cautions.contains(.datesWithoutPlan))
    #expect(second.cautions.contains(.exposedBefore(users: 700, from: DailyLog.firstDay + 7)))
    let first = try log.compare(after: 20) { $0.to = (DailyLog.firstDay + 7) * millisecondsPerDay }
    #expect(first.a.exposed == 350 && first.exposedBefore == nil)
  }

  // MARK: A division that changes

  /// A week of nine to one, then even; rates fall after the launch, and there is no difference.
  private static let ramp = (0..<30).map { day in
    day < 7
      ? [DayCounts(a: (180, 108), b: (20, 12))] : [DayCounts(a: (100, 40), b: (100, 40))]
  }

  @Test func aRampThatIsNotDeclaredSaysOnWhichDay() throws {
    let log = try DailyLog(Self.ramp)
    let comparison = try log.compare(after: 29)
    #expect(comparison.decision == .invalid)
    let found = comparison.reasons.compactMap { if case .divisionChanged(let all) = $0 { all } else { nil } }.first
    let divisions = try #require(found)
    #expect(divisions.map(\.from) == [DailyLog.firstDay, DailyLog.firstDay + 7])
    #expect(divisions.map(\.parts) == [[90, 10], [50, 50]])
  }

  @Test func theSplitOfARampComparesWithinItsPeriods() throws {
    let log = try DailyLog(Self.ramp)
    let split = MessageSplit([90, 10], changes: [.init(from: DailyLog.firstDay + 7, parts: [1, 1])])
    let comparison = try log.compare(after: 29) { $0.declaredSplit = split }
    #expect(comparison.monitoring.adjustedBy == ["period"])
    #expect(comparison.sampleRatio?.sequential.firstAlarm == nil && comparison.decision != .invalid)
    #expect(comparison.sampleRatio?.expected == [180 * 7 + 100 * 23, 20 * 7 + 100 * 23].map(Double.init))
    #expect(abs(comparison.monitoring.now?.value ?? 1) < 1e-12, "the rates are equal in each period")
    #expect((comparison.difference?.value ?? 0) < -0.02, "thrown together they are not")
    // Another division than was declared is found in each period.
    let wrong = try log.compare(after: 29) { $0.declaredSplit = MessageSplit([1, 1], changes: split.changes) }
    #expect(wrong.decision == .invalid)
  }

  @Test(arguments: UInt64(1)...6)
  func divisionsAreFoundWhereTheyChange(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func days(_ count: Int, _ share: Double, from first: DayNumber) -> [(day: DayNumber, users: [Int])] {
      (0..<count).map { day in
        let b = (0..<150).count { _ in Double.random(in: 0..<1, using: &random) < share }
        return (first + DayNumber(day), [150 - b, b])
      }
    }
    #expect(DivisionChange.all(days(60, 0.5, from: 0)).count == 1, "seed \(seed)")
    let found = DivisionChange.all(days(10, 0.1, from: 0) + days(10, 0.25, from: 10) + days(20, 0.5, from: 20))
    #expect(found.count == 3, "seed \(seed): \(found)")
    for (change, day) in zip(found, [0, 10, 20]) { #expect(abs(change.from - DayNumber(day)) <= 1, "seed \(seed)") }
  }

  // MARK: Where something is wrong, and for whom

  @Test func anImbalanceIsWhereItComesFrom() throws {
    // One platform loses half of B.
    let days = (0..<14).map { _ in
      [
        DayCounts(a: (40, 16), b: (40, 16), platform: "ios"), DayCounts(a: (40, 16), b: (20, 8), platform: "android"),
      ]
    }
    let comparison = try DailyLog(days).compare(after: 13)
    #expect(comparison.decision == .invalid)
    let found = comparison.reasons.compactMap { reason -> (String?, Comparison.Imbalance)? in
      if case .imbalanceAmong(let property, let imbalance) = reason { (property, imbalance) } else { nil }
    }.first
    let (property, imbalance) = try #require(found)
    #expect(property == "platform" && imbalance.values == ["android"])
    #expect(imbalance.among == [560, 280] && imbalance.elsewhere == [560, 560])
    // An imbalance that is everywhere has no place.
    let all = try DailyLog((0..<14).map { _ in [DayCounts(a: (80, 32), b: (40, 16), platform: "ios")] })
    #expect(try all.compare(after: 13).reasons.allSatisfy { if case .imbalanceAmong = $0 { false } else { true } })
  }

  @Test func theVerdictNamesTheValuesWithWhichTheWinnerLoses() throws {
    let days = (0..<10).map { _ in
      [
        DayCounts(a: (100, 30), b: (100, 60), platform: "ios"),
        DayCounts(a: (50, 30), b: (50, 20), platform: "android"),
      ]
    }
    let comparison = try DailyLog(days).compare(after: 9)
    #expect(comparison.monitoring.crossing?.isHigher == true)
    let losses = comparison.reasons.compactMap { reason -> (String, String?, Double)? in
      if case .losesWithin(let property, let value, let difference) = reason {
        (property, value, difference)
      } else {
        nil
      }
    }
    #expect(losses.map(\.0) == ["platform"] && losses.first?.1 == "android")
    #expect(abs((losses.first?.2 ?? 0) + 0.2) < 1e-12)
  }

  @Test func aFadingEffectIsSaidAsItIsNow() throws {
    let days = (0..<40).map { day in
      Self.even(200, 80, day < 14 ? 80 + 40 * (14 - day) / 14 : 80)
    }
    let comparison = try DailyLog(days).compare(after: 39)
    #expect(comparison.decision == .review)
    let recent = comparison.reasons.compactMap { reason -> Estimate? in
      if case .fading(_, _, let recent) = reason { recent } else { nil }
    }.first
    #expect(abs(recent?.value ?? 1) < 1e-12 && (comparison.difference?.value ?? 0) > 0.02)
  }
}
