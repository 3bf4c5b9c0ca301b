// What one journey of the base adds to the sums of its group, figure by figure. What depends on a journey is added as 0 or
// 1 rather than branched on wherever the processor could not foresee it.

import PermissionEvents

extension Bool {
  @inline(__always) fileprivate var count: UInt32 { self ? 1 : 0 }
}

extension ReportFold {
  @inline(__always)
  func add(
    _ journey: Journey, day: DayNumber, _ events: some JourneyEvents, _ permission: PermissionCode, _ slot: Int,
    _ group: GroupCounters
  ) {
    let counters = group.counts
    counters[Counter.exposed] &+= 1
    guard journey.outcome.rawValue <= Outcome.droppedOff.rawValue else {
      counters[journey.outcome == .pending ? Counter.pending : Counter.restricted] &+= 1
      return
    }
    counters[Counter.outcome + journey.outcome.rawValue] &+= 1
    counters[Counter.partial] &+= journey.isPartial.count
    let isFollowed = journey.start + windows.followUp <= windows.asOf
    counters[Counter.followUpEligible] &+= isFollowed.count
    counters[Counter.followUpGranted] &+=
      (isFollowed && journey.grantTime != .max && journey.grantTime <= journey.start + windows.followUp).count
    addSteps(journey, group)
    addTimes(journey, slot, group)
    if journey.outcome == .granted {
      addAfterGrant(journey, events, permission, group)
    } else {
      addReturn(journey, group)
      if journey.outcome == .denied { addSettings(journey, events, group) }
    }
    addEngagement(journey, day: day, group)
  }

  @inline(__always)
  private func addSteps(_ journey: Journey, _ group: GroupCounters) {
    let counters = group.counts
    let outcome = journey.outcome.rawValue
    let hasPrompt = journey.hasPrompt.count
    counters[Counter.promptOutcome + outcome] &+= hasPrompt
    guard journey.beginsWithExplanation else { return }
    counters[Counter.explainedOutcome + outcome] &+= 1
    counters[Counter.continuedOutcome + outcome] &+= hasPrompt
  }

