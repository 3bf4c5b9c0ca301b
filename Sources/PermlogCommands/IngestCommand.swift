// `permlog ingest`: reads exports into the log, all or nothing.

import ArgumentParser
import CUnfinishedFiles
import PermissionEvents
import Permlog
import ReportRendering
import Threads

extension SummaryFormat: ExpressibleByArgument {}

/// `--max-rejected`: a share of all lines, or a number of them.
extension RejectionLimit: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

/// What `--fail-on` of an ingest waits for.
enum IngestCondition: String, ExpressibleByArgument { case warning }

struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest", abstract: "Read exported event files into the log.",
    discussion: """
      Commits everything or nothing. Events that are already in the log are left out, so exports can overlap and be \
      ingested again. Files of a directory that the log has already are not read again; --again reads them. Each ingest \
      is compared with earlier ones, and a WARNING names anything that is far outside the log's own past.

      Reads canonical NDJSON, CSV and Arrow streams, exports of \(VendorMappings.titles), \
      and anything else that a mapping describes. Each file is recognised by its content.

      Example:
        permlog ingest exports/ --rejects rejected.ndjson
        permlog ingest exports/ --skip-bad --fail-on warning --quiet --wait 60s
        permlog ingest amplitude.zip --mapping mine.yaml
        permlog ingest amplitude.zip --mapping corrected.yaml --replace
        permlog ingest sheet.csv --input-time-zone Europe/Berlin --max-rejected 1%
        gzip -dc events.gz | permlog ingest - --format ndjson
      """)

  @Argument("Files, directories (every file below), or - for standard input.", value: "file")
  var files: [String]

  @OptionGroup var log: WrittenLogOptions
  @OptionGroup var form: ImportFormOptions
  @OptionGroup var users: UserHashOptions

  @Flag(
    help: """
      Store the new reading of rows that the log already has. Events in the log with the files' users and event ids \
      are replaced if they were read differently.
      """)
  var replace = false

  @Flag(help: "Refuse the ingest if the log exists.")
  var intoNewLog = false

  @Flag(
    help:
      "Ingest with a different key than the log's, or with none. The same person may then count twice, and erased users reappear."
  )
  var forceMixedUsers = false

  @OptionGroup var erasures: ErasureKeyOptions
  @OptionGroup var rejected: RejectedLineOptions

  @Flag(help: "Store nothing if any line is rejected (exit status 2).")
  var strict = false

  @Option(
    "Store nothing if more lines than this are rejected, or have unmapped names that look like permission events, as 1% or 100 (exit status 2).",
    value: "share|number")
  var maxRejected: RejectionLimit?

  @Flag(
    help:
      "Leave out files that cannot be read to their end, and store the others (exit status 2). By default nothing is stored."
  )
  var skipBad = false

  @Flag(help: "Read files of a directory again even if the log has them.")
  var again = false

  @Option("End with exit status 3 if there was a warning; the events are stored.", value: "warning")
  var failOn: IngestCondition?

  @Option(help: "Format of the summary (default: text; none with --quiet).")
  var summary: SummaryFormat?

  @OptionGroup var appearance: TextOptions

  func run() throws {
    ColumnarFiles.handOver(RawArguments.paths(files))
    let result = try CommandFailure.wrap { try ingest() }
    IngestNotes.show(result, rejectsFile: rejected.rejects)
    // For a program the number of these files is in the JSON.
    if result.knownFiles > 0, summary != .json, strict || maxRejected != nil || rejected.rejects != nil {
      Output.message(
        "rejected lines are only of the files that were read: "
          + "\(counted(result.knownFiles, "other file is", "other files are")) in the log already; --again reads all")
    }
    let text = IngestText(result: result)
    // The contract's object has only the number, so the names go to standard error. Without a summary they are printed
    // if something was not stored.
    if summary == .json || log.quiet {
      if let skipped = result.skippedFiles.message { Output.message("skipped " + skipped) }
      if let names = text.unmapped(.init(width: 80)) {
        Output.message(lines: names.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
      }
    }
    if summary != nil || !log.quiet {
      let shown = summary == .json ? result.json : Array(text.summary(appearance.style()).utf8)
      try result.refusal == nil ? Output.summary(shown) : Output.result(shown)
    }
    if let refusal = result.refusal { throw CommandFailure.badData(refusal.commandText()) }
    if !result.badFiles.isEmpty {
      let others = result.read.files + result.knownFiles > 0 ? "all others are stored" : "there was no other"
      throw CommandFailure.badData(
        "\(counted(result.badFiles.count, "file was", "files were")) left out, and \(others). The next ingest tries them again."
      )
    }
    if failOn == .warning, Output.hasWarned { throw CommandFailure.holds("there was a warning; the events are stored") }
  }

  private func ingest() throws -> IngestResult {
    var options = try form.options()
    options.userKey = try users.key(besides: log.log.path)
    options.allowsMixedUsers = forceMixedUsers
    options.erasureKey = erasures.source()
    rejected.apply(to: &options)
    options.keptFiles = users.hashUsers
    options.isStrict = strict
    options.replacesEvents = replace
    options.needsNewLog = intoNewLog
    options.rejectionLimit = maxRejected
    options.skipsBadFiles = skipBad
    options.readsKnownFiles = again
    let progress = ProgressLine(isShown: !log.quiet)
    let interruption = InterruptionWords()
    defer {
      interruption.end()
      progress.clear()
    }
    return try log.open().ingest(
      RawArguments.paths(files), options: options,
      onProgress: {
        interruption.note($0)
        progress.show($0)
      })
  }
}

