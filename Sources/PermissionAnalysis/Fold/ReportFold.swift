// The fold: users' histories in, integers out. One user's history is in memory at a time; nothing is
// kept of it but sums. Everything that a report says comes from here.

import PermissionEvents

/// Folds histories into the sums of a report. Owned by one thread; folds of disjoint users add up.
package final class ReportFold: HistoryConsumer, @unchecked Sendable {
  let question: ReportQuestion
  let contexts: HistoryContexts
  @exclusivity(unchecked) private(set) var groups: GroupTable
  @exclusivity(unchecked) var times = TimeLog()
  @exclusivity(unchecked) private(set) var activity: ActivityTable
  @exclusivity(unchecked) private(set) var reach: ReachTable
  @exclusivity(unchecked) private(set) var users: Int64 = 0
  @exclusivity(unchecked) private(set) var events: Int64 = 0
  @exclusivity(unchecked) private(set) var unexposed: Int64 = 0

  let windows: AnalysisWindows
  private let from: Milliseconds
  private let to: Milliseconds
  private let permissionOfContext: FlatBuffer<UInt32>
  /// The last day that has begun at as_of: a day is over where a later one has begun.
  let asOfDay: DayNumber
  private let activeSince: Milliseconds
  @exclusivity(unchecked) private var dayCursor: DayCursor
  @exclusivity(unchecked) var engagement = UserEngagement()
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

  /// Takes over the sums of other users' histories; the other is not used again.
  package func merge(_ other: ReportFold) {
    let slots = groups.merge(other.groups)
    times.take(&other.times, slots: slots)
    activity.merge(other.activity)
    reach.merge(other.reach)
    users += other.users
    events += other.events
    unexposed += other.unexposed
  }

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
}