  @inline(__always)
  private func addTimes(_ journey: Journey, _ slot: Int, _ group: GroupCounters) {
    @inline(__always)
    func add(_ series: TimeSeries, _ time: Milliseconds) {
      group.sums[JourneySum.times + series.rawValue] &+= time
      group.counts[Counter.timeCount + series.rawValue] &+= 1
      times.add(slot: slot, series: series, time: time)
    }
    if journey.isAnswered, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
      add(series, journey.answerTime - journey.start)
    }
    if journey.beginsWithExplanation {
      if journey.hasPrompt {
        add(.explanation, journey.promptTime - journey.start)
      } else if journey.isAnswered {
        add(.explanation, journey.answerTime - journey.start)
      }
    }
    if journey.hasPrompt, journey.isAnswered { add(.prompt, journey.answerTime - journey.promptTime) }
  }

  @inline(__always)
  private func addAfterGrant(
    _ journey: Journey, _ events: some JourneyEvents, _ permission: PermissionCode,
    _ group: GroupCounters
  ) {
    let end = journey.answerTime + windows.followUp
    guard end <= windows.asOf else { return }
    let counters = group.counts
    counters[Counter.afterGrantEligible] &+= 1
    let revocation = events.next(.revocations, from: journey.answer + 1, after: journey.answerTime)
    if revocation < events.end { counters[Counter.revoked] &+= (events.time(revocation) <= end).count }
    guard journey.isPartial else { return }
    counters[Counter.partialEligible] &+= 1
    var grant = events.next(.fullGrants, from: journey.answer + 1, after: journey.answerTime)
    while grant < events.end, events.time(grant) <= end {
      if events.status(grant).access(permission: permission) == .on {
        counters[Counter.upgraded] &+= 1
        return
      }
      grant = events.next(.fullGrants, from: grant + 1)
    }
  }

  /// Re-engagement of a denied, skipped or dropped-off journey.
  @inline(__always)
  private func addReturn(_ journey: Journey, _ group: GroupCounters) {
    let counters = group.counts
    let number = journey.outcome.rawValue - Outcome.denied.rawValue
    let asOf = windows.asOf
    let isEnabled = journey.enabledTime != .max
    let followedTo = journey.answerTime + windows.followUp
    let isFollowed = followedTo <= asOf
    counters[Counter.returning + 2 * number] &+= isFollowed.count
    counters[Counter.returning + 2 * number + 1] &+=
      (isFollowed && isEnabled && journey.enabledTime <= followedTo).count
    let end = isEnabled ? journey.enabledTime : asOf
    let day = Int((end - journey.answerTime) / millisecondsPerDay)
    let base = Counter.survival + number * Counter.survivalStride
    let days = Counter.survivalDays
    counters[base + (day >= days ? 2 * days : (isEnabled ? 0 : days) + day)] &+= 1
  }

  /// Settings prompts of a denied journey, and the time it spent under their influence and outside it.
  @inline(__always)
  private func addSettings(
    _ journey: Journey, _ events: some JourneyEvents, _ group: GroupCounters
  ) {
    let counters = group.counts
    let end = min(journey.enabledTime, journey.answerTime + windows.followUp, windows.asOf)
    let isEnabledInTime =
      journey.enabledTime <= journey.answerTime + windows.followUp && journey.enabledTime <= windows.asOf
    var exposed: Milliseconds = 0
    var isEnabledExposed = false
    let prompt = events.next(.settingsPrompts, from: journey.answer + 1, after: journey.answerTime)
    if prompt < events.end {
      let shown = events.time(prompt)
      let isAfterPrompt = journey.enabledTime > shown && journey.enabledTime <= shown + windows.settings
      counters[Counter.settingsShown] &+= 1
      let opened = events.next(.settingsOpened, from: journey.exposure, after: shown - 1)
      if opened < events.end {
        counters[Counter.settingsOpened] &+= (events.time(opened) <= shown + windows.response).count
      }
      if shown + windows.settings <= windows.asOf {
        counters[Counter.settingsEligible] &+= 1
        counters[Counter.settingsEnabled] &+= isAfterPrompt.count
      }
      exposed = max(0, min(end, shown + windows.settings) - shown)
      isEnabledExposed = isAfterPrompt
    }
    let unexposed = end - journey.answerTime - exposed
    group.sums[JourneySum.exposedDays] &+= exposed / millisecondsPerDay
    group.sums[JourneySum.exposedMilliseconds] &+= exposed % millisecondsPerDay
    group.sums[JourneySum.unexposedDays] &+= unexposed / millisecondsPerDay
    group.sums[JourneySum.unexposedMilliseconds] &+= unexposed % millisecondsPerDay
    counters[isEnabledExposed ? Counter.exposedEnabled : Counter.unexposedEnabled] &+= isEnabledInTime.count
  }

  @inline(__always)
  private func addEngagement(_ journey: Journey, day: DayNumber, _ group: GroupCounters) {
    let days = engagement.days(from: day)
    if day + 28 <= asOfDay {
      let side = journey.outcome == .granted ? 0 : 1
      let sums = group.sums + JourneySum.engagement + side * JourneySum.engagementStride
      let active = Int64((days & (1 << 28 - 1)).nonzeroBitCount)
      let features = engagement.featureEvents(from: day)
      group.counts[Counter.engaged + side] &+= 1
      sums[0] &+= active
      sums[1] &+= active &* active
      sums[2] &+= features
      sums[3] &+= features &* features
    }
    let retention = group.counts + Counter.retention + journey.outcome.rawValue * Counter.retentionStride
    @inline(__always)
    func add(_ number: Int, _ n: Int64) {
      let isOver = (day + n + 1 <= asOfDay).count
      retention[2 * number] &+= isOver
      retention[2 * number + 1] &+= isOver & UInt32(truncatingIfNeeded: days >> UInt64(n))
    }
    add(0, 1)
    add(1, 7)
    add(2, 30)
  }
}
