// The change of a grant rate from one week to the next.

import PermissionEvents
import Statistics

/// The change of the grant rate. Only complete weeks whose week before is complete too have one.
public struct Trend: Sendable {
  public let previousWeek: ISOWeek
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
            "previous_week", "the week that it is against", .week, over: nil, .text { $0.trend?.previousWeek.text })),
        .estimate("change", "grant rate less that of the week before", .difference, over: { $0.grants.base }) {
          $0.trend?.change
        },
        .number("p_value", "of no change", .pValue, over: { $0.grants.base }) { $0.trend?.pValue },
        .number("p_adjusted", "after Holm over the permissions", .pValue, over: { $0.grants.base }) {
          $0.trend?.adjustedPValue
        },
      ])
  ]
}

/// The grants of two weeks: what a trend is made of.
struct GrantChange {
  private let previous: ISOWeek
  private let now, before: BinomialSample

  /// Nil if nobody's outcome is known in one of the weeks.
  /// - Parameters:
  ///   - now: of the week's journeys in the report's interval.
  ///   - sums: of those of the week before.
  init?(_ now: RowSums, since previous: ISOWeek, _ sums: RowSums) {
    func base(_ sums: RowSums) -> Int { sums[.exposed] - sums[.pending] - sums[.restricted] }
    guard base(now) > 0, base(sums) + sums[.outsideBase] > 0,
      let now = try? BinomialSample(successes: now[.granted], trials: base(now)),
      let before = try? BinomialSample(
        successes: sums[.granted] + sums[.outsideGranted], trials: base(sums) + sums[.outsideBase])
    else { return nil }
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
