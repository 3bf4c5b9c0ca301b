// `permlog verify`: every byte of the log against its checksum.

import ArgumentParser
import Permlog
import ReportRendering

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every byte of the log.",
    discussion: """
      Exit status 2 where anything is damaged; each damaged piece is named on standard error.

      Example:
        permlog verify --log permlog-data
      """)

  @OptionGroup var log: LogOptions

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
