// Users who were asked for several permissions at once, and what became of their journeys beside those of others.

import Buffers
import PermissionEvents

/// Sums over users of granted journeys and journeys of the base. A user's journeys go together, so squares and products are kept as well.
struct UserRatio: Sendable, Hashable {
  /// In the order of `UserRatio.names`.
  var integers = [Int64](repeating: 0, count: 6)

  static let names = ["users", "granted", "base", "granted_squares", "products", "base_squares"]

  var users: Int64 { integers[0] }

  mutating func add(granted: Int64, base: Int64) {
    integers[0] &+= 1
    integers[1] &+= granted
    integers[2] &+= base
    integers[3] &+= granted &* granted
    integers[4] &+= granted &* base
    integers[5] &+= base &* base
  }
}

/// The journeys of one user, and the sums of all with three or more. Reused from user to user.
struct SeveralAtOnce: ~Copyable {
  /// t0 of each journey.
  private var starts = Buffer<Milliseconds>(capacity: 64)
  private var granted: Int64 = 0
  private var base: Int64 = 0
  private(set) var with = UserRatio()
  private(set) var without = UserRatio()

  /// Journeys that are asked about at once.
  static let least = 3

  mutating func begin() {
    starts.removeAll()
    (granted, base) = (0, 0)
  }

  @inline(__always)
  mutating func add(_ journey: JourneyFacts) {
    starts.append(journey.start)
    base &+= journey.isInBase ? 1 : 0
    granted &+= journey.outcome == .granted ? 1 : 0
  }

  /// Counts the user. True if three exposures lie within the time.
  @inline(__always)
  mutating func end() -> Bool {
    guard starts.count >= Self.least else { return false }
    let isAtOnce = areClose()
    if isAtOnce { with.add(granted: granted, base: base) } else { without.add(granted: granted, base: base) }
    return isAtOnce
  }

  private func areClose() -> Bool {
    var times = UnsafeMutableBufferPointer(start: starts.unsafeAddress, count: starts.count)
    times.sort()
    for last in (Self.least - 1)..<times.count
    where times[last] - times[last - Self.least + 1] <= AuditDuration.atOnce {
      return true
    }
    return false
  }
}
