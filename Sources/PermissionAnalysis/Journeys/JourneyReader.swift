// Users' histories to the rows of their journeys, one user at a time.

import Buffers
import Folding
import PermissionEvents

package protocol JourneyRecords: AnyObject {
  func append(_ record: JourneyRecord, of user: [UInt8])
}

/// Reads the journeys of users for a question. Owned by one thread.
package struct JourneyReader: ~Copyable {
  private let question: JourneyQuestion
  private let values: ExposureValues
  private let contexts: HistoryContexts
  private let calls: CallReader
  /// Code of the only permission wanted: 0 for all, `UInt32.max` if the walk has no such permission.
  private let onlyPermission: UInt32
  private let permissionOfContext: Buffer<UInt32>
  /// By code of a permission its index in the order of the names' bytes.
  private let ranks: Buffer<UInt32>
  private let hasFeatures, hasAttributes: Bool
  private let asOfDay: DayNumber
  private var days = DayCursor()
  private var engagement = UserEngagement()
  private var rows: PermissionRows
  private var journeyRows = JourneyRows()
  /// The lists of `rows` in the order of the permissions' names.
  private var order: [Int] = []

  package init(_ question: JourneyQuestion, contexts: HistoryContexts) {
    self.question = question
    let selection = question.selection
    calls = CallReader(question.reading, question.windows, watch: nil, selection, contexts: contexts)
    let contexts = question.reading.contexts(contexts)
    self.contexts = contexts
    values = ExposureValues([], where: question.conditions, selection, contexts)
    onlyPermission = question.permission.map { contexts.permissionCode($0) } ?? 0
    permissionOfContext = contexts.permissionsOfContexts()
    ranks = contexts.permissionRanks()
    hasFeatures = selection.property != nil
    hasAttributes = !selection.attributes.isEmpty
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
    rows = PermissionRows(permissionCount: contexts.permissions.count)
  }

  package mutating func read(_ batch: HistoryBatch, _ records: some JourneyRecords) {
    calls.read(batch).forEachUser { read($0, records) }
  }

  /// Hands over each journey of a user with an exposure, in the order of the permissions' names.
  private mutating func read(_ user: borrowing UserHistory, _ records: some JourneyRecords) {
    let (times, codes) = (user.unsafeTimes, user.unsafeCodes)
    let count = question.windows.events(times, user.eventCount)
    guard count > 0 else { return }
    rows.fill(count, codes, permissionOfContext)
    order.removeAll(keepingCapacity: true)
    for list in 0..<rows.permissions.count {
      let permission = rows.permissions[list]
      // Events of no permission, as installs are, have code 0.
      if permission != 0, onlyPermission == 0 || onlyPermission == permission { order.append(list) }
    }
    if order.count > 1 { order.sort { ranks[Int(rows.permissions[$0])] < ranks[Int(rows.permissions[$1])] } }
    // Read for the first journey that is wanted.
    var id: [UInt8]?
    for list in order {
      let permission = PermissionCode(rawValue: rows.permissions[list])
      journeyRows.fill(list, of: rows, times, codes)
      let events = journeyRows.events
      let exposure = events.exposure(isAlone: contexts.isAnsweredAlone(permission.rawValue))
      guard exposure < events.end, isInside(events.time(exposure)) else { continue }
      let event = journeyRows.rowNumbers[exposure]
      guard values.meetsConditions(user, event) else { continue }
      if id == nil { addEngagement(of: user) }
      let name = id ?? user.id()
      id = name
      let facts = JourneyFacts(events, exposure: exposure, permission: permission, windows: question.windows)
      var record = JourneyRecord(facts, events, permission, question.windows)
      record.attributes = hasAttributes ? user.attributes(event) : 0
      record.feature = hasFeatures ? user.property(event) : 0
      record.add(
        engagement, day: days.day(of: facts.start, in: question.zone), asOfDay: asOfDay, missing: question.missing)
      records.append(record, of: name)
    }
  }

  @inline(__always)
  private func isInside(_ time: Milliseconds) -> Bool { time >= question.from ?? .min && time < question.to ?? .max }

  private mutating func addEngagement(of user: borrowing UserHistory) {
    let words = user.unsafeEngagement
    func time(_ i: Int) -> Milliseconds { Milliseconds(truncatingIfNeeded: words[i] >> 1) }
    let count = question.windows.uses(words, user.engagementCount)
    guard count > 0 else { return engagement.removeAll() }
    let first = days.day(of: time(0), in: question.zone)
    let last = days.day(of: time(count - 1), in: question.zone)
    var writer = engagement.begin(first: first, last: last, events: count)
    days.forEachOffset(of: count, in: question.zone, time: time) { moments, offset in
      for i in moments {
        writer.add(day: DayCursor.day(ofLocal: time(i) &+ offset), isFeature: Int(truncatingIfNeeded: ~words[i] & 1))
      }
    }
    engagement.end(writer)
  }
}

