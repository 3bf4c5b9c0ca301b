// A week's grant rate against the week before, and against the weeks in which nothing was unusual.

import PermissionEvents
import Statistics

/// The change of the grant rate. Only complete weeks after a complete week have one.
public struct Trend: Sendable {
  public let previousWeek: CalendarWeek
  public let change: Estimate?
  public let pValue: Double?
  /// By Holm over the permissions that have a row for the week.
  public package(set) var adjustedPValue: Double?

  static let figures: [FigureNode<ReportRow>] = [
    .optional(
      "trend", isThere: { $0.trend != nil },
      [
        .figure(
          Figure(
            "previous_week", "the week that it is compared with", .week, over: nil,
            .text { $0.trend?.previousWeek.text })),
        .estimate("change", "grant rate minus that of the week before", .difference, over: { $0.grants.base }) {
          $0.trend?.change
        },
        .number("p_value", "of no change", .pValue, over: { $0.grants.base }) { $0.trend?.pValue },
        .number("p_adjusted", "after Holm over the permissions", .pValue, over: { $0.grants.base }) {
          $0.trend?.adjustedPValue
        },
      ])
  ]
}

struct GrantChange {
  private let previous: CalendarWeek
  private let now, before: BinomialSample

  /// Nil if no outcomes are known in one of the weeks.
  init?(_ now: GrantCounts, since previous: CalendarWeek, _ before: GrantCounts) {
    guard let now = now.inside, let before = before.all else { return nil }
    (self.previous, self.now, self.before) = (previous, now, before)
  }

  /// Of no change.
  var pValue: Double? { EqualityTest.primary(now, before)?.pValue }

  func trend(_ pValue: Double?, adjusted: Double?) -> Trend {
    Trend(
      previousWeek: previous,
      change: .difference((now.successes, now.trials), (before.successes, before.trials)),
      pValue: pValue, adjustedPValue: adjusted)
  }
}

/// Where the grant rate of a complete week is expected, from up to 12 complete weeks before it. Only complete weeks after 4
/// such weeks have one. A change is news if the week is outside.
public struct UsualWeek: Sendable, Hashable {
  /// The weeks that it is of.
  public let weeks: Int
  /// Shares of 1.
  public let low, high: Double
  public let outside: Side?
  /// Grants in the week, more than expected of its base (below 0: fewer).
  public let moreGrants: Double

  public enum Side: String, Sendable { case lower, higher }

  /// Below this the range is not known.
  public static let leastWeeks = UsualRange.leastWeeks

  package init(weeks: Int, low: Double, high: Double, outside: Side?, moreGrants: Double) {
    (self.weeks, self.low, self.high) = (weeks, low, high)
    (self.outside, self.moreGrants) = (outside, moreGrants)
  }

  /// - Parameters:
  ///   - now: of the week's journeys in the report's interval.
  ///   - earlier: of all journeys of the weeks before, oldest first.
  init?(_ now: BinomialSample, after earlier: [BinomialSample]) {
    guard let range = UsualRange(of: now, after: earlier) else { return nil }
    (weeks, low, high) = (range.weeks, range.low, range.high)
    outside = range.outside.map { $0 == .lower ? .lower : .higher }
    moreGrants = Double(now.successes) - range.middle * Double(now.trials)
  }

  static let figures: [FigureNode<ReportRow>] = [
    .optional(
      "usual", isThere: { $0.usual != nil },
      [
        .count("weeks", "complete weeks before it, of which it is usual", .values) { $0.usual?.weeks },
        .number("low", "lowest usual grant rate", .share, over: { $0.grants.base }) { $0.usual?.low },
        .number("high", "highest usual grant rate", .share, over: { $0.grants.base }) { $0.usual?.high },
        .figure(
          Figure("outside", "lower or higher than usual", .name, over: nil, .text { $0.usual?.outside?.rawValue })),
      ])
  ]
}

/// Granted of the base of one group. Nil without a base, or if sums from a file cannot be counts.
struct GrantCounts {
  /// In the report's interval, and whatever it cuts off.
  let inside, all: BinomialSample?

  init(_ groups: GroupedSums, _ slot: Int) {
    func count(_ counter: Counter) -> Int { Int(groups.integer(slot, counter.rawValue)) }
    let base = count(.exposed) &- count(.pending) &- count(.restricted)
    let granted = count(.granted)
    inside = Self.sample(granted, base)
    all = Self.sample(granted &+ count(.outsideGranted), base &+ count(.outsideBase))
  }

  private static func sample(_ granted: Int, _ base: Int) -> BinomialSample? {
    base > 0 ? try? BinomialSample(successes: granted, trials: base) : nil
  }
}
