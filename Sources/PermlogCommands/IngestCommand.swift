// `permlog ingest`: exports into the log, all or nothing.

import ArgumentParser
import Permlog
import ReportRendering

extension SummaryFormat: ExpressibleByArgument {}

/// `--max-rejected`: a share of all lines, or a number of them.
extension RejectionLimit: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Read exported event files into the log.",
    discussion: """
      Commits everything or nothing. Events that are already in the log are left out, so exports can overlap and be \
      ingested again.

      Reads canonical NDJSON, CSV and Arrow streams, exports of \(VendorMappings.titles), \
      and anything else that a mapping describes. Each file is recognised by its content.

      Example:
        permlog ingest exports/ --rejects rejected.ndjson
        permlog ingest amplitude.zip --mapping mine.yaml
        permlog ingest amplitude.zip --mapping corrected.yaml --replace
        permlog ingest sheet.csv --input-time-zone Europe/Berlin --max-rejected 1%
        gzip -dc events.gz | permlog ingest - --format ndjson
      """)

  @Argument(
    help: ArgumentHelp("Files, directories (every file below), or - for standard input.", valueName: "file"),
    completion: .file())
  var files: [String]

  @OptionGroup var log: WrittenLogOptions

  @OptionGroup var form: ImportFormOptions

  @OptionGroup var users: UserHashOptions

  @Flag(
    help: """
      Store the new reading of rows that the log has: within the files' users and event ids, events of the log that were read \
      in another way give way.
      """)
  var replace = false

  @Flag(help: "Refuse the ingest if the log exists.")
  var intoNewLog = false

  @Flag(
    help:
      "Take another key for users than the log's, or none: one person can be two users, and who was erased comes back.")
  var forceMixedUsers = false

  @OptionGroup var erasures: ErasureKeyOptions

  @OptionGroup var rejected: RejectedLineOptions

  @Flag(help: "Store nothing if any line is rejected (exit status 2).")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Store nothing if more lines than this are rejected, as 1% or 100 (exit status 2).", valueName: "share|number"))
  var maxRejected: RejectionLimit?

  @Option(help: "Format of the summary (default: text; none with --quiet).")
  var summary: SummaryFormat?

  @OptionGroup var appearance: TextOptions

  func run() throws {
    let result = try CommandFailure.wrap { try ingest() }
    IngestNotes.show(result, rejectsFile: rejected.rejects)
    let text = IngestText(result: result)
    // The contract's object has room for the number alone, so that the names go beside it; and without a summary they are
    // told if nothing was stored.
    if summary == .json || log.quiet {
      if let skipped = result.skippedFiles.message { Output.message("skipped " + skipped) }
      if let names = text.unmapped(.init(width: 80)) {
        Output.message(lines: names.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
      }
    }
    if summary == .json {
      try Output.result(result.json)
    } else if !log.quiet || summary == .text {
      try Output.result(text.summary(appearance.style()))
    }
    if let refusal = result.refusal { throw CommandFailure.badData(refusal.commandText) }
  }

  private func ingest() throws -> IngestResult {
    var options = form.options()
    options.userKey = try users.key(besides: log.log.path)
    options.allowsMixedUsers = forceMixedUsers
    options.erasureKey = erasures.source()
    rejected.apply(to: &options)
    options.keptFiles = users.hashUsers.map { [$0] } ?? []
    options.isStrict = strict
    options.replacesEvents = replace
    options.needsNewLog = intoNewLog
    options.rejectionLimit = maxRejected
    let isShown = Output.isErrorTerminal && !log.quiet
    let progress = ProgressLine()
    defer { if isShown { progress.clear() } }
    return try log.open().ingest(
      RawArguments.paths(files), options: options, onProgress: { if isShown { progress.show($0) } })
  }
}

extension IngestRefusal {
  /// Why nothing was stored, and the options by which it would be.
  var commandText: String { commandText(of: "nothing was stored") }

  /// The same of another command.
  /// - Parameter outcome: what did not happen.
  func commandText(of outcome: String) -> String {
    switch self {
    case .strict: "\(finding) and --strict was given: \(outcome). Fix the lines, or leave --strict out."
    case .tooManyRejected(let count, let limit):
      "\(counted(count, "line was", "lines were")) rejected, more than --max-rejected \(limit.text): \(outcome). Fix "
        + "the lines, or allow more."
    case .noEventIDs: "\(finding): \(outcome)" + CommandWords.text(.ingestIntoNewLog)
    case .nothingUnderstood:
      "\(finding): \(outcome). permlog mapping check FILE shows what became of each, permlog mapping draft FILE "
        + "writes a mapping to begin with."
    }
  }
}
