// Counts how fast prompts were answered.

import Buffers
import Folding
import PermissionEvents

package struct CallFold: Fold, ~Copyable {
  private let contexts: HistoryContexts
  private let windows: AnalysisWindows
  /// By code of the attributes that of the platform.
  private let platformOfAttributes: [UInt32]
  private let platforms: [[UInt8]]
  private let userJourneys: UserJourneys
  private var pairs = CallPairs()
  private var units: [UInt64: CallSums.Counts] = [:]
  private var journeys: [SIMD2<Int64>]

  package static let selection = HistorySelection(attributes: [.platform])

  package init(_ windows: AnalysisWindows, contexts: HistoryContexts) {
    self.contexts = contexts
    self.windows = windows
    platformOfAttributes = contexts.attributes.map { $0.first ?? 0 }
    platforms = contexts.attributeValues.first ?? [[]]
    userJourneys = UserJourneys(contexts)
    journeys = [SIMD2<Int64>](repeating: .zero, count: contexts.permissions.count)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout CallSums) {
    let (times, codes) = (user.unsafeStoredTimes, user.unsafeStoredCodes)
    userJourneys.forEach(windows.events(times, user.eventCount), times, codes) { events, permission, numbers in
      add(events, permission, numbers, user)
    }
  }

  private mutating func add(
    _ events: EventList, _ permission: UInt32, _ numbers: UnsafePointer<Int>, _ user: borrowing UserHistory
  ) {
    let kinds = events.kinds
    journeys[Int(permission)] &+= SIMD2(
      kinds & KindSet.screens.bits != 0 ? 1 : 0, kinds & KindSet.results.bits != 0 ? 1 : 0)
    guard kinds & KindSet.prompts.bits != 0, kinds & KindSet.results.bits != 0 else { return }
    pairs.find(events, response: windows.response, near: windows.atOnce)
    var firstUnit: UInt64?
    for pair in pairs.pairs {
      let platform = platformOfAttributes[user.attributes(numbers[pair.prompt])]
      let unit = UInt64(permission) << 32 | UInt64(platform)
      let time = events.distance(pair)
      let isAtOnce = time < windows.atOnce
      if isAtOnce, firstUnit == nil { firstUnit = unit }
      units[unit, default: CallSums.Counts()].add(time, isAtOnce: isAtOnce, areSeconds: events.areWholeSeconds(pair))
    }
    if let firstUnit, isNotAsked(events) { units[firstUnit]?.notAsked += 1 }
  }

  /// Whether nothing is left that exposes when the calls that returned at once are taken away.
  private func isNotAsked(_ events: EventList) -> Bool {
    var isCall = [Bool](repeating: false, count: events.count)
    for pair in pairs.pairs where events.distance(pair) < windows.atOnce {
      (isCall[pair.prompt], isCall[pair.answer]) = (true, true)
    }
    return !(0..<events.count).contains { event in
      !isCall[event] && KindSet.exposing.contains(events.code(event))
    }
  }

  package mutating func finish(into sums: inout CallSums) {
    for (unit, counts) in units {
      let name = CallSums.Unit(
        permission: contexts.permissions[Int(unit >> 32)], platform: platforms[Int(unit & 0xFFFF_FFFF)])
      sums.units[name] = counts
    }
    for (code, counts) in journeys.enumerated() where counts != .zero {
      sums.journeys[contexts.permissions[code]] = [counts[0], counts[1]]
    }
  }
}

extension CallSums.Counts {
  fileprivate mutating func add(_ time: Milliseconds, isAtOnce: Bool, areSeconds: Bool) {
    answered += 1
    atOnce += isAtOnce ? 1 : 0
    wholeSeconds += areSeconds ? 1 : 0
    times[CallTime.place(time)] += 1
  }
}

// MARK: Prompts and their answers: which belongs to which, and how much time is between them. docs/metrics.md has the rule

/// A prompt of a journey and its answer, by their numbers among the journey's events.
struct CallPair {
  var prompt, answer: Int
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
    // The others take the nearest free answer before them. An answer that is too far for one prompt is too far for the next.
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

