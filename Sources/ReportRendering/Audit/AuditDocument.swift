// An audit as a document: how many findings, then these by severity, each check once with all that it holds for.

import PermissionAnalysis
import PermissionEvents

package enum AuditDocument {
  /// Rows of a check, and of the list of all checks, that people are shown.
  static let mostRows = 30
  static let mostOthers = 300

  /// - Parameters:
  ///   - listsAll: also the checks without a finding.
  ///   - title: instead of the usual one.
  package static func render(
    _ report: AuditReport, _ form: Document.Form, _ style: TextStyle = TextStyle(), listsAll: Bool = false,
    title: String? = nil
  ) -> [UInt8] {
    let style = style.of(form)
    let title =
      title
      ?? "How the app asks\(report.permission.map { " for \(AuditQuote.name(RowNames(form).title($0)))" } ?? ""): an audit"
    if report.asOf == nil, report.findings.isEmpty, report.infoPlists.isEmpty, report.code == nil {
      var document = Document.ofEmptyLog(title, "no events to audit yet", style, leftOut: report.leftOutUsers)
      document.head += [AuditHeadline(report: report).only].compactMap { $0.map { .paragraph($0) } }
      return document.render(form, style)
    }
    let headline = AuditHeadline(report: report)
    var document = Document(title: title, head: [.headline(headline.sentence)])
    document.head += [headline.only].compactMap { $0.map { .paragraph($0) } }
    document.head += headline.place.map { .paragraph($0) }
    if report.isMisread { document.head.append(.caution(CallSentences.misread, .exclamation)) }
    document.head += headline.cautions.map { .caution($0, .exclamation) }
    for severity in AuditSeverity.allCases {
      let findings = report.findings.filter { $0.severity == severity }
      if !findings.isEmpty { document.sections.append(section(severity, findings, form, style)) }
    }
    if listsAll {
      document.sections.append(AuditTables.others(report, RowNames(form), style))
      document.sections += [AuditTables.calls(report, RowNames(form), style)].compactMap { $0 }
    }
    if form == .html { document.contents = document.sections }
    document.sections.append(.untitled(ending(report, headline, listsAll: listsAll, style)))
    return document.render(form, style)
  }

  static func section(
    _ severity: AuditSeverity, _ findings: [AuditFinding], _ form: Document.Form, _ style: TextStyle
  ) -> Section {
    // In the order of the first finding of each.
    var groups: [(check: AuditCheck, findings: [AuditFinding])] = []
    for finding in findings {
      if let index = groups.firstIndex(where: { $0.check == finding.check }) {
        groups[index].findings.append(finding)
      } else {
        groups.append((finding.check, [finding]))
      }
    }
    var blocks: [Block] = []
    for (index, group) in groups.enumerated() {
      if index > 0 { blocks.append(.gap) }
      blocks += self.blocks(group.check, group.findings, severity, form, style)
    }
    return Section(severity.name + "s", severity.looks.title, blocks)
  }

  private static func blocks(
    _ check: AuditCheck, _ findings: [AuditFinding], _ severity: AuditSeverity, _ form: Document.Form,
    _ style: TextStyle
  ) -> [Block] {
    let shown = Array(findings.prefix(mostRows))
    let sign = form == .html ? "" : severity.looks.sign + " "
    var blocks: [Block] = [.strong("\(sign)\(check.rawValue): \(check.words.title)", kind: severity.looks.kind)]
    if let words = AuditShares.words(shown) {
      let bars = Block.MoreCells("0 to 100\u{A0}%, with the interval", shown) { AuditDrawing.bar($1.share, on: &$0) }
      blocks += [
        .paragraph(words, indent: 2), .table(AuditShares.table(shown, form), more: form == .html ? bars : nil),
      ]
    } else if form == .html {
      blocks.append(.drawing { AuditDrawing.list(shown, on: &$0) })
    } else {
      blocks.append(.table(AuditTables.findings(shown, isIndented: form == .text)))
    }
    if findings.count > shown.count {
      blocks.append(
        .paragraph("and \(NumberText.count(findings.count - shown.count)) more" + style.words(.readJSON), indent: 2))
    }
    if shown.contains(where: { AuditCosts.sentence($0) != nil }) {
      let words = [AuditCosts.observation, AuditCosts.caution(shown)].compactMap { $0 }
      blocks.append(.paragraph(words.joined(separator: " "), indent: 2))
    }
    blocks.append(.paragraph("What to do: " + check.words.advice, indent: 2))
    var sources: [String] = []
    for source in shown.map(\.reference) where !sources.contains(source) { sources.append(source) }
    return blocks + sources.map { .source($0) }
  }

  // MARK: The end

  private static func ending(
    _ report: AuditReport, _ headline: AuditHeadline, listsAll: Bool, _ style: TextStyle
  ) -> [Block] {
    var blocks: [Block] = [.gap]
    if let looked = headline.others {
      blocks.append(.note(looked + (listsAll ? "." : style.words(.listAllChecks)), hanging: 2))
    }
    if report.infoPlists.isEmpty, report.only == nil {
      blocks.append(.note("Not checked: the app's Info.plist" + style.words(.giveInfoPlist), hanging: 2))
    }
    if !report.hasLog {
      blocks.append(
        .note(
          "Not checked: how the app asks, and whether its data can be trusted. No log was read"
            + (report.code == nil ? ", so only uses that the Info.plist declares are known" : "") + ".", hanging: 2))
    }
    if !report.unknown.isEmpty {
      let reasons = report.unknown.prefix(3).map(AuditQuote.words).joined(separator: "; ")
      let more = report.unknown.count > 3 ? "; and \(NumberText.count(report.unknown.count - 3)) more" : ""
      blocks.append(.note("Keys that are not in these files may be there all the same: \(reasons)\(more).", hanging: 2))
    }
    if let unseen = headline.unseen { blocks.append(.note(unseen, hanging: 2)) }
    if let thresholds = headline.thresholds { blocks.append(.note(thresholds, hanging: 2)) }
    blocks.append(
      .note(
        "What each finding means, and what may excuse it: docs/audit.md. Look at the app before you act on a finding.",
        hanging: 2))
    return blocks
  }
}

