// The events of one journey, and the one question that a journey asks of them: which is the next of some kinds.

import PermissionEvents

/// Kinds that a journey looks for together.
enum KindSet: Int, CaseIterable {
  case screens, prompts, answers, settingsPrompts, settingsOpened, telling
  /// Events that find the permission on, in full or in part.
  case foundOn
  /// Events that find it off after a grant.
  case foundOff
  // Evidence of looking: without such events we cannot tell who is on, or off, again.
  case enablingEvidence, revokingEvidence
  /// Status checks, including calls that returned at once.
  case checks
  /// Screens, and "Not now", a no before the system is asked.
  case exposing
  /// Answers that follow a screen, even if the screen is not logged.
  case results
  /// Prompts of calls that returned at once.
  case unseenPrompts
  /// For evidence: of explanations, and of answers that are yes or no.
  case explanations, decisions

  /// Bit n is set for kind n.
  @inline(__always)
  var bits: UInt32 {
    @inline(__always)
    func bit(_ kind: UInt8) -> UInt32 { 1 &<< UInt32(kind) }
    let grants = bit(KindCode.granted) | bit(KindCode.reEnabled)
    return switch self {
    case .screens: bit(KindCode.explanationShown) | bit(KindCode.promptShown)
    case .prompts: bit(KindCode.promptShown)
    case .answers: grants | bit(KindCode.denied) | bit(KindCode.skipped)
    case .settingsPrompts: bit(KindCode.settingsPromptShown)
    case .settingsOpened: bit(KindCode.settingsOpened)
    case .foundOn: grants | Self.checkBits
    case .foundOff: bit(KindCode.revoked) | Self.checkBits
    case .enablingEvidence: bit(KindCode.reEnabled) | Self.checkBits
    case .revokingEvidence: bit(KindCode.revoked) | Self.checkBits
    // Events that carry the access.
    case .telling: grants | bit(KindCode.denied) | bit(KindCode.revoked) | Self.checkBits
    case .checks: Self.checkBits
    case .exposing: bit(KindCode.explanationShown) | bit(KindCode.promptShown) | bit(KindCode.skipped)
    case .unseenPrompts: bit(KindCode.unseenPrompt)
    case .explanations: bit(KindCode.explanationShown)
    case .decisions: grants | bit(KindCode.denied)
    case .results: bit(KindCode.granted) | bit(KindCode.denied) | bit(KindCode.skipped)
    }
  }

  @inline(__always) static var checkBits: UInt32 { 1 << UInt32(KindCode.statusChecked) | 1 << UInt32(KindCode.call) }

  /// Whether an event is one of these. What a check of the status found depends on the status.
  @inline(__always)
  func contains(_ code: UInt32) -> Bool {
    guard bits >> (code & 15) & 1 != 0 else { return false }
    switch self {
    case .foundOn: return Self.checkBits >> (code & 15) & 1 == 0 || CheckedStatus.isOn(code)
    case .foundOff: return Self.checkBits >> (code & 15) & 1 == 0 || CheckedStatus.isDenied(code)
    case .exposing: return code & 15 != UInt32(KindCode.skipped) || CheckedStatus.isRefusal(code)
    default: return true
    }
  }
}

/// The status of a check, in the code of its event.
enum CheckedStatus {
  /// On, in full or in part: any status but not determined, restricted, denied, declined. Without one nothing was found.
  @inline(__always)
  static func isOn(_ code: UInt32) -> Bool { isOneOf(on, code) }

  @inline(__always)
  static func isDenied(_ code: UInt32) -> Bool { isOneOf(denied, code) }

  @inline(__always)
  static func isUndetermined(_ code: UInt32) -> Bool {
    code >> HistoryBatch.statusShift & 15 == UInt32(AuthorizationStatus.notDetermined.rawValue)
  }

  /// "Not now", and not what a request returns that showed nothing.
  @inline(__always)
  static func isRefusal(_ code: UInt32) -> Bool { code & 15 == UInt32(KindCode.skipped) && !isUndetermined(code) }

  /// Events that mean on or off, from any source.
  @inline(__always)
  static func isDetermined(_ code: UInt32) -> Bool { isOn(code) || isOff(code) }

  /// Denied by whomever.
  @inline(__always)
  static func isOff(_ code: UInt32) -> Bool { isOneOf(denied | restricted, code) }

  @inline(__always)
  private static func isOneOf(_ statuses: UInt32, _ code: UInt32) -> Bool {
    statuses >> (code >> HistoryBatch.statusShift & 15) & 1 != 0
  }

  @inline(__always) private static var denied: UInt32 {
    1 << UInt32(AuthorizationStatus.denied.rawValue) | 1 << UInt32(AuthorizationStatus.declinedSharing.rawValue)
  }
  @inline(__always) private static var restricted: UInt32 { 1 << UInt32(AuthorizationStatus.restricted.rawValue) }
  /// All known statuses except the ones that mean off: none, not determined, restricted, denied.
  @inline(__always) private static var on: UInt32 { 0xFFFF & ~0xF & ~denied }
}

