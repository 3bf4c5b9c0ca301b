// What an audit looks for. The names are part of the JSON, of `--threshold` and of the catalogue in docs/audit.md.

/// One thing that an audit looks for.
public enum AuditCheck: String, CaseIterable, Sendable, Hashable {
  // How the app asks.
  case coldAsk = "cold_ask"
  case askedAtOnce = "asked_at_once"
  case severalAtOnce = "several_at_once"
  case askedAfterNotNow = "asked_after_not_now"
  case askedAfterDenial = "asked_after_denial"
  case pestering
  case noWayBack = "no_way_back"
  case settingsPromptIgnored = "settings_prompt_ignored"
  case notRechecked = "not_rechecked"
  case partialLeft = "partial_left"
  case askedWithoutDialog = "asked_without_dialog"
  case contradictedAnswers = "contradicted_answers"
  // Whether the data can be trusted.
  case answersWithoutScreens = "answers_without_screens"
  case oneSidedAnswers = "one_sided_answers"
  case noActivity = "no_activity"
  case sharedID = "shared_id"
  case feedStopped = "feed_stopped"
  case clockAhead = "clock_ahead"
  case manyConflicts = "many_conflicts"
  case identityChanges = "identity_changes"
  case loggedTogether = "logged_together"
  // What the app declares.
  case missingPurpose = "missing_purpose"
  case unusedPurpose = "unused_purpose"
  case weakPurpose = "weak_purpose"
  case deprecatedKey = "deprecated_key"
  case missingTranslation = "missing_translation"

  public enum Group: String, CaseIterable, Sendable {
    case practice, data
    case infoPlist = "info_plist"
  }

  public var group: Group {
    switch self {
    case .coldAsk, .askedAtOnce, .severalAtOnce, .askedAfterNotNow, .askedAfterDenial, .pestering, .noWayBack,
      .settingsPromptIgnored, .notRechecked, .partialLeft, .askedWithoutDialog, .contradictedAnswers:
      .practice
    case .answersWithoutScreens, .oneSidedAnswers, .noActivity, .sharedID, .feedStopped, .clockAhead, .manyConflicts,
      .identityChanges, .loggedTogether:
      .data
    case .missingPurpose, .unusedPurpose, .weakPurpose, .deprecatedKey, .missingTranslation: .infoPlist
    }
  }

  /// How bad it is. One that rests on events of which the log has none at all is a note, whatever this says.
  public var severity: AuditSeverity {
    switch self {
    case .noWayBack, .missingPurpose, .askedAfterDenial: .error
    case .unusedPurpose, .noActivity, .answersWithoutScreens, .loggedTogether: .note
    default: .warning
    }
  }

  /// The share from which on it is a finding; nil for what is a finding whenever it is there.
  public var threshold: AuditThreshold? {
    switch self {
    case .coldAsk, .askedAtOnce, .askedWithoutDialog, .contradictedAnswers: AuditThreshold(perMillion: 100_000)
    case .severalAtOnce, .answersWithoutScreens: AuditThreshold(perMillion: 50_000)
    case .askedAfterNotNow, .askedAfterDenial, .pestering: AuditThreshold(perMillion: 20_000)
    case .noWayBack: AuditThreshold(perMillion: 1_000_000)
    case .settingsPromptIgnored: AuditThreshold(perMillion: 950_000)
    case .notRechecked, .partialLeft: AuditThreshold(perMillion: 500_000)
    case .clockAhead: AuditThreshold(perMillion: 1_000)
    case .manyConflicts, .identityChanges: AuditThreshold(perMillion: 10_000)
    default: nil
    }
  }

  /// Fewest journeys, users or answers that a finding of it rests on.
  public var least: Int64 {
    switch self {
    case .oneSidedAnswers: 50
    case .answersWithoutScreens: 1
    default: 30
    }
  }
}

/// How bad a finding is. In order: errors first.
public enum AuditSeverity: Int, CaseIterable, Sendable, Comparable {
  case error, warning, note

  public var name: String { "\(self)" }

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A share as a whole number of millionths: what lies exactly on the edge is decided without rounding.
public struct AuditThreshold: Sendable, Hashable {
  /// 0 to 1,000,000.
  public let perMillion: Int64

  public init(perMillion: Int64) { self.perMillion = min(max(perMillion, 0), 1_000_000) }

  /// Reads a percentage like `5` or `0.1`: 0 to 100, with at most four digits after the point; nil for anything else.
  public init?(percent text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts.map(Array.init)
    guard let whole = digits.first, (1...3).contains(whole.count) else { return nil }
    let fraction = digits.count > 1 ? digits[1] : []
    guard digits.count == 1 || (1...4).contains(fraction.count) else { return nil }
    guard (whole + fraction).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let padded = whole + fraction + [UInt8](repeating: 0x30, count: 4 - fraction.count)
    let value = padded.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    guard value <= 1_000_000 else { return nil }
    perMillion = value
  }

  /// As `init(percent:)` reads it, like `5` or `0.1`.
  public var percent: String {
    var fraction = String(10_000 + perMillion % 10_000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return String(perMillion / 10_000) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// True if `part` of `whole` is at least this share. False of nothing.
  public func isReached(by part: Int64, of whole: Int64) -> Bool {
    guard whole > 0, part >= 0 else { return false }
    let left = part.multipliedFullWidth(by: 1_000_000)
    let right = whole.multipliedFullWidth(by: perMillion)
    return left.high == right.high ? left.low >= right.low : left.high > right.high
  }
}
