// What one journey adds to the sums of its group, figure by figure. What depends on a journey is added as 0 or 1 rather than
// branched on if the processor could not foresee it.

import PermissionEvents

extension Bool {
  @inline(__always) fileprivate var count: UInt32 { self ? 1 : 0 }
}

extension ReportFold {
  @inline(__always)
  mutating func add(
    _ journey: JourneyFacts, day: DayNumber, _ events: some JourneyEvents, _ permission: PermissionCode, _ slot: Int,
    _ group: GroupCounters
  ) {
    group.add(.exposed)
    guard journey.isInBase else { return group.add(journey.outcome == .pending ? .pending : .restricted) }
    group.add(.granted, journey.outcome)
    group.add(.partial, journey.isPartial)
    let isFollowed = journey.isFollowed(windows)
    group.add(.followUpEligible, isFollowed)
    let isFoundOn = isFollowed && journey.isGrantedByFollowUp(windows)
    group.add(.followUpGranted, isFoundOn)
    group.add(.followUpPartial, isFoundOn && journey.isFoundOnInPart)
    addSteps(journey, group)
    if journey.isTimed { addTimes(journey, slot, group) }
    group.add(.answeredByStatus, journey.isByStatus)
    if journey.outcome == .granted {
      let after = AfterGrant(journey, events, permission, windows)
      if after.isFollowed {
        group.add(.afterGrantEligible)
        group.add(.revoked, after.isRevoked)
        if journey.isPartial {
          group.add(.partialEligible)
          group.add(.upgraded, after.isUpgraded)
        }
      }
    } else {
      addReturn(journey, group)
      if journey.outcome == .denied {
        addSettings(SettingsFacts(journey, events, windows), isInPart: journey.isEnabledInPart, group)
      }
    }
    addEngagement(journey, day: day, group)
  }

  @inline(__always)
  private mutating func addSteps(_ journey: JourneyFacts, _ group: GroupCounters) {
    group.add(.promptedGranted, journey.outcome, journey.hasPrompt)
    guard journey.beginsWithExplanation else { return }
    group.add(.explainedGranted, journey.outcome)
    group.add(.continuedGranted, journey.outcome, journey.hasPrompt)
  }

  @inline(__always)
  private mutating func addTimes(_ journey: JourneyFacts, _ slot: Int, _ group: GroupCounters) {
    if journey.isAnswered, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
      add(series, journey.answerTime - journey.start, slot, group)
    }
    if let end = journey.explanationEnd { add(.explanation, end - journey.start, slot, group) }
    if journey.hasPrompt, journey.isAnswered {
      add(.prompt, journey.answerTime - journey.promptTime, slot, group)
    }
  }

  @inline(__always)
  private mutating func add(_ series: TimeSeries, _ time: Milliseconds, _ slot: Int, _ group: GroupCounters) {
    group.sums[JourneySum.times + series.rawValue] &+= time
    group.counts[Counter.timeCount + series.rawValue] &+= 1
    times.add(slot: slot, series: series, time: time)
  }

  /// Re-engagement of a denied, skipped or dropped-off journey.
  @inline(__always)
  private mutating func addReturn(_ journey: JourneyFacts, _ group: GroupCounters) {
    let number = journey.outcome.rawValue - Outcome.denied.rawValue
    let isFollowed = journey.isFollowedFromAnswer(windows)
    let isReturned = isFollowed && journey.isEnabledByFollowUp(windows)
    let returning = Counter.returning + number * Counter.returningStride
    group.counts[returning] &+= isFollowed.count
    group.counts[returning + 1] &+= isReturned.count
    group.counts[returning + 2] &+= (isReturned && journey.isEnabledInPart).count
    let (day, isEnabled) = journey.timeToReturn(windows)
    let survival = Counter.survival + number * Survival.stride
    group.counts[survival + Survival.place(day: day, isEnabled: isEnabled)] &+= 1
  }

  @inline(__always)
  private mutating func addSettings(_ facts: SettingsFacts, isInPart: Bool, _ group: GroupCounters) {
    group.add(.settingsShown, facts.isShown)
    group.add(.settingsOpened, facts.isOpened)
    group.add(.settingsEligible, facts.isEligible)
    let isEnabled = facts.isEligible && facts.isEnabledAfterPrompt
    group.add(.settingsEnabled, isEnabled)
    group.add(.settingsPartial, isEnabled && isInPart)
    group.add(.exposedDays, facts.exposed / millisecondsPerDay)
    group.add(.exposedMilliseconds, facts.exposed % millisecondsPerDay)
    group.add(.unexposedDays, facts.unexposed / millisecondsPerDay)
    group.add(.unexposedMilliseconds, facts.unexposed % millisecondsPerDay)
    group.add(facts.isEnabledAfterPrompt ? .exposedEnabled : .unexposedEnabled, facts.isEnabledInTime)
  }

  @inline(__always)
  private mutating func addEngagement(_ journey: JourneyFacts, day: DayNumber, _ group: GroupCounters) {
    let days = engagement.days(from: day)
    if DayAfter.isOver(27, after: day, asOfDay: asOfDay) {
      let side = journey.outcome == .granted ? 0 : 1
      let sums = group.sums + JourneySum.activeDaysGranted.rawValue + side * JourneySum.engagementStride
      let active = Int64((days & (1 << 28 - 1)).nonzeroBitCount)
      let features = engagement.featureEvents(from: day)
      group.counts[Counter.engagedGranted.rawValue + side] &+= 1
      sums[0] &+= active
      sums[1] &+= active &* active
      sums[2] &+= features
      sums[3] &+= features &* features
    }
    let retention = group.counts + Counter.retention + journey.outcome.rawValue * Counter.retentionStride
    @inline(__always)
    func add(_ number: Int, _ n: Int64) {
      let isOver = DayAfter.isOver(n, after: day, asOfDay: asOfDay).count
      retention[2 * number] &+= isOver
      retention[2 * number + 1] &+= isOver & UInt32(truncatingIfNeeded: days >> UInt64(n))
    }
    add(0, 1)
    add(1, 7)
    add(2, 30)
  }
}
