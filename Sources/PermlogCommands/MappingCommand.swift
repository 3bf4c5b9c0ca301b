// `permlog mapping`: prints presets, drafts mappings, and shows how a mapping reads files before anything is stored.

import ArgumentParser
import Permlog
import ReportRendering

struct MappingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mapping", abstract: "Show how vendors' exports are read, draft a mapping and try it.",
    discussion: """
      Example:
        permlog mapping show amplitude
        permlog mapping draft export.csv > mine.yaml
        permlog mapping check export.zip --mapping mine.yaml
      """,
    subcommands: [
      MappingShowCommand.self, MappingCheckCommand.self, MappingDraftCommand.self, MappingColumnsCommand.self,
    ])
}

struct MappingShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a preset, to copy and change.",
    discussion: """
      Example:
        permlog mapping show amplitude > mine.yaml
        permlog ingest export.zip --mapping mine.yaml
      """)

  @Argument(
    help: "The preset; without a name, the list of all.",
    completion: .list(VendorMappings.names))
  var name: String?

  func run() throws {
    guard let name else { return try Output.result(VendorMappings.names.joined(separator: "\n") + "\n") }
    guard let text = VendorMappings.yaml(name, saying: ToolWords.text) else {
      throw CommandFailure.usage(
        "there is no preset \(name); use one of \(VendorMappings.names.joined(separator: ", "))")
    }
    try Output.result(text.hasSuffix("\n") ? text : text + "\n")
  }
}

struct MappingCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Read files without storing them, and show how each event name was read.",
    discussion: """
      Each row has a name, its answer, how they were read, how often they occur, and where the first one is. Names \
      that look like permission events but were not understood come first.

      Example:
        permlog mapping check export.zip --mapping mine.yaml
      """)

  @Argument("Files, directories (every file below), or - for standard input.", value: "file")
  var files: [String]

  @OptionGroup var form: ImportFormOptions
  @OptionGroup var threads: ThreadOptions

  @Option("Rows of the table; 0 for all.", value: "number")
  var rows = 100

  @OptionGroup var appearance: TextOptions

  func run() throws {
    ColumnarFiles.handOver(RawArguments.paths(files))
    guard rows >= 0 else { throw CommandFailure.usage("--rows \(rows): give a number of rows, or 0 for all") }
    let check = try CommandFailure.wrap {
      try MappingCheck(RawArguments.paths(files), options: try form.options(), threads: threads.threads)
    }
    IngestNotes.show(check.rejections, canKeep: false)
    IngestNotes.warn(check.oneSidedAnswers)
    IngestNotes.warn(check.carried)
    if let skipped = check.skippedFiles.message { Output.message("skipped " + skipped) }
    IngestNotes.show(converted: check.convertedFiles, partial: check.partialFiles)
    let table = MappingTable(
      names: check.names, carried: check.carried.unread, counts: check.read, rows: rows == 0 ? .max : rows,
      style: appearance.style())
    try Output.result(table.text)
  }
}

struct MappingDraftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draft", abstract: "Write a first mapping, guessed from the start of a file.",
    discussion: """
      Next to each guess is the value that it is based on, shortened. If something could not be guessed, there is a \
      line to fill in. Nothing is stored.

      Example:
        permlog mapping draft export.csv > mine.yaml
        permlog mapping check export.csv --mapping mine.yaml
      """)

  @Argument("A file, compressed or not, or - for standard input.", value: "file")
  var file: String

  func run() throws {
    ColumnarFiles.handOver([RawArguments.path(file)])
    let draft = try CommandFailure.wrap {
      try VendorMappings.draft(from: RawArguments.path(file), saying: ToolWords.text)
    }
    try Output.result(draft)
  }
}

struct MappingColumnsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "columns", abstract: "Print the columns of a table that an ingest would read.",
    discussion: """
      Prints one name a line, in the table's order. The table is CSV with a heading or an Arrow stream, and needs no \
      rows. A program that has the table needs to pass on only these columns. A table that an ingest would refuse is \
      refused here too.

      Example:
        permlog mapping columns sheet.csv --mapping mine.yaml
      """)

  @Argument("A file, compressed or not, or - for standard input.", value: "file")
  var file: String

  @OptionGroup var form: ImportFormOptions

  func run() throws {
    ColumnarFiles.handOver([RawArguments.path(file)])
    let names = try CommandFailure.wrap {
      try VendorMappings.columns(of: RawArguments.path(file), options: try form.options())
    }
    try Output.result(names.map { $0 + "\n" }.joined())
  }
}

struct MappingTable {
  var names: [TalliedEvent]
  var carried: [CarriedProperty]
  var counts: ImportCounts
  var rows: Int
  var style: TextStyle

  var text: String {
    if counts.lines == 0 { return "no lines\n" }
    let missed = names.filter { !$0.isStored && $0.looksLikePermission }
    var text = ""
    if !missed.isEmpty { text += "Not understood, but look like permission events:\n\n" + table(missed) + "\n" }
    let others = names.filter { $0.isStored || !$0.looksLikePermission }
    if !others.isEmpty { text += table(others.filter(\.isStored) + others.filter { !$0.isStored }) }
    if counts.respelled > 0 {
      text +=
        "\n\(counted(counts.respelled, "event", "events")) with a kind, permission or status in another spelling\n"
    }
    text += CarriedTable(carried, style: style).text
    text += "\n\(counted(counts.lines, "line", "lines")): \(counted(counts.events, "event", "events"))"
    let carriers = names.carriers(counts)
    if carriers > 0 { text += " (\(grouped(carriers)) for a property alone: their own event is not stored)" }
    text += ", \(grouped(counts.unmapped)) not stored, \(grouped(counts.rejected)) rejected\n"
    return text
  }

  private func table(_ names: [TalliedEvent]) -> String {
    let more = names.count - rows
    return NameTable.text(names.prefix(rows).map(\.row), style)
      + (more > 0 ? "and \(counted(more, "more row", "more rows")); --rows 0 shows all\n" : "")
  }
}

extension TalliedEvent {
  /// Of a table of names.
  var row: NameTable.Row {
    // The file's name is enough: directories would push the outcome to a line of its own.
    (count, name, answer, outcome, example.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "")
  }
}
