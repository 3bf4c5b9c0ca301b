// What one journey adds to the sums of a comparison.

import Folding
import PermissionEvents

/// What a journey says about each metric.
private struct JourneyMarks {
  var outcome: Outcome
  /// Followed to the end of the follow-up; granted by then.
  var isFollowed = false
  var isGrantedByThen = false
  /// Day 7 is over; the user was active on it.
  var isPastDay7 = false
  var isRetained = false

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
  /// - Parameter exposure: number of the exposure among the user's events of permissions.
  mutating func add(
    _ journey: JourneyFacts, arm: Int, isContaminated: Bool, exposure: Int, _ user: borrowing UserHistory
  ) {
    let counters = arms.counters(of: arm, isContaminated: isContaminated)
    let day = dayCursor.day(of: journey.start, in: question.zone)
    var marks = JourneyMarks(outcome: journey.outcome)
    if journey.isInBase {
      if journey.isFollowed(windows) {
        marks.isFollowed = true
        marks.isGrantedByThen = journey.isGrantedByFollowUp(windows)
      }
      if DayAfter.isOver(7, after: day, asOfDay: asOfDay) {
        marks.isPastDay7 = true
        marks.isRetained = isActive(on: day + 7, user, from: journey.start)
      }
      if journey.isAnswered, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
        times.add(
          slot: ArmPlace.number(arm, isContaminated: isContaminated), series: series,
          time: journey.answerTime - journey.start)
      }
      if journey.outcome != .granted { addReturn(journey, counters) }
    }
    marks.add(to: counters)
    marks.add(to: days.counters(of: Int(day), arm: arm, isContaminated: isContaminated))
    if user.hasAttributes {
      let code = user.attributes(exposure)
      marks.add(to: attributes.counters(of: code, arm: arm, isContaminated: isContaminated))
    }
    if let values = user.unsafeProperties {
      marks.add(to: properties.counters(of: Int(values[exposure]), arm: arm, isContaminated: isContaminated))
    }
  }

  /// Enabled later: whole days since the answer, to the enabling or to as_of.
  private mutating func addReturn(_ journey: JourneyFacts, _ counters: UnsafeMutablePointer<Int64>) {
    let (day, isEnabled) = journey.timeToReturn(windows)
    let start = ArmCounter.survival + (journey.outcome.rawValue - Outcome.denied.rawValue) * Survival.stride
    counters[start + Survival.place(day: day, isEnabled: isEnabled)] += 1
  }

  /// True if the user has an engagement event on a calendar day, which is after the day of an exposure.
  private mutating func isActive(on day: DayNumber, _ user: borrowing UserHistory, from exposure: Milliseconds) -> Bool
  {
    // Clocks are set by less than a day, so that no later event can lie on that day.
    let last = min(windows.asOf, exposure + 10 * millisecondsPerDay)
    let engagement = user.unsafeEngagement
    for i in 0..<user.engagementCount {
      let time = Milliseconds(engagement[i] >> 1)
      if time > last { return false }
      if time >= exposure, dayCursor.day(of: time, in: question.zone) == day { return true }
    }
    return false
  }
}
