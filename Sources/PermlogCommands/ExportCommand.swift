// `permlog export`: every stored event in canonical form, or every journey as a row, in the log's order.

import ArgumentParser
import Permlog
import ReportRendering

/// The formats of events and journeys, and those of a person's data.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument { case ndjson, csv, text, html, json }

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print every stored event, or every journey, as NDJSON or CSV.",
    discussion: """
      Events come in the log's order: by hash of the user id, user id, timestamp, kind, event id. Ingesting the export \
      again adds nothing. CSV has every value as it is in the log, even one that a spreadsheet would calculate as a \
      formula. For a spreadsheet, use --for-spreadsheets, which is CSV too. --key is for --skip-damaged if the \
      manifest itself is damaged: old parts may then still have the events of erased users.

      --journeys prints one row for each user and permission with an exposure: when and under which message and \
      properties, the outcome, and what came later. Sums over the rows are the counts of a report with the same \
      options. An empty cell (null in NDJSON) means that something did not happen or is unknown.

      --user prints all that the log has of a person, with what each field means: events, the journeys that permlog \
      computes from them, and linked ids. CSV has a row for each value. If the log has nothing of one of the persons, the \
      exit status is 3.

      Example:
        permlog export --output events.csv
        permlog export --for-spreadsheets --output to-look-at.csv
        permlog export | gzip > events.ndjson.gz
        permlog export --with-erasures erased.list --output events.ndjson
        permlog export --journeys --permission notifications --output journeys.csv
        permlog export --user someone@example.com --output someone.html
      """)

  @OptionGroup var log: LogOptions

  @Option(
    "Output format (default: by the name of --output, else ndjson): ndjson or csv; with --user text (the default), html, json or csv.",
    value: "format")
  var format: ExportFormat?

  @OptionGroup var result: PlainResultOptions

  @Flag(help: "Print one row for each user and permission with an exposure, instead of events.")
  var journeys = false

  @OptionGroup var fields: FieldOptions<JourneyRequest>

  @Flag(
    help: ArgumentHelp(
      "With CSV: no cell is a formula, and hidden characters are visible. For viewing only: ingesting it would add other events."
    ))
  var forSpreadsheets = false

  @Flag(help: "Leave out damaged pieces, report what is missing, and end with exit status 2 if anything is damaged.")
  var skipDamaged = false

  @Option(
    "Also write the list of erased users to this file, for permlog erase --import-list: a log made of the export then keeps them out, too.",
    value: "file")
  var withErasures: String?

  @Option("All that the log has of this person, by the user's id; can be given several times.", value: "id")
  var user: [String] = []

  @Option("The same for the ids of a file, one a line, or of standard input (-).", value: "file")
  var usersFrom: String?

  @OptionGroup var erasures: ErasureKeyOptions
  @OptionGroup var appearance: TextOptions

  private var isOfPersons: Bool { !user.isEmpty || usersFrom != nil }

  /// The files of the users' key, for `--user` as for `--without-users`.
  var userKeys: [String] { fields.given[.userKey] ?? [] }

  func validate() throws {
    guard !isOfPersons else {
      if journeys || skipDamaged || withErasures != nil || forSpreadsheets {
        throw ValidationError("--user and --users-from print all of a person: leave the options for all events out")
      }
      let chosen = JourneyRequest.fields.map(\.argument).filter { $0 != .userKey }
      if let field = chosen.first(where: { fields.given[$0] != nil }) {
        throw ValidationError("\(field.option) chooses journeys: with --user all of a person is printed")
      }
      return
    }
    if !userKeys.isEmpty, !journeys {
      throw ValidationError("--hash-users goes with --user: events are exported as they are stored")
    }
    if journeys, skipDamaged || erasures.key != nil || withErasures != nil {
      throw ValidationError("--skip-damaged, --key and --with-erasures are for events: leave them out with --journeys")
    }
    if let withErasures, withErasures == "-" || withErasures == result.output {
      throw ValidationError("--with-erasures needs the name of a file of its own")
    }
    if skipDamaged, withErasures != nil {
      throw ValidationError("--with-erasures is for a log that is whole: leave it out with --skip-damaged")
    }
    if !journeys, let field = JourneyRequest.fields.first(where: { fields.given[$0.argument] != nil }) {
      throw ValidationError("\(field.argument.option) goes with --journeys: without it every stored event is printed")
    }
  }

  func run() throws {
    if isOfPersons { return try exportPersons() }
    if erasures.key != nil, !skipDamaged { throw CommandFailure.usage("--key needs --skip-damaged or --user") }
    if let format, EventFormat(rawValue: format.rawValue) == nil {
      throw CommandFailure.usage("--format \(format.rawValue) goes with --user: events are ndjson or csv")
    }
    let asked = format.flatMap { EventFormat(rawValue: $0.rawValue) }
    let format = try FileFormat.choose(asked, result.output, else: forSpreadsheets ? EventFormat.csv : .ndjson)
    if forSpreadsheets, format != .csv {
      throw CommandFailure.usage("--for-spreadsheets needs --format csv, not \(format.rawValue)")
    }
    var protected = log.protectedFiles
    protected.add(erasures.key, "the key of the list of erased users")
    fields.protect(in: &protected)
    let gaps: ExportGaps? = try CommandFailure.wrap {
      let log = try log.open()
      let stream = try ResultStream(path: result.output, option: "--output", besides: protected)
      func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try stream.write($0) } }
      var gaps: ExportGaps?
      if journeys {
        try log.exportJourneys(
          fields.request(), as: format, isForSpreadsheets: forSpreadsheets, onUnknown: Output.tell, to: write)
      } else if skipDamaged {
        gaps = try log.exportWhatIsWhole(
          as: format, isForSpreadsheets: forSpreadsheets, erasureKey: erasures.source(),
          onDamage: { for sentence in $0.damage { Output.error(sentence) } }, to: write)
      } else {
        try log.export(as: format, isForSpreadsheets: forSpreadsheets, to: write)
        try writeErasures(of: log, besides: protected)
      }
      try stream.close()
      return gaps
    }
    if let gaps, !gaps.damage.isEmpty { throw Self.failure(gaps) }
  }

  /// Writes the list of erased users, or says that the export is without it.
  private func writeErasures(of log: PermissionLog, besides protected: ProtectedFiles) throws {
    let list = try log.exportErasures()
    guard let withErasures else {
      if let list, !forSpreadsheets {
        Output.message(
          "\(counted(list.users, "erased id is", "erased ids are")) kept out of this log, but not of one that is made of this export: "
            + "--with-erasures FILE writes the list for permlog erase --import-list")
      }
      return
    }
    guard let list else {
      return Output.message("no user is erased in this log: \(withErasures) was not written")
    }
    let stream = try ResultStream(path: withErasures, option: "--with-erasures", besides: protected, isPrivate: true)
    try list.bytes.withUnsafeBytes { try stream.write($0) }
    try stream.close()
  }

  /// The missing events, and the erasures that a log made from the export would not know.
  private static func failure(_ gaps: ExportGaps) -> CommandFailure {
    if gaps.erasedUsers > 0 {
      let users = counted(gaps.erasedUsers, "user was", "users were")
      Output.error(
        "\(users) erased from this log. A log made from this export does not know that: erase them there too before "
          + "you ingest old exports")
    }
    let pieces = counted(gaps.damage.count, "piece is", "pieces are")
    let missing =
      gaps.isCountKnown
      ? counted(gaps.lostEvents, "event is", "events are") + " missing from this export"
      : "without the manifest permlog cannot tell what is missing, and an event can occur twice (an ingest drops the copies)"
    return .badData("\(pieces) damaged; \(missing)")
  }
}
