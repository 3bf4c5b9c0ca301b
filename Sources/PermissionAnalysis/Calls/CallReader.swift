// Reads histories as a question requires: calls that returned at once as status checks, answers written before
// their prompt as after it, and states that rows carry by what is known before them. Most batches have nothing of it and are passed on unchanged.

import Buffers
import Folding
import PermissionEvents
import Threads

/// Whether a walk found a call that returned at once. Safe to use from several threads.
package final class CallWatch: Sendable {
  private let found = Mutex(false)

  package init() {}

  package var hasFound: Bool { found.withLock { $0 } }
  func note() { found.withLock { $0 = true } }
}

/// Reads the batches of one thread.
final class CallReader {
  private let windows: AnalysisWindows
  private let reading: CallReading
  private let contexts: HistoryContexts
  /// Nil if the reading is known to fit.
  private let watch: CallWatch?
  /// Index of the platform among the attributes. Nil if it is not selected.
  private let platform: Int?
  private var times = Buffer<Milliseconds>()
  private var codes = Buffer<UInt32>()
  private var numbers = Buffer<UInt32>()
  private let journeys: UserJourneys
  private var pairs = CallPairs()
  private var isRead = false
  /// Of the user under way, by numbers of stored events.
  private var moves: [CallPair] = []
  private var states: StateReader

  init(
    _ reading: CallReading, _ windows: AnalysisWindows, watch: CallWatch?, _ selection: HistorySelection,
    contexts: HistoryContexts
  ) {
    self.reading = reading
    self.windows = windows
    self.watch = watch
    self.contexts = contexts
    platform = selection.attributes.firstIndex(of: .platform)
    journeys = UserJourneys(contexts)
    states = StateReader(contexts)
  }

  func read(_ batch: HistoryBatch) -> HistoryBatch {
    isRead = false
    if windows.atOnce > 0 { readCalls(batch) }
    if states.hasStates { readStates(batch) }
    guard isRead else { return batch }
    var batch = batch
    batch.reading = .init(
      times: UnsafePointer(times.unsafeAddress), codes: UnsafePointer(codes.unsafeAddress),
      numbers: UnsafePointer(numbers.unsafeAddress))
    return batch
  }

  private func readStates(_ batch: HistoryBatch) {
    var first = 0
    for user in 0..<batch.userCount {
      let count = Int(batch.permissionCounts[user])
      if states.hasStates(batch.codes + first, count) {
        begin(batch)
        states.read(times.unsafeAddress + first, codes.unsafeAddress + first, count)
      }
      first &+= count
    }
  }

  private func readCalls(_ batch: HistoryBatch) {
    var first = 0
    var user = 0
    while user < batch.userCount {
      let end = min(user &+ Self.usersAtOnce, batch.userCount)
      var count = 0
      for number in user..<end { count &+= Int(batch.permissionCounts[number]) }
      if hasShortGap(batch.times + first, count) {
        var first = first
        for number in user..<end {
          let count = Int(batch.permissionCounts[number])
          if hasShortGap(batch.times + first, count) { read(number, first, count, batch) }
          first &+= count
        }
      }
      first &+= count
      user = end
    }
  }

  /// Users who are looked at together: most have no calls that returned at once.
  private static let usersAtOnce = 32

  /// Whether two events, of one user or of two, are so near that they may be a call that returned at once.
  @inline(__always)
  private func hasShortGap(_ times: UnsafePointer<Milliseconds>, _ count: Int) -> Bool {
    guard count > 1 else { return false }
    let near = windows.atOnce
    // The sign of any difference from 0 to less than that: no comparison, so that several are made at once. A user's times ascend; the next
    // user's may begin earlier.
    var signs: Milliseconds = 0
    for i in 1..<count {
      let gap = times[i] &- times[i &- 1]
      signs |= (gap &- near) & ~gap
    }
    return signs < 0
  }

  private func read(_ user: Int, _ first: Int, _ events: Int, _ batch: HistoryBatch) {
    let (times, codes) = (batch.times + first, batch.codes + first)
    let count = windows.events(times, events)
    guard count > 1 else { return }
    moves.removeAll(keepingCapacity: true)
    journeys.forEach(count, times, codes) { events, permission, numbers in
      read(events, permission, numbers, user, first, batch)
    }
    guard !moves.isEmpty else { return }
    begin(batch)
    moveAnswers(first, count)
  }

