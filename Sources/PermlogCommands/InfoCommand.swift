// `permlog info`: what is in the log.

import ArgumentParser
import Permlog
import ReportRendering

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Say what is in the log.",
    discussion: """
      Example:
        permlog info --log permlog-data
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var appearance: TextOptions

  func run() throws {
    let text = try CommandFailure.wrap {
      let log = try log.open()
      return render(try log.information(), log.path)
    }
    try Output.result(text)
  }

  private func render(_ info: LogInformation, _ path: String) -> String {
    let style = appearance.style()
    var lines = ["log         \(path)", "events      \(grouped(info.events))"]
    if info.events > 0 {
      let low = info.parts.map(\.times.lowerBound).min() ?? 0
      let high = info.parts.map(\.times.upperBound).max() ?? 0
      lines.append("from        \(Timestamp.text(low))")
      lines.append("to          \(Timestamp.text(high))")
      lines.append("bytes       \(grouped(info.bytes)), \(fixed(Double(info.bytes) / Double(info.events), 2)) an event")
    }
    lines.append("commits     \(grouped(Int(info.generation)))")
    if info.erasedUsers > 0 { lines.append("erased      \(counted(info.erasedUsers, "user", "users"))") }
    if let limit = info.expiredBefore { lines.append("expired     before \(Timestamp.text(limit))") }
    lines.append("parts       \(info.parts.count)")
    for part in info.parts {
      lines.append(
        "  \(part.name)  \(counted(part.events, "event", "events")), \(grouped(part.bytes)) bytes, "
          + counted(part.blocks, "block", "blocks"))
    }
    for field in [StringField.permission, .experiment, .variant] {
      let values = (info.values[field] ?? []).map { style.legible($0) }
      let shown = values.prefix(40).joined(separator: ", ")
      let name = field.name + "s"
      lines.append(
        name + String(repeating: " ", count: 12 - name.count) + (values.isEmpty ? "none" : shown)
          + (values.count > 40 ? " and \(values.count - 40) more" : ""))
    }
    for (name, values) in [
      ("kinds", info.unknown.kinds), ("permissions", info.unknown.permissions), ("columns", info.unknown.columns),
    ] where !values.isEmpty {
      let shown = values.map { style.legible($0) }.joined(separator: ", ")
      lines.append("unknown     \(name) \(shown): kept, exported, left out of the figures")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
