// The fold of an audit: how users were asked, permission by permission.

import Buffers
import Folding
import PermissionEvents

package struct AuditFold: Fold, ~Copyable {
  private let question: AuditQuestion
  private let windows: AnalysisWindows
  private let contexts: HistoryContexts
  private let from, to: Milliseconds
  private let logStart: Milliseconds
  private let room: Int
  private let values: ExposureValues
  private let permissionOfContext: Buffer<UInt32>
  private let foreign: ForeignPlatforms
  private var feed: FeedTally
  private var rows: PermissionRows
  private var journeyRows = JourneyRows()
  private var installs = UserInstalls()
  private var table: PracticeTable
  private var several = SeveralAtOnce()
  private var evidence = [Int64](repeating: 0, count: AuditSums.kindsOfEvidence.count)
  private var examples: AuditExamples<ExampleCode>
  /// Read for the first finding that a user is an example of.
  private var example: ExampleUser?
  private var failure: SumsError?
  private var assignments: AssignmentChecks

  /// - Parameter origins: of the walk, if other threads have them too.
  package init(_ question: AuditQuestion, contexts: HistoryContexts, origins: FeedOrigins? = nil) {
    self.question = question
    self.contexts = contexts
    windows = question.windows
    from = question.from ?? .min
    to = question.to ?? .max
    // So late that no first event is known to be a first use.
    logStart = question.logStart ?? Timestamp.latest
    room = question.room.share(contexts).bytes
    values = ExposureValues([], where: question.conditions, question.selection, contexts)
    permissionOfContext = contexts.permissionsOfContexts()
    foreign = ForeignPlatforms(question.selection, contexts)
    feed = FeedTally(question, contexts: contexts, origins: origins)
    rows = PermissionRows(permissionCount: contexts.permissions.count)
    table = PracticeTable(permissionCount: contexts.permissions.count)
    examples = AuditExamples(limit: question.examples)
    assignments = AssignmentChecks(contexts)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout AuditSums) {
    feed.add(user)
    let (times, codes) = (user.unsafeTimes, user.unsafeCodes)
    let count = windows.events(times, user.eventCount)
    guard count > 0, failure == nil else { return }
    var kinds: UInt32 = 0
    for i in 0..<count { kinds |= 1 &<< (codes[i] & 15) }
    for (place, kind) in AuditSums.kindsOfEvidence.enumerated() {
      evidence[place] &+= Int64(kinds &>> UInt32(kind.rawValue) & 1)
    }
    let hasAssignments = kinds >> UInt32(KindCode.assigned) & 1 != 0
    if hasAssignments || assignments.areGiven { assignments.begin(count, times, codes, areThere: hasAssignments) }
    installs.removeAll()
    if kinds >> UInt32(KindCode.appInstalled) & 1 != 0 {
      for i in 0..<count where codes[i] & 15 == UInt32(KindCode.appInstalled) { installs.append(times[i]) }
    }
    // A call that returned at once is at the time of its answer.
    let firstRead = (0..<count).first { codes[$0] & 15 != UInt32(KindCode.unseenPrompt) } ?? 0
    var first = times[firstRead]
    if user.engagementCount > 0 { first = min(first, user.engagementTime(0)) }
    example = nil
    several.begin()
    rows.fill(count, codes, permissionOfContext)
    // Events of no permission, as installs are, have code 0.
    for list in 0..<rows.permissions.count where rows.permissions[list] != 0 {
      journeyRows.fill(list, of: rows, times, codes)
      add(journeyRows.events, rows.permissions[list], user, first: first)
    }
    if several.end() { addExample(.severalAtOnce, 0, user) }
    if table.size + examples.size > room, failure == nil { stopCounting() }
  }

  /// - Parameter first: time of the user's first event of all.
  private mutating func add(
    _ events: EventList, _ permission: UInt32, _ user: borrowing UserHistory, first: Milliseconds
  ) {
    let row = table.row(of: permission)
    if events.kinds & Self.asking != 0 { row.add(.asked, !foreign.isThere || isAskedByApple(events, user)) }
    let exposure = events.exposure(isAlone: contexts.isAnsweredAlone(permission))
    guard exposure < events.end else {
      guard events.next(.answers, from: 0) < events.end else { return }
      row.add(.unexposed)
      return addExample(.answersWithoutScreens, permission, user)
    }
    if assignments.areGiven { assignments.add(events, permission, exposure: exposure) }
    let code = PermissionCode(rawValue: permission)
    let journey = JourneyFacts(events, exposure: exposure, permission: code, windows: windows)
    row.add(.exposed)
    row.add(.granted, journey.outcome == .granted)
    row.add(.denied, journey.outcome == .denied)
    if journey.outcome == .granted || journey.outcome == .denied { addExample(.oneSidedAnswers, permission, user) }
    guard journey.outcome != .pending, journey.start >= from, journey.start < to,
      values.meetsConditions(user, journeyRows.rowNumbers[exposure])
    else { return }
    row.add(.journeys)
    several.add(journey)
    let found = PracticeFindings(
      journey, events, code, windows, installs,
      isOnAndroid: foreign.isThere && foreign.isAndroid(user.attributes(journeyRows.rowNumbers[exposure])),
      firstUse: firstUse(before: journey.start, first),
      versionChange: feed.versionChange, row)
    guard !found.isEmpty, question.examples > 0 else { return }
    for (check, counted) in AuditCheck.countedChecks where found.contains(counted) {
      addExample(check, permission, user)
    }
  }

  private static let asking: UInt32 =
    1 << UInt32(KindCode.promptShown) | 1 << UInt32(KindCode.granted) | 1 << UInt32(KindCode.denied)
    // The app asks, whether a dialog was shown or not.
    | 1 << UInt32(KindCode.unseenPrompt)

  /// Whether the question or its answer may come from a system that reads an Info.plist.
  private func isAskedByApple(_ events: EventList, _ user: borrowing UserHistory) -> Bool {
    (0..<events.count).contains { event in
      Self.asking >> (events.code(event) & 15) & 1 != 0
        && !foreign.contains(user.attributes(journeyRows.rowNumbers[event]))
    }
  }

  private func firstUse(before start: Milliseconds, _ first: Milliseconds) -> Milliseconds? {
    if let install = installs.latest(at: start) { return install }
    return first < start && first >= logStart + AuditDuration.followUp ? first : nil
  }

  private mutating func addExample(_ check: AuditCheck, _ permission: UInt32, _ user: borrowing UserHistory) {
    guard question.examples > 0 else { return }
    let known = example ?? ExampleUser(user.id())
    example = known
    examples.add(known, of: ExampleCode(check: check, permission: permission))
  }

  /// The walk goes on without counting, and the sums record why.
  private mutating func stopCounting() {
    failure = AuditSums.tooMany(question.room)
    table = PracticeTable(permissionCount: contexts.permissions.count)
    examples = AuditExamples(limit: 0)
  }

  package mutating func finish(into sums: inout AuditSums) {
    sums = AuditSums(table, contexts.permissions, room: question.room, failure: failure)
    (sums[atOnce: true], sums[atOnce: false], sums.evidence.row) = (several.with, several.without, evidence)
    sums.feed = feed.finish()
    assignments.finish(into: &sums.assignments)
    let names = contexts.permissions
    sums.examples.add(examples) { key in
      ExampleName(check: key.check, permission: key.permission == 0 ? nil : names[Int(key.permission)])
    }
  }
}

