// `permlog info`: the content of the log.

import ArgumentParser
import Permlog
import ReportRendering

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Print what is in the log.",
    usage: "permlog info <options>",
    discussion: """
      --erasures lists the requests to erase users, with their times. The log has only keyed hashes of the ids, so it counts \
      them and cannot name them. Readmitted ids are not listed.

      --max-age shows whether a feed has stopped. The exit status is 3 if the newest event is older by the machine's \
      clock, or if the log is empty.

      --fingerprint shows whether the log was replaced by an older copy of itself. Such a copy is undamaged, so verify \
      finds nothing. Keep the fingerprint elsewhere after each command that writes, and compare it before the next.

      Example:
        permlog info --log permlog-data
        permlog info --max-age 36h --quiet > /dev/null
        permlog info --output log.json
        permlog info --fingerprint
        permlog info --ingests
      """)

  @OptionGroup var log: LogOptions

  @Option("End with exit status 3 if the newest event is older than this: a number with m, h or d.", value: "duration")
  var maxAge: DurationOption?

  @Flag(help: "Print only the fingerprint of the log's present state: it changes with every commit.")
  var fingerprint = false

  @Flag(help: "Print the ingests that the log remembers: time, files, events and warnings of each.")
  var ingests = false

  @Flag(help: "Print the requests to erase users: time, ids, and how many of them had events.")
  var erasures = false

  @Option("Output format (default: by the name of --output, else text).", value: "format")
  var format: SummaryFormat?

  @OptionGroup var result: ResultOptions

  mutating func validate() throws {
    if [fingerprint, ingests, erasures].count(where: { $0 }) > 1 {
      throw ValidationError("--fingerprint, --ingests and --erasures print different things: give one of them")
    }
    if fingerprint, format == .json { throw ValidationError("--fingerprint prints one line; --format json has it too") }
  }

  func run() throws {
    let format = try FileFormat.choose(format, result.output, else: .text)
    let (info, path, now, tooOld) = try CommandFailure.wrap {
      let log = try log.open()
      return (try log.information(), log.path, log.clock(), try maxAge.flatMap { try finding($0, log) })
    }
    if info.areIngestsDamaged {
      Output.message(
        "WARNING: the list of ingests is damaged, and not known. The next ingest begins a new one; permlog verify checks the rest."
      )
    }
    if tooOld != nil { Output.setStatusIfUnread(CommandFailure.holds("").status) }
    let content =
      try erasures ? CommandFailure.wrap { try requests(log.open(), format) } : content(info, path, now, format)
    try Output.result(content, to: result.output, besides: log.protectedFiles)
    if let tooOld { throw CommandFailure.holds(tooOld) }
  }

  private func content(_ info: LogInformation, _ path: String, _ now: Milliseconds, _ format: SummaryFormat) -> [UInt8]
  {
    if fingerprint { return Array((info.fingerprint + "\n").utf8) }
    if format == .json { return ingests ? info.jsonOfIngests(path: path) : info.json(path: path) }
    return Array((ingests ? IngestTable.text(info, result.style) : render(info, path, now)).utf8)
  }

  private func requests(_ log: PermissionLog, _ format: SummaryFormat) throws -> [UInt8] {
    if format == .json { return try log.jsonOfErasures() }
    let requests = try log.erasureRequests()
    guard !requests.isEmpty else { return Array("no user is erased in this log\n".utf8) }
    let lines = requests.map { request in
      let time = request.time == 0 ? "before version 0.4.0    " : Timestamp.text(request.time)
      guard let found = request.found, let events = request.events else {
        return "\(time)  \(counted(request.ids, "id", "ids")); how many of them had events was not recorded"
      }
      let missing = request.ids - found
      return "\(time)  \(counted(request.ids, "id", "ids")), \(counted(events, "event", "events")) erased"
        + (missing > 0 ? "; \(grouped(missing)) had no events" : "")
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// A sentence if the newest event is older than the limit. An empty log counts as too old. Events ahead of the clock
  /// come from phones with wrong clocks, and do not show whether the log is fed.
  private func finding(_ limit: DurationOption, _ log: PermissionLog) throws -> String? {
    let now = log.clock()
    guard let newest = try log.age(at: now) else {
      return "the log at \(log.path) is empty, so it has no event of the last \(limit.text)"
    }
    guard let latest = newest.latest else {
      return "all events of the log at \(log.path) are ahead of the clock, so it has no event of the last \(limit.text)"
    }
    let age = now - latest
    guard age > limit.milliseconds else { return nil }
    return "the newest event is \(Self.words(age)) old (\(Timestamp.text(latest))), which is more than \(limit.text)"
  }

  private static func words(_ tally: IngestTally) -> String {
    let copies = counted(Int(tally.duplicates), "duplicate", "duplicates")
    let conflicts = tally.conflicts == 0 ? "" : " (\(grouped(Int(tally.conflicts))) with other content)"
    return "\(grouped(Int(tally.read))) read: \(grouped(Int(tally.new))) new, \(copies)\(conflicts); "
      + "\(grouped(Int(tally.ahead))) ahead of the clock"
  }

  /// Whole hours up to two days, then whole days.
  private static func words(_ age: Milliseconds) -> String {
    let hours = Int(age / 3_600_000)
    if age < 60_000 { return counted(Int(age / 1000), "second", "seconds") }
    if hours < 1 { return counted(Int(age / 60_000), "minute", "minutes") }
    return hours < 48 ? counted(hours, "hour", "hours") : counted(hours / 24, "day", "days")
  }

  private func render(_ info: LogInformation, _ path: String, _ now: Milliseconds) -> String {
    let style = result.style
    var lines = ["log         \(style.legible(path))", "events      \(grouped(info.events))"]
    if let times = info.times {
      lines.append("from        \(Timestamp.text(times.lowerBound))")
      lines.append("to          \(Timestamp.text(times.upperBound))")
      lines.append("bytes       \(grouped(info.bytes)), \(fixed(Double(info.bytes) / Double(info.events), 2)) an event")
    }
    lines.append("commits     \(grouped(Int(info.generation)))")
    if let tally = info.ingested { lines.append("ingested    \(Self.words(tally))") }
    if let share = info.ingested?.notUnderstoodShare, share.lines > 0 {
      let warning = share.isWarned ? "; the figures lack them" : ""
      lines.append("not read    \(share.text), because a name was not understood\(warning)")
    }
    if let newest = info.newestIngest {
      lines.append("ingests     \(grouped(info.ingests.count)), the newest \(Timestamp.text(newest.time))")
    }
    if let number = info.undoableIngest {
      let bytes = info.undoBytes > 0 ? "; for that \(grouped(info.undoBytes)) bytes are kept" : ""
      lines.append("undo        ingest \(number) can be taken back\(bytes)")
    }
    if let live = info.live {
      let held = live.quarantined > 0 ? "; \(counted(live.quarantined, "entry", "entries")) in quarantine" : ""
      let late =
        live.received > live.read
        ? ", of them in the log up to \(Timestamp.text(live.read))"
        : live.quarantined > 0 ? ", all read" : ", all in the log"
      lines.append("live        received up to \(Timestamp.text(live.received))\(late)\(held)")
    }
    for finding in info.health { lines.append("unusual     \(style.legible(finding.sentence))") }
    if info.excludedUsers > 0 {
      lines.append("left out    \(counted(info.excludedUsers, "id", "ids")) of every answer; permlog users list")
    }
    if info.erasedUsers > 0 { lines.append("erased      \(counted(info.erasedUsers, "id", "ids")) kept out") }
    if let location = info.erasureKey { lines.append("erasure key \(location.rawValue) the log") }
    switch info.userNames {
    case .hashed: lines.append("user ids    hashed")
    case .mixed:
      lines.append("user ids    mixed: under several keys, or hashed and plain; one person may count as two users")
    case nil: break
    }
    if info.hasReadableEventIDs {
      lines.append(
        "event ids   as the apps wrote them, not hashed; permlog erase --hash-event-ids --hash-users KEYFILE hashes them"
      )
    }
    if info.linkedIDs > 0 {
      lines.append(
        "linked      \(counted(info.linkedIDs, "id", "ids")) of \(counted(info.linkedUsers, "user", "users"))")
    }
    if !info.keysNeeded.isEmpty {
      let options = info.keysNeeded.map { $0 == .erasures ? "--key" : "--hash-users" }.joined(separator: " and ")
      let several = info.userNames == .hashed ? " (of a rekeyed log all keys, the oldest first)" : ""
      lines.append("keys        ingest and erase need \(options)\(several)")
    }
    if let rule = info.retention {
      // A rule is applied by the next ingest, and not at all while the clock may be wrong.
      let rest = info.times.map { $0.lowerBound < rule.limit(at: now) } == true ? "; older events are still there" : ""
      lines.append("keeps       events for \(rule.words), by a rule (permlog expire --keep)\(rest)")
    }
    if let limit = info.expiredBefore { lines.append("expired     before \(Timestamp.text(limit))") }
    lines.append("parts       \(info.parts.count)")
    for part in info.parts {
      lines.append(
        "  \(part.name)  \(counted(part.events, "event", "events")), \(grouped(part.bytes)) bytes, "
          + counted(part.blocks, "block", "blocks"))
    }
    for field in [StringField.permission, .experiment, .variant] {
      let values = (info.values[field] ?? []).map { style.legible($0) }
      let name = field.name + "s"
      lines.append(
        name + String(repeating: " ", count: 12 - name.count) + (values.isEmpty ? "none" : listed(values, most: 40)))
    }
    for (name, values) in [
      ("kinds", info.unknown.kinds), ("permissions", info.unknown.permissions), ("columns", info.unknown.columns),
    ] where !values.isEmpty {
      let shown = listed(values.map { style.legible($0) }, most: 40)
      lines.append("unknown     \(name) \(shown): kept, exported, left out of the figures")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
