// `permlog verify`, `compact` and `expire`: check every byte against its checksum, merge parts, remove old events.

import ArgumentParser
import Permlog
import ReportRendering

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every byte of the log.",
    usage: "permlog verify <options>",
    discussion: """
      Exit status 2 if anything is damaged; each damaged piece is named on standard error.

      --receipt takes the receipt of an erasure and looks for its ids in every file of the log: events, links, and the files \
      that permlog undo needs. Exit status 2 if one of them is there again. It works for any log, also for a restored copy.

      Example:
        permlog verify --log permlog-data
        permlog verify --format json
        permlog verify --receipt erased-2026-11.json
      """)

  @OptionGroup var log: LogOptions

  @Option("The receipt of an erasure: look for its ids.", value: "file")
  var receipt: String?

  @OptionGroup var erasures: ErasureKeyOptions

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: SummaryFormat?

  @OptionGroup var result: ResultOptions

  func validate() throws {
    if erasures.key != nil, receipt == nil { throw ValidationError("--key goes with --receipt") }
  }

  func run() throws {
    let format = try FileFormat.choose(format, self.result.output, else: .text)
    let (result, path, proof) = try CommandFailure.wrap {
      let log = try log.open()
      let result = try log.verify()
      // Of a damaged log nothing can be proven.
      let proof =
        try result.damage.isEmpty
        ? receipt.map { try log.verify(receipt: $0, erasureKey: erasures.source()) } : nil
      return (result, log.path, proof)
    }
    if let proof { return try show(proof, path, format) }
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

extension VerifyCommand {
  private func show(_ proof: ReceiptVerification, _ path: String, _ format: SummaryFormat) throws {
    var protected = log.protectedFiles
    protected.add(receipt, "the receipt")
    if !proof.found.isEmpty { Output.setStatusIfUnread(CommandFailure.badData("").status) }
    if format == .json {
      try Output.result(proof.json(path: path), to: result.output, besides: protected)
    } else if !log.quiet || self.format != nil || result.output != nil {
      try Output.result(Array(Self.text(proof).utf8), to: result.output, besides: protected)
    }
    if let readmitted = proof.readmitted, !readmitted.isEmpty {
      Output.message(
        "WARNING: \(Self.requests(readmitted)) not kept out any more: the next ingest that has the events stores them")
    }
    guard proof.found.isEmpty else {
      throw CommandFailure.badData(
        "\(Self.requests(proof.found)) in the log again, though the receipt says that it was erased. Erase the id again, and look "
          + "for the copy of the log or the export that brought it back")
    }
  }

  private static func requests(_ numbers: [Int]) -> String {
    let list = listed(numbers.map { "\($0)" }, most: 20)
    return numbers.count == 1 ? "request \(list) of the receipt is" : "requests \(list) of the receipt are"
  }

  private static func text(_ proof: ReceiptVerification) -> String {
    let receipt = proof.receipt
    var lines = [
      "receipt     \(Timestamp.text(receipt.time)), \(counted(receipt.requests.count, "id", "ids")), "
        + "\(counted(receipt.events, "event", "events")) erased"
    ]
    let missing = receipt.requests.count { !$0.outcome.isFulfilled }
    if missing > 0 { lines.append("not found   \(counted(missing, "id", "ids")) had no events then") }
    lines.append("compared    \(counted(proof.compared, "id", "ids")) in the files of this log")
    lines.append("found       \(proof.found.isEmpty ? "none" : counted(proof.found.count, "id", "ids"))")
    let keptOut =
      proof.readmitted.map {
        $0.isEmpty ? "all" : "\(grouped(receipt.requests.count - $0.count)) of \(grouped(receipt.requests.count))"
      }
      ?? "not known: this log does not have the list of erased users that the receipt is of"
    lines.append("kept out    \(keptOut)")
    return lines.joined(separator: "\n") + "\n"
  }
}

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Merge the log's parts; the events stay the same.",
    usage: "permlog compact <options>",
    discussion: """
      Ingests keep the number of parts small by themselves. One part is a little smaller and faster to report from.

      Example:
        permlog compact --log permlog-data
      """)

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions

  func run() throws {
    let result = try CommandFailure.wrap { try log.open().compact() }
    if let retention = result.retention { RetentionText.warn(retention) }
    if let apart = result.apart { Output.message("WARNING: " + apart.text(saying: ToolWords.text)) }
    if log.quiet { return }
    func text(_ size: Compaction.Size) -> String {
      "\(counted(size.parts, "part", "parts")) of \(grouped(size.bytes)) bytes"
    }
    if let retention = result.retention, retention.events > 0 {
      try Output.summary("removed \(RetentionText.removed(retention))\n")
    }
    try Output.summary(
      result.before.parts == result.after.parts
        ? "\(text(result.before)): \(result.apart == nil ? "nothing to merge" : "nothing was merged")\n"
        : "\(text(result.before)) became \(text(result.after))\n")
  }
}

