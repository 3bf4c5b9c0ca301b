// Counts for the audit's checks of the data, while a walk goes over the users.

import Buffers
import Folding
import PermissionEvents
import Threads

/// Counts every event up to as_of by day, kind, platform and version, and finds when a user's version changed last. Owned by
/// one thread.
struct FeedTally: ~Copyable {
  private let question: AuditQuestion
  private let windows: AnalysisWindows
  private let origins: FeedOrigins
  /// The days that tables are laid out for, mostly all; no day if the tables would be too large.
  private let firstDay: DayNumber
  private let width: Int
  /// Events by version and platform, then day; and by day, then kind.
  private let pairCounts, kindCounts: Buffer<Int64>
  /// Of other days.
  private var versions = DayCells(most: AuditLimits.daysOfFeeds)
  private var platforms = DayCells(most: AuditLimits.daysOfFeeds)
  private var kinds = DayCells(most: AuditLimits.daysOfFeeds)
  private var users: EventsOfUsers
  /// Users by their number of events: a table of few, and the rest.
  private let usersOfFew = Buffer<Int64>(repeating: 0, count: fewEvents)
  private var usersOfMany: [Int: Int64] = [:]
  private var days = DayCursor()
  /// Of the user last added: the time of the latest event with a version above those of all events before it;
  /// `Milliseconds.min` if there is no such event, or if no version came before.
  private(set) var versionChange = Milliseconds.min

  private static let mostCells = 1 << 21
  private static let kindsOfDay = 16
  private static let fewEvents = 1024

  /// - Parameter origins: of the walk, if other threads have them too.
  init(_ question: AuditQuestion, contexts: HistoryContexts, origins: FeedOrigins? = nil) {
    let origins = origins ?? FeedOrigins(question.selection, contexts)
    let zone = question.zone
    // A clock that goes back over midnight can make a later moment one of an earlier day.
    let first = zone.day(of: contexts.times.lowerBound) - 2
    let last = zone.day(of: max(contexts.times.lowerBound, min(contexts.times.upperBound, question.windows.asOf))) + 2
    let wanted = Int(last - first + 1)
    let fits = wanted <= Self.mostCells / max(origins.pairs.count, Self.kindsOfDay)
    let width = fits ? wanted : 0
    pairCounts = Buffer(repeating: 0, count: width * origins.pairs.count)
    kindCounts = Buffer(repeating: 0, count: width * Self.kindsOfDay)
    users = EventsOfUsers(room: question.examples)
    self.question = question
    windows = question.windows
    self.origins = origins
    self.firstDay = first
    self.width = width
  }

  mutating func add(_ user: borrowing UserHistory) {
    let (times, codes, uses) = (user.unsafeStoredTimes, user.unsafeStoredCodes, user.unsafeEngagement)
    let eventCount = windows.events(times, user.eventCount)
    let useCount = windows.uses(uses, user.engagementCount)
    versionChange = .min
    let count = eventCount + useCount
    guard count > 0 else { return }
    if count < Self.fewEvents { usersOfFew[count] += 1 } else { usersOfMany[count, default: 0] += 1 }
    if users.mayKeep(Int64(count)) { users.keep(user.id(), Int64(count)) }
    guard let attributes = user.unsafeAttributes else {
      preconditionFailure("the walk hands over the attributes of all events")
    }
    let events = addLane(
      eventCount, attributes.events, time: { times[$0] }, kind: { Int(truncatingIfNeeded: codes[$0] & 15) })
    let engagement = addLane(
      useCount, attributes.engagement, time: { Milliseconds(truncatingIfNeeded: uses[$0] >> 1) },
      kind: { Int(KindCode.featureUsed) + Int(truncatingIfNeeded: uses[$0] & 1) })
    findChange(
      events, engagement, key: { UInt64(bitPattern: times[$0]) << 4 | UInt64(codes[$0] & 15) },
      useKey: { (uses[$0] >> 1) << 4 | (UInt64(KindCode.featureUsed) + (uses[$0] & 1)) })
  }

  /// Indices in a lane of the first event with a version, and of the first with the highest; the rank of the latter, 0 for none.
  private struct Versions {
    var first = -1
    var highest = -1
    var rank: UInt32 = 0
  }

  @inline(__always)
  private mutating func addLane(
    _ count: Int, _ codes: UnsafePointer<UInt32>, time: (Int) -> Milliseconds, kind: (Int) -> Int
  ) -> Versions {
    // In locals: what `self` holds would be read again for every event.
    var cursor = days
    let zone = question.zone
    let (firstDay, width) = (firstDay, width)
    let (pairCounts, kindCounts) = (pairCounts.unsafeAddress, kindCounts.unsafeAddress)
    let (pairs, ranks) = (origins.pairOfCode.unsafeAddress, origins.rankOfCode.unsafeAddress)
    var versions = Versions()
    var last = UInt32.max
    var ofPair = pairCounts
    cursor.forEachOffset(of: count, in: zone, time: time) { moments, offset in
      for i in moments {
        let code = codes[i]
        if code != last {
          last = code
          ofPair = pairCounts + Int(pairs[Int(code)]) &* width
          let rank = ranks[Int(code)]
          if rank > 0, versions.first < 0 { versions.first = i }
          if rank > versions.rank { (versions.rank, versions.highest) = (rank, i) }
        }
        let day = DayCursor.day(ofLocal: time(i) &+ offset)
        let place = Int(truncatingIfNeeded: day &- firstDay)
        if UInt(bitPattern: place) < UInt(bitPattern: width) {
          ofPair[place] &+= 1
          kindCounts[place &* Self.kindsOfDay &+ kind(i)] &+= 1
        } else {
          addElsewhere(code, kind(i), day)
        }
      }
    }
    days = cursor
    return versions
  }

