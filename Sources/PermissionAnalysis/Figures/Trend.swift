// A week against the week before it.

import PermissionEvents

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
