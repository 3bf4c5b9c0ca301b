// The fold of a report. One user's history is in memory at a time; nothing is kept of it but sums.

import Buffers
import Folding
import PermissionEvents

/// Folds histories into the sums of a report. Frequent counts are kept in tables under the codes of this walk.
package struct ReportFold: Fold, ~Copyable {
  let question: ReportQuestion
  private let contexts: HistoryContexts
  /// Whether answers of some permission count alone.
  private let hasAlone: Bool
  private var groups: GroupTable
  /// Groups that had no room in the table any more.
  private var packed = PackedRuns()
  private var failure: SumsError?
  var times = TimeLog()
  var activity: ActivityTable
  private var reach: ReachTable
  private var evidence: EvidenceTable
  private var versions: VersionDayTable
  var timing: TimingTable

  let windows: AnalysisWindows
  let from, to: Milliseconds
  /// Earlier use is unknown, unless a user was new in the log.
  let logStart: Milliseconds
  private let hasTiming: Bool
  /// Code of the only permission to report on: 0 for all, `UInt32.max` if the walk has no such permission.
  private let onlyPermission: UInt32
  let permissionOfContext: Buffer<UInt32>
  let permissionCount: Int
  /// The last day that has begun at as_of: a day is over if a later one has begun.
  let asOfDay: DayNumber
  private let activeSince: Milliseconds
  var dayCursor = DayCursor()
  let weekNumbers: WeekNumbers
  var engagement = UserEngagement()
  var installs = UserInstalls()
  private var rows: PermissionRows
  private var bits: PermissionBits
  private var journeyRows = JourneyRows()
  private var exposures: ExposureValues
  /// False if nothing is asked of exposures but their time.
  private let looksAtExposures: Bool

  package init(_ question: ReportQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    hasAlone = !contexts.answeredAlone.isEmpty
    windows = question.windows
    from = question.from ?? .min
    to = question.to ?? .max
    logStart = question.logStart ?? .max
    hasTiming = question.hasTiming
    onlyPermission = question.permission.map { contexts.permissionCode($0) } ?? 0
    let permissions = contexts.permissions.count
    let weeks = question.weeks(contexts.times)
    groups = GroupTable(permissions: permissions, weeks: weeks, limit: question.room.share(contexts).groups)
    weekNumbers = WeekNumbers(question.zone.weekStart)
    activity = ActivityTable(permissions: permissions, weeks: weeks, weekNumbers)
    reach = ReachTable(permissions: permissions)
    evidence = EvidenceTable(permissions: permissions)
    versions = VersionDayTable(isWanted: question.countsVersions, question.selection, contexts)
    timing = TimingTable(permissions: permissions)
    rows = PermissionRows(permissionCount: permissions)
    bits = PermissionBits(permissionCount: permissions)
    permissionCount = permissions
    exposures = ExposureValues(question.properties, where: question.conditions, question.selection, contexts)
    looksAtExposures = !question.properties.isEmpty || !question.conditions.isEmpty
    permissionOfContext = contexts.permissionsOfContexts()
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    activeSince = question.windows.asOf - 28 * millisecondsPerDay
  }

  @inline(__always)
  func isInside(_ time: Milliseconds) -> Bool { time >= from && time < to }

  package mutating func fold(_ history: borrowing UserHistory, into sums: inout ReportSums) {
    let user = User(history, windows)
    guard user.permissionCount + user.engagementCount > 0 else { return }
    sums.users += 1
    let before = sums.events
    sums.events += Int64(user.permissionCount + user.engagementCount)
    if before >> 31 != sums.events >> 31 {
      activity.flush()
      groups.flush()
    }
    addEngagement(of: user)
    evidence.add(.activity, user.engagementCount > 0)
    evidence.add(.featureUsed, engagement.hasFeatureEvents)
    var latest = user.engagementCount > 0 ? user.engagementTime(user.engagementCount - 1) : .min
    if user.permissionCount > 0 { latest = max(latest, user.times[user.permissionCount - 1]) }
    let isActive = latest > activeSince
    if isActive { sums.activeUsers += 1 }
    guard user.permissionCount > 0 else { return }
    if user.permissionCount <= PermissionBits.mostEvents {
      var writer = bits.begin()
      if user.isReadAsStored {
        addActivity(of: user) { i, kind, permission in writer.add(i, kind: kind, permission: permission) }
      } else {
        addActivity(of: user) { _, _, _ in }
        let permissionOfContext = permissionOfContext.unsafeAddress
        for i in 0..<user.permissionCount {
          let code = user.codes[i]
          writer.add(i, kind: Int(code & 15), permission: permissionOfContext[Int(code >> HistoryBatch.contextShift)])
        }
      }
      bits.end(writer, user.codes)
      evidence.add(.settingsOpened, bits.contains(.settingsOpened))
      addInstalls(of: user, bits.events(ofKind: KindCode.appInstalled))
      foldShort(user, history, isActive: isActive, &sums)
    } else {
      var kinds: UInt32 = 0
      addActivity(of: user) { _, kind, _ in kinds |= 1 << UInt32(truncatingIfNeeded: kind) }
      evidence.add(.settingsOpened, kinds & KindSet.settingsOpened.bits != 0)
      addManyInstalls(of: user, areThere: kinds >> UInt32(KindCode.appInstalled) & 1 != 0)
      foldLong(user, history, isActive: isActive, &sums)
    }
  }

  /// - Parameter found: installs among the first 64 events, as bits.
  @inline(__always)
  private mutating func addInstalls(of user: User, _ found: UInt64) {
    installs.removeAll()
    guard found != 0 else { return }
    evidence.add(.installed)
    var rest = found
    while rest != 0 {
      installs.append(user.times[rest.trailingZeroBitCount])
      rest &= rest &- 1
    }
  }

  private mutating func addManyInstalls(of user: User, areThere: Bool) {
    installs.removeAll()
    guard areThere else { return }
    evidence.add(.installed)
    for i in 0..<user.permissionCount where user.codes[i] & 15 == UInt32(KindCode.appInstalled) {
      installs.append(user.times[i])
    }
  }

  private mutating func foldShort(
    _ user: User, _ history: borrowing UserHistory, isActive: Bool, _ sums: inout ReportSums
  ) {
    for number in 0..<bits.permissionCount {
      let permission = bits.permission(number)
      let events = bits.takeEvents(of: permission, user.times, user.codes)
      guard isWanted(permission) else { continue }
      foldJourney(events, PermissionCode(rawValue: permission), user, history, isActive: isActive, &sums) { $0 }
    }
  }

  private mutating func foldLong(
    _ user: User, _ history: borrowing UserHistory, isActive: Bool, _ sums: inout ReportSums
  ) {
    rows.fill(user.permissionCount, user.codes, permissionOfContext)
    for list in 0..<rows.permissions.count {
      let permission = rows.permissions[list]
      guard isWanted(permission) else { continue }
      journeyRows.fill(list, of: rows, user.times, user.codes)
      let exposureRows = journeyRows.rowNumbers
      let code = PermissionCode(rawValue: permission)
      foldJourney(journeyRows.events, code, user, history, isActive: isActive, &sums) { exposureRows[$0] }
    }
  }

  /// False for events of no permission, as installs are.
  @inline(__always)
  private func isWanted(_ permission: UInt32) -> Bool {
    permission != 0 && (onlyPermission == 0 || onlyPermission == permission)
  }

  /// - Parameter number: of an event of the journey among the user's.
  @inline(__always)
  private mutating func foldJourney(
    _ events: some JourneyEvents, _ permission: PermissionCode, _ user: User, _ history: borrowing UserHistory,
    isActive: Bool, _ sums: inout ReportSums, number: (Int) -> Int
  ) {
    evidence.add(events, permission: permission.rawValue)
    if isActive { reach.add(events, permission, since: activeSince) }
    let exposure = events.exposure(isAlone: hasAlone && contexts.isAnsweredAlone(permission.rawValue))
    guard exposure < events.end else {
      if events.next(.answers, from: 0) < events.end { evidence.add(.unexposed, permission: permission.rawValue) }
      return
    }
    let journey = JourneyFacts(events, exposure: exposure, permission: permission, windows: windows)
    evidence.add(.answers, journey.isByStatus, permission: permission.rawValue)
    evidence.add(
      .enabledAfterDenial, journey.outcome == .denied && journey.enabledTime != .max, permission: permission.rawValue)
    let day = dayCursor.day(of: journey.start, in: question.zone)
    var value: UInt32 = 0
    if looksAtExposures {
      guard exposures.meetsConditions(history, number(exposure)) else { return }
      value = exposures.code(history, number(exposure))
    }
    var slot = groups.slot(permission: permission.rawValue, week: weekNumbers.week(of: day), value: value)
    if slot < 0 {
      packGroups()
      slot = groups.slot(permission: permission.rawValue, week: weekNumbers.week(of: day), value: value)
    }
    let group = groups.sums(of: slot)
    if isInside(journey.start) {
      add(journey, day: day, events, permission, slot, user, group)
      if versions.isCounting { versions.add(code: history.attributes(number(exposure)), day: day) }
      if hasTiming, journey.isInBase { addTiming(journey, day: day, user, permission: permission.rawValue) }
    } else if journey.isInBase {
      group.add(.outsideBase)
      group.add(.outsideGranted, journey.outcome == .granted)
    }
  }

  /// Makes room in the table of groups. If there is no room left, the walk goes on without groups, and the sums record why.
  @inline(never)
  private mutating func packGroups() {
    let run = groups.pack(&times)
    guard failure == nil else { return }
    do throws(SumsError) {
      try packed.append(run)
      try packed.checkSize(in: question.room.share(contexts))
    } catch {
      failure = error
      packed = PackedRuns()
    }
  }

  /// Returns the counts of the groups, all packed if any were packed.
  private mutating func takeGroups() -> GroupedSums {
    if packed.isEmpty, failure == nil {
      let keys = groups.keys
      return GroupedSums(
        permissions: contexts.permissions, values: exposures.names, keys: keys, integers: groups.integers(),
        times: times.take(slots: keys.count), room: question.room)
    }
    packGroups()
    var all = PackedGroups()
    do throws(SumsError) { all = try packed.take() } catch { failure = error }
    return GroupedSums(
      permissions: contexts.permissions, values: exposures.names, all, failure: failure, room: question.room)
  }

  package mutating func finish(into sums: inout ReportSums) {
    sums.evidence = evidence.sums(permissions: contexts.permissions)
    sums.groups = takeGroups()
    sums.versions = versions.sums(question.selection, contexts)
    for (key, counts) in activity.counts() {
      for (kind, count) in counts.enumerated() where count > 0 {
        // Kinds of no permission belong to none, whatever they carry.
        let isOfNone = kind >= Int(KindCode.featureUsed)
        let permission = isOfNone ? 0 : UInt32(truncatingIfNeeded: key.permission)
        if onlyPermission != 0, onlyPermission != permission { continue }
        let name = permission == 0 ? [] : contexts.permissions[Int(permission)]
        // A walk does not count to 2^62.
        try? sums.activity.add(count, to: .init(permission: name, week: key.week, kind: kind))
      }
    }
    for permission in contexts.permissions.indices where permission > 0 {
      let reached = reach.counts(permission: permission)
      if reached.contains(where: { $0 > 0 }) { sums.reach[contexts.permissions[permission]] = reached }
      guard let timed = timing.counts(permission: permission) else { continue }
      for scale in TimingScale.allCases {
        for number in scale.classes.indices {
          let place = 2 * (TimingCounter.first[scale.rawValue] + number)
          guard timed[place] > 0 else { continue }
          let key = ReportSums.TimingKey(permission: contexts.permissions[permission], scale: scale, number: number)
          sums.timing[key] = [timed[place], timed[place + 1]]
        }
      }
    }
  }
}

