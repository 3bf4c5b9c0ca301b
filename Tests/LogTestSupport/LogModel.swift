// What a log should hold, by the plainest means: a dictionary by user and event id.

import EventLog
import PermissionEvents

/// A log as a dictionary. Erased users and expired events are left out. Of the rest the first committed copy of an event stays,
/// and of one ingest the least: by time, then by its line in an export.
package struct LogModel: Sendable {
  private struct Key: Hashable {
    var user: [UInt8]
    var id: [UInt8]
  }

  private var events: [Key: TestEvent] = [:]
  /// The numbers of events that arrived, whether the events were new or copies.
  package private(set) var numbers: Set<Number> = []
  /// Before the newest ingest with new events; nil if that cannot be taken back any more.
  private var previous: (events: [Key: TestEvent], numbers: Set<Number>)?

  package struct Number: Hashable, Sendable {
    package var counter, number, user: UInt64
    package var quarter: Milliseconds

    package init(counter: UInt64, number: UInt64, user: UInt64, quarter: Milliseconds) {
      (self.counter, self.number, self.user, self.quarter) = (counter, number, user, quarter)
    }
  }

  private static func hash(_ user: [UInt8]) -> UInt64 { user.withUnsafeBytes(UserHash.of) }
  package private(set) var counts = IngestCounts()
  package private(set) var erased: Set<[UInt8]> = []
  /// What the list of erased users has of them.
  private var records: [[UInt8]: ErasureRecord] = [:]
  package private(set) var expiredBefore: Milliseconds?
  /// True if the key of the list of erased users is not in the log.
  package private(set) var isKeyOutside = false
  /// The users whom answers leave out.
  package private(set) var excluded: Set<[UInt8]> = []

  package init() {}

  /// A log of several ingests, one after the other, of which each has every event once: the first copy stays.
  package init(_ events: [TestEvent]) { for event in events { ingest([event]) } }

  /// A log of one ingest.
  package init(ingest events: [TestEvent]) { ingest(events) }

  /// One ingest, whatever its rounds.
  package mutating func ingest(_ new: [TestEvent]) {
    let (before, known) = ((events, numbers), counts.new)
    defer { if counts.new > known { previous = before } }
    var copies: [Key: [TestEvent]] = [:]
    // A row of an erased user takes its counter's numbers along.
    defer {
      let withdrawn = Set(new.filter { erased.contains($0.user) }.compactMap { $0.number?.counter })
      numbers = numbers.filter { !withdrawn.contains($0.counter) }
    }
    for event in new {
      guard !erased.contains(event.user) else {
        counts.erased += 1
        continue
      }
      guard event.time >= expiredBefore ?? .min else {
        counts.expired += 1
        continue
      }
      copies[Key(user: event.user, id: event.id), default: []].append(event)
      guard let (counter, number) = event.number else { continue }
      let quarter = event.time / NumberRun.millisecondsPerQuarter
      // What began before the expiry may be of before.
      guard quarter * NumberRun.millisecondsPerQuarter >= expiredBefore ?? .min else { continue }
      numbers.insert(
        Number(counter: counter, number: number, user: Self.hash(event.user), quarter: quarter))
    }
    for (key, copies) in copies {
      var others = copies.sorted(by: TestEvent.isLesserCopy)
      if events[key] == nil {
        events[key] = others.removeFirst()
        counts.new += 1
      }
      counts.duplicates += others.count
      let isAssignment = events[key]?.kind == .assigned
      counts.conflicts += others.count { $0 != events[key] && !(isAssignment && $0.kind == .assigned) }
    }
  }

  package mutating func erase(_ users: [[UInt8]], withKey: Bool = false) -> ErasureCounts {
    let named = Set(users)
    if erased.isEmpty, withKey { isKeyOutside = true }
    let removed = events.filter { named.contains($0.key.user) }
    var counts = ErasureCounts()
    counts.users = named.subtracting(erased).count
    counts.found = Set(removed.keys.map(\.user)).count
    counts.events = removed.count
    counts.absent = named.subtracting(erased).subtracting(removed.keys.map(\.user))
    for user in named {
      var person = ErasedPerson()
      person.events = removed.keys.count { $0.user == user }
      person.earlier = records[user]
      counts.people[user] = person
      if records[user]?.wasFound != true {
        let isNew = records[user] == nil
        if isNew || person.events > 0 {
          records[user] = ErasureRecord(time: 0, events: person.events, wasFound: person.events > 0)
        }
      }
    }
    for key in removed.keys { events[key] = nil }
    let hashes = Set(named.map(Self.hash))
    let counters = Set(numbers.filter { hashes.contains($0.user) }.map(\.counter))
    numbers = numbers.filter { !counters.contains($0.counter) }
    erased.formUnion(named)
    excluded.subtract(named)
    if counts.users > 0 || counts.events > 0 { previous = nil }
    return counts
  }

  package mutating func readmit(_ users: [[UInt8]]) -> Int {
    let named = erased.intersection(users)
    erased.subtract(named)
    for user in named { records[user] = nil }
    if !named.isEmpty { previous = nil }
    if erased.isEmpty { isKeyOutside = false }
    return named.count
  }

  package mutating func exclude(_ users: [[UInt8]]) -> Int {
    defer { excluded.formUnion(users) }
    return Set(users).subtracting(excluded).count
  }

  package mutating func include(_ users: [[UInt8]]) -> Int {
    defer { excluded.subtract(users) }
    return excluded.intersection(users).count
  }

  package mutating func moveKey() {
    if !erased.isEmpty, !isKeyOutside { previous = nil }
    isKeyOutside = !erased.isEmpty
  }

  package mutating func compact() { previous = nil }

  package mutating func rename() -> RekeyCounts {
    let old = events.values
    events = [:]
    for event in old.map(\.renamed) { events[Key(user: event.user, id: event.id)] = event }
    var counts = RekeyCounts(users: Set(events.keys.map(\.user)).count, events: events.count)
    counts.forgotNumbers = !numbers.isEmpty
    (previous, numbers) = (nil, [])
    excluded = Set(excluded.map(TestEvent.renamed(user:)))
    return counts
  }

  /// - Returns: whether there was an ingest to take back.
  package mutating func undo() -> Bool {
    guard let previous else { return false }
    (events, numbers) = previous
    self.previous = nil
    return true
  }

  package mutating func expire(before time: Milliseconds) -> ErasureCounts {
    var counts = ErasureCounts()
    counts.events = events.count
    events = events.filter { $0.value.time >= time }
    counts.events -= events.count
    numbers = numbers.filter { $0.quarter * NumberRun.millisecondsPerQuarter >= time }
    let limit = max(time, expiredBefore ?? .min)
    if counts.events > 0 || limit != expiredBefore { previous = nil }
    expiredBefore = limit
    return counts
  }

  package mutating func readmitExpired() -> Milliseconds? {
    if expiredBefore != nil { previous = nil }
    defer { expiredBefore = nil }
    return expiredBefore
  }

  /// In the log's order.
  package var export: [TestEvent] { events.values.sorted(by: TestEvent.isBefore) }
}
