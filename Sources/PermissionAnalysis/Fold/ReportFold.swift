// The fold: users' histories in, integers out. One user's history is in memory at a time; nothing is
// kept of it but sums. Everything that a report says comes from here.

import PermissionEvents

/// Folds histories into the sums of a report. Owned by one thread; folds of disjoint users add up.
package final class ReportFold: HistoryConsumer, @unchecked Sendable {
  let question: ReportQuestion
  let contexts: HistoryContexts
  @exclusivity(unchecked) private(set) var groups: GroupTable
  @exclusivity(unchecked) private(set) var times = TimeLog()
  @exclusivity(unchecked) private(set) var activity: ActivityTable
  @exclusivity(unchecked) private(set) var reach: ReachTable
  @exclusivity(unchecked) private(set) var users: Int64 = 0
  @exclusivity(unchecked) private(set) var events: Int64 = 0
  @exclusivity(unchecked) private(set) var unexposed: Int64 = 0

  private let windows: AnalysisWindows
  private let from: Milliseconds
  private let to: Milliseconds
  private let permissionOfContext: FlatBuffer<UInt32>
  /// The last day that has begun at as_of: a day is over where a later one has begun.
  private let asOfDay: DayNumber
  private let activeSince: Milliseconds
  @exclusivity(unchecked) private var dayCursor: DayCursor
  @exclusivity(unchecked) private var engagement = UserEngagement()
  @exclusivity(unchecked) private var rows: PermissionRows
  /// Rows of a user's events that belong to a permission.
  @exclusivity(unchecked) private var permissionRows = FlatBuffer<Int32>(capacity: 1024)
  @exclusivity(unchecked) private var journeyRows = JourneyRows()

  package init(_ question: ReportQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    windows = question.windows
    from = question.from ?? .min
    to = question.to ?? .max
    let permissions = contexts.permissions.count
    let weeks = question.weeks
    groups = GroupTable(permissions: permissions, weeks: weeks)
    activity = ActivityTable(contexts: contexts.contexts.count, weeks: weeks)
    reach = ReachTable(permissions: permissions)
    rows = PermissionRows(permissionCount: permissions)
    var codes = FlatBuffer<UInt32>()
    for context in contexts.contexts { codes.append(context.permission) }
    permissionOfContext = codes
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    activeSince = question.windows.asOf - 28 * millisecondsPerDay
    dayCursor = DayCursor()
  }

  /// Adds the sums of other users' histories.
  package func merge(_ other: ReportFold) {
    let slots = groups.merge(other.groups)
    times.merge(other.times, slots: slots)
    activity.merge(other.activity)
    reach.merge(other.reach)
    users += other.users
    events += other.events
    unexposed += other.unexposed
  }

  /// Makes the times ready for the figures; nothing is folded behind this.
  func finish() { times.finish() }

  @inline(__always)
  private func isInside(_ time: Milliseconds) -> Bool { time >= from && time < to }

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
    var end = count
    while end > 0, times[end - 1] > windows.asOf { end -= 1 }
    guard end > 0 else { return }
    users += 1
    let before = events
    events += Int64(end)
    if before >> 31 != events >> 31 { activity.flush() }
    sortOut(times, codes, end)
    let isActive = times[end - 1] > activeSince
    if isActive { reach.addActiveUser() }
    for list in 0..<rows.permissions.count {
      let permission = rows.permissions[list]
      if let only = question.permission, only != permission { continue }
      journeyRows.removeAll()
      var row = rows.first(list)
      while row >= 0 {
        journeyRows.append(time: times[row], code: codes[row], row: row)
        row = rows.row(after: row)
      }
      foldJourney(
        journeyRows.events, PermissionCode(rawValue: permission), isActive: isActive, properties: properties)
    }
  }

  /// One pass over a user's events: activity, days of engagement, rows by permission.
  @inline(__always)
  private func sortOut(_ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>, _ count: Int) {
    // In locals: what is behind `self` would be read again for every event.
    var days = dayCursor
    let (first, last) = (days.day(of: times[0], in: question.zone), days.day(of: times[count - 1], in: question.zone))
    var engagement = engagement.begin(first: first, last: last, events: count)
    let activity = activity.writer
    let (from, to) = (from, to)
    permissionRows.removeAll()
    permissionRows.extend(to: count + 1, repeating: 0)
    let permissionRow = permissionRows.pointer
    var permissionCount = 0
    for i in 0..<count {
      let code = codes[i]
      let kind = UInt8(truncatingIfNeeded: code & 15)
      let context = Int(code >> 8)
      let time = times[i]
      let day = days.day(of: time, in: question.zone)
      if time >= from, time < to, !activity.add(context: context, kind: Int(kind), week: DayCursor.week(of: day)) {
        self.activity.addElsewhere(context: context, kind: Int(kind), week: DayCursor.week(of: day))
      }
      // Kinds come in no order that a processor could foresee, so nothing branches on them.
      engagement.add(
        day: day, isEngagement: kind >= KindCode.featureUsed, isFeature: kind == KindCode.featureUsed)
      permissionRow[permissionCount] = Int32(truncatingIfNeeded: i)
      permissionCount &+= kind < KindCode.featureUsed ? 1 : 0
    }
    dayCursor = days
    self.engagement.end(engagement)
    rows.begin(rows: count)
    let permissions = permissionOfContext.pointer
    for i in 0..<permissionCount {
      let row = Int(permissionRow[i])
      rows.add(row: row, permission: permissions[Int(codes[row] >> 8)])
    }
  }

  private func foldJourney(
    _ events: JourneyEvents, _ permission: PermissionCode, isActive: Bool, properties: UnsafePointer<UInt32>?
  ) {
    if isActive { reach.add(permission: permission.rawValue, ReachTable.access(events, permission: permission)) }
    var exposure = 0
    while exposure < events.count, events.kind(exposure) > KindCode.promptShown { exposure += 1 }
    guard exposure < events.count else {
      if (0..<events.count).contains(where: { Journey.isAnswer(events.kind($0)) }) { unexposed += 1 }
      return
    }
    let journey = Journey(events, exposure: exposure, permission: permission, windows: windows)
    let value = properties.map { $0[journeyRows.rows[exposure]] } ?? 0
    let day = dayCursor.day(of: journey.start, in: question.zone)
    let slot = groups.slot(permission: permission.rawValue, week: DayCursor.week(of: day), value: value)
    let counters = groups.counters(of: slot)
    if isInside(journey.start) {
      add(journey, day: day, events, permission, slot, counters)
    } else if journey.outcome.rawValue <= Outcome.droppedOff.rawValue {
      counters[Counter.outsideBase] += 1
      if journey.outcome == .granted { counters[Counter.outsideGranted] += 1 }
    }
  }

  // MARK: Figures

  private func add(
    _ journey: Journey, day: DayNumber, _ events: JourneyEvents, _ permission: PermissionCode, _ slot: Int,
    _ counters: UnsafeMutablePointer<Int64>
  ) {
    counters[Counter.exposed] += 1
    switch journey.outcome {
    case .pending:
      counters[Counter.pending] += 1
      return
    case .restricted:
      counters[Counter.restricted] += 1
      return
    default: break
    }
    let outcome = journey.outcome.rawValue
    counters[Counter.outcome + outcome] += 1
    if journey.isPartial { counters[Counter.partial] += 1 }
    if journey.start + windows.followUp <= windows.asOf {
      counters[Counter.followUpEligible] += 1
      if journey.isGranted(events, within: windows.followUp) { counters[Counter.followUpGranted] += 1 }
    }
    addSteps(journey, counters)
    addTimes(journey, slot, counters)
    if journey.outcome == .granted {
      addAfterGrant(journey, events, permission, counters)
    } else {
      addReturn(journey, counters)
      if journey.outcome == .denied { addSettings(journey, events, counters) }
    }
    addEngagement(journey, day: day, counters)
  }

  private func addSteps(_ journey: Journey, _ counters: UnsafeMutablePointer<Int64>) {
    if journey.beginsWithExplanation {
      counters[Counter.explanationShown] += 1
      counters[Counter.explainedBase] += 1
      if journey.outcome == .granted { counters[Counter.explainedGranted] += 1 }
      if journey.hasPrompt {
        counters[Counter.explanationContinued] += 1
      } else {
        switch journey.outcome {
        case .skipped: counters[Counter.explanationSkipped] += 1
        case .droppedOff: counters[Counter.explanationDropped] += 1
        default: counters[Counter.explanationAnswered] += 1
        }
      }
    }
    if journey.hasPrompt {
      counters[Counter.promptShown] += 1
      counters[Counter.promptOutcome + journey.outcome.rawValue] += 1
    }
  }

  private func addTimes(_ journey: Journey, _ slot: Int, _ counters: UnsafeMutablePointer<Int64>) {
    func add(_ series: TimeSeries, _ time: Milliseconds) {
      counters[Counter.timeSum + series.rawValue] += time
      counters[Counter.timeCount + series.rawValue] += 1
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
    _ journey: Journey, _ events: JourneyEvents, _ permission: PermissionCode, _ counters: UnsafeMutablePointer<Int64>
  ) {
    let followUp = windows.followUp
    guard journey.answerTime + followUp <= windows.asOf else { return }
    counters[Counter.afterGrantEligible] += 1
    let isRevoked = journey.contains(events, after: journey.answerTime, length: followUp) {
      events.kind($0) == KindCode.revoked
    }
    if isRevoked { counters[Counter.revoked] += 1 }
    guard journey.isPartial else { return }
    counters[Counter.partialEligible] += 1
    let isUpgraded = journey.contains(events, after: journey.answerTime, length: followUp) { i in
      let kind = events.kind(i)
      guard Journey.isGrant(kind) || kind == KindCode.statusChecked else { return false }
      return events.status(i).access(permission: permission) == .on
    }
    if isUpgraded { counters[Counter.upgraded] += 1 }
  }

  /// Re-engagement of a denied, skipped or dropped-off journey.
  private func addReturn(_ journey: Journey, _ counters: UnsafeMutablePointer<Int64>) {
    let number = journey.outcome.rawValue - Outcome.denied.rawValue
    let asOf = windows.asOf
    let isEnabled = journey.enabledTime != .max
    if journey.answerTime + windows.followUp <= asOf {
      counters[Counter.returning + 2 * number] += 1
      if isEnabled, journey.enabledTime <= journey.answerTime + windows.followUp {
        counters[Counter.returning + 2 * number + 1] += 1
      }
    }
    let end = isEnabled ? journey.enabledTime : asOf
    let day = Int((end - journey.answerTime) / millisecondsPerDay)
    let base = Counter.survival + number * Counter.survivalStride
    if day >= Counter.survivalDays {
      counters[base + 2 * Counter.survivalDays] += 1
    } else {
      counters[base + (isEnabled ? 0 : Counter.survivalDays) + day] += 1
    }
  }

  /// Settings prompts of a denied journey, and the time it spent under their influence and outside it.
  private func addSettings(_ journey: Journey, _ events: JourneyEvents, _ counters: UnsafeMutablePointer<Int64>) {
    let end = min(journey.enabledTime, journey.answerTime + windows.followUp, windows.asOf)
    let isEnabledInTime =
      journey.enabledTime <= journey.answerTime + windows.followUp && journey.enabledTime <= windows.asOf
    var exposed: Milliseconds = 0
    var isEnabledExposed = false
    if let row = journey.first(KindCode.settingsPromptShown, events) {
      let shown = events.times[row]
      let isAfterPrompt = journey.enabledTime > shown && journey.enabledTime <= shown + windows.settings
      counters[Counter.settingsShown] += 1
      var i = 0
      while i < events.count, events.times[i] <= shown + windows.response {
        if events.times[i] >= shown, events.kind(i) == KindCode.settingsOpened {
          counters[Counter.settingsOpened] += 1
          break
        }
        i += 1
      }
      if shown + windows.settings <= windows.asOf {
        counters[Counter.settingsEligible] += 1
        if isAfterPrompt { counters[Counter.settingsEnabled] += 1 }
      }
      exposed = max(0, min(end, shown + windows.settings) - shown)
      isEnabledExposed = isAfterPrompt
    }
    let unexposed = end - journey.answerTime - exposed
    counters[Counter.exposedDays] += exposed / millisecondsPerDay
    counters[Counter.exposedMilliseconds] += exposed % millisecondsPerDay
    counters[Counter.unexposedDays] += unexposed / millisecondsPerDay
    counters[Counter.unexposedMilliseconds] += unexposed % millisecondsPerDay
    if isEnabledInTime { counters[isEnabledExposed ? Counter.exposedEnabled : Counter.unexposedEnabled] += 1 }
  }

  private func addEngagement(_ journey: Journey, day: DayNumber, _ counters: UnsafeMutablePointer<Int64>) {
    let after = engagement.after(day)
    if day + 28 <= asOfDay {
      let base = Counter.engagement + (journey.outcome == .granted ? 0 : Counter.engagementStride)
      counters[base] += 1
      let active = after.activeDays
      counters[base + 1] += active
      counters[base + 2] += active * active
      counters[base + 3] += after.featureEvents
      counters[base + 4] += after.featureEvents * after.featureEvents
    }
    let base = Counter.retention + journey.outcome.rawValue * 2
    let stride = Outcome.base.count * 2
    func add(_ number: Int, _ n: Int64, _ isRetained: Int64) {
      guard day + n + 1 <= asOfDay else { return }
      counters[base + number * stride] += 1
      counters[base + number * stride + 1] += isRetained
    }
    add(0, 1, after.isActive(onDay: 1))
    add(1, 7, after.isActive(onDay: 7))
    add(2, 30, after.isActive(onDay: 30))
  }
}
