// `permlog verify`, `compact` and `expire`: every byte against its checksum, parts merged, old events out of the log.

import ArgumentParser
import Permlog
import ReportRendering

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every byte of the log.",
    discussion: """
      Exit status 2 if anything is damaged; each damaged piece is named on standard error.

      Example:
        permlog verify --log permlog-data
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var appearance: TextOptions

  func run() throws {
    let result = try CommandFailure.wrap { try log.open().verify() }
    for sentence in result.damage { Output.error(sentence) }
    for sentence in result.notes { Output.error(sentence) }
    guard result.damage.isEmpty else {
      let pieces = result.damage.count == 1 ? "1 piece is" : "\(result.damage.count) pieces are"
      throw CommandFailure.badData(
        "\(pieces) damaged; restore the log from a copy, or save what is whole with `permlog export --skip-damaged`")
    }
    let events = counted(result.events, "event", "events")
    let blocks = counted(result.blocks, "block", "blocks")
    let parts = counted(result.parts, "part", "parts")
    try Output.result("all \(grouped(result.bytes)) bytes are as written: \(events) in \(blocks) of \(parts)\n")
  }
}

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
  @OptionGroup var appearance: TextOptions

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

struct ExpireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expire",
    abstract: "Remove events before a date, from every file of the log.",
    discussion: """
      Later ingests leave out events before that date, and count them, until --readmit. An earlier date than the last
      one changes nothing.

      Example:
        permlog expire --before 2025-01-01
      """)

  @OptionGroup var log: LogOptions
  @OptionGroup var appearance: TextOptions

  @Option(help: ArgumentHelp("The first date, or RFC 3339 time, to keep.", valueName: "date"))
  var before: String?

  @Option(help: ArgumentHelp("Time zone of the date, by its IANA name.", valueName: "zone"))
  var timeZone = "UTC"

  @Flag(help: "Accept events of any age again.")
  var readmit = false

  mutating func validate() throws {
    guard (before == nil) == readmit else { throw ValidationError("say --before DATE, or --readmit") }
  }

  func run() throws {
    let text = try CommandFailure.wrap {
      guard let before else { return Self.text(readmitted: try log.open().readmitExpired()) }
      let moment = try Moments.moment(before, option: "--before")
      return Self.text(try log.open().expire(before: moment, timeZone: timeZone))
    }
    try Output.result(text)
  }

  private static func text(_ result: Expiry) -> String {
    var text = "removed \(counted(result.events, "event", "events")) before \(Timestamp.text(result.before))"
    if result.parts > 0 { text += ", from \(counted(result.parts, "part", "parts"))" }
    text += "\n"
    if result.limit > result.before {
      text += "events before \(Timestamp.text(result.limit)) had been removed before and stay out\n"
    }
    return text
  }

  private static func text(readmitted time: Milliseconds?) -> String {
    guard let time else { return "nothing was expired in this log\n" }
    return "events before \(Timestamp.text(time)) are let in again with the next ingest that has them\n"
  }
}
