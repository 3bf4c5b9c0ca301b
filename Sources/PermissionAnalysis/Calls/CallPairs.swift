// Prompts and their answers: which belongs to which, and how much time is between them. docs/metrics.md has the rule.

import PermissionEvents

/// A prompt of a journey and its answer, by their numbers among the journey's events.
struct CallPair {
  var prompt: Int
  var answer: Int
}

/// What belongs together in one journey. Reused from journey to journey.
struct CallPairs {
  private(set) var pairs: [CallPair] = []
  private var unanswered: [Int] = []

  /// Finds the answers of a journey's prompts.
  /// - Parameters:
  ///   - response: how long after a prompt its answer comes at the latest.
  ///   - near: two queues may write an answer less than this before its prompt.
  mutating func find(_ events: EventList, response: Milliseconds, near: Milliseconds) {
    pairs.removeAll(keepingCapacity: true)
    unanswered.removeAll(keepingCapacity: true)
    for prompt in 0..<events.count where events.kind(prompt) == KindCode.promptShown {
      if let answer = Self.answer(after: prompt, events, response) {
        pairs.append(CallPair(prompt: prompt, answer: answer))
      } else {
        unanswered.append(prompt)
      }
    }
    for prompt in unanswered {
      var answer = prompt - 1
      while answer >= 0, events.time(prompt) - events.time(answer) < near {
        if Self.isAnswer(events.code(answer)), !pairs.contains(where: { $0.answer == answer }) {
          pairs.append(CallPair(prompt: prompt, answer: answer))
          break
        }
        answer -= 1
      }
    }
  }

  private static func answer(after prompt: Int, _ events: EventList, _ response: Milliseconds) -> Int? {
    let last = events.time(prompt) + response
    var i = prompt + 1
    while i < events.count, events.time(i) <= last, events.kind(i) > KindCode.promptShown {
      if isAnswer(events.code(i)) { return i }
      i += 1
    }
    return nil
  }

  /// What a request returns: granted, denied, or that it is not determined still.
  private static func isAnswer(_ code: UInt32) -> Bool {
    switch UInt8(truncatingIfNeeded: code & 15) {
    case KindCode.granted, KindCode.denied: true
    case KindCode.skipped: CheckedStatus.isUndetermined(code)
    default: false
    }
  }
}

extension EventList {
  /// Milliseconds between a prompt and its answer, whichever was written first.
  func distance(_ pair: CallPair) -> Milliseconds { abs(time(pair.answer) - time(pair.prompt)) }

  /// True if both times are whole seconds.
  func areWholeSeconds(_ pair: CallPair) -> Bool { time(pair.prompt) % 1000 == 0 && time(pair.answer) % 1000 == 0 }
}

/// Times between prompts and answers, in classes.
package enum CallTime {
  /// The longest time of each class but the last, in milliseconds.
  package static let edges: [Milliseconds] = [
    0, 1, 2, 5, 10, 20, 50, 100, 249, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 2_000_000,
  ]
  package static let count = edges.count + 1

  static func place(_ time: Milliseconds) -> Int { edges.firstIndex { time <= $0 } ?? edges.count }
}
