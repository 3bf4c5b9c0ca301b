// What an audit found, a sentence each. Words for how the app asks are here; the others are beside it.

import PermissionAnalysis
import PermissionEvents

enum AuditSentences {
  /// The whole sentence, with whom it is about and, if it is known, what it seems to cost.
  static func text(_ finding: AuditFinding) -> String {
    let subject = finding.permission.map { AuditQuote.name($0) + ": " } ?? ""
    let cost = AuditCosts.sentence(finding).map { " \($0) \(AuditCosts.observation)" } ?? ""
    return subject + body(finding) + cost
  }

  /// What a list calls it, whose title says which check it is of.
  static func subject(_ finding: AuditFinding) -> String {
    if let permission = finding.permission { return permission }
    switch finding.detail {
    case .stopped(let feed, _, _, _): return feed.name
    case .notLookedAt(.platform): return "all platforms"
    case .notLookedAt(.version): return "all versions"
    case .moreStopped: return "others"
    default: break
    }
    switch finding.check {
    case .severalAtOnce: return "all permissions"
    case .noActivity, .feedStopped: return "the log"
    case .sharedID: return "all users"
    case .clockAhead, .manyConflicts: return "all events"
    case .identityChanges: return "all sessions"
    default: return finding.check.group == .infoPlist ? "Info.plist" : "all"
    }
  }

  /// The sentence without its permission.
  static func body(_ finding: AuditFinding) -> String {
    if let reason = finding.leftOut, !saysNumbers(finding) { return notFound(finding, reason) }
    switch finding.detail {
    case .purpose(let purpose): return AuditPurposes.sentence(purpose)
    case .notLogged(let kind): return practice(finding) + " None, or not logged: the log has no \(kind.name) at all."
    default: break
    }
    return finding.check.group == .practice ? practice(finding) : AuditDataSentences.sentence(finding)
  }

  /// True if what is no finding has a share all the same.
  private static func saysNumbers(_ finding: AuditFinding) -> Bool {
    switch finding.check {
    case .oneSidedAnswers, .noActivity, .sharedID, .feedStopped: false
    default: finding.share != nil
    }
  }

  private static func notFound(_ finding: AuditFinding, _ reason: AuditFinding.LeftOut) -> String {
    switch reason {
    case .belowThreshold: "Not found."
    case .tooFew:
      "Too few \(finding.check == .oneSidedAnswers ? "answers" : "users") to say: under \(finding.check.least)."
    case .nothingToSee: "There is nothing that it could be seen in."
    case .tooMany: AuditDataSentences.tooMany(finding)
    }
  }

  private static func practice(_ finding: AuditFinding) -> String {
    let share = AuditNumbers.share(finding)
    let counts = AuditNumbers.counts(finding)
    switch finding.check {
    case .coldAsk:
      return "\(share) of the users asked saw the system's prompt without an explanation first (\(counts))."
    case .askedAtOnce:
      return
        "\(share) of the users were asked within 60\u{A0}s of their install or first event (\(counts) for whom that is known)."
    case .severalAtOnce:
      return
        "\(share) of the users asked for three permissions or more were asked for three of them within 60\u{A0}s (\(counts))."
    case .askedAfterNotNow:
      return
        "\(share) of the users who had said \"Not now\" saw the system's prompt within 30\u{A0}min all the same (\(counts))."
    case .askedAfterDenial:
      return
        "\(share) of the users who had it turned off were sent to the system's prompt again (\(counts)), which the system "
        + "does not show twice."
    case .pestering:
      return
        "\(share) of the users asked were asked four times or more within 7\u{A0}days, Settings prompts included (\(counts))."
    case .noWayBack:
      return "\(share) of the users who denied it saw no Settings prompt after that (\(counts))."
    case .settingsPromptIgnored:
      return
        "\(share) of the users who saw a Settings prompt after a denial did not open Settings within 30\u{A0}min (\(counts))."
    case .notRechecked:
      return
        "\(share) of the users who had answered before they got a new version of the app had no status check within a day of it (\(counts))."
    case .askedWithoutDialog:
      return
        "\(share) of the answered prompts\(platform(finding)) returned at once (\(counts)): no dialog was shown."
    case .contradictedAnswers:
      return
        "\(share) of the users who denied were found on within 60\u{A0}s (\(counts)): the app did not wait for the answer."
    default:
      return
        "\(share) of the users who granted \(part(finding.permission)) were left with it for 28\u{A0}days: no screen, no Settings "
        + "prompt, no upgrade (\(counts))."
    }
  }

  /// ` on ios`; nothing for prompts without a platform.
  static func platform(_ finding: AuditFinding) -> String {
    guard case .prompts(let name?) = finding.detail else { return "" }
    return " on " + AuditQuote.name(name)
  }

  /// What partial access is called.
  private static func part(_ permission: String?) -> String {
    switch permission {
    case "photo_library", "contacts": "limited access"
    case "calendars": "write-only access"
    case "notifications": "provisional access"
    case "location_always": "access while using the app"
    default: "partial access"
    }
  }
}
