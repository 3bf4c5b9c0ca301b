// `permlog sums`: what is counted of some users, to be added up with what is counted of others.

import ArgumentParser
import Permlog

struct SumsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sums", abstract: "Count some of the users, here or elsewhere, and add the counts up.",
    discussion: """
      A question that report, compare, flow or audit saved (--save-question) is answered by each machine for its own users; the sums of all of them make the same report, byte for \
      byte, as one log with all events. Sums hold counts, and no event and no id of a user (but for the examples of an audit).

      Example:
        permlog sums make a.ndjson --format ndjson --question weekly.question \\
          --shard 1/2 --job april --output a.sums
        permlog sums make b.ndjson --format ndjson --question weekly.question \\
          --shard 2/2 --job april --output b.sums
        permlog report --from-sums a.sums --from-sums b.sums
      """,
    subcommands: [SumsMakeCommand.self, SumsMergeCommand.self, SumsShowCommand.self])
}

/// Where sums are written to: a file, or standard output, which takes them only if it is named.
struct SumsOutput {
  private let stream: ResultStream

  /// - Parameter questions: that the sums answer: with ids of users in them the file is its owner's alone.
  /// - Throws: before any work is done, if the file is one that must not be written over, or none can be written there.
  init(_ output: String, besides protected: ProtectedFiles, of questions: [Question]) throws {
    try Self.check(output, besides: protected)
    stream = try ResultStream(
      path: Self.file(output), option: "--output", besides: protected,
      isPrivate: questions.contains(where: \.asksForUserIDs))
  }

  /// The same of the file, if it is not known yet what the sums answer.
  static func check(_ output: String, besides protected: ProtectedFiles) throws {
    if output == "" { throw CommandFailure.usage("--output takes the name of a file, or - for standard output") }
    try Output.check(file(output), besides: protected)
  }

  func write(_ sums: SumsBundle) throws {
    let bytes = try CommandFailure.wrap { try sums.file() }
    try bytes.withUnsafeBytes { try stream.write($0) }
    try stream.close()
  }

  /// Nil for standard output.
  static func file(_ output: String) -> String? { output == "-" ? nil : output }
}