  func areWholeSeconds(_ pair: CallPair) -> Bool { time(pair.prompt) % 1000 == 0 && time(pair.answer) % 1000 == 0 }
}

package enum CallTime {
  /// The longest time of each class but the last, in milliseconds.
  package static let edges: [Milliseconds] = [
    0, 1, 2, 5, 10, 20, 50, 100, 249, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 2_000_000,
  ]
  package static let count = edges.count + 1

  /// The end of a class on an axis: times are whole milliseconds, so the class up to 249 ends at 250. Nil for the last class.
  package static func end(_ place: Int) -> Milliseconds? {
    edges.indices.contains(place) ? edges[place] == 249 ? 250 : edges[place] : nil
  }

  static func place(_ time: Milliseconds) -> Int { edges.firstIndex { time <= $0 } ?? edges.count }
}

// MARK: How a question reads calls that return at once, and answers without screens: judged over the whole log, by permission and platform

package struct CallReading: Sendable, Hashable {
  /// Units whose prompts and answers are logged together, or in whole seconds, by permission. There an answer at
  /// once counts as a person's.
  package private(set) var asLogged: [[UInt8]: Set<[UInt8]>] = [:]
  /// Permissions all of whose units are such.
  package private(set) var whollyAsLogged: Set<[UInt8]> = []
  /// Permissions without any screens: their answers count alone.
  package private(set) var alone: Set<[UInt8]> = []

  /// The default: an answer at once is the system's, and answers have screens. Sums are read like this, because
  /// their makers see only a part of the users.
  package init() {}

  package init(_ sums: CallSums) {
    var isMixed: [[UInt8]: SIMD2<Int>] = [:]
    for (unit, counts) in sums.units.rows where counts.atOnce > 0 {
      isMixed[unit.permission, default: .zero] &+= counts.isApplied ? SIMD2(1, 0) : SIMD2(0, 1)
      if !counts.isApplied { asLogged[unit.permission, default: []].insert(unit.platform) }
    }
    whollyAsLogged = Set(isMixed.filter { $0.value[0] == 0 && $0.value[1] > 0 }.keys)
    alone = Set(sums.journeys.rows.keys.filter(sums.isAnsweredAlone))
  }

  /// The other way for some readings, and the default for all others.
  package init(other readings: some Sequence<OpenReading>) {
    for reading in readings { read(reading, inOtherWay: true) }
  }

  private mutating func read(_ reading: OpenReading, inOtherWay isOther: Bool) {
    switch (reading.platform, isOther) {
    case (nil, true): alone.insert(reading.permission)
    case (nil, false): alone.remove(reading.permission)
    case (let platform?, true): asLogged[reading.permission, default: []].insert(platform)
    case (let platform?, false): asLogged[reading.permission]?.remove(platform)
    }
  }

  package func isOther(_ reading: OpenReading) -> Bool {
    guard let platform = reading.platform else { return alone.contains(reading.permission) }
    return asLogged[reading.permission]?.contains(platform) ?? false
  }

  package func fixed(_ readings: Set<FixedReading>) -> CallReading {
    var reading = self
    for one in readings where isOther(one.reading) != one.isOther { reading.read(one.reading, inOtherWay: one.isOther) }
    return reading
  }

  func differs(from other: CallReading, of permission: [UInt8]) -> Bool {
    asLogged[permission] != other.asLogged[permission] || alone.contains(permission) != other.alone.contains(permission)
  }

  package func selection(_ selection: HistorySelection) -> HistorySelection {
    var selection = selection
    // Prompts of one permission may be read in one way on one platform, and in another on another.
    if asLogged.keys.contains(where: { !whollyAsLogged.contains($0) }) { selection.add([.platform]) }
    return selection
  }

  package func contexts(_ contexts: HistoryContexts) -> HistoryContexts {
    var contexts = contexts
    if !alone.isEmpty { contexts.answeredAlone = contexts.permissions.map(alone.contains) }
    return contexts
  }
}
