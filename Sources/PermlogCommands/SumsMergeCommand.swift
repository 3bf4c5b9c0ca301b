// `permlog sums merge`: sums of shards to the sums of all of them.

import ArgumentParser
import Permlog
import PermissionEvents

struct SumsMergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Add up the sums of shards of one job.",
    usage: "permlog sums merge [<options>] <file> ... --output <file>",
    discussion: """
      In whatever order and groups they are added up, the sums of the same shards are the same bytes. Shards may be missing, unless \
      --strict or --max-rejected is given; sums of another job, of other questions, of rows that were read otherwise, and a shard \
      that comes twice are refused.

      Example:
        permlog sums merge shards/*.sums --output april.sums
        permlog sums merge 1.sums 2.sums --max-rejected 1% --output april.sums
      """)

  @Argument(help: ArgumentHelp("Files of sums, or - for standard input.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp("Write the sums to this file, whole or not at all; - is standard output.", valueName: "file"),
    completion: .file())
  var output: String

  @Flag(help: "Write nothing if any line of any shard was rejected (exit status 2). All shards must be there.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Write nothing if more lines than this were rejected in all shards, as 1% or 100 (exit status 2). All shards must be there.",
      valueName: "share|number"))
  var maxRejected: RejectionLimit?

  func run() throws {
    let paths = RawArguments.paths(files)
    var protected = ProtectedFiles()
    for path in paths { protected.add(path, "one of the files to add up") }
    try SumsOutput.check(output, besides: protected)
    let sums = try CommandFailure.wrap {
      let sums = try SumsBundle(paths: paths)
      if strict || maxRejected != nil {
        try sums.requireWhole()
        guard sums.totals.rejected != nil else {
          throw CommandFailure.badData(
            "these are sums of logs, which do not say how many lines were rejected when they were filled. Leave out --strict and --max-rejected."
          )
        }
      }
      return sums
    }
    if let refusal = sums.totals.refusal(isStrict: strict, limit: maxRejected) {
      throw CommandFailure.badData(refusal.commandText(of: "no sums were written"))
    }
    try SumsOutput(output, besides: protected, of: sums.answers.map(\.question)).write(sums)
  }
}
