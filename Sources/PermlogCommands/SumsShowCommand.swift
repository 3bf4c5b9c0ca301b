// `permlog sums show`: what sums are of.

import ArgumentParser
import Permlog
import ReportRendering

struct SumsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Say which shards, rows and questions sums are of.",
    usage: "permlog sums show [<options>] <file> ...",
    discussion: """
      Several files are added up first, as permlog sums merge does. Shards may be missing, and are named.

      Example:
        permlog sums show april.sums
        permlog sums show shards/*.sums --format json
      """)

  @Argument(help: ArgumentHelp("Files of sums, or - for standard input.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp("Output format (default: by the name of --output, else text).", valueName: "format"))
  var format: SummaryFormat?

  @OptionGroup var result: PlainResultOptions

  @OptionGroup var appearance: TextOptions

  func run() throws {
    let format = try FileFormat.choose(format, result.output, else: .text)
    let paths = RawArguments.paths(files)
    var protected = ProtectedFiles()
    for path in paths { protected.add(path, "one of the files to show") }
    try Output.check(result.output, besides: protected)
    let sums = try CommandFailure.wrap { try SumsBundle(paths: paths) }
    let style = appearance.style(toFile: result.output != nil)
    let bytes = format == .json ? sums.json : Array(SumsOverview(sums: sums, style: style).text.utf8)
    try Output.result(bytes, to: result.output, besides: protected)
  }
}
