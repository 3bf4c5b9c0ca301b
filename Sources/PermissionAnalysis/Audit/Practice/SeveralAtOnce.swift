// Users who were asked for several permissions at once, and the outcomes of their journeys compared with those of other users.

import Buffers
import Folding
import PermissionEvents
import Statistics

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
  private var granted: Int64 = 0, base: Int64 = 0
  private(set) var with = UserRatio(), without = UserRatio()

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

  /// Counts the user. Returns whether three exposures are within the time.
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

// MARK: Grant rates of users' journeys, of which a user has several: the unit is the user

extension UserRatio {
  /// Fewest users of a group for an interval: it rests on the normal distribution.
  static let leastUsers: Int64 = 30

  private var metric: RatioMetric {
    RatioMetric(
      users: Int(integers[0]), numerator: Int(integers[1]), denominator: Int(integers[2]),
      numeratorSquares: Int(integers[3]), denominatorSquares: Int(integers[5]), products: Int(integers[4]))
  }

  /// Granted of the base; nil without a base. No interval below 30 users, or if nothing varies: then the error of
  /// the rate cannot be estimated.
  var rate: Estimate? {
    guard let rate = metric.ratio else { return nil }
    guard users >= Self.leastUsers, let variance = metric.variance, variance > 0 else { return Estimate(rate) }
    let estimate = Estimate(rate, standardError: variance.squareRoot())
    return Estimate(rate, low: estimate.low.map { max(0, $0) }, high: estimate.high.map { min(1, $0) })
  }

  /// The first rate minus the second, with the normal interval of two ratio estimators; no interval below 30 users in a group, or if
  /// nothing varies. nil if a group has no base.
  static func difference(_ first: UserRatio, _ second: UserRatio) -> Estimate? {
    let (a, b) = (first.metric, second.metric)
    guard let rateA = a.ratio, let rateB = b.ratio else { return nil }
    guard min(first.users, second.users) >= leastUsers,
      let interval = try? RatioMetric.difference(a, b).get().normalInterval
    else { return Estimate(rateA - rateB) }
    return Estimate(rateA - rateB, interval)
  }
}

// MARK: Findings about calls that return at once
// Over all prompts of the log.

extension CallSums {
  /// Candidates of `asked_without_dialog` and `logged_together`, of each permission and platform with an answer that came at once.
  /// Without any, one for all: whether prompts could be judged.
  func candidates(_ question: AuditQuestion) -> [AuditFinding] {
    let notable = notable
    guard !notable.isEmpty else {
      let canSee = units.rows.values.contains { $0.answered > 0 && $0.isApplied }
      return [AuditFinding(.askedWithoutDialog, leftOut: canSee ? .belowThreshold : .nothingToSee)]
    }
    return notable.map { unit, counts in
      let permission = String(bounded: unit.permission)
      let detail = AuditFinding.Detail.prompts(platform: unit.platform.text)
      if counts.areLoggedTogether { return AuditFinding(.loggedTogether, permission: permission, detail: detail) }
      return AuditFinding(
        .askedWithoutDialog, permission: permission, users: counts.atOnce, of: counts.answered, detail: detail,
        leftOut: counts.isApplied
          ? AuditSums.leftOut(.askedWithoutDialog, counts.atOnce, counts.answered, question) : .nothingToSee)
    }
  }
}

/// A user by the log's order: the hash of the id, then the id.
struct ExampleUser: Sendable, Hashable, Comparable {
  let hash: UInt64
  let id: [UInt8]

  init(_ id: [UInt8]) {
    self.id = id
    hash = id.withUnsafeBytes { UserHash.of($0) }
  }

  static func < (a: Self, b: Self) -> Bool { a.hash != b.hash ? a.hash < b.hash : a.id.lexicographicallyPrecedes(b.id) }
}

/// A finding under its permission.
struct ExampleKey<Permission: Hashable & Sendable>: Hashable, Sendable {
  var check: AuditCheck
  var permission: Permission
}

/// Under the code of the permission; 0 for none.
typealias ExampleCode = ExampleKey<UInt32>
/// Under its name; nil for none.
typealias ExampleName = ExampleKey<[UInt8]?>

struct AuditExamples<Key: Hashable & Sendable>: Sendable {
  /// The most users of a key; 0 for no examples.
  private(set) var limit: Int
  /// In order.
  private(set) var users: [Key: [ExampleUser]] = [:]
  /// Bytes that they take, about.
  private(set) var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func add(_ user: ExampleUser, of key: Key) {
    guard limit > 0 else { return }
    if let last = users[key]?.last, users[key]?.count == limit, last < user { return }
    // Taken out, so it is not copied.
    var list = users.removeValue(forKey: key) ?? []
    defer { users[key] = list }
    let place = list.firstIndex { user <= $0 } ?? list.count
    if place < list.count, list[place] == user { return }
    list.insert(user, at: place)
    size += Self.size(user)
    if list.count > limit, let last = list.popLast() { size -= Self.size(last) }
  }

  /// Adds users under their new keys. A full list stays full: a user who is not in it is not in the list of all.
  mutating func add<Other>(_ other: AuditExamples<Other>, key: (Other) -> Key) {
    limit = max(limit, other.limit)
    for (theirs, list) in other.users { for user in list { add(user, of: key(theirs)) } }
  }

  private static func size(_ user: ExampleUser) -> Int { 160 + user.id.count }
}
