// `permlog mapping`: the presets, and what a mapping makes of files before anything is stored.

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
    subcommands: [MappingShowCommand.self, MappingCheckCommand.self, MappingDraftCommand.self])
}

struct MappingShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a preset, to copy and change.",
    discussion: """
      Example:
        permlog mapping show amplitude > mine.yaml
        permlog ingest export.zip --mapping mine.yaml
      """)

  @Argument(help: "\(VendorMappings.names.joined(separator: ", ")); without a name, the list of them.")
  var name: String?

  func run() throws {
    guard let name else { return try Output.result(VendorMappings.names.joined(separator: "\n") + "\n") }
    guard let text = VendorMappings.yaml(name, saying: CommandWords.text) else {
      throw CommandFailure.usage(
        "there is no preset \(name); take one of \(VendorMappings.names.joined(separator: ", "))")
    }
    try Output.result(text.hasSuffix("\n") ? text : text + "\n")
  }
}

struct MappingCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Read files without storing anything and say what became of each event name.",
    discussion: """
      A row is a name, the answer that came with it, what became of them, how often, and where the first one is. Those \
      that look like permission events and were not understood come first.

      Example:
        permlog mapping check export.zip --mapping mine.yaml
      """)

  @Argument(help: ArgumentHelp("Files, directories (every file below), or - for standard input.", valueName: "file"))
  var files: [String]

  @OptionGroup var form: ImportFormOptions

  @OptionGroup var threads: ThreadOptions

  @Option(help: ArgumentHelp("Rows of the table; 0 for all.", valueName: "number"))
  var rows = 100

  func run() throws {
    guard rows >= 0 else { throw CommandFailure.usage("--rows \(rows): give a number of rows, or 0 for all") }
    let check = try CommandFailure.wrap {
      try MappingCheck(files, options: form.options(), threads: threads.threads)
    }
    IngestNotes.show(check.rejections, canKeep: false)
    IngestNotes.warn(check.oneSidedAnswers)
    if let skipped = check.skippedFiles.message { Output.message("skipped " + skipped) }
    IngestNotes.show(converted: check.convertedFiles, partial: check.partialFiles)
    let table = MappingTable(
      names: check.names, counts: check.read, rows: rows == 0 ? .max : rows, style: .current(toFile: false))
    try Output.result(table.text)
  }
}
