// The tables of an audit, and their bars on a page: findings of one check, and the checks without a finding.

import PermissionAnalysis
import PermissionEvents

enum AuditTables {
  /// - Parameter isIndented: below a title.
  static func findings(_ findings: [AuditFinding], isIndented: Bool) -> Table {
    var table = Table("of", ["finding"], isList: true)
    for finding in findings {
      let name = DisplayWidth.cutMiddle(AuditQuote.name(AuditSentences.subject(finding)), to: 24, mark: "…")
      table.row(name, [TableCell(words(finding))], depth: isIndented ? 1 : 0)
    }
    return table
  }

  /// The sentence below its permission, its cost, and users to look at.
  static func words(_ finding: AuditFinding) -> String {
    let examples = finding.examples.map(AuditQuote.id).joined(separator: ", ")
    return [
      AuditSentences.body(finding), AuditCosts.sentence(finding), examples.isEmpty ? nil : "Examples: \(examples)",
    ].compactMap { $0 }.joined(separator: " ")
  }

  /// By check, the most important first.
  static func others(_ report: AuditReport, _ names: RowNames, _ style: TextStyle) -> Section {
    var table = Table("check", ["users", "of", "share", "threshold", "reason"])
    let shown = report.others.prefix(AuditDocument.mostOthers)
    for check in AuditCheck.allCases {
      let others = shown.filter { $0.check == check }
      guard !others.isEmpty else { continue }
      table.heading(check.rawValue)
      let threshold = report.threshold(check).map { TableCell(AuditNumbers.threshold($0)) } ?? style.unknownCell
      for other in others {
        table.row(
          AuditQuote.name(AuditSentences.subject(other, names)),
          [
            style.count(other.users.map { Int(clamping: $0) }), style.count(other.of.map { Int(clamping: $0) }),
            style.rate(other.share), threshold, TableCell(other.leftOut.map { reason($0, check) } ?? style.unknown),
          ], depth: 1)
      }
    }
    let left = report.others.count - shown.count
    let more: [Block] = left > 0 ? [.paragraph("and \(NumberText.count(left)) more" + style.words(.readJSON))] : []
    return Section(
      "others", "Checks without a finding", short: "No finding",
      [
        .table(
          table, empty: report.only == nil ? "Every check has a finding." : "No further checks were looked at.")
      ] + more)
  }

  /// Calls in the code; nil if it was not read.
  static func calls(_ report: AuditReport, _ names: RowNames, _ style: TextStyle) -> Section? {
    guard let code = report.code else { return nil }
    var table = Table("permission", ["call"], isList: true)
    let shown = code.calls.prefix(AuditDocument.mostOthers)
    for call in shown {
      let permissions = call.permissions.map { names.title($0) }.joined(separator: " or ")
      let name = DisplayWidth.cutMiddle(AuditQuote.name(permissions), to: 24, mark: "…")
      table.row(name, [TableCell(AuditCalls.words(call) + (call.isConditional ? ", in some builds (#if)" : ""))])
    }
    let left = code.calls.count - shown.count
    let more: [Block] = left > 0 ? [.paragraph("and \(NumberText.count(left)) more" + style.words(.readJSON))] : []
    return Section(
      "calls", "Calls that ask", short: "Calls",
      [.table(table, empty: "No call in the code that was read asks for a permission.")] + more)
  }

  private static func reason(_ leftOut: AuditFinding.LeftOut, _ check: AuditCheck) -> String {
    switch leftOut {
    case .belowThreshold: "below"
    case .tooFew: "under \(check.least)"
    case .nothingToSee: "no data"
    case .tooMany: "too many"
    }
  }
}

extension AuditReport {
  /// The share from which on a check is reported; nil if it is reported whenever it holds.
  func threshold(_ check: AuditCheck) -> AuditThreshold? { thresholds[check] ?? check.threshold }
}

/// Findings of one check for several permissions: the common words come once, and each has a row of numbers.
enum AuditShares {
  /// What all of these are the shares of; nil if each needs a sentence of its own.
  static func words(_ findings: [AuditFinding]) -> String? {
    guard findings.count > 1, let check = findings.first?.check, let words = check.words.sentence.list,
      findings.allSatisfy({ $0.share != nil && $0.examples.isEmpty })
    else { return nil }
    let missing = findings.compactMap { finding -> String? in
      guard case .notLogged(let kind) = finding.detail else { return nil }
      return "Either there are none, or the app does not log them: the log has no \(kind.name) events. "
    }
    return (missing.first ?? "") + words
  }

  static func table(_ findings: [AuditFinding], _ form: Document.Form) -> Table {
    let isText = form == .text
    let haveCosts = findings.contains { AuditCosts.sentence($0) != nil }
    let groups = haveCosts && !isText ? findings.first?.check.words.groups : nil
    let costs = groups.map { ["grant rate \($0.with)", $0.without, "difference, points"] } ?? []
    var table = Table(isText ? "" : "permission", ["share", "users"] + costs)
    for finding in findings {
      let name = DisplayWidth.cutMiddle(
        AuditQuote.name(AuditSentences.subject(finding, RowNames(form))), to: 24, mark: "…")
      let own = [TableCell(AuditNumbers.rate(finding.share)), TableCell(finding.countsText)]
      table.row(name, own + (costs.isEmpty ? [] : cost(finding)), depth: isText ? 1 : 0)
      if isText, let words = AuditCosts.note(finding) { table.note(words) }
    }
    return table
  }

