// Findings of one check for several permissions: what they have in common is said once, and each has a row of numbers.

import PermissionAnalysis

enum AuditShares {
  /// What all of these are the shares of; nil if each needs a sentence of its own.
  static func words(_ findings: [AuditFinding]) -> String? {
    guard findings.count > 1, let check = findings.first?.check, let words = check.whose,
      findings.allSatisfy({ $0.share != nil && $0.examples.isEmpty })
    else { return nil }
    let missing = findings.compactMap { finding -> String? in
      guard case .notLogged(let kind) = finding.detail else { return nil }
      return "None, or not logged: the log has no \(kind.name) at all. "
    }
    return (missing.first ?? "") + words
  }

  static func table(_ findings: [AuditFinding], _ form: Document.Form) -> Table {
    let isText = form == .text
    let haveCosts = findings.contains { AuditCosts.sentence($0) != nil }
    let groups = haveCosts && !isText ? findings.first?.check.groups : nil
    let costs = groups.map { ["grant rate \($0.with)", $0.without, "points it seems to cost"] } ?? []
    var table = Table(isText ? "" : "permission", ["share", "users"] + costs)
    for finding in findings {
      let name = DisplayWidth.cutMiddle(AuditQuote.name(AuditSentences.subject(finding)), to: 24, mark: "…")
      let own = [TableCell(AuditNumbers.rate(finding.share)), TableCell(AuditNumbers.counts(finding))]
      table.row((isText ? "  " : "") + name, own + (costs.isEmpty ? [] : cost(finding)))
      if isText, let words = AuditCosts.note(finding) { table.note(words) }
    }
    return table
  }

  private static func cost(_ finding: AuditFinding) -> [TableCell] {
    let cells = FigureCells(style: TextStyle(width: 120))
    guard case .rates(let with, let without) = finding.detail, finding.cost != nil else {
      return [cells.unknown, cells.unknown, cells.unknown]
    }
    return [cells.rate(with), cells.rate(without), cells.points(finding.cost)]
  }
}

extension AuditCheck {
  /// Whose share it is, for a list of shares; nil if it counts nobody.
  fileprivate var whose: String? {
    switch self {
    case .coldAsk: "Of the users asked, who saw the system's prompt without an explanation first:"
    case .askedAtOnce:
      "Of the users whose install or first event is known, who were asked within 60\u{A0}s of it:"
    case .askedAfterNotNow:
      "Of the users who had said \"Not now\", who saw the system's prompt within 30\u{A0}min all the same:"
    case .askedAfterDenial:
      "Of the users who had it turned off, who were sent to the system's prompt again, which the system does not show twice:"
    case .pestering:
      "Of the users asked, who were asked four times or more within 7\u{A0}days, Settings prompts included:"
    case .noWayBack: "Of the users who denied it, who saw no Settings prompt after that:"
    case .settingsPromptIgnored:
      "Of the users who saw a Settings prompt after a denial, who did not open Settings within 30\u{A0}min:"
    case .notRechecked:
      "Of the users who had answered before they got a new version of the app, whose status was not checked within a day of it:"
    case .partialLeft:
      "Of the users who granted part of it, who were left with that for 28\u{A0}days: no screen, no Settings prompt, no upgrade:"
    case .answersWithoutScreens:
      "Of the users with a screen or an answer, who have an answer and no screen before it; they are in no rate:"
    default: nil
    }
  }
}
