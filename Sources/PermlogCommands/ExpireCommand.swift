// `permlog expire`: old events out of the log.

import ArgumentParser
import EventLog
import PermissionEvents
import ReportRendering

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

  @Option(help: ArgumentHelp("The first date, or RFC 3339 time, that stays.", valueName: "date"))
  var before: String?

  @Option(help: ArgumentHelp("Time zone of the date, by its IANA name.", valueName: "zone"))
  var timeZone = "UTC"

  @Flag(help: "Let events of any age in again.")
  var readmit = false

  mutating func validate() throws {
    guard (before == nil) == readmit else { throw ValidationError("say --before DATE, or --readmit") }
  }

  func run() throws {
    let text = try CommandFailure.wrap {
      let time = try before.map { try moment($0) }
      if let time, time > Milliseconds(currentSeconds()) * 1000 {
        throw CommandFailure.usage(
          "--before \(before ?? ""): that is to come; all events would go. Name a date that is past")
      }
      let writer = try EventLogWriter(log.directory, threads: log.threadCount, mayCreate: false)
      defer { writer.close() }
      return try time.map { try expire($0, writer) } ?? readmit(writer)
    }
    try Output.result(text)
  }

  private func moment(_ text: String) throws -> Milliseconds {
    let utc = try Moments.moment(text, option: "--before", zone: .utc)
    let zone = try SystemZones.table(timeZone, over: utc - 3 * millisecondsPerDay...utc + 3 * millisecondsPerDay)
    return try Moments.moment(text, option: "--before", zone: zone)
  }

  private func expire(_ time: Milliseconds, _ writer: EventLogWriter) throws -> String {
    let counts = try writer.expire(before: time)
    var text = "removed \(counted(counts.events, "event", "events")) before \(Timestamp.text(time))"
    if counts.parts > 0 { text += ", from \(counted(counts.parts, "part", "parts"))" }
    text += "\n"
    if let limit = writer.expiredBefore, limit > time {
      text += "events before \(Timestamp.text(limit)) had been removed before and stay out\n"
    }
    return text
  }

  private func readmit(_ writer: EventLogWriter) throws -> String {
    guard let time = try writer.readmitExpired() else { return "nothing was expired in this log\n" }
    return "events before \(Timestamp.text(time)) are let in again with the next ingest that has them\n"
  }
}
