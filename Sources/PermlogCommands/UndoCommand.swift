// `permlog undo`: takes the newest ingest back.

import ArgumentParser
import PermissionEvents
import Permlog
import ReportRendering

struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take the newest ingest back.",
    usage: "permlog undo <options>",
    discussion: """
      Its events and links go, and events that it replaced return: the log is as it was before. Ingests without new events \
      are not counted. An ingest can be taken back until the next one with new events, and until an erasure, an expiry, \
      a --readmit or compact. permlog info --ingests shows whether it can be.

      Its files are read again when they are in a directory of the next ingest: repair them, or move them away.

      Example:
        permlog undo --dry-run
        permlog undo
      """)

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions

  @Flag(help: "Print what would be taken back, and change no file.")
  var dryRun = false

  func run() throws {
    let text = try CommandFailure.wrap {
      let log = try log.open()
      if dryRun {
        guard let ingest = try log.undoableIngest() else { throw Self.nothing }
        return "would take back \(IngestTable.words(ingest, appearance.style()))\nnothing was changed\n"
      }
      guard let undone = try log.undo() else { throw Self.nothing }
      return Self.text(undone, appearance.style())
    }
    if dryRun { return try Output.result(text) }
    if !log.quiet { try Output.summary(text) }
  }

  private static var nothing: CommandFailure {
    .failed(
      "there is no ingest that can be taken back: only the newest one with new events can be, until the log is changed by another "
        + "ingest, an erasure, an expiry, a --readmit or compact. Nothing was changed.")
  }

  private static func text(_ undone: UndoneIngest, _ style: TextStyle) -> String {
    var lines = undone.ingests.map { "took back \(IngestTable.words($0, style))" }
    lines.append(
      undone.events >= 0
        ? "the log has \(counted(undone.events, "event", "events")) fewer"
        : "the log has \(counted(-undone.events, "event", "events")) more: events that were joined return")
    if let newest = undone.newest { lines.append("newest     \(Timestamp.text(newest)), of all events in the log") }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// `info --ingests`: one line for each ingest.
enum IngestTable {
  /// `the ingest of 2026-03-01T04:00:00Z (12,345 new events from exports/a.ndjson and 2 other files)`
  static func words(_ ingest: IngestRecord, _ style: TextStyle) -> String {
    let files =
      ingest.names.isEmpty
      ? ""
      : " from \(style.legible(ingest.names[0]))"
        + (ingest.files > 1 ? " and \(counted(ingest.files - 1, "other file", "other files"))" : "")
    let others = [("replaced", "replaced"), ("withdrawn", "withdrawn"), ("links", "joined")].compactMap { key, word in
      ingest.measures[key].map { ", \(grouped($0)) \(word)" }
    }
    return
      "the ingest of \(Timestamp.text(ingest.time)) (\(counted(ingest.new, "new event", "new events"))\(others.joined())\(files))"
  }

  static func text(_ information: LogInformation, _ style: TextStyle) -> String {
    guard !information.ingests.isEmpty else {
      return "no ingest is remembered: this log was written by an older permlog\n"
    }
    let rows =
      [["ingest", "time", "files", "new", "duplicates", "remarks"]]
      + information.ingests.map { ingest in
        [
          "\(ingest.number)", Timestamp.text(ingest.time), grouped(ingest.files), grouped(ingest.new),
          grouped(ingest.duplicates), remarks(ingest, information, style),
        ]
      }
    let widths = (0..<5).map { column in rows.map { $0[column].utf8.count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { String(repeating: " ", count: $1 - $0.utf8.count) + $0 }
      return (cells + [row[5]]).joined(separator: "  ").trimmedRight + "\n"
    }.joined()
  }

  private static func remarks(_ ingest: IngestRecord, _ information: LogInformation, _ style: TextStyle) -> String {
    var remarks: [String] = []
    if let undone = ingest.undone { remarks.append("taken back " + Timestamp.text(undone)) }
    if ingest.number == information.undoableIngest { remarks.append("can be taken back: permlog undo") }
    if !ingest.findings.isEmpty {
      remarks.append("unusual: " + listed(ingest.findings.map { style.legible($0.measure) }, most: 4))
    }
    if let name = ingest.names.first { remarks.append(style.legible(name)) }
    return remarks.joined(separator: "; ")
  }
}