// MARK: What an audit asks of a log
// Its durations are fixed: half an hour for an answer, 28 days to follow a journey.

package struct AuditQuestion: Sendable {
  package var windows: AnalysisWindows
  package var zone: ZoneTable
  /// The moment from which on the log has all events. Nil if it is not known, as for sums of several logs.
  package var logStart: Milliseconds?
  /// For the findings about how the app asks: journeys with t0 in [from, to). Nil is unbounded.
  package var from, to: Milliseconds?
  /// For the same findings: conditions on the exposure.
  package var conditions: [ExposureCondition] = []
  /// The only permission of findings; findings without a permission stay. Only figures use it: sums have all.
  package var permission: String?
  /// The only checks of findings; nil for all. Only figures use it: sums have all.
  package var only: Set<AuditCheck>?
  /// The number of user ids given as examples of a finding.
  package var examples = 0
  /// Shares that differ from `AuditCheck.threshold`. Only figures use them: sums do not depend on them.
  package var thresholds: [AuditCheck: AuditThreshold] = [:]
  package var room = GroupRoom()

  package static let mostExamples = 100

  package init(asOf: Milliseconds, zone: ZoneTable = .utc, logStart: Milliseconds? = nil) {
    windows = AnalysisWindows(asOf: asOf)
    self.zone = zone
    self.logStart = logStart
  }

  package func threshold(_ check: AuditCheck) -> AuditThreshold? { thresholds[check] ?? check.threshold }

  package var selection: HistorySelection {
    var selection = HistorySelection(variants: true, userIDs: examples > 0)
    // Versions and platforms of all events.
    selection.attributes = [.appVersion, .platform]
    selection.allAttributes = true
    selection.add(conditions.map(\.field))
    return selection
  }
}

// MARK: How much of a log an audit takes, whatever the log holds

/// Limits for logs with very many platforms and versions: a platform may be any text, even the id of a device.
public enum AuditLimits {
  /// The most pairs of a name and a day that are counted, for platforms and for versions. An app with a hundred
  /// versions over some years has a fifth of them. With more pairs, none is checked.
  public static let daysOfFeeds = 1 << 19
  /// The most platforms and versions that stopped and are findings. Of more, the latest to stop are findings.
  public static let stoppedFeeds = 1000
}
