// What a journey shows of how the app asks. docs/audit.md defines each.

import Buffers
import PermissionEvents

/// The checks that one journey is counted in.
struct PracticeFindings {
  /// The parts of checks that it is counted in, by their numbers.
  private var parts: UInt64 = 0

  var isEmpty: Bool { parts == 0 }

  func contains(_ counted: AuditCheck.Counted) -> Bool { parts >> UInt64(counted.part.rawValue) & 1 != 0 }

  @inline(__always)
  private mutating func add(_ part: PracticeCounter, _ holds: Bool = true, to row: PracticeRow) {
    row.add(part, holds)
    parts |= (holds ? 1 : 0) &<< UInt64(part.rawValue)
  }

  /// Counts a journey that is not pending.
  /// - Parameters:
  ///   - isOnAndroid: there the system asks once more after the first denial.
  ///   - firstUse: of the app by the user, at or before the exposure. Nil if it is not known.
  ///   - versionChange: the user's latest change of version, or `Milliseconds.min`.
  @inline(__always)
  init(
    _ journey: JourneyFacts, _ events: EventList, _ permission: PermissionCode, _ windows: AnalysisWindows,
    _ installs: borrowing UserInstalls, isOnAndroid: Bool, firstUse: Milliseconds?, versionChange: Milliseconds,
    _ row: PracticeRow
  ) {
    addFirstAsk(journey, firstUse: firstUse, row)
    let asking = AskingFacts(events, installs, isOnAndroid: isOnAndroid)
    row.add(.skipped, asking.hasSkip)
    add(.askedAfterSkip, asking.isAskedAfterSkip, to: row)
    row.add(.off, asking.wasOff)
    add(.askedAfterOff, asking.isAskedAfterOff, to: row)
    add(.pestered, asking.isPestered, to: row)
    if journey.outcome == .denied {
      addDenied(journey, events, windows, row)
      addContradiction(journey, windows, row)
    }
    if journey.isAnswered, journey.answerTime < versionChange { addUpdated(events, versionChange, windows, row) }
    if journey.outcome == .granted, journey.isPartial, journey.isFollowedFromAnswer(windows) {
      addPartial(journey, events, permission, windows, row)
    }
  }

  @inline(__always)
  private mutating func addFirstAsk(_ journey: JourneyFacts, firstUse: Milliseconds?, _ row: PracticeRow) {
    let (isInBase, isGranted) = (journey.isInBase, journey.outcome == .granted)
    if journey.beginsWithExplanation {
      row.add(.explainedBase, isInBase)
      row.add(.explainedGranted, isGranted)
    } else if journey.beginsWithPrompt {
      add(.cold, to: row)
      row.add(.coldBase, isInBase)
      row.add(.coldGranted, isGranted)
    }
    guard let firstUse else { return }
    row.add(.firstUse)
    if journey.start - firstUse <= AuditDuration.atOnce {
      add(.atOnce, to: row)
      row.add(.atOnceBase, isInBase)
      row.add(.atOnceGranted, isGranted)
    } else {
      row.add(.laterBase, isInBase)
      row.add(.laterGranted, isGranted)
    }
  }

  private mutating func addDenied(
    _ journey: JourneyFacts, _ events: EventList, _ windows: AnalysisWindows, _ row: PracticeRow
  ) {
    let prompt = events.next(.settingsPrompts, from: journey.answer + 1, after: journey.answerTime)
    let isPrompted = prompt < events.end
    if journey.answerTime + AuditDuration.week <= windows.asOf {
      row.add(.deniedFollowed)
      add(.noWayBack, !isPrompted, to: row)
    }
    guard isPrompted, events.time(prompt) + AuditDuration.sitting <= windows.asOf else { return }
    let shown = events.time(prompt)
    let isOpened = events.contains(1 << UInt32(KindCode.settingsOpened), in: shown...shown + AuditDuration.sitting)
    row.add(.settingsPrompted)
    add(.settingsIgnored, !isOpened, to: row)
  }

  private mutating func addContradiction(_ journey: JourneyFacts, _ windows: AnalysisWindows, _ row: PracticeRow) {
    let end = journey.answerTime + AuditDuration.contradiction
    guard end <= windows.asOf, !journey.isByStatus else { return }
    let isContradicted = journey.enabledTime <= end
    row.add(.deniedKnown)
    add(.contradicted, isContradicted, to: row)
  }