extension AuditSeverity {
  fileprivate var looks: (title: String, sign: String, kind: VerdictKind) {
    switch self {
    case .error: ("Errors", "×", .invalid)
    case .warning: ("Warnings", "!", .review)
    case .note: ("Notes", "i", .unclear)
    }
  }
}

// MARK: The audit in one sentence, its scope, and how much was checked

struct AuditHeadline {
  let report: AuditReport

  /// `3 errors, 15 warnings of 4 kinds and 2 notes in the events of 12 345 users and 1 Info.plist.`
  var sentence: String {
    let counts = AuditSeverity.allCases.compactMap { severity -> String? in
      let findings = report.findings.filter { $0.severity == severity }
      guard !findings.isEmpty else { return nil }
      let kinds = Set(findings.map(\.check)).count
      let words = NumberText.counted(findings.count, severity.name)
      return kinds < findings.count ? words + " of " + NumberText.counted(kinds, "kind") : words
    }
    return (counts.isEmpty ? "No finding" : Sentence.list(counts)) + " in \(sources)."
  }

  private var sources: String {
    var sources = report.hasLog ? ["the events of " + NumberText.counted(Int(clamping: report.users), "user")] : []
    if !report.infoPlists.isEmpty { sources.append(NumberText.counted(report.infoPlists.count, "Info.plist")) }
    if let code = report.code { sources.append(NumberText.counted(code.files, "file") + " of code") }
    return Sentence.list(sources)
  }