struct ExpireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expire", abstract: "Remove events before a date, from every file of the log.",
    usage: "permlog expire <options>",
    discussion: """
      Later ingests leave out events before that date and count them, until --readmit. A date before the last one \
      changes nothing. --dry-run prints what would be removed and changes no file.

      --keep makes it a rule of the log. Each ingest and each compact then removes the events that have become too old, once a day \
      (UTC), before it does anything else. If all events of the log are too old, nothing is removed and a warning says so: the \
      clock may be wrong. Then --before removes them.

      Example:
        permlog expire --before 2025-01-01 --dry-run
        permlog expire --before 2025-01-01 --quiet --wait 60s
        permlog expire --keep 13mo
      """)

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var appearance: TextOptions

  @Option("The first date, or RFC 3339 time, to keep.", value: "date")
  var before: String?

  @Option("Time zone of the date, by its IANA name.", value: "zone")
  var timeZone = "UTC"

  @Option(
    "A standing rule: keep events for so long, such as 90d, 13mo or 2y. Now and at each ingest, older events are removed. The word none ends the rule.",
    value: "span")
  var keep: String?

  @Flag(help: "Accept events of any age again.")
  var readmit = false

  @Flag(help: "Print what would be removed, and change no file.")
  var dryRun = false

  mutating func validate() throws {
    guard [before != nil, keep != nil, readmit].count(where: { $0 }) == 1 else {
      throw ValidationError("give one of --before DATE, --keep SPAN and --readmit")
    }
    if readmit, dryRun {
      throw ValidationError("--dry-run goes with --before and --keep; --readmit removes nothing")
    }
    if let keep {
      guard keep == "none" || RetentionSpan(keep) != nil else {
        throw ValidationError(
          "--keep \(keep) is not a span: give days, months or years, up to 100 years, such as 90d, 13mo or 2y. The word none ends the rule"
        )
      }
      if timeZone != "UTC" { throw ValidationError("--time-zone goes with --before: --keep counts days in UTC") }
      if keep == "none", dryRun {
        throw ValidationError("--keep none removes no event: leave --dry-run out")
      }
    }
  }

  func run() throws {
    let text = try CommandFailure.wrap {
      if let keep { return try apply(keep) }
      guard let before else { return Self.text(readmitted: try log.open().readmitExpired()) }
      let moment = try GivenTime.moment(before, of: .before)
      return try dryRun
        ? Self.text(log.open().previewExpiry(before: moment, timeZone: timeZone))
        : Self.text(log.open().expire(before: moment, timeZone: timeZone))
    }
    if dryRun { return try Output.result(text) }
    if !log.quiet { try Output.summary(text) }
  }

  /// Sets the rule, and applies it.
  private func apply(_ keep: String) throws -> String {
    let log = try log.open()
    guard let rule = RetentionSpan(keep) else {
      try log.keep(nil)
      return "the log has no rule for old events from now on: removed events stay out, until --readmit\n"
    }
    let preview = try log.previewRetention(rule)
    var notes = ""
    if let former = preview.stillOut {
      let day = Timestamp.text(former).prefix(10)
      notes =
        "events before \(day) were removed earlier and stay out; to let them in: permlog expire --keep none, then --readmit, then this rule\n"
    }
    if dryRun {
      RetentionText.warn(preview)
      guard preview.refusal == nil else { return notes + "would remove no event\nnothing was changed\n" }
      return notes + Self.text(try log.previewExpiry(before: .time(preview.limit)))
    }
    let applied = try log.keep(rule)
    let text = "the log keeps events for \(rule.words) from now on\n" + notes
    guard let applied, applied.refusal == nil else {
      if let applied { RetentionText.warn(applied) }
      return text
    }
    return text + "removed \(RetentionText.removed(applied))\n"
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

extension RetentionSpan {
  /// `13 months`.
  var words: String {
    switch unit {
    case .days: counted(count, "day", "days")
    case .months: counted(count, "month", "months")
    case .years: counted(count, "year", "years")
    }
  }
}

/// What a rule for old events did.
enum RetentionText {
  static func removed(_ applied: AppliedRetention) -> String {
    let day = Timestamp.text(applied.limit).prefix(10)
    return "\(counted(applied.events, "event", "events")) before \(day): the log keeps \(applied.rule.words)"
  }

  /// Warns if the rule was not applied.
  static func warn(_ applied: AppliedRetention) {
    let day = Timestamp.text(applied.limit).prefix(10)
    let finding: String
    switch applied.refusal {
    case nil: return
    case .allAreOlder?: finding = "all events of the log are older than \(applied.rule.words) (before \(day))"
    case .newest(let time)?:
      finding =
        "the newest event of the log is of \(Timestamp.text(time).prefix(10)), long before the time of the clock"
    }
    Output.message(
      "WARNING: \(finding). The rule removed no event, since the clock may be wrong. If it is right, permlog expire --before \(day) removes them."
    )
  }
}

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the log, beside a command that writes to it.",
    usage: "permlog backup <directory> <options>",
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
    try Output.summary(text)
  }
}