extension IngestRefusal {
  /// Why nothing was stored, and which options would change that.
  func commandText(of outcome: String = "nothing was stored") -> String {
    switch self {
    case .strict: "\(finding) and --strict was given: \(outcome). Fix the lines, or leave --strict out."
    case .tooManyRejected(let count, let unread, let limit):
      "\(counted(count, "line was", "lines were")) rejected\(IngestRefusal.unread(unread)), more than --max-rejected \(limit.text): "
        + "\(outcome). Fix the lines, map the names, or allow more."
    case .noEventIDs: "\(finding): \(outcome)" + ToolWords.text(.ingestIntoNewLog)
    case .nothingUnderstood:
      "\(finding): \(outcome). permlog mapping check FILE shows how each line was read; permlog mapping draft FILE "
        + "writes a first mapping."
    }
  }
}

// MARK: The summary of an ingest, and its messages on the way

struct IngestText {
  var result: IngestResult
  /// Whether the events are counted into sums, without keeping a log.
  var isOfSums = false

  private var imported: ImportCounts { result.read }
  private var stored: IngestCounts { result.stored }

  func summary(_ style: TextStyle) -> String {
    var lines = [
      "read       \(count(imported.lines, "line")) in \(count(imported.files, "file"))"
        + (result.knownFiles > 0 ? "; \(count(result.knownFiles, "other file")) in the log already" : ""),
      "new        \(count(stored.new, "event"))\(result.refusal == nil || isOfSums ? "" : ", not stored")",
      "duplicate  \(count(stored.duplicates, "event"))"
        + (result.read.repeats > 0 ? ", most of them repeats of properties that rows carry" : "")
        + (stored.conflicts > 0 ? ", of which \(grouped(stored.conflicts)) differ from the one kept" : ""),
    ]
    if let skipped = result.skippedFiles.message { lines.insert("skipped    " + style.legible(skipped), at: 1) }
    func note(_ number: Int, _ text: String) { if number > 0 { lines.append(text) } }
    note(
      stored.replaced, "replaced   \(count(stored.replaced, "event")) of the log by another reading of the same rows")
    note(
      stored.withdrawn,
      "withdrawn  \(count(stored.withdrawn, "event")) of the log: the rows are not events in this reading")
    note(
      stored.links,
      "joined     \(count(stored.links, "link")) between ids: linked ids are one user"
        + (stored.moved > 0 ? ", \(count(stored.moved, "event")) of the log changed user" : ""))
    note(
      stored.refusedLinks,
      "not joined \(count(stored.refusedLinks, "link")): an id is a placeholder, or a user would have more than "
        + "\(IngestCounts.mostIDsOfUser) ids")
    note(
      stored.erasedByLink,
      "erased     \(count(stored.erasedByLink, "id")) that the files link with an erased user, and their events")
    note(stored.erased, "erased     \(count(stored.erased, "event")) of erased users, left out")
    note(stored.expired, "expired    \(count(stored.expired, "event")) older than the log keeps, left out")
    if let retention = result.retention, retention.refusal == nil {
      note(retention.events, "removed    " + RetentionText.removed(retention))
    }
    note(stored.surplus, "surplus    \(count(stored.surplus, "event")) over the limit for one user, left out")
    if !isOfSums {
      lines.append("ignored    \(count(imported.ignoredFields, "field")) that the log does not keep")
    }
    lines += IngestNotes.lines(unread: result.carried.unread)
    lines.append("rejected   \(count(imported.rejected, "line"))")
    note(
      imported.respelled,
      "respelled  \(count(imported.respelled, "event")) with a kind, permission or status in another spelling")
    let carriers = result.names.carriers(imported)
    note(carriers, "property   \(count(carriers, "event")) for a property alone: their own event is not stored")
    note(imported.unmapped, "unmapped   \(count(imported.unmapped, "event")), not \(isOfSums ? "counted" : "stored")")
    // For a daily check: if a feed has stopped, this time does not change.
    if let newest = result.newest {
      let what = isOfSums ? "the newest event read" : "of all events in the log"
      lines.append("newest     \(Timestamp.text(newest)), \(what)")
    }
    let rate = result.seconds > 0 ? Double(imported.lines) / result.seconds : 0
    lines.append("in \(fixed(result.seconds, 2)) s, \(grouped(Int(rate))) lines a second")
    if result.refusal == nil, let reason = nothingNew { lines.append(reason) }
    return lines.joined(separator: "\n") + "\n" + (unmapped(style).map { "\n" + $0 } ?? "")
  }

