// An audit as a document: how many findings, then these by severity, each check once with all that it holds for.

import PermissionAnalysis
import PermissionEvents

package enum AuditDocument {
  /// Rows of a check, and of the list of all checks, that people are shown.
  static let mostRows = 30
  static let mostOthers = 300

  /// - Parameters:
  ///   - style: of the text; the other forms take only its words.
  ///   - listsAll: also what was looked at and is no finding.
  ///   - title: in place of the usual one.
  package static func render(
    _ report: AuditReport, _ form: Document.Form, _ style: TextStyle = TextStyle(), listsAll: Bool = false,
    title: String? = nil
  ) -> [UInt8] {
    let style = style.of(form)
    let title = title ?? "How the app asks\(report.permission.map { " for \(AuditQuote.name($0))" } ?? ""): an audit"
    if report.asOf == nil, report.findings.isEmpty, report.infoPlists.isEmpty {
      return empty(title, style).render(form, style)
    }
    let headline = AuditHeadline(report)
    var document = Document(title: title, head: [.headline(headline.sentence)])
    document.head += headline.place.map { .paragraph($0) }
    if report.isMisread { document.head.append(.caution(CallSentences.misread, .exclamation)) }
    document.head += headline.cautions.map { .caution($0, .exclamation) }
    for severity in AuditSeverity.allCases {
      let findings = report.findings.filter { $0.severity == severity }
      if !findings.isEmpty { document.sections.append(section(severity, findings, form, style)) }
    }
    if listsAll { document.sections.append(AuditTables.others(report, style)) }
    if form == .html { document.contents = document.sections }
    document.sections.append(.untitled(ending(report, headline, listsAll: listsAll, style)))
    return document.render(form, style)
  }

  /// What is said of a log without events.
  private static func empty(_ title: String, _ style: TextStyle) -> Document {
    let command = style.words(.exampleIngest)
    let words =
      "The log is empty: there is nothing to audit yet. Fill it with an export of your events"
      + (command.isEmpty ? "." : ", for example:")
    return Document(
      title: title, sections: [.untitled([.paragraph(words)] + (command.isEmpty ? [] : [.command(command)]))])
  }

  private static func section(
    _ severity: AuditSeverity, _ findings: [AuditFinding], _ form: Document.Form, _ style: TextStyle
  ) -> Section {
    // In the order of the first finding of each.
    var groups: [(check: AuditCheck, findings: [AuditFinding])] = []
    for finding in findings {
      if let place = groups.firstIndex(where: { $0.check == finding.check }) {
        groups[place].findings.append(finding)
      } else {
        groups.append((finding.check, [finding]))
      }
    }
    var blocks: [Block] = []
    for (place, group) in groups.enumerated() {
      if place > 0 { blocks.append(.gap) }
      blocks += self.blocks(group.check, group.findings, severity, form, style)
    }
    return Section(severity.name + "s", severity.title, blocks)
  }

  private static func blocks(
    _ check: AuditCheck, _ findings: [AuditFinding], _ severity: AuditSeverity, _ form: Document.Form,
    _ style: TextStyle
  ) -> [Block] {
    let shown = Array(findings.prefix(mostRows))
    let sign = form == .html ? "" : severity.sign + " "
    var blocks: [Block] = [.strong("\(sign)\(check.rawValue): \(check.words.title)", kind: VerdictKind(severity))]
    if let words = AuditShares.words(shown) {
      let bars = Block.MoreCells(titles: ["0 to 100\u{A0}%, with the interval"]) { page, number in
        page.element("td", ["class": "wide"]) { page in
          guard number < shown.count, let share = shown[number].share, share.value.isFinite else { return }
          AuditDrawing.bar(share, on: &page)
        }
      }
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
    if report.infoPlists.isEmpty {
      blocks.append(.note("Not looked at: the app's Info.plist" + style.words(.giveInfoPlist), hanging: 2))
    }
    if let thresholds = headline.thresholds { blocks.append(.note(thresholds, hanging: 2)) }
    blocks.append(
      .note(
        "What each finding means, and what may excuse it: docs/audit.md. Whoever acts on one should look at the app first.",
        hanging: 2))
    return blocks
  }
}

extension AuditSeverity {
  /// Of several.
  var title: String {
    switch self {
    case .error: "Errors"
    case .warning: "Warnings"
    case .note: "Notes"
    }
  }

  /// Beside the words.
  fileprivate var sign: String {
    switch self {
    case .error: "×"
    case .warning: "!"
    case .note: "i"
    }
  }
}

extension VerdictKind {
  fileprivate init(_ severity: AuditSeverity) {
    switch severity {
    case .error: self = .invalid
    case .warning: self = .review
    case .note: self = .unclear
    }
  }
}
