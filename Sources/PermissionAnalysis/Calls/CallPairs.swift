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
  /// By event whether it is the answer of a prompt.
  private var isTaken: [Bool] = []
  /// Answers that no prompt has, the latest last.
  private var free: [Int] = []

  /// Finds the answers of a journey's prompts.
  /// - Parameters:
  ///   - response: how long after a prompt its answer comes at the latest.
  ///   - near: two queues may write an answer less than this before its prompt.
  mutating func find(_ events: EventList, response: Milliseconds, near: Milliseconds) {
    pairs.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
    isTaken.removeAll(keepingCapacity: true)
    isTaken.append(contentsOf: repeatElement(false, count: events.count))
    for prompt in 0..<events.count where events.kind(prompt) == KindCode.promptShown {
      guard let answer = Self.answer(after: prompt, events, response) else { continue }
      pairs.append(CallPair(prompt: prompt, answer: answer))
      isTaken[answer] = true
    }
    // The others take the nearest answer before them that is free. Those that are too far for one prompt are so for the next.
    var answered = 0
    let forward = pairs.count
    for event in 0..<events.count {
      if events.kind(event) == KindCode.promptShown {
        if answered < forward, pairs[answered].prompt == event {
          answered += 1
        } else if let answer = free.popLast() {
          if events.time(event) - events.time(answer) < near {
            pairs.append(CallPair(prompt: event, answer: answer))
          } else {
            free.removeAll(keepingCapacity: true)
          }
        }
      } else if !isTaken[event], Self.isAnswer(events.code(event)) {
        free.append(event)
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

  /// Where a class ends on an axis: times are whole milliseconds, so that the one up to 249 ends at 250. Nil for the last.
  package static func end(_ place: Int) -> Milliseconds? {
    edges.indices.contains(place) ? edges[place] == 249 ? 250 : edges[place] : nil
  }

  static func place(_ time: Milliseconds) -> Int { edges.firstIndex { time <= $0 } ?? edges.count }
}