  private var nothingNew: String? {
    if stored.new + stored.replaced + stored.withdrawn + stored.links + stored.erasedByLink > 0 { return nil }
    if isOfSums { return "No events: the sums are valid, but have no users." }
    if imported.files == 0, result.knownFiles > 0 {
      return result.badFiles.isEmpty
        ? "Nothing new was stored: the log already has all files."
        : "Nothing new was stored: the log already has all other files."
    }
    if imported.files == 0 { return "Nothing was stored: no file was read." }
    if imported.lines == 0 { return "Nothing was stored: the files have no lines." }
    if stored.surplus > 0 { return "Nothing new was stored: these users have reached the limit of events." }
    if stored.duplicates == 0, result.leftOut > 0 {
      return "Nothing was stored: all events belong to erased users or have expired."
    }
    return "Nothing new was stored: the log already has these events."
  }

  /// Names that are shown; `mapping check` shows all.
  private static let shownNames = 12

  /// The names of events that were not stored, names that look like permission events first; nil if all were stored.
  func unmapped(_ style: TextStyle) -> String? {
    let missed = result.names.filter { !$0.isStored }
    guard !missed.isEmpty else { return nil }
    let suspicious = missed.count { $0.looksLikePermission }
    let title =
      suspicious > 0
      ? "\(isOfSums ? "Not counted" : "Not stored"); the first \(suspicious == 1 ? "one looks like a permission event" : "\(suspicious) look like permission events"):"
      : isOfSums ? "Not counted:" : "Not stored:"
    let shown = missed.prefix(max(Self.shownNames, min(suspicious, 40)))
    var text = title + "\n" + NameTable.text(shown.map(\.row), style)
    if missed.count > shown.count {
      text +=
        "and \(counted(missed.count - shown.count, "other name", "other names")); permlog mapping check shows all\n"
    } else if suspicious > 0 {
      text += "A rule in a mapping defines what they mean: see permlog mapping show and --mapping.\n"
    }
    return text
  }

  private func count(_ n: Int, _ noun: String) -> String { counted(n, noun, noun + "s") }
}

enum IngestNotes {
  private static let shownReasons = 12

