// What an audit says of the data: whether they can be trusted.

import PermissionAnalysis
import PermissionEvents

enum AuditDataSentences {
  static func sentence(_ finding: AuditFinding) -> String {
    let (share, counts) = (AuditNumbers.share(finding), AuditNumbers.counts(finding))
    switch finding.check {
    case .answersWithoutScreens:
      return
        "\(share) of the users with a screen or an answer have an answer and no screen before it (\(counts)): they are in no rate."
    case .oneSidedAnswers: return answers(finding)
    case .noActivity: return "The log has no app_active and no feature_used event."
    case .sharedID: return shared(finding)
    case .feedStopped: return stopped(finding)
    case .clockAhead:
      return "\(share) of the new events had a time past the clock when they were read (\(counts))."
    case .loggedTogether:
      return
        "Prompts\(AuditSentences.platform(finding)) are logged together with their answers, so it is not known how long people take, and whether a dialog was shown."
    case .identityChanges:
      return
        "In \(share) of the sessions the user's id changed, and no event links the ids (\(counts)): one person counts as two."
    default:
      return "\(share) of the events read had come before with another content (\(counts)); one of each stays."
    }
  }

  /// Of what there is too much to look at it, or to tell all of it.
  static func tooMany(_ finding: AuditFinding) -> String {
    switch finding.detail {
    case .notLookedAt(let names):
      let (several, one) = names == .version ? ("Versions", "a version") : ("Platforms", "a platform")
      return
        "\(several) were not looked at: there are more than \(NumberText.count(AuditLimits.daysOfFeeds)) pairs of \(one) and a day."
    case .moreStopped(let count):
      return
        "\(NumberText.count(count)) more platforms and versions stopped sending events: those that stopped last are listed."
    default: return "There is too much to look at."
    }
  }

  private static func answers(_ finding: AuditFinding) -> String {
    guard case .answers(let granted, let denied) = finding.detail else { return "Answers are of one kind only." }
    let (these, other) = granted > 0 ? ("grants", "denial") : ("denials", "grant")
    return "All \(AuditNumbers.count(max(granted, denied))) answers are \(these), and not one is a \(other)."
  }

  private static func shared(_ finding: AuditFinding) -> String {
    let users =
      "\(AuditNumbers.counts(finding)) users have more than \(NumberText.count(1000)) times the events of the median user"
    guard case .eventsOfUsers(let median, let most) = finding.detail else { return users + "." }
    return users
      + " (\(AuditNumbers.counted(median, "event"))); the largest has \(AuditNumbers.count(most)). Many installs seem to share one id."
  }

  private static func stopped(_ finding: AuditFinding) -> String {
    guard case .stopped(let feed, let last, let days, let gap) = finding.detail else {
      return "Something stopped sending events."
    }
    let what =
      switch feed {
      case .kind(let kind): "No \(kind.name) event"
      case .platform(let name): "No event of the platform \(AuditQuote.name(name))"
      case .version(let name): "No event of version \(AuditQuote.name(name))"
      }
    let before =
      gap > 0 ? "the longest gap before was \(AuditNumbers.counted(gap, "day"))" : "before, one came every day"
    return "\(what) after \(DayWords.day(last)), \(AuditNumbers.counted(days, "day")) ago; \(before)."
  }
}
