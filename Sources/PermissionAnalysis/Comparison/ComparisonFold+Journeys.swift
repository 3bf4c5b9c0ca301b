// What one journey adds to the sums of a comparison.

import Folding
import PermissionEvents

/// What a journey says about each metric.
private struct JourneyMarks {
  var outcome: Outcome
  /// Followed to the end of the follow-up; granted by then.
  var isFollowed = false
  var isGrantedByThen = false
  /// Day 7 is over; when the user was first active on it.
  var isPastDay7 = false
  var activeOnDay7 = Milliseconds.max

  var isRetained: Bool { activeOnDay7 != .max }

  @inline(__always)
  func add(to counters: UnsafeMutablePointer<Int64>) {
    counters[ArmCounter.exposed.rawValue] += 1
    switch outcome {
    case .pending: counters[ArmCounter.pending.rawValue] += 1
    case .restricted: counters[ArmCounter.restricted.rawValue] += 1
    default:
      counters[ArmCounter.granted.rawValue + outcome.rawValue] += 1
      counters[ArmCounter.followUpEligible.rawValue] += isFollowed ? 1 : 0
      counters[ArmCounter.followUpGranted.rawValue] += isGrantedByThen ? 1 : 0
      counters[ArmCounter.retentionEligible.rawValue] += isPastDay7 ? 1 : 0
      counters[ArmCounter.retained.rawValue] += isRetained ? 1 : 0
    }
  }
}

extension ComparisonFold {
  /// - Parameters:
  ///   - secondVariant: the first screen of another variant than the arm's; the end of time without one.
  ///   - exposure: number of the exposure among the user's events of permissions.
  mutating func add(
    _ journey: JourneyFacts, arm: Int, secondVariant: Milliseconds, exposure: Int, _ user: borrowing UserHistory
  ) {
    let isContaminated = secondVariant != .max
    let counters = arms.counters(of: arm, isContaminated: isContaminated)
    let day = dayCursor.day(of: journey.start, in: question.zone)
    let code = user.hasAttributes ? user.attributes(exposure) : 0
    var marks = JourneyMarks(outcome: journey.outcome)
    if journey.isInBase {
      if journey.isFollowed(windows) {
        marks.isFollowed = true
        marks.isGrantedByThen = journey.isGrantedByFollowUp(windows)
      }
      if DayAfter.isOver(7, after: day, asOfDay: asOfDay) {
        marks.isPastDay7 = true
        marks.activeOnDay7 = firstActivity(on: day + 7, user, from: journey.start)
      }
      if journey.isAnswered, journey.isTimed, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
        times.add(
          slot: ArmPlace.number(arm, isContaminated: isContaminated), series: series,
          time: journey.answerTime - journey.start)
      }
      if journey.outcome != .granted { addReturn(journey, counters) }
      settle(
        journey, marks, day: day,
        SettledTable.User(
          stratum: strata.stratum(of: code), arm: arm,
          leavingDay: isContaminated ? lookDays.day(knowing: secondVariant, in: question.zone) : nil))
    }
    marks.add(to: counters)
    marks.add(to: days.counters(of: Int(day), arm: arm, isContaminated: isContaminated))
    if user.hasAttributes {
      versions.add(code: code, day: day)
      let code = strata.checkedCode(code)
      marks.add(to: attributes.counters(of: code, arm: arm, isContaminated: isContaminated))
    }
    if countsProperty {
      let value = Int(exposures.code(user, exposure))
      marks.add(to: properties.counters(of: value, arm: arm, isContaminated: isContaminated))
    }
  }

  /// Counts a journey of the base on the days by whose ends it has its say on each metric.
  /// - Parameter day: of the exposure.
  @inline(__always)
  private mutating func settle(
    _ journey: JourneyFacts, _ marks: JourneyMarks, day: DayNumber, _ user: SettledTable.User
  ) {
    let answered = lookDays.day(knowing: journey.start &+ windows.response, in: question.zone)
    settled.count(marks.outcome.rawValue, on: answered, user)
    if marks.isFollowed {
      let followed = lookDays.day(knowing: journey.start &+ windows.followUp, in: question.zone)
      settled.count(
        SettledCounts.place(of: .followUpEligible),
        marks.isGrantedByThen ? SettledCounts.place(of: .followUpGranted) : nil, on: max(answered, followed), user)
    }
    if marks.isPastDay7 {
      let past = max(answered, lookDays.firstDay(endingWith: day + 7, in: question.zone))
      let isKnown = marks.activeOnDay7 <= lookDays.end(of: day + 7, in: question.zone)
      let retained = SettledCounts.place(of: .retained)
      settled.count(SettledCounts.place(of: .retentionEligible), isKnown ? retained : nil, on: past, user)
      if marks.isRetained, !isKnown {
        // A day goes on after its end if clocks are set back over midnight.
        let known = lookDays.day(knowing: marks.activeOnDay7, in: question.zone)
        settled.count(retained, on: max(past, known), user)
      }
    }
  }

  /// Enabled later: whole days since the answer, to the enabling or to as_of.
  private mutating func addReturn(_ journey: JourneyFacts, _ counters: UnsafeMutablePointer<Int64>) {
    let (day, isEnabled) = journey.timeToReturn(windows)
    let start = ArmCounter.survival + (journey.outcome.rawValue - Outcome.denied.rawValue) * Survival.stride
    counters[start + Survival.place(day: day, isEnabled: isEnabled)] += 1
  }

  /// The first engagement of a user on a calendar day, which is after the day of an exposure; the end of time without one.
  private mutating func firstActivity(
    on day: DayNumber, _ user: borrowing UserHistory, from exposure: Milliseconds
  ) -> Milliseconds {
    // Clocks are set by less than a day, so that no later event can lie on that day.
    let last = min(windows.asOf, exposure + 10 * millisecondsPerDay)
    let engagement = user.unsafeEngagement
    for i in 0..<user.engagementCount {
      let time = Milliseconds(engagement[i] >> 1)
      if time > last { return .max }
      if time >= exposure, dayCursor.day(of: time, in: question.zone) == day { return time }
    }
    return .max
  }
}
