// What an audit found, as numbers and names: ReportRendering has the words.

public import PermissionEvents

/// One finding, or one check without a finding.
public struct AuditFinding: Sendable, Hashable {
  public let check: AuditCheck
  public let severity: AuditSeverity
  /// Nil if the finding is of no permission.
  public let permission: String?
  /// The number of journeys (or whatever the check counts) that it holds for, and the total. Nil if the check has no counts.
  public let users, of: Int64?
  /// `users` over `of`, with its Wilson interval; nil if `of` is nil or 0.
  public let share: Estimate?
  /// Its apparent cost: the grant rate without it minus that with it. An observation, not an effect. Nil if unknown.
  public let cost: Estimate?
  public let detail: Detail
  /// Ids of users, if requested: the first in the log's order. For shared ids, the ids with the most events.
  public let examples: [String]
  /// Why it is not a finding. Nil if it is one.
  public let leftOut: LeftOut?

  public enum LeftOut: String, Sendable, Hashable {
    case belowThreshold = "below_threshold"
    /// Of fewer than `AuditCheck.least`.
    case tooFew = "too_few"
    /// The log or the Info.plist has no data to judge it by.
    case nothingToSee = "nothing_to_see"
    /// There is too much data: it was not checked, or not all of it is listed.
    case tooMany = "too_many"
  }

  /// The data that its sentence needs, besides the counts.
  public enum Detail: Sendable, Hashable {
    case none
    /// Grant rates of the journeys that it holds for, and of the others.
    case rates(with: Estimate?, without: Estimate?)
    /// The log has no events of the kind that it needs: either there are none, or the app does not log them.
    case notLogged(EventKind)
    /// Answers of the base.
    case answers(granted: Int64, denied: Int64)
    /// Events of the median user, and of the user with the most.
    case eventsOfUsers(median: Int64, most: Int64)
    case stopped(Feed, last: DayNumber, daysSince: Int64, longestGap: Int64)
    /// Of an ingest.
    case unusual(UnusualIngest)
    /// There are more pairs of such a name and a day than are counted.
    case notLookedAt(FeedNames)
    /// Others that stopped, too.
    case moreStopped(Int)
    case purpose(PurposeFinding)
    /// Calls in the app's code, if there are any.
    case code([AppCode.Call])
    /// Of prompts on one platform; nil for prompts without a platform.
    case prompts(platform: String?)
    /// Of users who were given a variant of it.
    case experiment(String)
    /// The users of a version of the app who have a message of an experiment by a rule.
    case rule(experiment: String, version: String)
    /// Of the numbered events of a version of the app, or of a week.
    case missing(Numbered)
    /// More experiments have the finding.
    case moreExperiments(Int)
  }

  /// Names of feeds of which a log may have any number.
  public enum FeedNames: String, Sendable, Hashable {
    case platform, version
  }

  /// Whose events have numbers.
  public enum Numbered: Sendable, Hashable {
    /// Empty for events without one.
    case version(String)
    case week(CalendarWeek)
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
    of: Int64? = nil, cost: Estimate? = nil, detail: Detail = .none, examples: [String] = [], leftOut: LeftOut? = nil
  ) {
    self.check = check
    self.severity = severity ?? check.severity
    (self.permission, self.users, self.of) = (permission, users, of)
    if let users, let of { share = Estimate.rate(Int(users), Int(of)) } else { share = nil }
    (self.cost, self.detail, self.examples, self.leftOut) = (cost, detail, examples, leftOut)
  }

