// The fold: users' histories in, integers out. One user's history is in memory at a time; nothing is
// kept of it but sums. Everything that a report says comes from here.

import PermissionEvents

/// Folds histories into the sums of a report. Owned by one thread; folds of disjoint users add up.
package final class ReportFold: HistoryConsumer, @unchecked Sendable {
  let question: ReportQuestion
  let contexts: HistoryContexts
  private let permissionOfContext: [UInt32]
  private(set) var groups = GroupTable()
  private(set) var times = TimeLog()
  private(set) var activity = ActivityTable()
  private(set) var reach: ReachTable
  private(set) var users: Int64 = 0
  private(set) var events: Int64 = 0
  private(set) var unexposed: Int64 = 0

  /// Days that have begun at as_of: a day is over where the next one is among them.
  private let asOfDay: DayNumber
  private let activeSince: Milliseconds
  private var dayCursor: ZoneCursor
  private var weekCursor: WeekCursor
  private var exposureWeeks: WeekCursor
  private var exposureDays: ZoneCursor
  private var engagement = UserEngagement()
  private var rows: PermissionRows
  private var journeyTimes: [Milliseconds] = []
  private var journeyCodes: [UInt32] = []
  private var journeyRows: [Int] = []
  private var activityCache: ActivityCache

  package init(_ question: ReportQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    permissionOfContext = contexts.contexts.map(\.permission)
    reach = ReachTable(permissions: contexts.permissions.count)
    rows = PermissionRows(permissionCount: contexts.permissions.count)
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    activeSince = question.windows.asOf - 28 * millisecondsPerDay
    dayCursor = ZoneCursor(question.zone)
    weekCursor = WeekCursor(question.zone)
    exposureWeeks = WeekCursor(question.zone)
    exposureDays = ZoneCursor(question.zone)
    activityCache = ActivityCache(permissions: contexts.permissions.count)
  }

  /// Adds the sums of other users' histories.
  package func merge(_ other: ReportFold) {
    finish()
    other.finish()
    let slots = groups.merge(other.groups)
    times.merge(other.times, slots: slots)
    activity.merge(other.activity)
    reach.merge(other.reach)
    users += other.users
    events += other.events
    unexposed += other.unexposed
  }

  /// Moves what is still in caches to the tables.
  func finish() {
    activityCache.flush(into: &activity)
    times.compact()
  }

  package func consume(_ batch: HistoryBatch) {
    var row = 0
    for user in 0..<batch.userCount {
      let count = Int(batch.runLengths[user])
      fold(
        times: batch.times + row, codes: batch.codes + row, properties: batch.properties.map { $0 + row },
        count: count)
      row += count
    }
  }

  private func fold(
    times: UnsafePointer<Milliseconds>, codes: UnsafePointer<UInt32>, properties: UnsafePointer<UInt32>?, count: Int
  ) {
    let asOf = question.windows.asOf
    var end = count
    while end > 0, times[end - 1] > asOf { end -= 1 }
    guard end > 0 else { return }
    users += 1
    events += Int64(end)
    engagement.removeAll()
    rows.removeAll(rows: end)
    let isUnbounded = question.from == nil && question.to == nil
    permissionOfContext.withUnsafeBufferPointer { permissionOf in
      for i in 0..<end {
        let code = codes[i]
        let kind = Int(code & 15)
        let time = times[i]
        let isEngagement = kind >= Int(EventKind.featureUsed.rawValue)
        let permission = isEngagement ? 0 : permissionOf[Int(code >> HistoryBatch.contextShift)]
        if isUnbounded || question.isInside(time) {
          activityCache.add(permission, kind, week: weekCursor.index(of: time), into: &activity)
        }
        if isEngagement {
          engagement.add(day: dayCursor.day(of: time), isFeature: kind == Int(EventKind.featureUsed.rawValue))
        } else {
          rows.add(row: i, permission: permission)
        }
      }
    }
    let isActive = times[end - 1] > activeSince
    if isActive { reach.addActiveUser() }
    for list in rows.permissions.indices {
      let permission = rows.permissions[list]
      if let only = question.permission, only != permission { continue }
      journeyTimes.removeAll(keepingCapacity: true)
      journeyCodes.removeAll(keepingCapacity: true)
      journeyRows.removeAll(keepingCapacity: true)
      rows.forEachRow(list) { i in
        journeyTimes.append(times[i])
        journeyCodes.append(codes[i])
        journeyRows.append(i)
      }
      foldJourney(PermissionCode(rawValue: permission), isActive: isActive, properties: properties)
    }
  }

  private func foldJourney(_ permission: PermissionCode, isActive: Bool, properties: UnsafePointer<UInt32>?) {
    journeyTimes.withUnsafeBufferPointer { times in
      journeyCodes.withUnsafeBufferPointer { codes in
        guard let times = times.baseAddress, let codes = codes.baseAddress else { return }
        let events = JourneyEvents(times: times, codes: codes, count: journeyTimes.count)
        if isActive {
          reach.add(permission: permission.rawValue, ReachTable.access(events, permission: permission))
        }
        var exposure = 0
        while exposure < events.count, events.kind(exposure) > Journey.promptShown { exposure += 1 }
        guard exposure < events.count else {
          if (0..<events.count).contains(where: { Journey.isAnswer(events.kind($0)) }) { unexposed += 1 }
          return
        }
        let journey = Journey(events, exposure: exposure, permission: permission, windows: question.windows)
        let value = properties.map { $0[journeyRows[exposure]] } ?? 0
        let key = GroupKey(permission: permission.rawValue, week: exposureWeeks.index(of: journey.start), value: value)
        let slot = groups.slot(key)
        if question.isInside(journey.start) {
          add(journey, events, permission, slot)
        } else if journey.outcome.rawValue <= Outcome.droppedOff.rawValue {
          groups.add(slot, Counter.outsideBase)
          if journey.outcome == .granted { groups.add(slot, Counter.outsideGranted) }
        }
      }
    }
  }

  // MARK: Figures

  private func add(_ journey: Journey, _ events: JourneyEvents, _ permission: PermissionCode, _ slot: Int) {
    groups.add(slot, Counter.exposed)
    switch journey.outcome {
    case .pending: return groups.add(slot, Counter.pending)
    case .restricted: return groups.add(slot, Counter.restricted)
    default: break
    }
    let outcome = journey.outcome.rawValue
    groups.add(slot, Counter.outcome + outcome)
    if journey.isPartial { groups.add(slot, Counter.partial) }
    if journey.start + question.windows.followUp <= question.windows.asOf {
      groups.add(slot, Counter.followUpEligible)
      if journey.isGranted(events, within: question.windows.followUp) { groups.add(slot, Counter.followUpGranted) }
    }
    addSteps(journey, slot)
    addTimes(journey, slot)
    if journey.outcome == .granted {
      addAfterGrant(journey, events, permission, slot)
    } else {
      addReturn(journey, slot)
      if journey.outcome == .denied { addSettings(journey, events, slot) }
    }
    addEngagement(journey, slot)
  }

  private func addSteps(_ journey: Journey, _ slot: Int) {
    if journey.beginsWithExplanation {
      groups.add(slot, Counter.explanationShown)
      groups.add(slot, Counter.explainedBase)
      if journey.outcome == .granted { groups.add(slot, Counter.explainedGranted) }
      if journey.hasPrompt {
        groups.add(slot, Counter.explanationContinued)
      } else {
        switch journey.outcome {
        case .skipped: groups.add(slot, Counter.explanationSkipped)
        case .droppedOff: groups.add(slot, Counter.explanationDropped)
        default: groups.add(slot, Counter.explanationAnswered)
        }
      }
    }
    if journey.hasPrompt {
      groups.add(slot, Counter.promptShown)
      groups.add(slot, Counter.promptOutcome + journey.outcome.rawValue)
    }
  }

  private func addTimes(_ journey: Journey, _ slot: Int) {
    func add(_ series: TimeSeries, _ time: Milliseconds) {
      groups.add(slot, Counter.timeSum + series.rawValue, time)
      groups.add(slot, Counter.timeCount + series.rawValue)
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

  private func addAfterGrant(
    _ journey: Journey, _ events: JourneyEvents, _ permission: PermissionCode, _ slot: Int
  ) {
    let followUp = question.windows.followUp
    guard journey.answerTime + followUp <= question.windows.asOf else { return }
    groups.add(slot, Counter.afterGrantEligible)
    let isRevoked = journey.contains(events, after: journey.answerTime, length: followUp) {
      events.kind($0) == EventKind.revoked.rawValue
    }
    if isRevoked { groups.add(slot, Counter.revoked) }
    guard journey.isPartial else { return }
    groups.add(slot, Counter.partialEligible)
    let isUpgraded = journey.contains(events, after: journey.answerTime, length: followUp) { i in
      let kind = events.kind(i)
      guard Journey.isGrant(kind) || kind == EventKind.statusChecked.rawValue else { return false }
      return events.status(i).access(permission: permission) == .on
    }
    if isUpgraded { groups.add(slot, Counter.upgraded) }
  }

  /// Re-engagement of a denied, skipped or dropped-off journey.
  private func addReturn(_ journey: Journey, _ slot: Int) {
    let number = journey.outcome.rawValue - Outcome.denied.rawValue
    let asOf = question.windows.asOf
    let isEnabled = journey.enabledTime != .max
    if journey.answerTime + question.windows.followUp <= asOf {
      groups.add(slot, Counter.returning + 2 * number)
      if isEnabled, journey.enabledTime <= journey.answerTime + question.windows.followUp {
        groups.add(slot, Counter.returning + 2 * number + 1)
      }
    }
    let end = isEnabled ? journey.enabledTime : asOf
    let day = Int((end - journey.answerTime) / millisecondsPerDay)
    let base = Counter.survival + number * Counter.survivalStride
    if day >= Counter.survivalDays {
      groups.add(slot, base + 2 * Counter.survivalDays)
    } else {
      groups.add(slot, base + (isEnabled ? 0 : Counter.survivalDays) + day)
    }
  }

  /// Settings prompts of a denied journey, and the time it spent under their influence and outside it.
  private func addSettings(_ journey: Journey, _ events: JourneyEvents, _ slot: Int) {
    let windows = question.windows
    let end = min(journey.enabledTime, journey.answerTime + windows.followUp, windows.asOf)
    let isEnabledInTime =
      journey.enabledTime <= journey.answerTime + windows.followUp && journey.enabledTime <= windows.asOf
    var exposed: Milliseconds = 0
    var isEnabledExposed = false
    if let row = journey.first(.settingsPromptShown, events) {
      let shown = events.times[row]
      let isAfterPrompt = journey.enabledTime > shown && journey.enabledTime <= shown + windows.settings
      groups.add(slot, Counter.settingsShown)
      var i = 0
      while i < events.count, events.times[i] <= shown + windows.response {
        if events.times[i] >= shown, events.kind(i) == EventKind.settingsOpened.rawValue {
          groups.add(slot, Counter.settingsOpened)
          break
        }
        i += 1
      }
      if shown + windows.settings <= windows.asOf {
        groups.add(slot, Counter.settingsEligible)
        if isAfterPrompt { groups.add(slot, Counter.settingsEnabled) }
      }
      exposed = max(0, min(end, shown + windows.settings) - shown)
      isEnabledExposed = isAfterPrompt
    }
    let unexposed = end - journey.answerTime - exposed
    groups.add(slot, Counter.exposedDays, exposed / millisecondsPerDay)
    groups.add(slot, Counter.exposedMilliseconds, exposed % millisecondsPerDay)
    groups.add(slot, Counter.unexposedDays, unexposed / millisecondsPerDay)
    groups.add(slot, Counter.unexposedMilliseconds, unexposed % millisecondsPerDay)
    if isEnabledInTime { groups.add(slot, isEnabledExposed ? Counter.exposedEnabled : Counter.unexposedEnabled) }
  }

  private func addEngagement(_ journey: Journey, _ slot: Int) {
    let day = exposureDays.day(of: journey.start)
    if day + 28 <= asOfDay {
      let active = engagement.activeDays(from: day, to: day + 28)
      let features = engagement.featureEvents(from: day, to: day + 28)
      let base = Counter.engagement + (journey.outcome == .granted ? 0 : Counter.engagementStride)
      groups.add(slot, base)
      groups.add(slot, base + 1, active)
      groups.add(slot, base + 2, active * active)
      groups.add(slot, base + 3, features)
      groups.add(slot, base + 4, features * features)
    }
    for (number, n) in retentionDays.enumerated() where day + n + 1 <= asOfDay {
      let base = Counter.retention + (number * Outcome.base.count + journey.outcome.rawValue) * 2
      groups.add(slot, base)
      if engagement.isActive(on: day + n) { groups.add(slot, base + 1) }
    }
  }
}