  private func read(
    _ events: EventList, _ permission: UInt32, _ numbers: UnsafePointer<Int>, _ user: Int, _ first: Int,
    _ batch: HistoryBatch
  ) {
    pairs.find(events, response: windows.response, near: windows.atOnce)
    for pair in pairs.pairs where events.distance(pair) < windows.atOnce {
      watch?.note()
      let (prompt, answer) = (numbers[pair.prompt], numbers[pair.answer])
      if isAsLogged(permission, user, first + prompt, batch) {
        if pair.answer < pair.prompt { moves.append(CallPair(prompt: prompt, answer: answer)) }
        continue
      }
      begin(batch)
      codes[first + prompt] = codes[first + prompt] & ~15 | UInt32(KindCode.unseenPrompt)
      codes[first + answer] = Self.call(codes[first + answer])
    }
  }

  /// Whether answers that come at once are people's.
  private func isAsLogged(_ permission: UInt32, _ user: Int, _ event: Int, _ batch: HistoryBatch) -> Bool {
    guard !reading.asLogged.isEmpty else { return false }
    let name = contexts.permissions[Int(permission)]
    guard let platforms = reading.asLogged[name] else { return false }
    if reading.whollyAsLogged.contains(name) { return true }
    guard let platform, let attributes = batch.attributes else { return false }
    let code = contexts.attributes[Int(attributes.code(user: user, event: event))][platform]
    return platforms.contains(contexts.attributeValues[platform][Int(code)])
  }

  /// The answer of a call as a look at the status, with its status or the one that it means.
  private static func call(_ code: UInt32) -> UInt32 {
    var status = code >> HistoryBatch.statusShift & 15
    if status == 0 {
      let isGranted = UInt8(truncatingIfNeeded: code & 15) == KindCode.granted
      status = UInt32((isGranted ? AuthorizationStatus.authorized : .denied).rawValue)
    }
    return code & ~0xFF | status << HistoryBatch.statusShift | UInt32(KindCode.call)
  }

  /// Answers that were written before their prompts are read right after them, at their times.
  private func moveAnswers(_ first: Int, _ count: Int) {
    var order = (0..<count).map { (time: times[first + $0], rank: 2 * $0, event: $0) }
    for move in moves {
      order[move.answer].time = times[first + move.prompt]
      order[move.answer].rank = 2 * move.prompt + 1
    }
    order.sort { $0.time == $1.time ? $0.rank < $1.rank : $0.time < $1.time }
    let read = order.map { (time: $0.time, code: codes[first + $0.event], number: numbers[first + $0.event]) }
    for (place, event) in read.enumerated() {
      (times[first + place], codes[first + place], numbers[first + place]) = (event.time, event.code, event.number)
    }
  }

  /// Copies the batch before the first event of it is read in another way.
  private func begin(_ batch: HistoryBatch) {
    guard !isRead else { return }
    isRead = true
    let events = (0..<batch.userCount).reduce(0) { $0 + Int(batch.permissionCounts[$1]) }
    times.resizeDiscarding(to: events)
    codes.resizeDiscarding(to: events)
    numbers.resizeDiscarding(to: events)
    times.unsafeAddress.update(from: batch.times, count: events)
    codes.unsafeAddress.update(from: batch.codes, count: events)
    var first = 0
    for user in 0..<batch.userCount {
      let count = Int(batch.permissionCounts[user])
      for i in 0..<count { numbers[first + i] = UInt32(truncatingIfNeeded: i) }
      first += count
    }
  }
}

/// A fold over histories as the question reads them.
package struct ReadFold<Base: Fold & ~Copyable>: Fold, ~Copyable {
  private var base: Base
  private let reader: CallReader
  /// Nil if all users are folded.
  private let filter: UsersOfReadings.Filter?

  /// - Parameter watch: gets the calls that returned at once, if it is not known whether the reading fits.
  package init(
    _ reading: CallReading, _ windows: AnalysisWindows, watch: CallWatch? = nil,
    users: UsersOfReadings? = nil, _ selection: HistorySelection, contexts: HistoryContexts,
    _ make: (HistoryContexts) throws -> Base
  ) rethrows {
    reader = CallReader(reading, windows, watch: watch, selection, contexts: contexts)
    filter = users.map { UsersOfReadings.Filter($0, windows, selection, contexts: contexts) }
    base = try make(reading.contexts(contexts))
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout Base.Sums) { base.fold(user, into: &sums) }

  package mutating func fold(batch: HistoryBatch, into sums: inout Base.Sums) {
    let batch = reader.read(batch)
    guard let filter else { return base.fold(batch: batch, into: &sums) }
    batch.forEachUser { if filter.isWanted($0) { base.fold($0, into: &sums) } }
  }

  package mutating func finish(into sums: inout Base.Sums) { base.finish(into: &sums) }
}