/// The events of one user and one permission, at most as late as `asOf`, in the log's order. Numbers of events ascend, but
/// need not follow one another.
protocol JourneyEvents {
  func time(_ i: Int) -> Milliseconds
  /// Kind and status as in a `HistoryBatch`.
  func code(_ i: Int) -> UInt32
  /// The first event of some kinds with a number from `i` on. If there is none, `end`.
  func next(_ kinds: KindSet, from i: Int) -> Int
  func contains(_ kinds: KindSet) -> Bool
  /// The last event of some kinds; nil if there is none.
  func last(_ kinds: KindSet) -> Int?
  /// The last event of some kinds before number `i`; nil if there is none.
  func last(_ kinds: KindSet, before i: Int) -> Int?
  var end: Int { get }
}

extension JourneyEvents {
  @inline(__always) func kind(_ i: Int) -> UInt8 { UInt8(truncatingIfNeeded: code(i) & 15) }
  /// Most events have no status, and a grant without one is whole.
  @inline(__always) func isPartial(_ i: Int, permission: PermissionCode) -> Bool {
    code(i) >> HistoryBatch.statusShift & 15 != 0 && status(i).isPartial(permission: permission)
  }
  @inline(__always) func status(_ i: Int) -> AuthorizationStatus {
    AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: code(i) >> HistoryBatch.statusShift & 15)) ?? .none
  }

  /// The first event of some kinds from number `i` on that is later than a moment; `end` if there is none.
  @inline(__always)
  func next(_ kinds: KindSet, from i: Int, after moment: Milliseconds) -> Int {
    var i = next(kinds, from: i)
    while i < end, time(i) <= moment { i = next(kinds, from: i + 1) }
    return i
  }
}

/// Events that follow one another.
struct EventList: JourneyEvents {
  let times: UnsafePointer<Milliseconds>
  let codes: UnsafePointer<UInt32>
  let count: Int

  @inline(__always) var end: Int { count }
  @inline(__always) func time(_ i: Int) -> Milliseconds { times[i] }
  @inline(__always) func code(_ i: Int) -> UInt32 { codes[i] }

  @inline(__always)
  func next(_ kinds: KindSet, from i: Int) -> Int {
    var i = i
    while i < count, !kinds.contains(codes[i]) { i += 1 }
    return i
  }

  @inline(__always) func contains(_ kinds: KindSet) -> Bool { next(kinds, from: 0) < count }

  @inline(__always) func last(_ kinds: KindSet) -> Int? { last(kinds, before: count) }

  @inline(__always)
  func last(_ kinds: KindSet, before end: Int) -> Int? {
    var i = end - 1
    while i >= 0, !kinds.contains(codes[i]) { i -= 1 }
    return i >= 0 ? i : nil
  }
}

extension EventList {
  /// Whether there is an event of some kinds, one bit each, at a time in a span.
  @inline(__always)
  func contains(_ kinds: UInt32, in span: ClosedRange<Milliseconds>) -> Bool {
    for i in 0..<count where kinds >> (codes[i] & 15) & 1 != 0 && span.contains(times[i]) { return true }
    return false
  }

  /// The kinds that there are, one bit each.
  var kinds: UInt32 { (0..<count).reduce(0) { $0 | 1 << (codes[$1] & 15) } }
}

/// Events among the first 64 of a user's, as bits: which belong to the journey, and which are of which kinds. Nothing
/// has to be copied, and no look-up loops.
struct EventBits: JourneyEvents {
  let times: UnsafePointer<Milliseconds>
  let codes: UnsafePointer<UInt32>
  let members: UInt64
  /// By `KindSet`, of all of the user's events.
  let ofKinds: UnsafePointer<UInt64>

  @inline(__always) var end: Int { 64 }
  @inline(__always) func time(_ i: Int) -> Milliseconds { times[i] }
  @inline(__always) func code(_ i: Int) -> UInt32 { codes[i] }

  @inline(__always)
  func next(_ kinds: KindSet, from i: Int) -> Int {
    // A shift by 64 leaves nothing.
    let from: UInt64 = i < 64 ? .max << UInt64(truncatingIfNeeded: i) : 0
    return (members & ofKinds[kinds.rawValue] & from).trailingZeroBitCount
  }

  @inline(__always) func contains(_ kinds: KindSet) -> Bool { members & ofKinds[kinds.rawValue] != 0 }

  @inline(__always) func last(_ kinds: KindSet) -> Int? { last(members & ofKinds[kinds.rawValue]) }

  @inline(__always)
  func last(_ kinds: KindSet, before i: Int) -> Int? {
    last(members & ofKinds[kinds.rawValue] & ~(UInt64.max << UInt64(truncatingIfNeeded: i)))
  }

  @inline(__always)
  private func last(_ found: UInt64) -> Int? { found == 0 ? nil : 63 - found.leadingZeroBitCount }
}

enum KindCode {
  static let explanationShown: UInt8 = 0
  static let promptShown: UInt8 = 1
  static let granted: UInt8 = 2
  static let denied: UInt8 = 3
  static let skipped: UInt8 = 4
  static let settingsPromptShown: UInt8 = 5
  static let settingsOpened: UInt8 = 6
  static let reEnabled: UInt8 = 7
  static let revoked: UInt8 = 8
  static let statusChecked: UInt8 = 9
  static let featureUsed: UInt8 = 10
  static let appActive: UInt8 = 11
  static let appInstalled: UInt8 = 12
  static let assigned: UInt8 = 13

  static let count: UInt8 = 14

  // As questions read events, and never stored.
  /// The answer of a call that returned at once: a look at the status.
  static let call: UInt8 = 14
  /// The prompt of such a call, which no user saw.
  static let unseenPrompt: UInt8 = 15
}
