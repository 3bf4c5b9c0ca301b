// What an audit comes to in a sentence, what it is of, and how much was looked at.

import PermissionAnalysis
import PermissionEvents

struct AuditHeadline {
  let report: AuditReport

  init(_ report: AuditReport) { self.report = report }

  /// `3 errors, 5 warnings and 2 notes in what the events of 12 345 users and 1 Info.plist say.`
  var sentence: String {
    let counts = AuditSeverity.allCases.compactMap { severity -> String? in
      let count = report.findings.count { $0.severity == severity }
      return count > 0 ? NumberText.counted(count, severity.name) : nil
    }
    return (counts.isEmpty ? "No finding" : Self.joined(counts)) + " in what \(sources) say."
  }

  private var sources: String {
    let users = "the events of " + NumberText.counted(Int(clamping: report.users), "user")
    return report.infoPlists.isEmpty
      ? users : users + " and " + NumberText.counted(report.infoPlists.count, "Info.plist")
  }

  private static func joined(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  /// As of when, and which exposures count.
  var place: [String] {
    let moment = report.asOf.map { "as of " + NumberText.moment($0, report.zone) } ?? "the log is empty"
    var lines = [moment + ", " + report.timeZone + ComparisonWords.age(report.age)]
    if report.users == 0, report.asOf != nil { lines.append("The log has no events up to then.") }
    let span = DayWords.span(from: report.from, to: report.to, report.zone)
    let conditions = report.conditions.map(\.description).joined(separator: " and ")
    let parts = [span, conditions.isEmpty ? nil : conditions].compactMap { $0 }
    if !parts.isEmpty { lines.append("how the app asks, only of exposures: " + parts.joined(separator: "; ")) }
    if !report.infoPlists.isEmpty {
      lines.append("Info.plist: " + AuditQuote.names(report.infoPlists))
    }
    return lines
  }

  /// What to know of permissions whose grant rates are named.
  var cautions: [String] {
    let names = Set(report.findings.filter { $0.cost != nil }.compactMap(\.permission))
    return ["health_read", "mail"].filter(names.contains).compactMap(RowNames.caution)
  }

  /// Checks that found nothing, by the reason; nil if there is none.
  var others: String? {
    func count(_ reason: AuditFinding.LeftOut) -> Int { report.others.count { $0.leftOut == reason } }
    let (below, few, nothing) = (count(.belowThreshold), count(.tooFew), count(.nothingToSee))
    let many = count(.tooMany)
    let parts = [
      below > 0 ? "\(NumberText.count(below)) below what is reported" : nil,
      few > 0 ? "\(NumberText.count(few)) with too few users or answers" : nil,
      nothing > 0 ? "\(NumberText.count(nothing)) with nothing to see" : nil,
      many > 0 ? "\(NumberText.count(many)) with too much to look at" : nil,
    ].compactMap { $0 }
    guard !parts.isEmpty else { return nil }
    return "\(NumberText.counted(report.others.count, "check")) more, by permission, found nothing: "
      + Self.joined(parts)
  }

  var thresholds: String? {
    guard !report.thresholds.isEmpty else { return nil }
    let changed = report.thresholds.sorted { $0.key.rawValue < $1.key.rawValue }
    return "Reported from other shares than usual on: "
      + changed.map { "\($0.key.rawValue) \(AuditNumbers.threshold($0.value))" }.joined(separator: ", ") + "."
  }
}
