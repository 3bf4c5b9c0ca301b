// What an ingest did, for people and for programs.

import EventImport
import EventLog
import ReportRendering

struct IngestSummary {
  var imported: ImportCounts
  var stored: IngestCounts
  var seconds: Double
  var isStored: Bool

  /// Events that were read and may not enter the log.
  private var leftOut: Int { stored.erased + stored.expired }

  var json: String {
    let value = JSONValue.object([
      ("files", .integer(imported.files)), ("lines", .integer(imported.lines)),
      ("events", .integer(imported.events - leftOut)),
      ("new", .integer(stored.new)), ("duplicates", .integer(stored.duplicates)),
      ("conflicts", .integer(stored.conflicts)), ("erased", .integer(leftOut)),
      ("rejected", .integer(imported.rejected)),
      ("ignored_fields", .integer(imported.ignoredFields)), ("unmapped_events", .integer(0)),
      ("seconds", .number(seconds)),
    ])
    return String(decoding: value.encode(), as: UTF8.self)
  }

  var text: String {
    var lines = [
      "read       \(count(imported.lines, "line")) in \(count(imported.files, "file"))",
      "new        \(count(stored.new, "event"))\(isStored ? "" : ", not stored")",
      "duplicate  \(count(stored.duplicates, "event"))"
        + (stored.conflicts > 0 ? ", of which \(grouped(stored.conflicts)) differ from the one kept" : ""),
    ]
    if stored.erased > 0 { lines.append("erased     \(count(stored.erased, "event")) of erased users, left out") }
    if stored.expired > 0 {
      lines.append("expired    \(count(stored.expired, "event")) older than the log keeps, left out")
    }
    lines += [
      "ignored    \(count(imported.ignoredFields, "field")) that the log does not keep",
      "rejected   \(count(imported.rejected, "line"))",
    ]
    let rate = seconds > 0 ? Double(imported.lines) / seconds : 0
    lines.append("in \(fixed(seconds, 2)) s, \(grouped(Int(rate))) lines a second")
    return lines.joined(separator: "\n") + "\n"
  }

  private func count(_ n: Int, _ noun: String) -> String { counted(n, noun, noun + "s") }
}