  /// What the search for calls does not see. Nil if no code was read.
  var unseen: String? {
    guard let code = report.code else { return nil }
    var parts = ["libraries and packages", "calls that are made by name while the app runs"]
    if !code.leftOut.isEmpty { parts[0] += " (left out: \(AuditQuote.names(code.leftOut, most: 3)))" }
    if !code.unread.isEmpty {
      parts.append(
        "\(NumberText.counted(code.unread.count, "file")) that could not be read as code (\(AuditQuote.names(code.unread, most: 3)))"
      )
    }
    let unclear = code.unclear
    if let first = unclear.first {
      let what = "the permission of " + NumberText.counted(unclear.count, "call") + ", which a variable decides"
      parts.append("\(what) (\(AuditCalls.words(first))\(unclear.count > 1 ? ", …" : ""))")
    }
    return "Not seen in the code: " + Sentence.list(parts) + "."
  }

  /// As of when, and which exposures count.
  var place: [String] {
    let moment = report.asOf.map { "as of " + NumberText.moment($0, report.zone) } ?? "the log is empty"
    var lines =
      report.hasLog
      ? [moment + ", " + report.timeZone + ComparisonWords.notes(report.age, leftOut: report.leftOutUsers)] : []
    if report.users == 0, report.asOf != nil {
      lines.append("The log has no events up to then that an audit of users counts.")
    }
    let span = DayWords.span(from: report.from, to: report.to, report.zone)
    let conditions = report.conditions.map(\.description).joined(separator: " and ")
    let parts = [span, conditions.isEmpty ? nil : conditions].compactMap { $0 }
    if !parts.isEmpty { lines.append("exposures that count for how the app asks: " + parts.joined(separator: "; ")) }
    if !report.infoPlists.isEmpty {
      let names = zip(report.infoPlists, report.builds).map { file, build in
        AuditQuote.name(file)
          + (build.map { " (target \(AuditQuote.name($0.target)), \(AuditQuote.name($0.configuration)))" } ?? "")
      }
      lines.append("Info.plist: " + AuditQuote.list(names, most: 4))
    }
    if let code = report.code {
      let calls = NumberText.counted(code.calls.count, "call") + (code.calls.count == 1 ? " that asks" : " that ask")
      lines.append("code: \(AuditQuote.names(code.folders)) (\(calls))")
    }
    return lines
  }

  /// Cautions: no exposure was checked, and notes on permissions with grant rates.
  var cautions: [String] {
    let names = Set(report.findings.filter { $0.cost != nil }.compactMap(\.permission))
    let nothing = "No exposure here has an outcome: the audit cannot tell how the app asks."
    let looks = report.hasLog && report.only?.contains { $0.group == .practice } ?? true
    return (report.areAsked || report.users == 0 || !looks ? [] : [nothing])
      + UnansweredPermission.among(names).map(\.caution)
  }

  /// `Only feed_stopped was looked at; 28 other checks were not.` Nil if all checks were looked at.
  var only: String? {
    guard let only = report.only, only.count < AuditCheck.allCases.count else { return nil }
    let left = AuditCheck.allCases.count - only.count
    return "Only \(Sentence.list(only.map(\.rawValue))) \(only.count == 1 ? "was" : "were") looked at; "
      + "\(NumberText.counted(left, "other check")) \(left == 1 ? "was" : "were") not."
  }

  /// The checks without a finding, by reason. If there are none, then nil.
  var others: String? {
    let reasons: [(AuditFinding.LeftOut, String)] = [
      (.belowThreshold, "below the threshold"), (.tooFew, "with too few users or answers"),
      (.nothingToSee, "with no data to judge by"), (.tooMany, "with too much data"),
    ]
    let parts = reasons.compactMap { reason, words -> String? in
      let count = report.others.count { $0.leftOut == reason }
      return count > 0 ? NumberText.count(count) + " " + words : nil
    }
    guard !parts.isEmpty else { return nil }
    let all = report.others.count
    return
      "\(NumberText.counted(all, "further check")), by permission, \(all == 1 ? "has no finding" : "have no finding"): "
      + Sentence.list(parts)
  }

  var thresholds: String? {
    guard !report.thresholds.isEmpty else { return nil }
    let changed = report.thresholds.sorted { $0.key.rawValue < $1.key.rawValue }
    return "Changed thresholds: "
      + changed.map { "\($0.key.rawValue) \(AuditNumbers.threshold($0.value))" }.joined(separator: ", ") + "."
  }
}
