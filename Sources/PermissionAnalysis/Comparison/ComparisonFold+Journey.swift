// What one journey adds to the sums of a comparison.

import PermissionEvents

/// What a journey says about each metric.
struct JourneyMarks {
  var outcome: Outcome
  /// Followed to the end of the follow-up; granted by then.
  var isFollowed = false
  var isGrantedByThen = false
  /// Day 7 is over; the user was active on it.
  var isPastDay7 = false
  var isRetained = false

  /// Trials and successes of a metric, each 0 or 1.
  @inline(__always)
  func sample(_ metric: ComparisonMetric) -> (trials: Int64, successes: Int64) {
    let isInBase = outcome.rawValue <= Outcome.droppedOff.rawValue
    func share(_ isSuccess: Bool, of isTrial: Bool) -> (trials: Int64, successes: Int64) {
      (isTrial ? 1 : 0, isTrial && isSuccess ? 1 : 0)
    }
    return switch metric {
    case .grantRate: share(outcome == .granted, of: isInBase)
    case .denyRate: share(outcome == .denied, of: isInBase)
    case .skipRate: share(outcome == .skipped, of: isInBase)
    case .dropOffRate: share(outcome == .droppedOff, of: isInBase)
    case .promptGrantRate: share(outcome == .granted, of: outcome == .granted || outcome == .denied)
    case .grantedByDay28: share(isGrantedByThen, of: isFollowed)
    case .retentionDay7: share(isRetained, of: isPastDay7)
    }
  }
}

extension ComparisonFold {
  func add(_ journey: Journey, _ events: EventList, arm: Int, isContaminated: Bool, _ user: User) {
    let counters = arms.counters(of: arm, contaminated: isContaminated)
    let day = dayCursor.day(of: journey.start, in: question.zone)
    var marks = JourneyMarks(outcome: journey.outcome)
    counters[ArmCounter.exposed] += 1
    switch journey.outcome {
    case .pending: counters[ArmCounter.pending] += 1
    case .restricted: counters[ArmCounter.restricted] += 1
    default:
      counters[ArmCounter.outcome + journey.outcome.rawValue] += 1
      if journey.start + windows.followUp <= windows.asOf {
        marks.isFollowed = true
        marks.isGrantedByThen = journey.grantTime != .max && journey.grantTime <= journey.start + windows.followUp
        counters[ArmCounter.followUpEligible] += 1
        counters[ArmCounter.followUpGranted] += marks.isGrantedByThen ? 1 : 0
      }
      if day + 8 <= asOfDay {
        marks.isPastDay7 = true
        marks.isRetained = isActive(on: day + 7, user, from: journey.start)
        counters[ArmCounter.retentionEligible] += 1
        counters[ArmCounter.retained] += marks.isRetained ? 1 : 0
      }
      if journey.isAnswered, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
        times.add(
          slot: arm * 2 + (isContaminated ? 1 : 0), series: series, time: journey.answerTime - journey.start)
      }
      if journey.outcome != .granted { addReturn(journey, counters) }
    }
    addTallies(marks, day: day, row: rows.rows[journey.exposure], arm: arm, isContaminated: isContaminated, user)
  }

  private func addTallies(_ marks: JourneyMarks, day: DayNumber, row: Int, arm: Int, isContaminated: Bool, _ user: User)
  {
    let sample = marks.sample(question.metric)
    days.add(
      Int(day), arm: arm, contaminated: isContaminated, trials: sample.trials, successes: sample.successes)
    if let column = user.batch.attributes {
      let code = column.code(user: user.number, event: user.firstEvent + row)
      attributes.add(
        Int(code), arm: arm, contaminated: isContaminated, trials: sample.trials, successes: sample.successes)
    }
    if let values = user.batch.properties {
      properties.add(
        Int(values[user.firstEvent + row]), arm: arm, contaminated: isContaminated, trials: sample.trials,
        successes: sample.successes)
    }
  }

  /// Enabled later: whole days since the answer, to the enabling or to as_of.
  private func addReturn(_ journey: Journey, _ counters: UnsafeMutablePointer<Int64>) {
    let isEnabled = journey.enabledTime != .max
    let end = isEnabled ? journey.enabledTime : windows.asOf
    let day = Int((end - journey.answerTime) / millisecondsPerDay)
    let start =
      ArmCounter.survival + (journey.outcome.rawValue - Outcome.denied.rawValue) * ArmCounter.survivalStride
    let days = Counter.survivalDays
    counters[start + (day >= days ? 2 * days : (isEnabled ? 0 : days) + day)] += 1
  }

  /// True where the user has an engagement event on a calendar day, which is after the day of an exposure.
  private func isActive(on day: DayNumber, _ user: User, from exposure: Milliseconds) -> Bool {
    // Clocks are set by less than a day, so that no later event can lie on that day.
    let last = min(windows.asOf, exposure + 10 * millisecondsPerDay)
    for i in 0..<user.engagementCount {
      let time = Milliseconds(user.engagement[i] >> 1)
      if time > last { return false }
      if time >= exposure, dayCursor.day(of: time, in: question.zone) == day { return true }
    }
    return false
  }
}
