// Where the users who are active now stand.

/// One permission, by the last word on it. The states add up to the active users.
public struct ReachRow: Sendable {
  public let permission: String
  public let activeUsers, neverAsked, on, partial, off, restricted, undecided: Int

  /// All figures, under the names that they have in the JSON.
  public static let figures = FigureTree<ReachRow>([
    .count("active_users", "with any event in the 28 days up to as_of", .users) { $0.activeUsers },
    .count("never_asked", "no event of the permission", .users, over: { $0.activeUsers }) { $0.neverAsked },
    .count("on", "last word: on", .users, over: { $0.activeUsers }) { $0.on },
    .count("partial", "last word: on in part", .users, over: { $0.activeUsers }) { $0.partial },
    .count("off", "last word: off", .users, over: { $0.activeUsers }) { $0.off },
    .count("restricted", "last word: off without a say", .users, over: { $0.activeUsers }) { $0.restricted },
    .count("undecided", "no last word", .users, over: { $0.activeUsers }) { $0.undecided },
  ])
}