  private mutating func addUpdated(
    _ events: EventList, _ change: Milliseconds, _ windows: AnalysisWindows, _ row: PracticeRow
  ) {
    guard change + AuditDuration.recheck <= windows.asOf else { return }
    let isChecked = events.contains(KindSet.checks.bits, in: change...change + AuditDuration.recheck)
    row.add(.updated)
    add(.notRechecked, !isChecked, to: row)
  }

  private mutating func addPartial(
    _ journey: JourneyFacts, _ events: EventList, _ permission: PermissionCode, _ windows: AnalysisWindows,
    _ row: PracticeRow
  ) {
    let end = journey.answerTime + AuditDuration.followUp
    let screens: UInt32 =
      1 << UInt32(KindCode.explanationShown) | 1 << UInt32(KindCode.promptShown)
      | 1 << UInt32(KindCode.settingsPromptShown)
    let isAsked = events.contains(screens, in: journey.answerTime + 1...end)
    let isLeft = !isAsked && AfterGrant.upgrade(journey, events, permission, until: end) > end
    row.add(.partial)
    add(.partialLeft, isLeft, to: row)
  }
}

// MARK: How often and in what order a user was asked for one permission: one pass over the journey's events

/// Facts about the order of a journey's screens and answers.
struct AskingFacts {
  var hasSkip = false
  /// A prompt within half an hour after a skip.
  var isAskedAfterSkip = false
  var wasOff = false
  /// A prompt after it was found off, with nothing between that lets the system ask again.
  var isAskedAfterOff = false
  /// Four asks, the fourth within a week of the first.
  var isPestered = false

  /// - Parameter installs: of the user. After one the system asks again.
  @inline(__always)
  init(_ events: EventList, _ installs: borrowing UserInstalls, isOnAndroid: Bool) {
    var skip = Milliseconds.min
    var off = LatestMoment()
    var denial = Milliseconds.min, denialBefore = Milliseconds.min
    // Two permissions of one dialog are two denials of the log.
    var isDialog = true
    var excuse = LatestMoment()
    var explanation = LatestMoment()
    var lastPrompt = Milliseconds.min
    var asks = AskTimes()
    for i in 0..<events.count {
      let (time, code) = (events.time(i), events.code(i))
      let kind = UInt8(truncatingIfNeeded: code & 15)
      // No user saw the prompt of a call that returned at once, so its status means nothing.
      let isUndetermined = kind != KindCode.unseenPrompt && CheckedStatus.isUndetermined(code)
      if isUndetermined || KindSet.foundOn.contains(code) { excuse.add(time) }
      switch kind {
      case KindCode.explanationShown:
        explanation.add(time)
        asks.add(time)
      case KindCode.promptShown:
        if skip < time, skip >= time - AuditDuration.sitting { isAskedAfterSkip = true }
        let offTime = isOnAndroid ? denialBefore : off.before(time)
        if offTime != .min, !isAskedAfterOff, excuse.before(time) <= offTime {
          isAskedAfterOff = (installs.latest(at: time - 1) ?? .min) <= offTime
        }
        // The first prompt within half an hour after an explanation is one ask with it.
        let shown = explanation.before(time)
        let isExplained = shown >= time - AuditDuration.sitting && lastPrompt <= shown
        if !isExplained { asks.add(time) }
        lastPrompt = time
        isDialog = true
      case KindCode.settingsPromptShown: asks.add(time)
      case KindCode.skipped:
        skip = time
        hasSkip = true
      case KindCode.denied, KindCode.revoked:
        off.add(time)
        wasOff = true
        if kind == KindCode.denied, isDialog { (denialBefore, denial, isDialog) = (denial, time, false) }
      case KindCode.statusChecked where CheckedStatus.isOff(code), KindCode.call where CheckedStatus.isOff(code):
        off.add(time)
        wasOff = true
      default: break
      }
    }
    isPestered = asks.arePestering
  }
}

/// The latest of moments that come in order, or `Milliseconds.min`.
private struct LatestMoment {
  private var latest = Milliseconds.min, earlier = Milliseconds.min

  @inline(__always)
  mutating func add(_ time: Milliseconds) {
    guard time > latest else { return }
    (earlier, latest) = (latest, time)
  }

  /// The latest before one that is not earlier than any of them: strictly.
  @inline(__always)
  func before(_ time: Milliseconds) -> Milliseconds { latest < time ? latest : earlier }
}

