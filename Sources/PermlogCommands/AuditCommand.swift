// `permlog audit`: findings about how the app asks, from the log and the app's Info.plist.

import ArgumentParser
import Permlog
import ReportRendering

extension AuditFormat: ExpressibleByArgument {}

/// The lowest severity of a finding that changes the exit status.
enum FailingSeverity: String, CaseIterable, ExpressibleByArgument {
  case error, warning

  var severity: AuditSeverity { self == .error ? .error : .warning }
}

struct AuditCommand: QuestionCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Print findings about how the app asks, from the log and the Info.plist.",
    discussion: """
      Looks for ways of asking that cost grants or that the system does not allow: without an explanation, at once \
      after the install, again after a denial, without a way back. Also looks for data that cannot be trusted and, \
      with --info-plist, for purpose strings that are missing, weak or not translated. Each finding has numbers, its \
      apparent cost, what to do and the source of the advice; docs/audit.md explains all findings. On a terminal, long \
      text goes through $PERMLOG_PAGER, $PAGER or less.

      Example:
        permlog audit
        permlog audit --info-plist App/Info.plist --fail-on error
        permlog audit --threshold cold_ask=25 --where country=DE --all
        permlog audit --format html --output audit.html
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var fields: FieldOptions<AuditRequest>

  @Flag(help: "Also list the checks without a finding, with the reason.")
  var all = false

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: AuditFormat?

  @Option("Title of the page, in html and markdown.", value: "text")
  var title: String?

  @Flag(help: "Print long text straight to the terminal.")
  var noPager = false

  @OptionGroup var result: ResultOptions

  @Option("End with exit status 3 if there is a finding of this severity or worse.", value: "severity")
  var failOn: FailingSeverity?

  static let usualFormat = AuditFormat.text
  var isPaged: Bool { !noPager }

  func protect(in files: inout ProtectedFiles, _ plan: Void) {
    // A built app can also be named as a folder.
    for file in fields.given[.infoPlist] ?? [] {
      for path in [file, file + "/Info.plist", file + "/Contents/Info.plist"] {
        files.add(path, "an Info.plist that is read")
      }
    }
  }

  func filesRead(_ report: AuditReport) -> [String] { report.filesRead }

  func condition(_ report: AuditReport) -> String? {
    failOn.flatMap { FindingsSentence.text(report, from: $0.severity) }
  }

  func write(_ report: AuditReport, as format: AuditFormat, to sink: ([UInt8]) throws -> Void) throws {
    try sink(report.render(as: format, style: result.style, listsAll: all, title: title))
  }
}

// MARK: The sentence of `audit --fail-on`

enum FindingsSentence {
  /// The number and the names of the findings of this severity or worse; nil if there are no such findings.
  static func text(_ report: AuditReport, from severity: AuditSeverity) -> String? {
    let findings = report.findings.filter { $0.severity <= severity }
    guard !findings.isEmpty else { return nil }
    let counts = AuditSeverity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      return count > 0 ? counted(count, severity.name, severity.name + "s") : nil
    }
    let names = findings.map { $0.check.rawValue + ($0.permission.map { " (\($0))" } ?? "") }
    return "the audit found \(counts.joined(separator: " and ")): \(listed(names, most: 4))"
  }
}
