// `permlog compact`: the log's parts merged. Ingests merge on their own; this does the rest at once.

import ArgumentParser
import Permlog
import ReportRendering

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Merge the log's parts; nothing that can be read changes.",
    discussion: """
      Ingests keep the number of parts small by themselves. One part is a little smaller and faster to report from.

      Example:
        permlog compact --log permlog-data
      """)

  @OptionGroup var log: LogOptions

  func run() throws {
    let result = try CommandFailure.wrap { try log.open().compact() }
    func text(_ size: Compaction.Size) -> String {
      "\(counted(size.parts, "part", "parts")) of \(grouped(size.bytes)) bytes"
    }
    try Output.result(
      result.before.parts == result.after.parts
        ? "\(text(result.before)): nothing to merge\n" : "\(text(result.before)) became \(text(result.after))\n")
  }
}
