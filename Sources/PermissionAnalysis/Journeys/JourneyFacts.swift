// The facts of a journey: all that happened between one user and one permission, read from that user's events of that
// permission in the log's order. Every fold takes them from here, so that an outcome, or an enabling, is one thing
// everywhere. docs/metrics.md defines them.

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

/// What all figures need of an exposed journey. Times are UTC milliseconds.
struct JourneyFacts {
  /// Number of the exposure among the journey's events.
  var exposure: Int
  var start: Milliseconds
  var beginsWithExplanation: Bool
  var outcome: Outcome
  /// Of the answer; for `droppedOff` the end of the response window (`tr`).
  var answerTime: Milliseconds
  /// Number of the answer; -1 where there is none.
  var answer: Int
  var isPartial: Bool
  /// The first prompt in the span from the exposure to the answer (or the window's end); `Milliseconds.min` if none.
  var promptTime: Milliseconds
  /// The first grant behind the exposure, by whatever path; `Milliseconds.max` if none.
  var grantTime: Milliseconds
  /// The first enabling after `answerTime`; `Milliseconds.max` if none.
  var enabledTime: Milliseconds

  var hasPrompt: Bool { promptTime != .min }
  var isAnswered: Bool { answer >= 0 }
}

extension JourneyFacts {
  /// Reads the journey whose exposure is the event number `exposure`, a screen.
  @inline(__always)
  init(_ events: some JourneyEvents, exposure: Int, permission: PermissionCode, windows: AnalysisWindows) {
    self.exposure = exposure
    let end = events.end
    let behind = exposure + 1
    start = events.time(exposure)
    beginsWithExplanation = events.kind(exposure) == KindCode.explanationShown
    let windowEnd = start + windows.response
    // The answer: the first one behind the exposure, no later than t0 + W.
    let firstAnswer = events.next(.answers, from: behind)
    answer = firstAnswer < end && events.time(firstAnswer) <= windowEnd ? firstAnswer : -1
    answerTime = answer >= 0 ? events.time(answer) : windowEnd
    // The first prompt up to it.
    promptTime = start
    if beginsWithExplanation {
      let prompt = events.next(.prompts, from: behind)
      let isInSpan = prompt < end && prompt < firstAnswer && events.time(prompt) <= windowEnd
      promptTime = isInSpan ? events.time(prompt) : .min
    }
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
        isPartial = events.isPartial(answer, permission: permission)
      }
    }
    let grant = events.next(.grants, from: behind)
    grantTime = grant < end ? events.time(grant) : .max
    // Enabled later: the first grant with a timestamp strictly after tr.
    let enabling = events.next(.grants, from: answer >= 0 ? answer + 1 : behind, after: answerTime)
    enabledTime = enabling < end ? events.time(enabling) : .max
  }
}
