// What `mapping check` prints: each event name with what became of it, what was not understood first.

import EventImport
import ReportRendering

struct MappingTable {
  var names: [TalliedEvent]
  var counts: ImportCounts
  var rows: Int
  var style: TextStyle

  var text: String {
    if counts.lines == 0 { return "no lines\n" }
    let missed = names.filter { !$0.isStored && $0.looksLikePermission }
    var text = ""
    if !missed.isEmpty {
      text += "Not understood, and look like permission events:\n\n" + table(missed[...]) + "\n"
    }
    let others = names.filter { $0.isStored || !$0.looksLikePermission }
    if names.isEmpty {
      text += "canonical lines: they need no mapping\n"
    } else if !others.isEmpty {
      let stored = others.filter(\.isStored) + others.filter { !$0.isStored }
      text += table(stored.prefix(rows))
      if stored.count > rows {
        text += "and \(counted(stored.count - rows, "more row", "more rows")); --rows 0 shows all\n"
      }
    }
    text += "\n\(counted(counts.lines, "line", "lines")): \(counted(counts.events, "event", "events"))"
    text += ", \(grouped(counts.unmapped)) not stored, \(grouped(counts.rejected)) rejected\n"
    return text
  }

  private func table(_ rows: ArraySlice<TalliedEvent>) -> String {
    NameTable(rows.map { .init(count: $0.count, name: $0.name, outcome: $0.outcome) }, style: style).text
  }
}
