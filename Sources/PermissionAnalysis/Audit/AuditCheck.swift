// What an audit looks for. The names are part of the JSON, of `--threshold` and of the catalogue in docs/audit.md.

import PermissionEvents

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
  case mostOnlyPick = "most_only_pick"
  // Whether the data can be trusted.
  case answersWithoutScreens = "answers_without_screens"
  case oneSidedAnswers = "one_sided_answers"
  case noActivity = "no_activity"
  case sharedID = "shared_id"
  case feedStopped = "feed_stopped"
  case unusualIngest = "unusual_ingest"
  case eventsMissing = "events_missing"
  case clockAhead = "clock_ahead"
  case manyConflicts = "many_conflicts"
  case identityChanges = "identity_changes"
  case loggedTogether = "logged_together"
  case assignedLate = "assigned_late"
  case variantMismatch = "variant_mismatch"
  case wrongVariant = "wrong_variant"
  // What the app declares.
  case missingPurpose = "missing_purpose"
  case notKnown = "not_known"
  case mayAsk = "may_ask"
  case unusedPurpose = "unused_purpose"
  case notInCode = "not_in_code"
  case notLogged = "not_logged"
  case weakPurpose = "weak_purpose"
  case deprecatedKey = "deprecated_key"
  case missingTranslation = "missing_translation"

  public enum Group: String, CaseIterable, Sendable {
    case practice, data
    /// What needs an Info.plist.
    case infoPlist = "info_plist"
    /// What needs the app's code and the log.
    case code
  }

  public var group: Group { facts.group }

  /// How bad it is. If the log has no events at all of a kind that the check needs, the finding is a note, whatever
  /// the severity here.
  public var severity: AuditSeverity { facts.severity }

  /// The share from which on it is a finding. Nil if it is always a finding.
  public var threshold: AuditThreshold? { facts.threshold }

  /// The least number of journeys, users or answers for a finding.
  public var least: Int64 { facts.least }
}

extension AuditCheck {
  /// What a check is, but for its words, which `AuditWords` has in ReportRendering. A check that is a share of counted journeys is
  /// declared here and counted by `PracticeFindings`.
  var facts: Facts {
    switch self {
    case .coldAsk:
      Facts(
        .practice, .warning, from: 100_000,
        Counted(
          .cold, of: .journeys, noteWithout: .explanationShown, with: (.coldGranted, .coldBase),
          without: (.explainedGranted, .explainedBase)))
    case .askedAtOnce:
      Facts(
        .practice, .warning, from: 100_000,
        Counted(
          .atOnce, of: .firstUse, with: (.atOnceGranted, .atOnceBase), without: (.laterGranted, .laterBase)))
    case .severalAtOnce: Facts(.practice, .warning, from: 50_000)
    case .askedAfterNotNow: Facts(.practice, .warning, from: 20_000, Counted(.askedAfterSkip, of: .skipped))
    case .askedAfterDenial: Facts(.practice, .error, from: 20_000, Counted(.askedAfterOff, of: .off))
    case .pestering: Facts(.practice, .warning, from: 20_000, Counted(.pestered, of: .journeys))
    case .noWayBack:
      Facts(
        .practice, .error, from: 1_000_000,
        Counted(.noWayBack, of: .deniedFollowed, noteWithout: .settingsPromptShown))
    case .settingsPromptIgnored:
      Facts(
        .practice, .warning, from: 950_000,
        Counted(.settingsIgnored, of: .settingsPrompted, unknownWithout: .settingsOpened))
    case .notRechecked:
      Facts(.practice, .warning, from: 500_000, Counted(.notRechecked, of: .updated, noteWithout: .statusChecked))
    case .partialLeft: Facts(.practice, .warning, from: 500_000, Counted(.partialLeft, of: .partial))
    case .askedWithoutDialog: Facts(.practice, .warning, from: 100_000)
    case .contradictedAnswers: Facts(.practice, .warning, from: 100_000, Counted(.contradicted, of: .deniedKnown))
    case .mostOnlyPick: Facts(.practice, .note, from: 500_000)
    case .answersWithoutScreens: Facts(.data, .note, from: 50_000, least: 1)
    case .oneSidedAnswers: Facts(.data, .warning, least: 50)
    case .noActivity, .loggedTogether: Facts(.data, .note)
    // Of most flags it is not known whether they choose a message.
    case .assignedLate: Facts(.data, .note, from: 100_000)
    case .variantMismatch: Facts(.data, .warning, from: 10_000)
    case .sharedID, .feedStopped, .unusualIngest, .wrongVariant: Facts(.data, .warning)
    case .clockAhead: Facts(.data, .warning, from: 1_000)
    case .eventsMissing, .manyConflicts, .identityChanges: Facts(.data, .warning, from: 10_000)
    case .missingPurpose: Facts(.infoPlist, .error)
    case .notKnown: Facts(.infoPlist, .warning)
    case .unusedPurpose, .mayAsk: Facts(.infoPlist, .note)
    case .notInCode, .notLogged: Facts(.code, .note)
    case .weakPurpose, .deprecatedKey, .missingTranslation: Facts(.infoPlist, .warning)
    }
  }

