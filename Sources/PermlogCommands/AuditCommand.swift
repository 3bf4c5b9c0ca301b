// `permlog audit`: findings about how the app asks, from the log and the app's Info.plist.

import ArgumentParser
import Permlog
import ReportRendering

extension AuditFormat: ExpressibleByArgument {}

/// The findings that change the exit status: of a severity or worse, and of some checks.
struct FailingFindings {
  private static let severities = [AuditSeverity.error, .warning]
  private(set) var severity: AuditSeverity?
  private(set) var checks: [AuditCheck] = []

  /// Completed as one of these.
  static let words = severities.map(\.name) + AuditCheck.allCases.map(\.rawValue)

  /// - Throws: for a part that is neither a severity nor the id of a check.
  init(_ text: String) throws(CommandFailure) {
    for part in AuditCheck.ids(text) {
      if let named = Self.severities.first(where: { $0.name == part }) {
        severity = max(severity ?? named, named)
      } else if let check = AuditCheck(rawValue: part) {
        checks.append(check)
      } else {
        throw .usage("--fail-on: it needs error, warning, or ids of checks. " + AuditCheck.refusal(of: part))
      }
    }
  }

  /// Whether it is fine that a purpose string is perhaps missing.
  var allowsUnknown = false

  func includes(_ finding: AuditFinding) -> Bool {
    if let isAsked = finding.isOfUnknownKey, !checks.contains(finding.check) {
      // An app without the key ends when it asks: that it is not known is no reason to let it pass.
      return !allowsUnknown && (checks.contains(.missingPurpose) || severity.map { $0 != .error || isAsked } ?? false)
    }
    return checks.contains(finding.check) || severity.map { finding.severity <= $0 } ?? false
  }

  /// Throws for checks that the audit does not look at: they would never fail.
  func check(_ request: AuditRequest) throws(CommandFailure) {
    if let only = request.only, let other = checks.first(where: { !only.contains($0) }) {
      throw .usage("--fail-on: --only leaves \(other.rawValue) out, so it cannot be found. Add it to --only")
    }
    for check in checks {
      guard let need = request.unmetNeed(of: check) else { continue }
      let option = need.hasSuffix("folder") ? "--source DIR" : "--info-plist FILE"
      throw .usage("--fail-on: \(check.rawValue) needs \(need). Give it with \(option)")
    }
  }
}

struct AuditCommand: QuestionCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Print findings about how the app asks, from the log and the Info.plist.",
    discussion: """
      Looks for ways of asking that cost grants or that the system does not allow: without an explanation, at once \
      after the install, again after a denial, without a way back. Also looks for data that cannot be trusted and, \
      with --info-plist, for purpose strings that are missing, weak or not translated, and with --source for calls \
      that ask. Without a log it checks only what the app declares and calls. Each finding has numbers, its apparent \
      cost, what to do and the source of the advice; docs/audit.md explains all findings. On a terminal, long text \
      goes through $PERMLOG_PAGER, $PAGER or less.

      Example:
        permlog audit
        permlog audit --info-plist App.xcodeproj --source App --fail-on error
        permlog audit --only feed_stopped,no_activity --fail-on feed_stopped
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

  @Option(
    help: ArgumentHelp(
      "End with exit status 3 if there is a finding of this severity (error, warning) or worse, or of one of these checks, joined by commas, like feed_stopped.",
      valueName: "severity or ids"), completion: .list(FailingFindings.words))
  var failOn: String?

  @Flag(
    help:
      "With --fail-on error or warning: end with status 0 even if it is not known whether a purpose string is there (not_known)."
  )
  var allowUnknown = false

  static let usualFormat = AuditFormat.text
  var isPaged: Bool { !noPager }
  var namesUsers: Bool { fields.given[.examples] != nil }

  func protect(in files: inout ProtectedFiles, _ plan: Void) {
    // A built app can also be named as a folder.
    for file in fields.given[.infoPlist] ?? [] {
      for path in [file, file + "/Info.plist", file + "/Contents/Info.plist"] {
        files.add(path, "an Info.plist that is read")
      }
    }
    for file in fields.given[.sourceCode] ?? [] { files.add(file, "code that is read") }
  }

  func validate() throws {
    guard allowUnknown else { return }
    guard let failOn else { throw ValidationError("--allow-unknown goes with --fail-on") }
    if AuditCheck.ids(failOn).contains(AuditCheck.notKnown.rawValue) {
      throw ValidationError("--allow-unknown lets not_known pass, and --fail-on names it: leave one of them out")
    }
  }

  func prepare(_ request: inout AuditRequest, _ format: AuditFormat) throws {
    // Who looks for missing keys must hear of those that may be missing.
    if !allowUnknown, let only = request.only, only.contains(.missingPurpose), !only.contains(.notKnown) {
      request.only = only + [.notKnown]
    }
    if format == .sarif, request.infoPlists.isEmpty, request.sources.isEmpty {
      throw CommandFailure.usage(
        "--format sarif shows findings at files of the app: name them with --info-plist or --source")
    }
    try failing?.check(request)
  }

  private var failing: FailingFindings? {
    get throws(CommandFailure) {
      guard let failOn else { return nil }
      var failing = try FailingFindings(failOn)
      failing.allowsUnknown = allowUnknown
      return failing
    }
  }

  /// Developers who have no log yet ask what their Info.plist lacks. A log that was named must be there.
  func answerWithoutLog(_ request: AuditRequest) throws -> AuditReport? {
    guard !log.isNamed, !log.isThere else { return nil }
    if request.infoPlists.isEmpty, request.sources.isEmpty {
      throw CommandFailure.usage(
        "there is no log at \(LogOptions.defaultPath). Name one with --log, or check an app without a log: --info-plist App.xcodeproj --source App"
      )
    }
    if let check = try failing?.checks.first(where: { $0.group != .infoPlist }) {
      throw CommandFailure.usage(
        "--fail-on: \(check.rawValue) needs a log, and \(LogOptions.defaultPath) is not there. Name it with --log")
    }
    return try request.auditOfApp()
  }

  func filesRead(_ report: AuditReport) -> [String] { report.filesRead }

  func condition(_ report: AuditReport) -> String? {
    // It was read before, in `prepare`.
    (try? failing).flatMap { FindingsSentence.text(report, $0) }
  }

  func write(_ report: AuditReport, as format: AuditFormat, to sink: ([UInt8]) throws -> Void) throws {
    try sink(report.render(as: format, style: result.style, listsAll: all, title: title))
  }
}

// MARK: The sentence of `audit --fail-on`

enum FindingsSentence {
  /// The number and the names of these findings; nil if there are no such findings.
  static func text(_ report: AuditReport, _ failing: FailingFindings) -> String? {
    let findings = report.findings.filter(failing.includes)
    guard !findings.isEmpty else { return nil }
    let counts = AuditSeverity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      return count > 0 ? counted(count, severity.name, severity.name + "s") : nil
    }
    let names = findings.map { $0.check.rawValue + ($0.permission.map { " (\($0))" } ?? "") }
    return "the audit found \(counts.joined(separator: " and ")): \(listed(names, most: 4))"
  }
}
