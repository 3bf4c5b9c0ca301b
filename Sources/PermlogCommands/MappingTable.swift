// What `mapping check` prints: each event name and answer with what became of it, how often, and where the first one is; what
// was not understood comes first.

import Permlog
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
      text += "Not understood, and look like permission events:\n\n" + table(missed.prefix(rows))
      if missed.count > rows {
        text += "and \(counted(missed.count - rows, "more row", "more rows")); --rows 0 shows all\n"
      }
      text += "\n"
    }
    let others = names.filter { $0.isStored || !$0.looksLikePermission }
    if names.isEmpty {
      if counts.events > 0 { text += "canonical lines, which are read without a mapping\n" }
    } else if !others.isEmpty {
      let stored = others.filter(\.isStored) + others.filter { !$0.isStored }
      text += table(stored.prefix(rows))
      if stored.count > rows {
        text += "and \(counted(stored.count - rows, "more row", "more rows")); --rows 0 shows all\n"
      }
    }
    if counts.respelled > 0 {
      text +=
        "\n\(counted(counts.respelled, "event", "events")) with a kind, permission or status in another spelling\n"
    }
    text += "\n\(counted(counts.lines, "line", "lines")): \(counted(counts.events, "event", "events"))"
    text += ", \(grouped(counts.unmapped)) not stored, \(grouped(counts.rejected)) rejected\n"
    return text
  }

  private func table(_ rows: ArraySlice<TalliedEvent>) -> String {
    NameTable(rows.map { .init($0) }, style: style).text
  }
}

extension NameTable.Row {
  init(_ event: TalliedEvent) {
    // The file's name is enough: directories would push what became of the event to a line of its own.
    let example = event.example?.split(separator: "/").last
    self.init(
      count: event.count, name: event.name, answer: event.answer, outcome: event.outcome, example: String(example ?? "")
    )
  }
}
