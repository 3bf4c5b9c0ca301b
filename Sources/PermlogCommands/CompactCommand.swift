// `permlog compact`: the log's parts merged. Ingests merge on their own; this does the rest at once.

import ArgumentParser
import EventLog
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
    let (before, after) = try CommandFailure.wrap {
      let writer = try EventLogWriter(log.directory, threads: log.threadCount, mayCreate: false)
      defer { writer.close() }
      let before = writer.size
      try writer.compact()
      return (before, writer.size)
    }
    func text(_ size: (parts: Int, bytes: Int)) -> String {
      "\(counted(size.parts, "part", "parts")) of \(grouped(size.bytes)) bytes"
    }
    try Output.result(
      before.parts == after.parts ? "\(text(before)): nothing to merge\n" : "\(text(before)) became \(text(after))\n")
  }
}
