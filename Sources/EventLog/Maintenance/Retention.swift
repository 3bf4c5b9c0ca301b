// A standing rule for how long a log keeps events. It is in the manifest, and each ingest applies it in a commit of its own
// before it reads anything.

import PermissionEvents

/// A span of calendar days, months or years: `90d`, `13mo`, `2y`.
public struct RetentionSpan: Sendable, Hashable, CustomStringConvertible {
  public enum Unit: String, Sendable, CaseIterable {
    case days = "d"
    case months = "mo"
    case years = "y"
  }

  public let count: Int
  public let unit: Unit

  /// A hundred years.
  private static let longest: [Unit: Int] = [.days: 36_525, .months: 1200, .years: 100]

  /// - Parameter text: like `13mo`.
  /// - Returns: nil if it is no span, or longer than a hundred years.
  public init?(_ text: some StringProtocol) {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard let unit = Unit(rawValue: String(text.dropFirst(digits.count))), let count = Int(text.prefix(digits.count)),
      count >= 1, count <= Self.longest[unit] ?? 0, digits.first != 0x30
    else { return nil }
    (self.count, self.unit) = (count, unit)
  }

  public var description: String { "\(count)\(unit.rawValue)" }

  /// The first moment that is kept: the start of a day in UTC. A day that its month does not have is its last one.
  public func limit(at now: Milliseconds) -> Milliseconds {
    let today = floorDivide(now, millisecondsPerDay)
    guard unit != .days else { return (today - Int64(count)) * millisecondsPerDay }
    var date = CivilDate(today)
    let months = date.year * 12 + date.month - 1 - Int64(unit == .years ? 12 * count : count)
    (date.year, date.month) = (months / 12, months % 12 + 1)
    while !date.isValid, date.day > 28 { date.day -= 1 }
    return date.dayNumber * millisecondsPerDay
  }
}

/// The result of applying the rule of a log.
public struct AppliedRetention: Sendable, Equatable {
  public var rule: RetentionSpan
  /// The first moment that is kept.
  public var limit: Milliseconds
  /// Events that were removed now.
  public var events = 0
  /// Parts that were rewritten or dropped.
  public var parts = 0
  /// Why nothing was removed, although events are too old: it may be the clock that is wrong.
  public var refusal: Refusal?
  /// Events before this time stay out, although the rule would keep them: they were removed earlier. Nil if there are none.
  public var stillOut: Milliseconds?

  public enum Refusal: Sendable, Equatable {
    /// All events of the log are older.
    case allAreOlder
    /// The newest event is much older than the clock's time.
    case newest(Milliseconds)
  }

  init(rule: RetentionSpan, limit: Milliseconds) { (self.rule, self.limit) = (rule, limit) }
}

extension EventLogWriter {
  /// The rule; nil if events are kept until a command removes them.
  package var retention: RetentionSpan? { manifest.retention }

  /// Sets or ends the rule. It is applied by `applyRetention`.
  package func setRetention(_ rule: RetentionSpan?) throws {
    guard rule != manifest.retention else { return }
    newRetention = .some(rule)
    defer { newRetention = nil }
    try replace(parts: parts, erasures: erasures, expired: manifest.expiredBefore)
  }

  /// Removes what is older than the rule allows, and keeps it out.
  /// - Returns: nil without a rule, or if it was applied on this day already.
  package func applyRetention() throws -> AppliedRetention? {
    guard let rule = manifest.retention, let now else { return nil }
    var applied = AppliedRetention(rule: rule, limit: rule.limit(at: now))
    guard applied.limit > manifest.expiredBefore ?? .min else { return nil }
    applied.refusal = applied.limit.refusal(now, parts)
    guard applied.refusal == nil else { return applied }
    let counts = try expire(before: applied.limit)
    (applied.events, applied.parts) = (counts.events, counts.parts)
    return applied
  }
}

extension LogSnapshot {
  /// What setting and applying a rule would refuse, and what it would leave out still.
  package func preview(_ rule: RetentionSpan, at now: Milliseconds) -> AppliedRetention {
    var applied = AppliedRetention(rule: rule, limit: rule.limit(at: now))
    if let former = manifest.expiredBefore, former > applied.limit { applied.stillOut = former }
    applied.refusal = applied.limit.refusal(now, parts)
    return applied
  }
}

extension Milliseconds {
  /// A daily feed is never so late; a clock that is wrong by a year is.
  private static var longestGap: Milliseconds { 62 * millisecondsPerDay }

  /// Why a rule with this limit is not applied.
  fileprivate func refusal(_ now: Milliseconds, _ parts: [PartReader]) -> AppliedRetention.Refusal? {
    guard let newest = parts.map(\.footer.maximumTime).max(), parts.contains(where: { $0.footer.minimumTime < self })
    else { return nil }
    if newest < self { return .allAreOlder }
    return now - newest > Self.longestGap ? .newest(newest) : nil
  }
}
