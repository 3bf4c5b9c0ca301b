// What an audit comes to in a sentence, what it is of, and how much was looked at.

import PermissionAnalysis
import PermissionEvents

struct AuditHeadline {
  let report: AuditReport

  init(_ report: AuditReport) { self.report = report }

  /// `3 errors, 15 warnings of 4 kinds and 2 notes in what the events of 12 345 users and 1 Info.plist say.`
  var sentence: String {
    let counts = AuditSeverity.allCases.compactMap { severity -> String? in
      let findings = report.findings.filter { $0.severity == severity }
      guard !findings.isEmpty else { return nil }
      let kinds = Set(findings.map(\.check)).count
      let words = NumberText.counted(findings.count, severity.name)
      return kinds < findings.count ? words + " of " + NumberText.counted(kinds, "kind") : words
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
    if !parts.isEmpty { lines.append("how the app asks counts first screens of: " + parts.joined(separator: "; ")) }
    if !report.infoPlists.isEmpty {
      lines.append("Info.plist: " + AuditQuote.names(report.infoPlists))
    }
    return lines
  }

  /// That nobody was looked at, and what to know of permissions whose grant rates are named.
  var cautions: [String] {
    let names = Set(report.findings.filter { $0.cost != nil }.compactMap(\.permission))
    let nobody = "Nobody was asked in what counts here: nothing is said of how the app asks."
    return (areAsked || report.users == 0 ? [] : [nobody])
      + UnansweredPermission.among(names).map(\.caution)
  }

  /// True if any journey counts.
  private var areAsked: Bool {
    (report.findings + report.others).contains { $0.check.group == .practice && $0.of ?? 0 > 0 }
  }

  /// Checks that found nothing, by the reason; nil if there is none.
  var others: String? {
    func count(_ reason: AuditFinding.LeftOut) -> Int { report.others.count { $0.leftOut == reason } }
    let (below, few, nothing) = (count(.belowThreshold), count(.tooFew), count(.nothingToSee))
    let many = count(.tooMany)
    let parts = [
      below > 0 ? "\(NumberText.count(below)) below their share" : nil,
      few > 0 ? "\(NumberText.count(few)) with too few users or answers" : nil,
      nothing > 0 ? "\(NumberText.count(nothing)) with nothing to see" : nil,
      many > 0 ? "\(NumberText.count(many)) with too much to look at" : nil,
    ].compactMap { $0 }
    guard !parts.isEmpty else { return nil }
    let all = report.others.count
    return
      "\(NumberText.counted(all, "further check")), by permission, \(all == 1 ? "is no finding" : "are no findings"): "
      + Self.joined(parts)
  }

  var thresholds: String? {
    guard !report.thresholds.isEmpty else { return nil }
    let changed = report.thresholds.sorted { $0.key.rawValue < $1.key.rawValue }
    return "Thresholds other than usual: "
      + changed.map { "\($0.key.rawValue) \(AuditNumbers.threshold($0.value))" }.joined(separator: ", ") + "."
  }
}
