// What an audit found, as numbers and names: ReportRendering has the words.

public import PermissionEvents

/// One finding, or one check that found nothing.
public struct AuditFinding: Sendable, Hashable {
  public let check: AuditCheck
  public let severity: AuditSeverity
  /// nil if it is of no permission in particular.
  public let permission: String?
  /// How many journeys (or whatever the check counts) it holds for, and of how many; nil if it counts nothing.
  public let users: Int64?
  public let of: Int64?
  /// `users` over `of`, with its Wilson interval; nil if `of` is nil or 0.
  public let share: Estimate?
  /// What it seems to cost: the grant rate without it minus that with it. An observation, and no effect. nil if unknown.
  public let cost: Estimate?
  public let detail: Detail
  /// Ids of users, if they were asked for: the first in the log's order; of shared ids those with the most events.
  public let examples: [String]
  /// Why it is no finding; nil if it is one.
  public let leftOut: LeftOut?

  public enum LeftOut: String, Sendable, Hashable {
    case belowThreshold = "below_threshold"
    /// Of fewer than `AuditCheck.least`.
    case tooFew = "too_few"
    /// The log or the Info.plist holds nothing that it could be seen in.
    case nothingToSee = "nothing_to_see"
    /// There is too much of it: it was not looked at, or not all of it is told.
    case tooMany = "too_many"
  }

  /// What the sentence needs beyond the counts.
  public enum Detail: Sendable, Hashable {
    case none
    /// Grant rates of the journeys that it holds for, and of the others.
    case rates(with: Estimate?, without: Estimate?)
    /// The log has no event at all of the kind that it needs: there are none, or the app does not log them.
    case notLogged(EventKind)
    /// Answers of the base.
    case answers(granted: Int64, denied: Int64)
    /// Events of the median user, and of the user with the most.
    case eventsOfUsers(median: Int64, most: Int64)
    case stopped(Feed, last: DayNumber, daysSince: Int64, longestGap: Int64)
    /// There are more pairs of one of these and a day than are counted.
    case notLookedAt(FeedNames)
    /// Others that stopped, too.
    case moreStopped(Int)
    case purpose(PurposeFinding)
    /// Of prompts on one platform; nil for those that have none.
    case prompts(platform: String?)
  }

  /// Names of feeds of which a log may have any number.
  public enum FeedNames: String, Sendable, Hashable {
    case platform, version
  }

  /// What stopped sending events.
  public enum Feed: Sendable, Hashable {
    case kind(EventKind)
    case platform(String)
    case version(String)

    public var name: String {
      switch self {
      case .kind(let kind): kind.name
      case .platform(let name), .version(let name): name
      }
    }
  }

  package init(
    _ check: AuditCheck, severity: AuditSeverity? = nil, permission: String? = nil, users: Int64? = nil,
    of: Int64? = nil,
    cost: Estimate? = nil, detail: Detail = .none, examples: [String] = [], leftOut: LeftOut? = nil
  ) {
    self.check = check
    self.severity = severity ?? check.severity
    (self.permission, self.users, self.of) = (permission, users, of)
    if let users, let of { share = Estimate.rate(Int(users), Int(of)) } else { share = nil }
    (self.cost, self.detail, self.examples, self.leftOut) = (cost, detail, examples, leftOut)
  }
}

extension AuditFinding {
  /// By severity, then the share from the largest (none last), the check, the permission (none first), then what the detail
  /// names: one order, whatever the order in which they were found.
  static func isBefore(_ a: AuditFinding, _ b: AuditFinding) -> Bool {
    if a.severity != b.severity { return a.severity < b.severity }
    if a.share?.value != b.share?.value {
      guard let left = a.share?.value else { return false }
      guard let right = b.share?.value else { return true }
      return left > right
    }
    if a.check != b.check { return a.check.rawValue.utf8.lexicographicallyPrecedes(b.check.rawValue.utf8) }
    if a.permission != b.permission {
      guard let left = a.permission else { return true }
      guard let right = b.permission else { return false }
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    if case .purpose(let left) = a.detail, case .purpose(let right) = b.detail {
      return PurposeFinding.isBefore(left, right)
    }
    return a.detail.order.utf8.lexicographicallyPrecedes(b.detail.order.utf8)
  }
}

extension AuditFinding.Detail {
  /// What tells apart findings of one check and permission, but those of Info.plists.
  var order: String {
    switch self {
    case .stopped(.kind(let kind), _, _, _): "1 " + kind.name
    case .stopped(.platform(let name), _, _, _): "2 " + name
    case .stopped(.version(let name), _, _, _): "3 " + name
    case .notLookedAt(let names): "4 " + names.rawValue
    case .moreStopped: "5"
    case .prompts(let platform): "6 " + (platform ?? "")
    default: ""
    }
  }
}
