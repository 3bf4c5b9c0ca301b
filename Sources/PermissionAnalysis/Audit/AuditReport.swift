// What an audit comes to, ready to be rendered.

import Folding
public import PermissionEvents

/// The findings about how an app asks, from a log and the app's Info.plist.
public struct AuditReport: Sendable {
  /// The `as_of` of the answer. Nil for an empty log.
  public let asOf: Milliseconds?
  public let zone: ZoneTable
  /// Users with an event up to then.
  public let users: Int64
  /// The interval of the exposures that findings about how the app asks count, in UTC milliseconds since 1970; nil is unbounded.
  public let from, to: Milliseconds?
  /// The conditions on those exposures.
  public let conditions: [ExposureCondition]
  /// The only permission of the findings; findings without a permission are included. Nil for all.
  public let permission: String?
  /// The only checks that were looked at, in the catalogue's order. Nil for all.
  public let only: [AuditCheck]?
  /// Info.plists that were read, as they were named.
  public let infoPlists: [String]
  /// The target and the configuration of each, if a project has it.
  public let builds: [AppPurposes.Build?]
  /// Why keys may be there that are not known, in words.
  package private(set) var unknown: [String] = []
  /// What the app's code asks for; nil if it was not looked at.
  public let code: AppCode?
  /// Whether a log was read. Without one there are no users, and only what the app declares is checked.
  public let hasLog: Bool
  /// Thresholds that differ from the defaults.
  public let thresholds: [AuditCheck: AuditThreshold]
  /// In their fixed order.
  public let findings: [AuditFinding]
  /// Checks without a finding, in the same order.
  public let others: [AuditFinding]
  /// Whether an exposure has an outcome, as far as the interval and the conditions reach.
  package let areAsked: Bool
  /// Paths of all files read for what apps declare. Output must not overwrite them.
  package private(set) var filesRead: [String] = []
  /// Whether a part of the sums was read in a different way than the sums of all users require.
  package private(set) var isMisread = false
  /// The age of the log. Nil if `as_of` was given, or if the answer is from sums.
  public package(set) var age: DataAge?
  /// Users who have events, and are left out as if they had none; nil if no list of users is left out.
  public var leftOutUsers: Int?

  /// Files of the app: its Info.plists first, then its code.
  package var files: [String] {
    filesRead.isEmpty ? infoPlists + (code?.folders ?? []) : filesRead
  }

  /// The name of `zone`.
  public var timeZone: String { zone.name }

  package init(
    _ candidates: [AuditFinding], _ question: AuditQuestion, users: Int64, infoPlists: [String] = [],
    builds: [AppPurposes.Build?]? = nil, code: AppCode? = nil, hasLog: Bool = true, isOfEmptyLog: Bool = false
  ) {
    (self.code, self.hasLog) = (code, hasLog)
    asOf = isOfEmptyLog || !hasLog ? nil : question.windows.asOf
    zone = question.zone
    (from, to) = (question.from, question.to)
    (conditions, permission) = (question.conditions, question.permission)
    thresholds = question.thresholds
    self.users = users
    self.infoPlists = infoPlists
    self.builds = builds ?? infoPlists.map { _ in nil }
    only = question.only.map { only in AuditCheck.allCases.filter(only.contains) }
    let wanted = candidates.filter { $0.isOf(question.permission) }
    areAsked = wanted.contains { $0.check.group == .practice && $0.of ?? 0 > 0 }
    let ordered = wanted.filter { question.only?.contains($0.check) ?? true }.sorted(by: AuditFinding.isBefore)
    findings = ordered.filter { $0.leftOut == nil }
    others = ordered.filter { $0.leftOut != nil }
  }
}

extension AuditReport {
  /// The report from the sums, and from what apps declare.
  /// - Parameter ingests: what was unusual at ingests; nil if there were too few to tell, and for sums.
  /// - Parameter rules: messages that were computed again; nil if they were not.
  /// - Parameter pickers: users of pickers by permission; nil if they were not counted.
  /// - Parameter completeness: nil if no event has a number, and for sums.
  /// - Throws: if the users could not be counted, or if there are too many.
  package init(
    _ sums: AuditSums, _ question: AuditQuestion, _ apps: [AppPurposes] = [], _ code: AppCode? = nil,
    ingests: [UnusualIngest]? = nil, rules: [VariantRuleCounts]? = nil, pickers: [PickerUse]? = nil,
    completeness: Completeness? = nil,
    isOfEmptyLog: Bool = false, reading: CallReading = CallReading()
  ) throws(SumsError) {
    try sums.checkCounts()
    self.init(
      sums.candidates(question) + PurposeCheck.candidates(apps, asked: sums.asked, code: code)
        + Self.candidates(ingests)
        + Self.candidates(rules) + Self.candidates(pickers, question)
        + Completeness.candidates(completeness, question), question,
      users: sums.feed.users, infoPlists: apps.map(\.file), builds: apps.map(\.build), code: code,
      isOfEmptyLog: isOfEmptyLog)
    note(apps)
    isMisread = CallReading(sums.calls) != reading
  }
}

extension AuditReport {
  /// What was read of the apps and of their code, and what is not known; each reason once.
  private mutating func note(_ apps: [AppPurposes]) {
    filesRead = apps.flatMap(\.filesRead) + (code?.paths ?? [])
    for reason in apps.flatMap(\.unknown) where !unknown.contains(reason) { unknown.append(reason) }
  }

  /// The report of what apps declare and what their code asks for, without a log.
  package init(ofApps apps: [AppPurposes], _ code: AppCode?, _ question: AuditQuestion) {
    self.init(
      PurposeCheck.candidates(apps, asked: [], code: code), question, users: 0, infoPlists: apps.map(\.file),
      builds: apps.map(\.build), code: code, hasLog: false)
    note(apps)
  }
}

extension AuditReport {
  /// - Parameter ingests: nil if it is not known whether any was unusual.
  private static func candidates(_ ingests: [UnusualIngest]?) -> [AuditFinding] {
    guard let ingests else { return [AuditFinding(.unusualIngest, leftOut: .nothingToSee)] }
    guard !ingests.isEmpty else { return [AuditFinding(.unusualIngest, leftOut: .belowThreshold)] }
    return ingests.map { AuditFinding(.unusualIngest, detail: .unusual($0)) }
  }
}

extension AuditFinding {
  /// Whether the finding is of this permission, byte for byte, or of none. Always true if `only` is nil. A finding
  /// about a key is of each permission of the key.
  fileprivate func isOf(_ only: String?) -> Bool {
    guard let only, let permission else { return true }
    var own = [permission]
    if case .purpose(let finding) = detail { own += UsageKey.named(finding.key)?.permissions ?? [] }
    return own.contains { only.utf8.elementsEqual($0.utf8) }
  }
}
