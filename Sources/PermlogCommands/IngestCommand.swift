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

extension ImportFormat: ExpressibleByArgument {}

enum SummaryFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Read exported event files into the log.",
    discussion: """
      Commits everything or nothing. Events that the log has already are left out, so that exports can overlap and \
      be ingested again.

      Example:
        permlog ingest exports/ --rejects rejected.ndjson
        gzip -dc events.gz | permlog ingest - --format ndjson
      """)

  @Argument(help: ArgumentHelp("Files, directories (every file below), or - for standard input.", valueName: "file"))
  var files: [String]

  @OptionGroup var log: LogOptions

  @Option(help: "Form of the files: \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: ImportFormat = .auto

  @Option(help: ArgumentHelp("Keep each rejected line with its reason in this file (NDJSON).", valueName: "file"))
  var rejects: String?

  @Flag(help: "Store nothing if any line is rejected (exit status 2).")
  var strict = false

  @Flag(help: "Keep permissions outside the taxonomy under their own names.")
  var allowCustomPermissions = false

  @Flag(help: "Keep timestamps up to the year 2100; without it, up to 25 hours past the clock.")
  var allowFuture = false

  @Option(help: "Form of the summary: text, json.")
  var summary: SummaryFormat = .text

  func run() throws {
    let summary = try CommandFailure.wrap { try ingest() }
    try Output.result(self.summary == .json ? summary.json : summary.text)
    if strict, summary.imported.rejected > 0 {
      throw CommandFailure.badData(
        """
        \(counted(summary.imported.rejected, "line was", "lines were")) rejected and --strict was given: nothing was \
        stored. Mend the lines, or leave --strict out.
        """
      )
    }
  }

  private func ingest() throws -> IngestSummary {
    let start = monotonicSeconds()
    let options = ImportOptions(
      format: format, allowFuture: allowFuture, allowCustomPermissions: allowCustomPermissions,
      now: Milliseconds(currentSeconds()) * 1000, threads: log.threadCount)
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
      if !strict || session.counts.rejected == 0 { try writer.commit() }
    } catch {
      progress.clear()
      throw error
    }
    progress.clear()
    rejected.summarize()
    return IngestSummary(
      imported: session.counts, stored: writer.counts, seconds: monotonicSeconds() - start,
      isStored: !strict || session.counts.rejected == 0)
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
