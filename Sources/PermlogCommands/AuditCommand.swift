// `permlog audit`: what the log and the app's Info.plist say about how the app asks.

import ArgumentParser
import Permlog

extension AuditFormat: ExpressibleByArgument {}

/// From how bad a finding on an audit ends with a status of its own.
enum FailingSeverity: String, CaseIterable, ExpressibleByArgument {
  case error, warning

  var severity: AuditSeverity {
    switch self {
    case .error: .error
    case .warning: .warning
    }
  }
}

struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Print what the log and the Info.plist say about how the app asks.",
    discussion: """
      Looks for ways of asking that cost grants or that the system does not allow (without an explanation, at once after \
      the install, again after a denial, without a way back), for data that cannot be trusted, and, with --info-plist, for \
      purpose strings that are missing, weak or not translated. Each finding has a sentence with numbers, what it seems \
      to cost, what to do and where that is written; docs/audit.md explains all of them. On a terminal long text goes \
      through $PERMLOG_PAGER, $PAGER or less.

      Example:
        permlog audit
        permlog audit --info-plist App/Info.plist --fail-on error
        permlog audit --threshold cold_ask=25 --where country=DE --all
        permlog audit --format html --output audit.html
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var question: QuestionOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var filter: FilterOptions

  @Option(
    help: ArgumentHelp("Only findings of this permission, and those of none.", valueName: "name"),
    completion: .permissions)
  var permission: String?

  @Option(
    help: ArgumentHelp(
      "The app's Info.plist, as a file or in a built .app; repeat it for extensions and further targets. Translations beside it are read too.",
      valueName: "file"),
    completion: .file())
  var infoPlist: [String] = []

  @Option(
    help: ArgumentHelp(
      "Report a finding from this share of users on, like cold_ask=25, in per cent; repeat it for several: \(ThresholdOption.names).",
      valueName: "id=percent"),
    completion: .list(ThresholdOption.ids))
  var threshold: [String] = []

  @Flag(help: "Also list what was looked at and is no finding, with the reason.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Name this many users of each finding, 0 to \(AuditRequest.mostExamples) (default: 0).", valueName: "n"))
  var examples: Int?

  @Option(
    help: ArgumentHelp(
      "What users did before this date or time may be missing in the log (default: the time of its oldest event).",
      valueName: "moment"))
  var logStart: String?

  @Option(help: ArgumentHelp("Output format (default: by the name of --output, else text).", valueName: "format"))
  var format: AuditFormat?

  @Option(help: ArgumentHelp("Title of the page, in html and markdown.", valueName: "text"))
  var title: String?

  @Flag(help: "Print long text straight to the terminal.")
  var noPager = false

  @OptionGroup var result: ResultOptions

  @Option(
    help: ArgumentHelp("End with exit status 3 if there is such a finding, or a worse one.", valueName: "severity"))
  var failOn: FailingSeverity?

  func validate() throws {
    _ = try ThresholdOption.parsed(threshold) { ValidationError($0) }
    if let examples, !(0...AuditRequest.mostExamples).contains(examples) {
      throw ValidationError("--examples takes a number from 0 to \(AuditRequest.mostExamples)")
    }
    if infoPlist.contains(where: { $0.isEmpty || $0 == "-" }) {
      throw ValidationError("--info-plist takes the name of a file")
    }
  }

  func run() throws {
    if question.isSaved {
      return try question.save(
        with: ["--from", "--to", "--week", "--log-start", "--at-once", "--examples"], log, besides: log.protectedFiles,
        hasLogStart: logStart != nil
      ) { try Question(try request(AuditRequest()), now: $0) }
    }
    let format = try result.format(format, else: .text)
    try PageTitle.check(title, format.rawValue)
    var protected = log.protectedFiles
    question.protect(in: &protected)
    // A built app is named as a folder, too.
    for file in infoPlist {
      for path in [file, file + "/Info.plist", file + "/Contents/Info.plist"] {
        protected.add(path, "an Info.plist that is read")
      }
    }
    try Output.check(result.output, besides: protected)
    let report = try CommandFailure.wrap {
      try question.isAnswer ? answered() : log.open().audit(try request(AuditRequest()), onUnknown: Output.tell)
    }
    // What lies beside an Info.plist is known when it was read; nothing is written before that.
    for path in report.filesRead { protected.add(path, "read for what an Info.plist says") }
    try Output.check(result.output, besides: protected)
    let reason = failOn.flatMap { FindingsSentence.text(report, from: $0.severity) }
    if reason != nil { Output.setStatusIfUnread(CommandFailure.holds("").status) }
    let rendered = report.render(as: format, style: result.style, listsAll: all, title: title)
    if format == .text, result.output == nil, !noPager {
      try Pager.show(rendered)
    } else {
      try Output.result(rendered, to: result.output, besides: protected)
    }
    if let reason { throw CommandFailure.holds(reason) }
  }

  /// From sums, with the options that were given over their question.
  private func answered() throws -> AuditReport {
    let answer = try question.answer(.audit, log) {
      try request(try $0.request(AuditRequest.init))
    } check: {
      try $0.check($1)
    }
    return try AuditReport(
      answer.sums, of: answer.question, as: answer.request, isOfEmptyLog: answer.totals.events == 0)
  }

  /// What was given, over what a question says.
  private func request(_ asked: AuditRequest) throws -> AuditRequest {
    var request = asked
    try clock.apply(to: &request.scope)
    try filter.apply(from: &request.from, to: &request.to, &request.conditions)
    if let logStart { request.logStart = try Moments.moment(logStart, option: "--log-start") }
    request.thresholds = try ThresholdOption.parsed(threshold) { CommandFailure.usage($0) }
    if let examples { request.examples = examples }
    request.permission = permission
    request.infoPlists = infoPlist
    return request
  }
}
