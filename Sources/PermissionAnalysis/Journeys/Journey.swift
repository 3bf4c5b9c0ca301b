// A journey: all that happened between one user and one permission, read from that user's events of that
// permission in the log's order. The sentences quoted are those of docs/metrics.md.

import PermissionEvents

/// How a journey went within its response window.
package enum Outcome: Int, CaseIterable, Sendable {
  case granted = 0
  case denied = 1
  case skipped = 2
  case droppedOff = 3
  /// A denial in which the user had no say.
  case restricted = 4
  /// The response window is still open.
  case pending = 5

  package static let base: [Outcome] = [.granted, .denied, .skipped, .droppedOff]
}

/// The events of one user and one permission, at most as late as `asOf`, in the log's order.
struct JourneyEvents {
  let times: UnsafePointer<Milliseconds>
  /// Kind and status as in a `HistoryBatch`.
  let codes: UnsafePointer<UInt32>
  let count: Int

  @inline(__always) func kind(_ i: Int) -> UInt8 { UInt8(truncatingIfNeeded: codes[i] & 15) }
  @inline(__always) func status(_ i: Int) -> AuthorizationStatus {
    AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: codes[i] >> HistoryBatch.statusShift & 15)) ?? .none
  }
}

/// What the figures need of an exposed journey. Times are UTC milliseconds.
struct Journey {
  /// Row of the exposure among the journey's events.
  var exposure: Int
  var start: Milliseconds
  var beginsWithExplanation: Bool
  var outcome: Outcome
  /// Of the answer; for `droppedOff` the end of the response window (`tr`).
  var answerTime: Milliseconds
  /// Row of the answer; -1 where there is none.
  var answer: Int
  var isPartial: Bool
  /// The first prompt in the span from the exposure to the answer (or the window's end); `Milliseconds.min` if none.
  var promptTime: Milliseconds
  /// The first enabling after `answerTime`; `Milliseconds.max` if none.
  var enabledTime: Milliseconds

  var hasPrompt: Bool { promptTime != .min }
  var isAnswered: Bool { answer >= 0 }
}

extension Journey {
  @inline(__always) static func isGrant(_ kind: UInt8) -> Bool {
    kind == KindCode.granted || kind == KindCode.reEnabled
  }
  @inline(__always) static func isAnswer(_ kind: UInt8) -> Bool {
    isGrant(kind) || kind == KindCode.denied || kind == KindCode.skipped
  }

  /// Reads the journey whose exposure is the event at row `exposure`, a screen.
  @inline(__always)
  init(_ events: JourneyEvents, exposure: Int, permission: PermissionCode, windows: AnalysisWindows) {
    self.exposure = exposure
    start = events.times[exposure]
    beginsWithExplanation = events.kind(exposure) == KindCode.explanationShown
    let windowEnd = start + windows.response
    // The answer: the first one behind the exposure, no later than t0 + W. The first prompt up to it.
    answer = -1
    promptTime = beginsWithExplanation ? .min : start
    var i = exposure + 1
    while i < events.count, events.times[i] <= windowEnd {
      let kind = events.kind(i)
      if Self.isAnswer(kind) {
        answer = i
        break
      }
      if kind == KindCode.promptShown && promptTime == .min { promptTime = events.times[i] }
      i += 1
    }
    answerTime = answer >= 0 ? events.times[answer] : windowEnd
    isPartial = false
    if windowEnd > windows.asOf {
      outcome = .pending
    } else if answer < 0 {
      outcome = .droppedOff
    } else {
      let kind = events.kind(answer)
      if kind == KindCode.denied {
        outcome = events.status(answer) == .restricted ? .restricted : .denied
      } else if kind == KindCode.skipped {
        outcome = .skipped
      } else {
        outcome = .granted
        isPartial = events.status(answer).isPartial(permission: permission)
      }
    }
    // Enabled later: the first grant with a timestamp strictly after tr.
    enabledTime = .max
    while i < events.count {
      if events.times[i] > answerTime, Self.isGrant(events.kind(i)) {
        enabledTime = events.times[i]
        break
      }
      i += 1
    }
  }

  /// True where a grant, by whatever path, lies in [t0, t0 + H].
  func isGranted(_ events: JourneyEvents, within followUp: Milliseconds) -> Bool {
    var i = exposure + 1
    while i < events.count, events.times[i] <= start + followUp {
      if Self.isGrant(events.kind(i)) { return true }
      i += 1
    }
    return false
  }

  /// True where an event in (from, from + length] satisfies a condition.
  func contains(
    _ events: JourneyEvents, after from: Milliseconds, length: Milliseconds, where condition: (Int) -> Bool
  ) -> Bool {
    var i = exposure + 1
    while i < events.count, events.times[i] <= from + length {
      if events.times[i] > from, condition(i) { return true }
      i += 1
    }
    return false
  }

  /// The first of a kind with a timestamp after the answer, and its row.
  func first(_ kind: UInt8, _ events: JourneyEvents) -> Int? {
    var i = exposure + 1
    while i < events.count {
      if events.times[i] > answerTime, events.kind(i) == kind { return i }
      i += 1
    }
    return nil
  }
}