  private static func cost(_ finding: AuditFinding) -> [TableCell] {
    let style = TextStyle(width: 120)
    guard case .rates(let with, let without) = finding.detail, finding.cost != nil else {
      return [style.unknownCell, style.unknownCell, style.unknownCell]
    }
    return [style.rate(with), style.rate(without), style.points(finding.cost)]
  }
}

/// Findings on a page: the permission, a bar of the share, and the sentence.
enum AuditDrawing {
  static func list(_ findings: [AuditFinding], on page: inout Markup) {
    page.element("ul", ["class": "findings"]) { page in
      for finding in findings {
        page.element("li") { page in
          page.element("h4") { $0.name(AuditQuote.name(AuditSentences.subject(finding, .titles))) }
          bar(finding.share, on: &page)
          page.prose(AuditTables.words(finding))
        }
      }
    }
  }

  /// Draws the share and its interval, if they are known. The numbers are next to it.
  static func bar(_ share: Estimate?, on page: inout Markup) {
    guard let share, share.value.isFinite else { return }
    let x = Scale(low: 0, high: 1, start: 0, end: 160)
    func position(_ share: Double) -> Double { x(min(1, max(0, share))) }
    page.ornament(width: 160, height: 10) { page in
      page.bar(x: 0, y: 1, width: 160, height: 8, "rail")
      page.element("g", ["class": "neutral"]) { page in
        page.bar(x: 0, y: 1, width: position(share.value), height: 8, "fill")
      }
      if let low = share.low, let high = share.high {
        page.line(x1: position(low), y1: 5, x2: position(high), y2: 5, "median")
      }
    }
  }
}

// MARK: An audit as JSON, schema permlog.audit/1: every key always there, in this order

package struct AuditJSON: FigureObject {
  let report: AuditReport
  /// Also the checks without a finding.
  let listsAll: Bool

  package static func render(_ report: AuditReport, listsAll: Bool = false) -> [UInt8] {
    JSONWriter.document(AuditJSON(report: report, listsAll: listsAll))
  }

  static let figures: [FigureNode<AuditJSON>] = [
    .text("schema", "the form of the answer") { _ in "permlog.audit/1" },
    .text("as_of", "the moment that it looks from", .moment) { $0.report.asOf.map { Timestamp.text($0) } },
    .text("time_zone", "the zone of days") { $0.report.timeZone },
    .text("week_start", "the day on which weeks begin") { $0.report.zone.weekStart.rawValue },
    .text("from", "of the exposures that count", .moment) { $0.report.from.map { Timestamp.text($0) } },
    .text("to", "of the exposures that count", .moment) { $0.report.to.map { Timestamp.text($0) } },
    .texts("where", "conditions on them", .sentence) { $0.report.conditions.map(\.description) },
    .texts("only", "the checks that were looked at; null for all") { $0.report.only?.map(\.rawValue) },
    .count("users", "with any event up to as_of; null without a log", .users) {
      $0.report.hasLog ? Int(clamping: $0.report.users) : nil
    },
    .count("left_out_users", "with events, and left out of the answer", .users) { $0.report.leftOutUsers },
    .texts("info_plists", "that were read") { $0.report.infoPlists },
    .texts("sources", "folders of code that were read; null if none was") { $0.report.code?.folders },
    .count("source_files", "of code that were read") { $0.report.code?.files },
    .texts("sources_left_out", "folders and files of code that were not read; null if no code was") {
      $0.report.code.map { $0.leftOut + $0.unread }
    },
    .list("calls", AppCode.Call.figures) { $0.report.code?.calls ?? [] },
    .list("findings", AuditFinding.figures + AuditFinding.locationFigures) { $0.report.findings },
    .list("others", AuditFinding.figures + [.text("left_out", "why it is not a finding") { $0.leftOut?.rawValue }]) {
      $0.listsAll ? $0.report.others : []
    },
  ]
}

extension AuditFinding {
  fileprivate static let figures: [FigureNode<AuditFinding>] = [
    .text("id", "the check") { $0.check.rawValue },
    .text("severity", "how bad it is") { $0.severity.name },
    .text("permission", "null if the finding is of no permission") { $0.permission },
    .count("users", "journeys, or what the check counts, that it holds for") { $0.users.map { Int(clamping: $0) } },
    .count("of", "all of these") { $0.of.map { Int(clamping: $0) } },
    .estimate("share", "users over of") { $0.share },
    .estimate("cost", "grant rate without it minus that with it", .difference) { $0.cost },
    .text("sentence", "for people", .sentence) { AuditSentences.text($0) },
    .text("advice", "what to do", .sentence) { $0.check.words.advice },
    .text("reference", "where it is written") { $0.reference },
    .texts("examples", "ids of users") { $0.examples },
  ]

  fileprivate static let locationFigures: [FigureNode<AuditFinding>] = [
    .list("locations", SourceLocation.figures) { $0.locations }
  ]
}

extension AppCode.Call {
  fileprivate static let figures: [FigureNode<AppCode.Call>] = [
    .texts("permissions", "several if the code does not show which one") { $0.permissions },
    .text("symbol", "the name that is called") { $0.symbol },
    .text("file", "as it was found") { $0.file },
    .count("line", "from 1") { $0.line },
    .flag("conditional", "whether the app has it only if the project defines a name") { $0.isConditional },
  ]
}

extension SourceLocation {
  fileprivate static let figures: [FigureNode<SourceLocation>] = [
    .text("file", "as it was found") { $0.file },
    .count("line", "from 1; null if it is not known") { $0.line },
  ]
}
