// The rates of the first asking, and what follows a grant.

/// What became of the journeys of a row. Every figure but `exposed`, `pending` and `restricted` is over the base.
public struct GrantFigures: Sendable {
  public package(set) var exposed, pending, restricted, base: Int
  public let granted, partial, denied, skipped, droppedOff: Int
  /// Of the base, answers that only a look at the status tells.
  public let answeredByStatus: Int
  public let grantRate, denyRate, skipRate, dropOffRate: Estimate?
  /// Granted of granted and denied: whom the variant has selected, so a description.
  public let promptGrantRate: Estimate?
  /// Found on, by whatever path.
  public let grantedByFollowUp: Share
  /// On in part, of `grantedByFollowUp.count`.
  public let partialByFollowUp: Int

  /// - Parameter missing: without evidence of answers no rate is known, and without screens nobody is known to have dropped off.
  init(_ sums: RowSums, missing: [Evidence]) {
    func outcome(_ outcome: Outcome) -> Int { sums[.granted, outcome] }
    exposed = sums[Counter.exposed]
    pending = sums[Counter.pending]
    restricted = sums[Counter.restricted]
    base = exposed - pending - restricted
    granted = outcome(.granted)
    partial = sums[Counter.partial]
    denied = outcome(.denied)
    skipped = outcome(.skipped)
    droppedOff = outcome(.droppedOff)
    answeredByStatus = sums[Counter.answeredByStatus]
    grantRate = missing.known(.answers, .rate(granted, base))
    denyRate = missing.known(.answers, .rate(denied, base))
    skipRate = missing.known(.answers, .rate(skipped, base))
    dropOffRate = missing.hasDropOff ? .rate(droppedOff, base) : nil
    promptGrantRate = missing.known(.answers, .rate(granted, granted + denied))
    grantedByFollowUp = Share(
      sums[Counter.followUpEligible], missing.known(.answers, sums[Counter.followUpGranted]))
    partialByFollowUp = sums[Counter.followUpPartial]
  }

  static let figures: [FigureNode<ReportRow>] = [
    .count("exposed", "journeys with a first screen") { $0.grants.exposed },
    .count("pending", "response window not over at as_of", over: { $0.grants.exposed }) { $0.grants.pending },
    .count("restricted", "denied without a say", over: { $0.grants.exposed }) { $0.grants.restricted },
    .count("base", "exposed less pending and restricted", over: { $0.grants.exposed }) { $0.grants.base },
    .count("granted", "first answer granted", over: { $0.grants.base }) {
      $0.noEvidence.known(.answers, $0.grants.granted)
    },
    .count("partial", "granted in part", over: { $0.grants.granted }) {
      $0.noEvidence.known(.answers, $0.grants.partial)
    },
    .count("denied", "first answer denied", over: { $0.grants.base }) {
      $0.noEvidence.known(.answers, $0.grants.denied)
    },
    .count("skipped", "first answer skipped", over: { $0.grants.base }) { $0.grants.skipped },
    .count("dropped_off", "no answer in time", over: { $0.grants.base }) {
      $0.noEvidence.hasDropOff ? $0.grants.droppedOff : nil
    },
    .estimate("grant_rate", "granted of the base", over: { $0.grants.base }) { $0.grants.grantRate },
    .estimate("deny_rate", "denied of the base", over: { $0.grants.base }) { $0.grants.denyRate },
    .estimate("skip_rate", "skipped of the base", over: { $0.grants.base }) { $0.grants.skipRate },
    .estimate("drop_off_rate", "dropped off of the base", over: { $0.grants.base }) { $0.grants.dropOffRate },
    .estimate(
      "prompt_grant_rate", "granted of granted and denied", over: { $0.grants.granted + $0.grants.denied }
    ) { $0.grants.promptGrantRate },
    .group(
      "granted_by_follow_up",
      FigureNode.parts(
        ("eligible", "followed to the end"), ("granted", "found on by whatever path up to the end of the follow-up"),
        rate: ("rate", "found on of the eligible")
      ) { $0.grants.grantedByFollowUp } + [
        .count("partial", "found on in part", over: { $0.grants.grantedByFollowUp.count ?? 0 }) {
          $0.noEvidence.known(.answers, $0.grants.partialByFollowUp)
        }
      ]),
  ]

  /// After all others, where tables expect it.
  static let laterFigures: [FigureNode<ReportRow>] = [
    .count("answered_by_status", "an answer that only a status check tells", over: { $0.grants.base }) {
      $0.grants.answeredByStatus
    }
  ]
}

/// Of the granted journeys of a row that were followed long enough.
public struct AfterGrantFigures: Sendable {
  public let revoked: Share
  /// Of those whose grant was partial.
  public let upgraded: Share

  init(_ sums: RowSums, missing: [Evidence]) {
    revoked = Share(sums[Counter.afterGrantEligible], missing.known(.revoked, sums[Counter.revoked]))
    upgraded = Share(sums[Counter.partialEligible], missing.known(.revoked, sums[Counter.upgraded]))
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group(
      "after_grant",
      FigureNode.parts(
        ("eligible", "granted, followed to the end"), ("revoked", "revoked in the follow-up"),
        rate: ("revoked_rate", "revoked of the eligible")
      ) { $0.afterGrant.revoked }
        + FigureNode.parts(
          ("partial_eligible", "granted in part, followed to the end"), ("upgraded", "became full in the follow-up"),
          rate: ("upgraded_rate", "upgraded of the partial eligible")
        ) { $0.afterGrant.upgraded })
  ]
}
