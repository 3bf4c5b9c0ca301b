// What follows a grant: it is revoked again, or a partial one becomes full.

/// Of the granted journeys of a row that were followed long enough.
public struct AfterGrantFigures: Sendable {
  public let revoked: Share
  /// Of those whose grant was partial.
  public let upgraded: Share

  init(_ sums: GroupSums) {
    revoked = Share(sums[Counter.afterGrantEligible], sums[Counter.revoked])
    upgraded = Share(sums[Counter.partialEligible], sums[Counter.upgraded])
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group(
      "after_grant",
      [
        .count("eligible", "granted, followed to the end") { $0.afterGrant.revoked.eligible },
        .count("revoked", "revoked in the follow-up", over: { $0.afterGrant.revoked.eligible }) {
          $0.afterGrant.revoked.count
        },
        .estimate("revoked_rate", "revoked of the eligible", over: { $0.afterGrant.revoked.eligible }) {
          $0.afterGrant.revoked.rate
        },
        .count("partial_eligible", "granted in part, followed to the end") { $0.afterGrant.upgraded.eligible },
        .count("upgraded", "became full in the follow-up", over: { $0.afterGrant.upgraded.eligible }) {
          $0.afterGrant.upgraded.count
        },
        .estimate("upgraded_rate", "upgraded of the partial eligible", over: { $0.afterGrant.upgraded.eligible }) {
          $0.afterGrant.upgraded.rate
        },
      ])
  ]
}