package struct ReportQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Journeys by t0, and activity by its own time, in [from, to). Nil is unbounded.
  package var from, to: Milliseconds?
  /// Conditions on the exposure, in the order in which they were given; all hold.
  package var conditions: [ExposureCondition] = []
  package var permission: String?
  /// Properties of the exposure that the rows are split by: none, one or two.
  package var properties: [StringField] = []
  /// The moment from which on the log has all events. Nil if it is not known. Use of the app before a screen is
  /// known only if the log, or the user's install, goes back far enough.
  package var logStart: Milliseconds?
  package var rows = RowLimit()
  package var room = GroupRoom()
  /// Whether exposures are also counted by version of the app and day, for the marks of charts.
  package var countsVersions = false

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  /// How early users were asked is counted of whole permissions alone.
  var hasTiming: Bool { properties.isEmpty }

  package var selection: HistorySelection {
    var selection = HistorySelection()
    selection.add(properties + conditions.map(\.field) + (countsVersions ? [.appVersion] : []))
    return selection
  }

  /// The indices of the weeks of events between two moments.
  func weeks(_ times: ClosedRange<Milliseconds>) -> ClosedRange<Int64> {
    let first = zone.week(of: zone.day(of: times.lowerBound)).index
    return first...max(first, zone.week(of: zone.day(of: times.upperBound)).index)
  }
}
