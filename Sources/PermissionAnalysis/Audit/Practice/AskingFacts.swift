// How often and in what order a user was asked for one permission: one pass over the journey's events.

import PermissionEvents

/// What is wrong with the order of a journey's screens and answers.
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
  init(_ events: EventList, _ installs: borrowing UserInstalls) {
    var skip = Milliseconds.min
    var off = LatestMoment()
    var excuse = LatestMoment()
    var explanation = LatestMoment()
    var lastPrompt = Milliseconds.min
    var asks = AskTimes()
    for i in 0..<events.count {
      let (time, code) = (events.time(i), events.code(i))
      let kind = UInt8(truncatingIfNeeded: code & 15)
      // Nobody saw the prompt of a call that returned at once: what it carries says nothing.
      let isUndetermined = kind != KindCode.unseenPrompt && CheckedStatus.isUndetermined(code)
      if isUndetermined || KindSet.foundOn.contains(code) { excuse.add(time) }
      switch kind {
      case KindCode.explanationShown:
        explanation.add(time)
        asks.add(time)
      case KindCode.promptShown:
        if skip < time, skip >= time - AuditDuration.sitting { isAskedAfterSkip = true }
        let offTime = off.before(time)
        if offTime != .min, !isAskedAfterOff, excuse.before(time) <= offTime {
          isAskedAfterOff = (installs.latest(at: time - 1) ?? .min) <= offTime
        }
        // The first prompt within half an hour after an explanation is one ask with it.
        let shown = explanation.before(time)
        let isExplained = shown >= time - AuditDuration.sitting && lastPrompt <= shown
        if !isExplained { asks.add(time) }
        lastPrompt = time
      case KindCode.settingsPromptShown: asks.add(time)
      case KindCode.skipped:
        skip = time
        hasSkip = true
      case KindCode.denied, KindCode.revoked:
        off.add(time)
        wasOff = true
      case KindCode.statusChecked where CheckedStatus.isOff(code), KindCode.call where CheckedStatus.isOff(code):
        off.add(time)
        wasOff = true
      default: break
      }
    }
    isPestered = asks.arePestering
  }
}

/// The latest of moments that come in order; `Milliseconds.min` is none.
private struct LatestMoment {
  private var latest = Milliseconds.min
  private var earlier = Milliseconds.min

  @inline(__always)
  mutating func add(_ time: Milliseconds) {
    guard time > latest else { return }
    (earlier, latest) = (latest, time)
  }

  /// The latest before one that is not earlier than any of them: strictly.
  @inline(__always)
  func before(_ time: Milliseconds) -> Milliseconds { latest < time ? latest : earlier }
}

/// The last three asks.
private struct AskTimes {
  private var first = Milliseconds.min
  private var second = Milliseconds.min
  private var third = Milliseconds.min
  private(set) var arePestering = false

  @inline(__always)
  mutating func add(_ time: Milliseconds) {
    if first >= time - AuditDuration.week { arePestering = true }
    (first, second, third) = (second, third, time)
  }
}