private struct AskTimes {
  private var first = Milliseconds.min, second = Milliseconds.min, third = Milliseconds.min
  private(set) var arePestering = false

  @inline(__always)
  mutating func add(_ time: Milliseconds) {
    if first >= time - AuditDuration.week { arePestering = true }
    (first, second, third) = (second, third, time)
  }
}

/// Each counts journeys. Their names are part of files of sums.
enum PracticeCounter: Int, CaseIterable {
  // Of the whole log.
  case exposed, unexposed, granted, denied
  /// With a prompt, a grant or a denial, exposed or not.
  case asked
  // Of the exposures that the question chooses, without pending ones.
  case journeys
  case cold, coldBase, coldGranted, explainedBase, explainedGranted
  /// With a known first use of the app.
  case firstUse
  case atOnce, atOnceBase, atOnceGranted, laterBase, laterGranted
  case skipped, askedAfterSkip
  case off, askedAfterOff
  case pestered
  /// Denied, and followed for a week.
  case deniedFollowed, noWayBack
  /// Denied, with a Settings prompt that was followed for half an hour.
  case settingsPrompted, settingsIgnored
  /// Answered before the user's latest change of version, and followed for a day after it.
  case updated, notRechecked
  /// Granted in part, and followed for 28 days.
  case partial, partialLeft
  /// Denied, and followed for a minute.
  case deniedKnown, contradicted

  static let count = allCases.count
  static let names = allCases.map { CounterNames.snakeCase("\($0)") }

  /// Counts that are never above another.
  static let parts: [(part: PracticeCounter, whole: PracticeCounter)] =
    [(.journeys, .exposed), (.granted, .exposed), (.denied, .exposed)]
    + AuditCheck.countedChecks.flatMap { _, counted -> [(part: PracticeCounter, whole: PracticeCounter)] in
      let costs = counted.costs.map { costs in
        [
          (costs.with.base, counted.part), (costs.with.granted, costs.with.base), (costs.without.base, counted.whole),
          (costs.without.granted, costs.without.base),
        ]
      }
      return [(counted.whole, .journeys), (counted.part, counted.whole)] + (costs ?? [])
    }
}

/// The durations of an audit, which no option moves.
enum AuditDuration {
  /// Asked at once, and several at once.
  static let atOnce: Milliseconds = 60_000
  /// The time within which a permission that is on contradicts a denial: no user goes to Settings and back so fast.
  static let contradiction: Milliseconds = 60_000
  /// In which "not now" is forgotten, and a Settings prompt ignored.
  static let sitting: Milliseconds = 30 * 60_000
  /// In which a new version looks again.
  static let recheck = millisecondsPerDay
  /// Of pestering, and of a way back after a denial.
  static let week = 7 * millisecondsPerDay
  /// In which partial access is asked about again; also how long a log has to go back for a first event to be a first use.
  static let followUp = 28 * millisecondsPerDay
}

/// Counters of the permissions that users were asked for: memory grows with permissions that have events, not with names.
struct PracticeTable: ~Copyable {
  /// By permission code the number of its row plus one; 0 without one.
  private let rows: Buffer<Int32>
  private var counts = Buffer<Int64>(capacity: 32 * PracticeCounter.count)
  /// By row its permission.
  private(set) var permissions = Buffer<UInt32>()

  init(permissionCount: Int) { rows = Buffer(repeating: 0, count: permissionCount) }

  /// Bytes that the rows take in sums, about.
  var size: Int { permissions.count * AuditSums.sizeOfRow }

  /// The counters of a permission. Valid until another permission is asked for.
  @inline(__always)
  mutating func row(of permission: UInt32) -> PracticeRow {
    var number = Int(rows[Int(permission)]) - 1
    if number < 0 {
      number = permissions.count
      permissions.append(permission)
      counts.extend(to: permissions.count * PracticeCounter.count, repeating: 0)
      rows[Int(permission)] = Int32(truncatingIfNeeded: permissions.count)
    }
    return PracticeRow(counts: counts.unsafeAddress + number * PracticeCounter.count)
  }

  func integers(_ number: Int) -> [Int64] {
    (0..<PracticeCounter.count).map { counts[number * PracticeCounter.count + $0] }
  }
}

struct PracticeRow {
  fileprivate let counts: UnsafeMutablePointer<Int64>

  @inline(__always)
  func add(_ counter: PracticeCounter, _ holds: Bool = true) { counts[counter.rawValue] &+= holds ? 1 : 0 }
}
