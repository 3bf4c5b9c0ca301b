// Readings that only all users of a job decide: affected users are counted in both.

import Folding
import PermissionEvents
import Threads

/// A choice between the default reading and the other one. All users of a job together decide it.
package struct OpenReading: Hashable, Sendable, Comparable {
  package var permission: [UInt8]
  /// Of prompts whose answers came at once; empty without a platform. If nil, answers of the permission may count alone.
  package var platform: [UInt8]?

  package init(permission: [UInt8], platform: [UInt8]?) { (self.permission, self.platform) = (permission, platform) }

  /// Whether the sums require it. Answers count alone only if no users saw a screen.
  package func isThere(in sums: CallSums) -> Bool {
    guard let platform else { return sums.isAnsweredAlone(permission) }
    return sums.units[CallSums.Unit(permission: permission, platform: platform)]?.atOnce ?? 0 > 0
  }

  package static func < (a: Self, b: Self) -> Bool {
    if a.permission != b.permission { return a.permission.lexicographicallyPrecedes(b.permission) }
    guard let left = a.platform, let right = b.platform else { return a.platform == nil && b.platform != nil }
    return left.lexicographicallyPrecedes(right)
  }
}

/// A reading in which some users were already counted, whatever all users of the job decide.
package struct FixedReading: Hashable, Sendable {
  package var reading: OpenReading
  package var isOther: Bool

  package init(_ reading: OpenReading, isOther: Bool) { (self.reading, self.isOther) = (reading, isOther) }
}

package struct OpenReadings: Sendable {
  /// In their order.
  package private(set) var open: [OpenReading] = []
  /// Decided here: by enough users that other, similar users will not change it, or because there is no room for both readings.
  package private(set) var fixed: Set<FixedReading> = []
  private let own: CallReading

  /// Open readings are the bits of an integer.
  private static let most = 64
  private static let many = 1000

  package init(_ sums: CallSums) {
    own = CallReading(sums)
    for (permission, counts) in sums.journeys.rows where sums.isAnsweredAlone(permission) {
      add(OpenReading(permission: permission, platform: nil), isSure: counts[1] >= Self.many)
    }
    for (unit, counts) in sums.units.rows where counts.atOnce > 0 {
      add(OpenReading(permission: unit.permission, platform: unit.platform), isSure: counts.isSurelyApplied)
    }
    open.sort()
    while open.count > Self.most { fixSome() }
  }

  private mutating func add(_ reading: OpenReading, isSure: Bool) {
    if isSure { fix([reading]) } else { open.append(reading) }
  }

  private mutating func fix(_ readings: [OpenReading]) {
    for reading in readings { fixed.insert(FixedReading(reading, isOther: own.isOther(reading))) }
  }

  /// Leaves fewer open: first how calls are read that return at once, as most apps log them in one way.
  package mutating func fixSome() {
    let calls = open.filter { $0.platform != nil }
    fix(calls.isEmpty ? open : calls)
    open = calls.isEmpty ? [] : open.filter { $0.platform == nil }
  }

  /// Returns the fixed reading, with the other way for the given open readings.
  package func reading(other readings: [OpenReading] = []) -> CallReading {
    CallReading(other: fixed.filter(\.isOther).map(\.reading) + readings)
  }
}

/// The users of a walk that are affected by one set of open readings, and by no other. Safe to use from several threads.
package final class UsersOfReadings: Sendable {
  private let readings: [OpenReading]
  /// Bits of the readings that affect them.
  package let wanted: UInt64
  private let seen = Mutex<Set<UInt64>>([])

  package init(_ readings: [OpenReading], wanted: UInt64) { (self.readings, self.wanted) = (readings, wanted) }

  /// The readings that affect users of the batches read so far.
  package var all: Set<UInt64> { seen.withLock { $0 } }

  /// The most units that are distinguished: readings of more are not kept.
  fileprivate static let mostSeen = 1024

  fileprivate func note(_ concerned: UInt64) { seen.withLock { _ = $0.insert(concerned) } }

  final class Filter {
    private let users: UsersOfReadings
    private let windows: AnalysisWindows
    private let journeys: UserJourneys
    private let platform: Int?
    private let contexts: HistoryContexts
    /// By permission code the bit of its answers alone, and of its calls by code of the platform.
    private var aloneBits: [UInt32: UInt64] = [:]
    private var callBits: [SIMD2<UInt32>: UInt64] = [:]
    private var permissions: Set<UInt32> = []
    private var pairs = CallPairs()
    private var seen: Set<UInt64> = []

    init(_ users: UsersOfReadings, _ windows: AnalysisWindows, _ selection: HistorySelection, contexts: HistoryContexts)
    {
      self.users = users
      self.windows = windows
      self.contexts = contexts
      journeys = UserJourneys(contexts)
      platform = selection.attributes.firstIndex(of: .platform)
      let platforms = platform.map { contexts.attributeValues[$0] } ?? [[]]
      for (number, reading) in users.readings.enumerated() {
        guard let code = contexts.permissions.firstIndex(of: reading.permission) else { continue }
        let permission = UInt32(truncatingIfNeeded: code)
        permissions.insert(permission)
        guard let name = reading.platform else {
          aloneBits[permission] = 1 << UInt64(number)
          continue
        }
        guard let code = platforms.firstIndex(of: name) else { continue }
        callBits[SIMD2(permission, UInt32(truncatingIfNeeded: code))] = 1 << UInt64(number)
      }
    }

    func isWanted(_ user: borrowing UserHistory) -> Bool {
      var concerned: UInt64 = 0
      let count = windows.events(user.unsafeStoredTimes, user.eventCount)
      journeys.forEach(count, user.unsafeStoredTimes, user.unsafeStoredCodes) { events, permission, _ in
        if permissions.contains(permission), events.kinds & KindSet.results.bits != 0 {
          concerned |= aloneBits[permission] ?? 0
        }
      }
      if !callBits.isEmpty {
        // Attributes are looked up outside of the closure: a history does not leave its call.
        for (permission, event) in callsAtOnce(user, count) {
          let attributes = contexts.attributes[user.storedAttributes(event)]
          let code = platform.map { attributes[$0] } ?? 0
          concerned |= callBits[SIMD2(permission, code)] ?? 0
        }
      }
      if seen.count < UsersOfReadings.mostSeen, seen.insert(concerned).inserted { users.note(concerned) }
      return concerned == users.wanted
    }

    /// Prompts whose answers came at once: code of the permission and number of the event.
    private func callsAtOnce(_ user: borrowing UserHistory, _ count: Int) -> [(permission: UInt32, event: Int)] {
      var calls: [(permission: UInt32, event: Int)] = []
      journeys.forEach(count, user.unsafeStoredTimes, user.unsafeStoredCodes) { events, permission, numbers in
        guard permissions.contains(permission), events.kinds & KindSet.prompts.bits != 0 else { return }
        pairs.find(events, response: windows.response, near: windows.atOnce)
        for pair in pairs.pairs where events.distance(pair) < windows.atOnce {
          calls.append((permission, numbers[pair.prompt]))
        }
      }
      return calls
    }
  }
}