  /// Prints the problems of an ingest.
  static func show(_ result: IngestResult, rejectsFile: String?) {
    show(result.rejections, rejectsFile: rejectsFile)
    show(converted: result.convertedFiles, partial: result.partialFiles)
    warn(result.oneSidedAnswers)
    warn(result.carried)
    if result.refusal == nil, let note = result.contradictionNote {
      let examples = result.contradictions.examples.flatMap {
        ["    kept: " + text($0.kept), "    read: " + text($0.copy)]
      }
      Output.message(lines: ["WARNING: " + note.text(saying: ToolWords.text)] + examples)
    }
    if result.refusal == nil, let note = result.sharedIDNote { Output.message("WARNING: " + note) }
    if result.refusal == nil {
      warn(notUnderstood: result)
      // Without an option that says how many are too many, a daily job would never tell of them.
      if let share = result.manyRejected {
        Output.message(
          "WARNING: \(share.text) were rejected. permlog mapping check shows how each line was read; --max-rejected 1% stores nothing of such files."
        )
      }
    }
    if result.refusal == nil, let note = result.surplusNote {
      Output.message("WARNING: " + note.text(saying: ToolWords.text))
    }
    if let finding = result.damagedHistory {
      Output.message(
        "WARNING: \(finding). A new list of ingests begins: earlier ones are not known, and their files are read again."
      )
    }
    if let finding = result.damagedNumbers {
      Output.message(
        "WARNING: \(finding). The file is left out of the log: the numbers of earlier events in it are not known any more."
      )
    }
    for error in result.badFiles { Output.message("WARNING: left out: " + error.commandText) }
    for finding in result.health { Output.message("WARNING: " + finding.sentence) }
    if let retention = result.retention { RetentionText.warn(retention) }
  }

  /// Warns of named properties that no row carries, and of values of states that are not understood.
  static func warn(_ carried: CarriedProperties) {
    func names(_ properties: [CarriedProperty]) -> String {
      listed(properties.map { TextStyle().legible($0.name) }, most: 12)
    }
    let (flags, states) = (
      carried.missing.filter { $0.permission == nil }, carried.missing.filter { $0.permission != nil }
    )
    if !flags.isEmpty {
      Output.message(lines: [
        "WARNING: no row carries a variant of \(names(flags)) as a property, so no user was assigned. Canonical rows use the event assigned."
      ])
    }
    if !states.isEmpty {
      Output.message(lines: [
        "WARNING: no row carries a state that is understood in \(names(states)). Canonical rows use the event status_checked."
      ])
    }
    for (permission, properties) in carried.mixed {
      Output.message(lines: [
        "WARNING: the log has states of \(permission) from several properties (\(listed(properties.map { TextStyle().legible($0) }, most: 12))), "
          + "so their changes mean nothing. Ingest all files into a new log with one of them."
      ])
    }
    for (property, value) in carried.notUnderstood {
      Output.message(lines: [
        "WARNING: \(TextStyle().legible(property.name)) has values that are not understood as a state of "
          + "\(property.permission ?? ""), like \"\(TextStyle().legible(value))\": their rows say nothing of it."
      ])
    }
  }

  /// Properties that rows carry and nothing reads. Which of them choose a message, or say what iOS says now, only
  /// the user knows, so these are lines of the summary and no warning.
  static func lines(unread properties: [CarriedProperty]) -> [String] {
    var lines: [String] = []
    func add(_ title: String, _ of: String, _ found: [CarriedProperty], _ advice: (CarriedProperty) -> String) {
      guard let first = found.first else { return }
      let names = listed(found.map { TextStyle().legible($0.name) }, most: 12)
      lines += ["\(title)\(of) in the rows, not read: \(names)", "           \(TextStyle().legible(advice(first)))"]
    }
    let flags = properties.filter { $0.permission == nil }
    add("flags      ", "variants of \(counted(flags.count, "experiment", "experiments"))", flags) {
      "If one chooses a message, read it: \($0.option)"
    }
    let states = properties.filter { $0.permission != nil }
    add("states     ", counted(states.count, "state of a permission", "states of permissions"), states) {
      "If it is what iOS says, read it: \($0.option)"
    }
    return lines
  }

  private static func text(_ line: [UInt8]) -> String { String(bounded: line.dropLast()) }

  /// The number of refused lines for each reason, and where the first one is.
  /// - Parameters:
  ///   - rejectsFile: the file with all refused lines.
  ///   - canKeep: whether the command has the option that keeps the lines.
  static func show(_ rejections: RejectionSummary, rejectsFile: String? = nil, canKeep: Bool = true) {
    let (groups, count) = (rejections.groups, rejections.count)
    for group in groups.prefix(shownReasons) { Output.message(lines: lines(group)) }
    if groups.count > shownReasons { Output.message("and \(groups.count - shownReasons) more reasons") }
    if rejectsFile != nil, rejections.notKept > 0 {
      Output.message(
        "the first \(grouped(count - rejections.notKept)) of them are in \(rejectsFile ?? ""), which reached --rejects-limit: "
          + "\(grouped(rejections.notKept)) are not kept")
    } else if canKeep, count > groups.count || groups.count > shownReasons {
      Output.message(
        rejectsFile.map { "all of them are in \($0)" } ?? "--rejects FILE keeps every rejected line with its reason")
    }
  }

