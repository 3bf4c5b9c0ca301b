// One user's events as the fold goes over them: by week and kind for activity, by day for engagement.

import Folding
import PermissionEvents

extension ReportFold {
  struct User {
    let times: UnsafePointer<Milliseconds>
    let codes: UnsafePointer<UInt32>
    /// As they are stored, for what counts events.
    let storedTimes: UnsafePointer<Milliseconds>
    let storedCodes: UnsafePointer<UInt32>
    let isReadAsStored: Bool
    let engagement: UnsafePointer<UInt64>
    let permissionCount, engagementCount: Int

    @inline(__always)
    init(_ user: borrowing UserHistory, _ windows: AnalysisWindows) {
      times = user.unsafeTimes
      codes = user.unsafeCodes
      (storedTimes, storedCodes, isReadAsStored) = (user.unsafeStoredTimes, user.unsafeStoredCodes, user.isReadAsStored)
      engagement = user.unsafeEngagement
      permissionCount = windows.events(storedTimes, user.eventCount)
      engagementCount = windows.uses(engagement, user.engagementCount)
    }

    @inline(__always) func engagementTime(_ i: Int) -> Milliseconds { Milliseconds(engagement[i] >> 1) }
  }

  @inline(__always)
  mutating func addEngagement(of user: User) {
    let count = user.engagementCount
    guard count > 0 else { return engagement.removeAll() }
    // In locals: what `self` holds would be read again for every event.
    var days = dayCursor
    let zone = question.zone
    let (from, to) = (from, to)
    let first = days.day(of: user.engagementTime(0), in: zone)
    let last = days.day(of: user.engagementTime(count - 1), in: zone)
    var writer = engagement.begin(first: first, last: last, events: count)
    let table = activity.engagementCounts(from: first, to: last)
    days.forEachOffset(of: count, in: zone, time: user.engagementTime) { moments, offset in
      guard let (counts, firstDay) = table else {
        for i in moments { addElsewhere(user.engagementTime(i), offset, isActive: user.engagement[i] & 1, &writer) }
        return
      }
      for i in moments {
        let word = user.engagement[i]
        let time = Milliseconds(truncatingIfNeeded: word >> 1)
        let isActive = Int(truncatingIfNeeded: word & 1)
        let day = DayCursor.day(ofLocal: time &+ offset)
        counts[Int(truncatingIfNeeded: day &- firstDay) &* 2 &+ isActive] &+= time >= from && time < to ? 1 : 0
        writer.add(day: day, isFeature: 1 &- isActive)
      }
    }
    dayCursor = days
    engagement.end(writer)
  }

  private mutating func addElsewhere(
    _ time: Milliseconds, _ offset: Milliseconds, isActive: UInt64, _ writer: inout UserEngagement.Writer
  ) {
    let day = DayCursor.day(ofLocal: time &+ offset)
    let kind = isActive == 1 ? KindCode.appActive : KindCode.featureUsed
    if isInside(time) { activity.addElsewhere(permission: 0, kind: Int(kind), week: weekNumbers.week(of: day)) }
    writer.add(day: day, isFeature: isActive == 1 ? 0 : 1)
  }

  /// How many events of permissions there were; `body` is called with each one's number, kind and permission.
  @inline(__always)
  mutating func addActivity(of user: User, _ body: (Int, Int, UInt32) -> Void) {
    var days = dayCursor
    let zone = question.zone
    let (from, to) = (from, to)
    let count = user.permissionCount
    let weekNumbers = weekNumbers
    let first = weekNumbers.week(of: days.day(of: user.storedTimes[0], in: zone))
    let last = weekNumbers.week(of: days.day(of: user.storedTimes[count - 1], in: zone))
    let table = activity.eventCounts(from: first, to: last)
    let permissionOfContext = permissionOfContext.unsafeAddress
    let permissions = permissionCount
    days.forEachOffset(of: count, in: zone, time: { user.storedTimes[$0] }) { moments, offset in
      for i in moments {
        let time = user.storedTimes[i]
        let code = user.storedCodes[i]
        let kind = Int(code & 15)
        let permission = permissionOfContext[Int(code >> HistoryBatch.contextShift)]
        body(i, kind, permission)
        let week = weekNumbers.week(ofLocal: time &+ offset)
        let isCounted = time >= from && time < to
        if let (counts, firstWeek) = table {
          let place = ActivityTable.place(
            permission: Int(permission), kind: kind, week: week &- firstWeek, permissions: permissions)
          counts[place] &+= isCounted ? 1 : 0
        } else if isCounted {
          activity.addElsewhere(permission: Int(permission), kind: kind, week: week)
        }
      }
    }
    dayCursor = days
  }
}