  /// By severity, then the share from the largest (none last), the check, the permission (none first), then what the detail
  /// names: one order, whatever the order in which they were found.
  static func isBefore(_ a: AuditFinding, _ b: AuditFinding) -> Bool {
    if a.severity != b.severity { return a.severity < b.severity }
    // No share is below 0.
    let (left, right) = (a.share?.value ?? -1, b.share?.value ?? -1)
    if left != right { return left > right }
    if a.check != b.check { return a.check.rawValue.utf8.lexicographicallyPrecedes(b.check.rawValue.utf8) }
    if a.permission != b.permission {
      guard let left = a.permission, let right = b.permission else { return a.permission == nil }
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    if case .purpose(let left) = a.detail, case .purpose(let right) = b.detail {
      return PurposeFinding.isBefore(left, right)
    }
    return a.detail.order.utf8.lexicographicallyPrecedes(b.detail.order.utf8)
  }
}

extension AuditFinding.Detail {
  /// Separates findings of one check and permission, except for Info.plists.
  var order: String {
    switch self {
    case .stopped(.kind(let kind), _, _, _): "1 " + kind.name
    case .stopped(.platform(let name), _, _, _): "2 " + name
    case .stopped(.version(let name), _, _, _): "3 " + name
    case .notLookedAt(let names): "4 " + names.rawValue
    case .moreStopped: "5"
    case .prompts(let platform): "6 " + (platform ?? "")
    case .experiment(let name): "7 " + name
    case .moreExperiments: "8"
    case .unusual(let ingest): "9 " + ingest.measure
    case .missing(.version(let name)): "11 " + name
    case .missing(.week(let week)): "12 " + week.text
    case .rule(let experiment, let version): "10 \(experiment) \(version)"
    default: ""
    }
  }
}

/// The location and the text of a finding in an Info.plist.
public struct PurposeFinding: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// The log asks for the permission, but none of its keys is declared. `key` is the one to add, from a version of
    /// the system on.
    case isMissing(since: String?)
    /// The system does not read the key. It is almost this one, which is missing.
    case isMisspelled(meant: String)
    /// The log or the code asks, and only this file has the key, which is not the app's.
    case isElsewhere(file: String)
    /// Code that may ask for one of these needs the key, which is missing.
    case isPerhapsNeeded(permissions: [String])
    /// What the file declares (`UIBackgroundModes bluetooth-central`, `NSBonjourServices`) needs the key, which is missing.
    case isNeededBy(String)
    /// The same, but the key may be where it was not found; `why` says where that is.
    case isNotKnown(isAsked: Bool, why: String)
    /// The key is declared, but nothing that was looked at asks for the permission.
    case isUnused(in: Evidence)
    case isEmpty
    /// Words that a template put there.
    case isPlaceholder
    /// It says that access is needed, but not why.
    case saysNoReason
    /// Fewer characters than a sentence takes.
    case isShort(characters: Int)
    /// The same text for several keys.
    case isRepeated(keys: [String])
    /// The value is a number or something else that is not text.
    case isNoText
    /// Another key, which is also declared, has replaced it, and the app runs on no older version of the system.
    case isDeprecated(since: String, by: String)
    /// From a version of the system on another key is needed, and that key is missing.
    case lacksSuccessor(since: String, key: String)
    /// Languages of the app in which it has no translation.
    case isUntranslated(languages: [String])
  }

  /// A text of a key in a language of the app.
  public struct Translation: Sendable, Hashable {
    public let language: String
    public let file: String
    /// From 1; nil if it is not known.
    public let line: Int?
  }

  /// What shows whether an app asks.
  public enum Evidence: Sendable, Hashable { case log, code, logAndCode }

  /// The Info.plist, as it was named.
  public let file: String
  /// The key, like `NSCameraUsageDescription`.
  public let key: String
  /// Of a translation: its language.
  public let language: String?
  /// Translations with which the same is wrong.
  public internal(set) var translations: [Translation] = []
  /// The text, if any.
  public let text: String?
  public let reason: Reason
  /// The line of the file with the key, from 1. Nil if it is not known.
  public let line: Int?
  /// Calls in the app's code that need the key, if the code was looked at.
  public let calls: [AppCode.Call]
  /// The file itself, if `file` names it in another way, like "target Share of App.xcodeproj".
  public let path: String?

  package init(
    file: String, key: String, language: String? = nil, text: String? = nil, line: Int? = nil,
    calls: [AppCode.Call] = [], path: String? = nil, _ reason: Reason
  ) {
    (self.file, self.key, self.language, self.text, self.reason) = (file, key, language, text, reason)
    (self.line, self.calls, self.path) = (line, calls, path)
  }

  /// What happens if the app asks without the key. Nil if this key is not missing.
  public var consequence: UsageKey.Consequence? {
    switch reason {
    case .isMissing, .isNeededBy: UsageKey.named(key)?.consequence
    default: nil
    }
  }

  /// By file, key and language. There a key has at most one finding of a check, besides that its text is repeated, which is last.
  static func isBefore(_ a: PurposeFinding, _ b: PurposeFinding) -> Bool {
    for (left, right) in [(a.file, b.file), (a.key, b.key), (a.language ?? "", b.language ?? "")]
    where !left.utf8.elementsEqual(right.utf8) {
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    return !a.isRepeated && b.isRepeated
  }

  private var isRepeated: Bool { if case .isRepeated = reason { true } else { false } }
}

extension AuditFinding {
  /// Of a key of which it is not known whether it is there: whether the log asks for its permission. Nil for other findings.
  package var isOfUnknownKey: Bool? {
    guard case .purpose(let finding) = detail, case .isNotKnown(let isAsked, _) = finding.reason else { return nil }
    return isAsked
  }
}