  private static func lines(_ group: RejectionSummary.Group) -> [String] {
    let location = "\(group.first.file):\(group.first.line)"
    if group.count == 1 { return ["\(location): \(group.first.reason)"] }
    let summary = "\(grouped(group.count)) lines: \(group.first.group), first at \(location)"
    return group.first.reason == group.first.group ? [summary] : [summary, "    " + group.first.reason]
  }

  /// Prints notes about files in another encoding, and about damaged files that were read in part.
  static func show(converted: ConvertedFiles, partial: [PermlogError]) {
    for note in converted.messages { Output.message(note) }
    for error in partial { Output.message(error.commandText) }
  }

  /// Warns that many lines were rejected because a name was not understood, and which figures lack them.
  private static func warn(notUnderstood result: IngestResult) {
    guard let share = result.notUnderstood, share.isWarned else { return }
    let known = result.missing.filter { !$0.isEmpty }
    var text = "WARNING: \(share.text) were rejected because a name in them is not understood. "
    if !known.isEmpty { text += "Figures lack these lines: \(listed(known, most: 12)). " }
    if result.missing.contains("") {
      text += "permlog does not know what some names mean: any figure may lack their lines. "
    }
    Output.message(lines: [
      text
        + "permlog mapping check lists every name with its count. A mapping defines what they mean (permlog mapping draft)."
    ])
  }

  /// Warns that a permission has only grants or only denials, which is rarely the truth.
  static func warn(_ oneSided: [AnswerCount]) {
    for count in oneSided {
      let (found, missing) = count.granted > 0 ? ("granted", "denied") : ("denied", "granted")
      Output.message(
        "WARNING: for \(count.permission), these files have \(counted(max(count.granted, count.denied), found, found)) and no \(missing). "
          + "Check that the export has both. permlog mapping check shows how each name and answer was read.")
    }
  }
}

extension IngestTally.LineShare {
  /// `314 of 480 lines (65.4 %)`
  var text: String {
    "\(grouped(Int(clamping: lines))) of \(counted(Int(clamping: of), "line", "lines")) (\(fixed(share * 100, 1)) %)"
  }
}

/// What ctrl-C in an ingest says of the events.
final class InterruptionWords: Sendable {
  // A signal's handler reads them, so that they are never freed.
  private static let before: StaticString = "\npermlog: interrupted. Nothing of this ingest was stored.\n"
  private static let during: StaticString =
    "\npermlog: interrupted while the events were being stored. `permlog info --ingests` shows whether they are.\n"

  init() { Self.say(Self.before) }

  func note(_ progress: IngestProgress) { if case .committing = progress { Self.say(Self.during) } }

  func end() { cuf_say(nil) }

  private static func say(_ text: StaticString) {
    text.utf8Start.withMemoryRebound(to: CChar.self, capacity: text.utf8CodeUnitCount) { cuf_say($0) }
  }
}

/// Shows progress at most ten times a second, only on a terminal.
final class ProgressLine: Sendable {
  private let last = Mutex<Double>(0)
  private let isShown: Bool

  init(isShown: Bool) { self.isShown = isShown && Output.isErrorTerminal }

  func show(_ progress: IngestProgress) {
    if case .committing = progress { return }
    guard case .reading(let lines, let share) = progress else { return write("sorting and writing") }
    show("reading\(share.map { " \(Int($0 * 100)) %" } ?? ""): \(grouped(lines)) lines")
  }

  func show(_ text: @autoclosure () -> String) {
    let now = SystemClock.steadySeconds
    let isDue = last.withLock { last in
      guard now - last >= 0.1 else { return false }
      last = now
      return true
    }
    if isDue { write(text()) }
  }

  func clear() { write("") }

  private func write(_ text: String) {
    if isShown { Output.raw("\r\u{1B}[K" + text) }
  }
}