// MARK: What one journey adds to the sums of its group, figure by figure
// What depends on a journey is added as 0 or 1 rather than branched on if the processor could not foresee it.

extension Bool {
  @inline(__always) fileprivate var count: UInt32 { self ? 1 : 0 }
}

extension ReportFold {
  @inline(__always)
  mutating func add(
    _ journey: JourneyFacts, day: DayNumber, _ events: some JourneyEvents, _ permission: PermissionCode, _ slot: Int,
    _ user: User, _ group: GroupCounters
  ) {
    group.add(.exposed)
    guard journey.isInBase else { return group.add(journey.outcome == .pending ? .pending : .restricted) }
    group.add(.granted, journey.outcome)
    group.add(.partial, journey.isPartial)
    let isFollowed = journey.isFollowed(windows)
    group.add(.followUpEligible, isFollowed)
    group.add(.followUpGrantedFirst, isFollowed && journey.outcome == .granted)
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
        let settings = SettingsFacts(journey, events, windows)
        addSettings(settings, isInPart: journey.isEnabledInPart, group)
        addTrials(journey, prompt: settings.shownTime, user, group)
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
    if journey.hasPrompt, journey.isAnswered { add(.prompt, journey.answerTime - journey.promptTime, slot, group) }
  }

  @inline(__always)
  private mutating func add(_ series: TimeSeries, _ time: Milliseconds, _ slot: Int, _ group: GroupCounters) {
    group.sums[JourneySum.times + series.rawValue] &+= time
    group.counts[Counter.timeCount + series.rawValue] &+= 1
    times.add(slot: slot, series: series, time: time)
  }

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
  }

  @inline(__always)
  private mutating func addTrials(
    _ journey: JourneyFacts, prompt: Milliseconds, _ user: User, _ group: GroupCounters
  ) {
    var enabled: Int64 = 0
    SettingsTrials.forEach(
      of: journey, prompt: prompt, windows, useCount: user.engagementCount, use: user.engagementTime
    ) { trial in
      let taking: TrialCount = trial.isPrompted ? .prompted : .notPrompted
      let returning: TrialCount = trial.isPrompted ? .promptedEnabled : .notPromptedEnabled
      group.counts[taking.place(day: trial.day)] &+= 1
      group.counts[returning.place(day: trial.day)] &+= trial.isEnabled.count
      group.counts[Counter.trialsPromptedLater] &+= trial.isPromptedLater.count
      enabled += trial.isEnabled && !trial.isPrompted ? 1 : 0
    }
    group.add(.squaredTrialsNotPromptedEnabled, enabled * enabled)
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

  // MARK: How early a journey's user was asked

  /// How far back use of the app counts: milliseconds before the screen, and days before its day.
  private static let lookBack = 28 * millisecondsPerDay
  private static let daysBefore: DayNumber = 27

  @inline(__always)
  mutating func addTiming(_ journey: JourneyFacts, day: DayNumber, _ user: User, permission: UInt32) {
    let installed = installs.latest(at: journey.start)
    let start = journey.start - Self.lookBack
    // Of time that the log does not hold nothing is known, unless the user was new in it.
    let isKnown = installed != nil || start >= logStart
    // Bit n is day n of these.
    let days = engagement.days(from: day - Self.daysBefore) & (1 << UInt64(Self.daysBefore) - 1)
    let uses =
      engagement.hasFeatureEvents
      ? user.featureEvents(from: start, before: journey.start, most: TimingCounter.mostUses) : 0
    timing.add(
      permission: permission, isGranted: journey.outcome == .granted,
      TimingCounter.install(installed.map { journey.start - $0 } ?? -1),
      TimingCounter.activeDays(days.nonzeroBitCount, isKnown: isKnown),
      TimingCounter.featureUsed(uses, isKnown: isKnown))
  }
}

extension ReportFold.User {
  /// How often a feature was used in [from, before), counted up to `most`.
  @inline(__always)
  func featureEvents(from: Milliseconds, before: Milliseconds, most: Int) -> Int {
    // Words of engagement are times doubled, so they are in the order of time.
    let (first, end) = (UInt64(max(0, from)) << 1, UInt64(max(0, before)) << 1)
    var (low, high) = (0, engagementCount)
    while low < high {
      let middle = (low + high) / 2
      if engagement[middle] < end { low = middle + 1 } else { high = middle }
    }
    // Backwards, which ends as soon as no more uses change anything.
    var count = 0
    while low > 0, count < most, engagement[low - 1] >= first {
      low -= 1
      count += engagement[low] & 1 == 0 ? 1 : 0
    }
    return count
  }
}
