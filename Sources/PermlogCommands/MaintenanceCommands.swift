// `permlog verify`, `compact` and `expire`: check every byte against its checksum, merge parts, remove old events.

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
        permlog verify --format json
      """)

  @OptionGroup var log: LogOptions

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: SummaryFormat?

  @OptionGroup var result: ResultOptions

  func run() throws {
    let format = try FileFormat.choose(format, self.result.output, else: .text)
    let (result, path) = try CommandFailure.wrap {
      let log = try log.open()
      return (try log.verify(), log.path)
    }
    if format == .json {
      try Output.result(result.json(path: path), to: self.result.output, besides: log.protectedFiles)
    }
    for sentence in result.damage + result.notes { Output.error(sentence) }
    guard result.damage.isEmpty else {
      let pieces = result.damage.count == 1 ? "1 piece is" : "\(result.damage.count) pieces are"
      throw CommandFailure.badData(
        "\(pieces) damaged; restore the log from a copy, or save the undamaged events with `permlog export --skip-damaged`"
      )
    }
    if format == .json || log.quiet && self.format == nil && self.result.output == nil { return }
    let events = counted(result.events, "event", "events")
    let blocks = counted(result.blocks, "block", "blocks")
    let parts = counted(result.parts, "part", "parts")
    let text = "all \(grouped(result.bytes)) bytes are as written: \(events) in \(blocks) of \(parts)\n"
    try Output.result(Array(text.utf8), to: self.result.output, besides: log.protectedFiles)
  }
}

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Merge the log's parts; the events stay the same.",
    discussion: """
      Ingests keep the number of parts small by themselves. One part is a little smaller and faster to report from.

      Example:
        permlog compact --log permlog-data
      """)

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions

  func run() throws {
    let result = try CommandFailure.wrap { try log.open().compact() }
    if log.quiet { return }
    if let apart = result.apart { Output.message("WARNING: " + apart.text(saying: CommandWords.text)) }
    func text(_ size: Compaction.Size) -> String {
      "\(counted(size.parts, "part", "parts")) of \(grouped(size.bytes)) bytes"
    }
    try Output.result(
      result.before.parts == result.after.parts
        ? "\(text(result.before)): \(result.apart == nil ? "nothing to merge" : "nothing was merged")\n"
        : "\(text(result.before)) became \(text(result.after))\n")
  }
}

struct ExpireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expire", abstract: "Remove events before a date, from every file of the log.",
    discussion: """
      Later ingests leave out events before that date and count them, until --readmit. A date before the last one \
      changes nothing. --dry-run prints what would be removed and changes no file.

      Example:
        permlog expire --before 2025-01-01 --dry-run
        permlog expire --before 2025-01-01 --quiet --wait 60s
      """)

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions

  @Option("The first date, or RFC 3339 time, to keep.", value: "date")
  var before: String?

  @Option("Time zone of the date, by its IANA name.", value: "zone")
  var timeZone = "UTC"

  @Flag(help: "Accept events of any age again.")
  var readmit = false

  @Flag(help: "Print what would be removed, and change no file.")
  var dryRun = false

  mutating func validate() throws {
    guard (before == nil) == readmit else { throw ValidationError("give --before DATE or --readmit") }
    if readmit, dryRun { throw ValidationError("--dry-run goes with --before; --readmit removes nothing") }
  }

  func run() throws {
    let text = try CommandFailure.wrap {
      guard let before else { return Self.text(readmitted: try log.open().readmitExpired()) }
      let moment = try GivenTime.moment(before, of: .before)
      return try dryRun
        ? Self.text(log.open().previewExpiry(before: moment, timeZone: timeZone))
        : Self.text(log.open().expire(before: moment, timeZone: timeZone))
    }
    if dryRun || !log.quiet { try Output.result(text) }
  }

  private static func text(_ preview: ExpiryPreview) -> String {
    let expiry = preview.expiry
    var text = "would remove \(counted(expiry.events, "event", "events")) before \(Timestamp.text(expiry.before))"
    if expiry.events > 0 {
      text += " of \(counted(preview.users, "user", "users")), from \(counted(expiry.parts, "part", "parts"))\n"
      text += preview.wholeUsers == 1 ? "1 user would have" : "\(grouped(preview.wholeUsers)) users would have"
      text += " no events left"
    }
    return text + "\nnothing was changed\n"
  }

  private static func text(_ result: Expiry) -> String {
    var text = "removed \(counted(result.events, "event", "events")) before \(Timestamp.text(result.before))"
    if result.parts > 0 { text += ", from \(counted(result.parts, "part", "parts"))" }
    text += "\n"
    if result.limit > result.before {
      text += "events before \(Timestamp.text(result.limit)) were removed earlier and stay out\n"
    }
    return text
  }

  private static func text(readmitted time: Milliseconds?) -> String {
    guard let time else { return "nothing was expired in this log\n" }
    return "events before \(Timestamp.text(time)) are accepted again: the next ingest that has them stores them\n"
  }
}

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the log, beside a command that writes to it.",
    discussion: """
      The copy is the log as it was last committed, and is a log itself: --log reads it, and verify checks it. When it is \
      renewed, only new files are copied, and files that the log no longer has are removed: an erasure reaches the copy \
      with the next backup. To restore, copy back into an empty directory.

      Example:
        permlog backup /mnt/backup/permlog
        permlog verify --log /mnt/backup/permlog
        permlog backup permlog-restored --log /mnt/backup/permlog
      """)

  @Argument("The directory of the copy: empty, not there yet, or an earlier copy.", value: "directory")
  var directory: String

  @OptionGroup var log: LogOptions
  @OptionGroup var appearance: TextOptions

  func run() throws {
    let backup = try CommandFailure.wrap { try log.open().backUp(to: directory) }
    if log.quiet { return }
    let style = appearance.style()
    var text =
      "copied     \(counted(backup.newFiles, "new file", "new files")) of \(grouped(backup.newBytes)) bytes to "
      + "\(style.legible(directory))\n"
      + "the copy   \(counted(backup.files, "file", "files")) of \(grouped(backup.bytes)) bytes, commit \(backup.fingerprint)\n"
    if backup.removedFiles > 0 {
      text += "removed    \(counted(backup.removedFiles, "file", "files")) that the log no longer has\n"
    }
    try Output.result(text)
  }
}