  @inline(never)
  private mutating func addElsewhere(_ code: UInt32, _ kind: Int, _ day: DayNumber) {
    let pair = origins.pairs[Int(origins.pairOfCode[Int(code)])]
    versions.add(code: pair[0], day: day)
    platforms.add(code: pair[1], day: day)
    kinds.add(code: UInt32(kind + 1), day: day)
  }

  /// The latest event with a version above all before is the first one with the highest.
  /// - Parameters:
  ///   - key: time and kind of an event of a permission; no event of the other lane has the same.
  ///   - useKey: the same of an engagement.
  @inline(__always)
  private mutating func findChange(
    _ events: Versions, _ engagement: Versions, key: (Int) -> UInt64, useKey: (Int) -> UInt64
  ) {
    let rank = max(events.rank, engagement.rank)
    guard rank > 0 else { return }
    let event = events.rank == rank ? key(events.highest) : .max
    let use = engagement.rank == rank ? useKey(engagement.highest) : .max
    let hasBefore: Bool
    if event < use {
      hasBefore = events.first < events.highest || engagement.first >= 0 && useKey(engagement.first) < event
    } else {
      hasBefore = engagement.first < engagement.highest || events.first >= 0 && key(events.first) < use
    }
    if hasBefore { versionChange = Milliseconds(truncatingIfNeeded: min(event, use) >> 4) }
  }

  /// Returns the counts under names. Call it once.
  mutating func finish() -> FeedSums {
    var sums = FeedSums()
    let kindNames = EventKind.names.map { Array($0.utf8) }
    // A walk does not count to 2^62.
    for events in 1..<Self.fewEvents where usersOfFew[events] > 0 {
      try? users.add(usersOfFew[events], usersOf: Int64(events))
    }
    for (events, count) in usersOfMany { try? users.add(count, usersOf: Int64(events)) }
    sums.eventsOfUsers = users
    for place in 0..<width {
      let day = firstDay + DayNumber(place)
      for (pair, codes) in origins.pairs.enumerated() {
        let count = pairCounts[pair * width + place]
        guard count > 0 else { continue }
        if codes[0] != 0 { try? sums.versions.add(count, origins.versions[Int(codes[0])], on: day) }
        if codes[1] != 0 { try? sums.platforms.add(count, origins.platforms[Int(codes[1])], on: day) }
      }
      for (kind, name) in kindNames.enumerated() {
        try? sums.kinds.add(kindCounts[place * Self.kindsOfDay + kind], name, on: day)
      }
    }
    versions.add(to: &sums.versions, names: origins.versions)
    platforms.add(to: &sums.platforms, names: origins.platforms)
    kinds.add(to: &sums.kinds, names: [[]] + kindNames)
    return sums
  }
}

/// Platforms and versions by code of the selected attributes. All threads of a walk read the same: to make it takes as long as
/// there are versions in the log.
package final class FeedOrigins: @unchecked Sendable {
  // Unchecked: the buffers are filled before anybody else sees them, and never after.
  /// By code of the attributes the number of their version and platform in `pairs`.
  let pairOfCode: Buffer<UInt32>
  /// By code of the attributes the rank of the version among all. 0 if it has no numbers. Versions with the same
  /// numbers, like 3.2 and 3.2.0, have one rank.
  let rankOfCode: Buffer<UInt32>
  /// Codes of version and platform, 0 for none.
  let pairs: [SIMD2<UInt32>]
  let versions, platforms: [[UInt8]]

  init(_ selection: HistorySelection, _ contexts: HistoryContexts) {
    let places = SIMD2(
      selection.attributes.firstIndex(of: .appVersion) ?? -1, selection.attributes.firstIndex(of: .platform) ?? -1)
    func names(_ place: Int) -> [[UInt8]] {
      contexts.attributeValues.indices.contains(place) ? contexts.attributeValues[place] : [[]]
    }
    let (versions, platforms) = (names(places[0]), names(places[1]))
    let numbers = versions.map { VersionNumber($0) }
    var ranks: [VersionNumber: UInt32] = [:]
    for number in Set(numbers.compactMap { $0 }).sorted() {
      ranks[number] = UInt32(truncatingIfNeeded: ranks.count + 1)
    }
    var pairCodes = CodeTable<SIMD2<UInt32>>([.zero])
    var pairOfCode = Buffer<UInt32>()
    var rankOfCode = Buffer<UInt32>()
    for values in contexts.attributes {
      func code(_ place: Int) -> UInt32 { values.indices.contains(place) ? values[place] : 0 }
      pairOfCode.append(pairCodes.code(SIMD2(code(places[0]), code(places[1]))))
      rankOfCode.append(numbers[Int(code(places[0]))].flatMap { ranks[$0] } ?? 0)
    }
    // Of a walk without attributes every event has code 0.
    if pairOfCode.count == 0 {
      pairOfCode.append(0)
      rankOfCode.append(0)
    }
    self.pairOfCode = pairOfCode
    self.rankOfCode = rankOfCode
    pairs = pairCodes.values
    self.versions = versions
    self.platforms = platforms
  }
}

/// Shared by the folds of one walk; made by the first thread that asks.
package final class SharedOrigins: Sendable {
  private let made = Mutex<FeedOrigins?>(nil)

  package init() {}

  /// - Parameters: the same each time.
  package func origins(_ selection: HistorySelection, _ contexts: HistoryContexts) -> FeedOrigins {
    made.withLock { made in
      let origins = made ?? FeedOrigins(selection, contexts)
      made = origins
      return origins
    }
  }
}
