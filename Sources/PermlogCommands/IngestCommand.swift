// `permlog ingest`: exports into the log, all or nothing.

import ArgumentParser
import EventImport
import EventLog
import PermissionEvents
import ReportRendering

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum SummaryFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Read exported event files into the log.",
    discussion: """
      Commits everything or nothing. Events that the log has already are left out, so that exports can overlap and \
      be ingested again.

      Reads canonical NDJSON and CSV, exports of Amplitude, Mixpanel, Segment, GA4, PostHog and Snowplow, and anything \
      else that a mapping describes. Each file is recognised by its content.

      Example:
        permlog ingest exports/ --rejects rejected.ndjson
        permlog ingest amplitude.zip --mapping mine.yaml
        permlog ingest sheet.csv --input-time-zone Europe/Berlin --max-rejected 1%
        gzip -dc events.gz | permlog ingest - --format ndjson
      """)

  @Argument(help: ArgumentHelp("Files, directories (every file below), or - for standard input.", valueName: "file"))
  var files: [String]

  @OptionGroup var log: LogOptions

  @OptionGroup var form: ImportFormOptions

  @OptionGroup var users: UserHashOptions

  @Option(help: ArgumentHelp("Keep each rejected line with its reason in this file (NDJSON).", valueName: "file"))
  var rejects: String?

  @Flag(help: "Store nothing if any line is rejected (exit status 2).")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Store nothing if more lines than this are rejected, as 1% or 100 (exit status 2).", valueName: "share|number"))
  var maxRejected: RejectionLimit?

  @Option(help: "Form of the summary: text, json.")
  var summary: SummaryFormat = .text

  func run() throws {
    let summary = try CommandFailure.wrap { try ingest() }
    // The contract's object has room for the number alone, so that the names go beside it.
    if self.summary == .json {
      if let skipped = summary.skipped.message { Output.message("skipped " + skipped) }
      if let names = summary.unmappedText(.init(width: 80)) { Output.message(names) }
    }
    try Output.result(self.summary == .json ? summary.json : summary.text(.current(toFile: false)))
    if let refusal = summary.refusal { throw CommandFailure.badData(refusal.sentence) }
  }

  /// Why nothing of what was read may be stored; nil if it may.
  private func refusal(_ counts: ImportCounts) -> IngestRefusal? {
    if strict, counts.rejected > 0 { return .strict(counts.rejected) }
    if let maxRejected, maxRejected.isExceeded(counts.rejected, of: counts.lines) {
      return .tooMany(counts.rejected, limit: maxRejected.text)
    }
    return counts.lines > 0 && counts.events == 0 ? .nothingUnderstood(counts) : nil
  }

  private func ingest() throws -> IngestSummary {
    let start = monotonicSeconds()
    var options = try form.options(threads: log.threadCount)
    options.userKey = try users.key()
    let rejected = RejectReport(path: rejects)
    let progress = ProgressLine()
    let session = try ImportSession(
      paths: files, options: options, onReject: { try rejected.add($0) },
      onProgress: { if Output.isErrorTerminal { progress.show($0) } })
    try rejected.open(besides: session.files)
    let writer = try EventLogWriter(log.directory, threads: log.threadCount)
    defer { writer.close() }
    do {
      var isDone = false
      while !isDone {
        let run = writer.beginRun()
        isDone = try session.run(into: run)
        progress.note("sorting and writing")
        try writer.finish(run)
      }
      try rejected.close()
      if refusal(session.counts) == nil { try writer.commit() }
    } catch {
      progress.clear()
      throw error
    }
    progress.clear()
    rejected.summarize()
    for note in session.convertedFiles.messages { Output.message(note) }
    for failure in session.partialFiles { Output.message(failure.partMessage) }
    OneSidedAnswers.warn(session.answerCounts)
    return IngestSummary(
      imported: session.counts, skipped: session.skippedFiles, names: session.eventNames, stored: writer.counts,
      seconds: monotonicSeconds() - start, refusal: refusal(session.counts))
  }
}

/// Seconds since 1970 by the machine's clock.
func currentSeconds() -> Int { time(nil) }

/// Seconds of a clock that never jumps.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