  struct Facts {
    let group: Group
    let severity: AuditSeverity
    let threshold: AuditThreshold?
    let least: Int64
    /// Nil if the check is not a share of the journeys of a permission.
    let counted: Counted?

    /// - Parameter share: from which on it is a finding, in millionths.
    init(
      _ group: Group, _ severity: AuditSeverity, from share: Int64? = nil, least: Int64 = 30, _ counted: Counted? = nil
    ) {
      (self.group, self.severity, self.least, self.counted) = (group, severity, least, counted)
      threshold = share.map(AuditThreshold.init)
    }
  }

  struct Counted {
    typealias Grants = (granted: PracticeCounter, base: PracticeCounter)
    let part, whole: PracticeCounter
    /// Without events of this kind the finding is a note that explains it. If the share is then unknown, there is no finding.
    let evidence: EventKind?
    let isUnknownWithout: Bool
    /// Whose grant rates are compared.
    let costs: (with: Grants, without: Grants)?

    init(
      _ part: PracticeCounter, of whole: PracticeCounter, noteWithout noted: EventKind? = nil,
      unknownWithout needed: EventKind? = nil, with: Grants? = nil, without: Grants? = nil
    ) {
      (self.part, self.whole, evidence) = (part, whole, noted ?? needed)
      isUnknownWithout = needed != nil
      costs = with.flatMap { with in without.map { (with, $0) } }
    }
  }

  static let countedChecks: [(check: AuditCheck, counted: Counted)] = allCases.compactMap { check in
    check.facts.counted.map { (check, $0) }
  }
}

/// The severity of a finding, errors first.
public enum AuditSeverity: Int, CaseIterable, Sendable, Comparable {
  case error, warning, note

  public var name: String { "\(self)" }

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A share as a whole number of millionths, so a share exactly at the threshold is decided without rounding.
public struct AuditThreshold: Sendable, Hashable {
  /// 0 to 1,000,000.
  public let perMillion: Int64

  public init(perMillion: Int64) { self.perMillion = min(max(perMillion, 0), 1_000_000) }

  /// Reads a percentage like `5` or `0.1`: 0 to 100, with at most four digits after the point. Nil for other texts.
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

  /// The percentage as `init(percent:)` reads it, like `5` or `0.1`.
  public var percent: String {
    var fraction = String(10_000 + perMillion % 10_000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return String(perMillion / 10_000) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// Whether `part` of `whole` is at least this share. False of nothing.
  public func isReached(by part: Int64, of whole: Int64) -> Bool {
    guard whole > 0, part >= 0 else { return false }
    let left = part.multipliedFullWidth(by: 1_000_000)
    let right = whole.multipliedFullWidth(by: perMillion)
    return left.high == right.high ? left.low >= right.low : left.high > right.high
  }
}
