// What an audit comes to, ready to be rendered.

import Folding
public import PermissionEvents

/// What a log and an app's Info.plist say about how the app asks.
public struct AuditReport: Sendable {
  /// The moment that it looks from; nil for an empty log.
  public let asOf: Milliseconds?
  public let zone: ZoneTable
  /// Users with an event up to then.
  public let users: Int64
  /// The interval of the exposures that findings about how the app asks count, in UTC milliseconds since 1970; nil is unbounded.
  public let from, to: Milliseconds?
  /// What those exposures meet.
  public let conditions: [ExposureCondition]
  /// Info.plists that were read, as they were named.
  public let infoPlists: [String]
  /// Shares other than the usual ones.
  public let thresholds: [AuditCheck: AuditThreshold]
  /// In their one order.
  public let findings: [AuditFinding]
  /// Checks that found nothing, in the same order.
  public let others: [AuditFinding]
  /// How old the log is; nil if the moment to look from was given, or the answer is from sums.
  public package(set) var age: DataAge?

  /// The name of `zone`.
  public var timeZone: String { zone.name }

  /// - Parameter candidates: of all checks, found and not found.
  package init(
    _ candidates: [AuditFinding], _ question: AuditQuestion, users: Int64, infoPlists: [String] = [],
    isOfEmptyLog: Bool = false
  ) {
    asOf = isOfEmptyLog ? nil : question.windows.asOf
    zone = question.zone
    (from, to) = (question.from, question.to)
    conditions = question.conditions
    thresholds = question.thresholds
    self.users = users
    self.infoPlists = infoPlists
    let ordered = candidates.sorted(by: AuditFinding.isBefore)
    findings = ordered.filter { $0.leftOut == nil }
    others = ordered.filter { $0.leftOut != nil }
  }
}