package struct JourneyQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// Journeys by t0, in [from, to). Nil is unbounded.
  package var from, to: Milliseconds?
  package var permission: String?
  /// All hold for the exposure.
  package var conditions: [ExposureCondition] = []
  /// Whether the log has features at all. Without any, none are read.
  package var hasFeatures = true
  package var reading = CallReading()
  /// Events without which some columns are unknown.
  package var missing: [Evidence] = []

  package init(windows: AnalysisWindows, zone: ZoneTable = .utc) {
    self.windows = windows
    self.zone = zone
  }

  /// Properties of the exposure that rows have, in their order.
  package static let properties: [StringField] = [
    .variant, .experiment, .surface, .appVersion, .osVersion, .platform, .locale, .country,
  ]

  package var selection: HistorySelection {
    var selection = HistorySelection(userIDs: true)
    selection.add(Self.properties + (hasFeatures ? [.feature] : []))
    selection.add(conditions.map(\.field))
    return reading.selection(selection)
  }
}

// MARK: A journey as a row: its facts at as_of, once for each user and permission

/// Times are UTC milliseconds. Nil if it did not happen, or is not known.
package struct JourneyRecord {
  // Codes of the walk.
  package var permission: UInt32
  /// Of the exposure: its context, its attributes and its feature.
  package var context, attributes, feature: Int

  package var start: Milliseconds
  package var beginsWithExplanation, beginsWithPrompt: Bool
  package var outcome: Outcome
  /// nil unless it was granted.
  package var isPartial: Bool?
  package var answer, firstPrompt: Milliseconds?
  /// The first time that it was found on after the exposure, by whatever path, and whether in part.
  package var foundOn: Milliseconds?
  package var isFoundOnInPart: Bool?
  /// The first time that it was found on after an answer other than a grant, or after the response window.
  package var enabled: Milliseconds?
  package var isEnabledInPart: Bool?
  /// After a grant.
  package var revoked, upgraded: Milliseconds?
  /// After a denial.
  package var settingsPrompt, settingsOpened: Milliseconds?
  /// On days 0 to 27 after that of the exposure; nil until they are over.
  package var activeDays, featureEvents: Int?
  /// Active on day 1, 7 and 30; nil until the day is over.
  package var retained: (Bool?, Bool?, Bool?) = (nil, nil, nil)
}

extension JourneyRecord {
  /// All that does not depend on engagement.
  init(
    _ journey: JourneyFacts, _ events: some JourneyEvents, _ permission: PermissionCode, _ windows: AnalysisWindows
  ) {
    func known(_ time: Milliseconds) -> Milliseconds? { time == .max || time == .min ? nil : time }
    self.permission = permission.rawValue
    (context, attributes, feature) = (Int(events.code(journey.exposure) >> HistoryBatch.contextShift), 0, 0)
    start = journey.start
    (beginsWithExplanation, beginsWithPrompt) = (journey.beginsWithExplanation, journey.beginsWithPrompt)
    outcome = journey.outcome
    answer = journey.isAnswered ? journey.answerTime : nil
    firstPrompt = known(journey.promptTime)
    foundOn = known(journey.foundOnTime)
    isFoundOnInPart = foundOn == nil ? nil : journey.isFoundOnInPart
    switch outcome {
    case .granted:
      isPartial = journey.isPartial
      revoked = known(AfterGrant.revocation(journey, events))
      if journey.isPartial { upgraded = known(AfterGrant.upgrade(journey, events, permission, until: .max)) }
    case .pending: break
    case .denied, .skipped, .droppedOff, .restricted:
      enabled = known(journey.enabledTime)
      isEnabledInPart = enabled == nil ? nil : journey.isEnabledInPart
      guard outcome == .denied else { break }
      let settings = SettingsFacts(journey, events, windows)
      (settingsPrompt, settingsOpened) = (known(settings.shownTime), known(settings.openedTime))
    }
  }

  mutating func add(_ engagement: borrowing UserEngagement, day: DayNumber, asOfDay: DayNumber, missing: [Evidence]) {
    guard !missing.contains(.activity) else { return }
    let days = engagement.days(from: day)
    if DayAfter.isOver(27, after: day, asOfDay: asOfDay) {
      activeDays = (days & (1 << 28 - 1)).nonzeroBitCount
      if !missing.contains(.featureUsed) { featureEvents = Int(engagement.featureEvents(from: day)) }
    }
    func isActive(_ n: Int64) -> Bool? {
      DayAfter.isOver(n, after: day, asOfDay: asOfDay) ? days >> UInt64(n) & 1 == 1 : nil
    }
    retained = (isActive(1), isActive(7), isActive(30))
  }
}

// MARK: Whether a log holds use of the app at all: without it we cannot tell who stayed away

/// The kinds of engagement events that some users have, among all users up to as_of, even if a question is filtered.
package struct EngagementSeen: Sendable {
  package var activity = false, featureUsed = false

  package init() {}

  package var isAll: Bool { activity && featureUsed }

  package mutating func add(_ batch: HistoryBatch, asOf: Milliseconds) {
    guard !isAll else { return }
    batch.forEachUser { user in
      for i in 0..<user.engagementCount where user.engagementTime(i) <= asOf {
        activity = true
        if user.engagementKind(i) == .featureUsed { featureUsed = true }
        if isAll { return }
      }
    }
  }

  package mutating func add(_ other: EngagementSeen) {
    activity = activity || other.activity
    featureUsed = featureUsed || other.featureUsed
  }

  package var missing: [Evidence] { (activity ? [] : [.activity]) + (featureUsed ? [] : [.featureUsed]) }
}
