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
  private let contextCount: Int
  /// The last day that has begun at as_of: a day is over where a later one has begun.
  let asOfDay: DayNumber
  private let activeSince: Milliseconds
  @exclusivity(unchecked) private var dayCursor: DayCursor
  @exclusivity(unchecked) var engagement = UserEngagement()
  @exclusivity(unchecked) private var rows: PermissionRows
  @exclusivity(unchecked) private var bits: PermissionBits
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
    bits = PermissionBits(permissionCount: permissions)
    contextCount = contexts.contexts.count
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

  /// One user's history.
  struct User {
    var times: UnsafePointer<Milliseconds>
    var codes: UnsafePointer<UInt32>
    var properties: UnsafePointer<UInt32>?
    /// Events of permissions, in `times`, `codes` and `properties`.
    var permissionCount: Int
    var engagement: UnsafePointer<UInt64>
    var engagementCount: Int

    @inline(__always) func engagementTime(_ i: Int) -> Milliseconds { Milliseconds(engagement[i] >> 1) }
  }

  package func consume(_ batch: HistoryBatch) {
    var event = 0
    var engagement = 0
    for user in 0..<batch.userCount {
      let permissionCount = Int(batch.permissionCounts[user])
      let engagementCount = Int(batch.engagementCounts[user])
      fold(
        User(
          times: batch.times + event, codes: batch.codes + event, properties: batch.properties.map { $0 + event },
          permissionCount: permissionCount, engagement: batch.engagement + engagement,
          engagementCount: engagementCount))
      event += permissionCount
      engagement += engagementCount
    }
  }

  private func fold(_ history: User) {
    var user = history
    while user.permissionCount > 0, user.times[user.permissionCount - 1] > windows.asOf { user.permissionCount -= 1 }
    while user.engagementCount > 0, user.engagementTime(user.engagementCount - 1) > windows.asOf {
      user.engagementCount -= 1
    }
    guard user.permissionCount + user.engagementCount > 0 else { return }
    users += 1
    let before = events
    events += Int64(user.permissionCount + user.engagementCount)
    if before >> 31 != events >> 31 {
      activity.flush()
      groups.flush()
    }
    addEngagement(of: user)
    var latest = user.engagementCount > 0 ? user.engagementTime(user.engagementCount - 1) : .min
    if user.permissionCount > 0 { latest = max(latest, user.times[user.permissionCount - 1]) }
    let isActive = latest > activeSince
    if isActive { reach.addActiveUser() }
    guard user.permissionCount > 0 else { return }
    if user.permissionCount <= PermissionBits.mostEvents {
      var writer = bits.begin()
      let permissionOfContext = permissionOfContext.pointer
      addActivity(of: user) { i, kind, context in writer.add(i, kind: kind, permission: permissionOfContext[context]) }
      bits.end(writer)
      foldShort(user, isActive: isActive)
    } else {
      addActivity(of: user) { _, _, _ in }
      foldLong(user, isActive: isActive)
    }
  }

  /// Days of engagement, and how much of it there was.
  @inline(__always)
  private func addEngagement(of user: User) {
    let count = user.engagementCount
    guard count > 0 else { return engagement.removeAll() }
    // In locals: what is behind `self` would be read again for every event.
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

  private func addElsewhere(
    _ time: Milliseconds, _ offset: Milliseconds, isActive: UInt64, _ writer: inout UserEngagement.Writer
  ) {
    let day = DayCursor.day(ofLocal: time &+ offset)
    let kind = isActive == 1 ? KindCode.appActive : KindCode.featureUsed
    if isInside(time) { activity.addElsewhere(context: 0, kind: Int(kind), week: DayCursor.week(of: day)) }
    writer.add(day: day, isFeature: isActive == 1 ? 0 : 1)
  }

  /// How many events of permissions there were; `body` is called with each one's number, kind and context.
  @inline(__always)
  private func addActivity(of user: User, _ body: (Int, Int, Int) -> Void) {
    var days = dayCursor
    let zone = question.zone
    let (from, to) = (from, to)
    let count = user.permissionCount
    let first = DayCursor.week(of: days.day(of: user.times[0], in: zone))
    let last = DayCursor.week(of: days.day(of: user.times[count - 1], in: zone))
    let table = activity.eventCounts(from: first, to: last)
    let contexts = contextCount
    days.forEachOffset(of: count, in: zone, time: { user.times[$0] }) { moments, offset in
      for i in moments {
        let time = user.times[i]
        let code = user.codes[i]
        let kind = Int(code & 15)
        let context = Int(code >> HistoryBatch.contextShift)
        body(i, kind, context)
        let week = DayCursor.week(ofLocal: time &+ offset)
        let isCounted = time >= from && time < to
        if let (counts, firstWeek) = table {
          let place = ActivityTable.place(context: context, kind: kind, week: week &- firstWeek, contexts: contexts)
          counts[place] &+= isCounted ? 1 : 0
        } else if isCounted {
          activity.addElsewhere(context: context, kind: kind, week: week)
        }
      }
    }
    dayCursor = days
  }

  private func foldShort(_ user: User, isActive: Bool) {
    for number in 0..<bits.permissionCount {
      let permission = bits.permission(number)
      let events = bits.takeEvents(of: permission, user.times, user.codes)
      if let only = question.permission, only != permission { continue }
      foldJourney(events, PermissionCode(rawValue: permission), isActive: isActive) { exposure in
        user.properties.map { $0[exposure] } ?? 0
      }
    }
  }

  private func foldLong(_ user: User, isActive: Bool) {
    rows.begin(rows: user.permissionCount)
    for i in 0..<user.permissionCount {
      rows.add(row: i, permission: permissionOfContext[Int(user.codes[i] >> HistoryBatch.contextShift)])
    }
    for list in 0..<rows.permissions.count {
      let permission = rows.permissions[list]
      if let only = question.permission, only != permission { continue }
      journeyRows.removeAll()
      var row = rows.first(list)
      while row >= 0 {
        journeyRows.append(time: user.times[row], code: user.codes[row], row: row)
        row = rows.row(after: row)
      }
      foldJourney(journeyRows.events, PermissionCode(rawValue: permission), isActive: isActive) { exposure in
        user.properties.map { $0[journeyRows.rows[exposure]] } ?? 0
      }
    }
  }

  @inline(__always)
  private func foldJourney(
    _ events: some JourneyEvents, _ permission: PermissionCode, isActive: Bool, property: (Int) -> UInt32
  ) {
    if isActive { reach.add(permission: permission.rawValue, ReachTable.access(events, permission: permission)) }
    let exposure = events.next(.screens, from: 0)
    guard exposure < events.end else {
      if events.next(.answers, from: 0) < events.end { unexposed += 1 }
      return
    }
    let journey = Journey(events, exposure: exposure, permission: permission, windows: windows)
    let day = dayCursor.day(of: journey.start, in: question.zone)
    let slot = groups.slot(
      permission: permission.rawValue, week: DayCursor.week(of: day), value: property(exposure))
    let group = groups.sums(of: slot)
    if isInside(journey.start) {
      add(journey, day: day, events, permission, slot, group)
    } else if journey.outcome.rawValue <= Outcome.droppedOff.rawValue {
      group.counts[Counter.outsideBase] &+= 1
      if journey.outcome == .granted { group.counts[Counter.outsideGranted] &+= 1 }
    }
  }
}
