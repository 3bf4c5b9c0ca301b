// `permlog sums make`: counts events into sums, for one shard or for all users.

import ArgumentParser
import PermissionEvents
import Permlog

/// `--shard`: the number of the shard, and the number of shards.
struct ShardOption: ExpressibleByArgument {
  let number: Int
  let count: Int

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let number = Int(parts[0]), let count = Int(parts[1])
    else { return nil }
    (self.number, self.count) = (number, count)
  }
}

struct SumsMakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Answer saved questions for the events of some users.",
    discussion: """
      Reads exports as permlog ingest does, in any order, into a temporary log under --scratch; or uses the log of \
      --log. All questions are answered in one reading.

      With --shard K/N, the file is shard K of the N shards of the job. All events of a user must be in one shard. \
      Every shard must be read in the same way, so --format or exactly one --mapping is needed. Rejected lines are \
      counted; whether they are too many is decided when the shards are added up. Sums without events are valid too.

      Example:
        permlog sums make exports/ --question weekly.question --output weekly.sums
        permlog sums make - --format arrow --question a.question \\
          --shard 3/8 --job april --output 3.sums < events.arrow
        permlog sums make --log permlog-data --question weekly.question \\
          --shard 1/2 --job april --output europe.sums
      """)

  @Argument("Files, directories (every file below), or - for standard input.", value: "file")
  var files: [String] = []

  @Option("A question, as --save-question wrote it; may be given several times.", value: "file")
  var question: [String] = []

  @Option("Use this log instead of reading files.", value: "dir")
  var log: String?

  @Option("The number of this shard and the number of all shards, like 3/8.", value: "k/n")
  var shard: ShardOption?

  @Option("Name of the job: the same for all its shards, and a new one for each run.", value: "id")
  var job: String?

  @Option("Write the sums to this file, whole or not at all; - is standard output.", value: "file")
  var output: String

  @OptionGroup var form: ImportFormOptions
  @OptionGroup var users: UserHashOptions

  @Option(
    "Leave out the users of this file, one id a line, as if they had no events; with --log beside that log's own list. All shards need the same list.",
    value: "file")
  var withoutUsers: [String] = []

  @OptionGroup var rejected: RejectedLineOptions

  @Flag(help: "Write nothing if any line is rejected (exit status 2); without --shard.")
  var strict = false

  @Option(
    "Write nothing if more lines than this are rejected, as 1% or 100 (exit status 2); without --shard.",
    value: "share|number")
  var maxRejected: RejectionLimit?

  @Option(
    "Directory for the temporary log, which can grow as large as the log of an ingest (default: $TMPDIR, else /tmp).",
    value: "dir")
  var scratch: String?

  @Option(help: "Format of the summary of what was read (default: text; none with --quiet).")
  var summary: SummaryFormat?

  @OptionGroup var workers: ThreadOptions

  @Flag(help: "Print only results and warnings; other messages and summaries are shown only if the command fails.")
  var quiet = false

  @OptionGroup var appearance: TextOptions

  func validate() throws {
    if question.isEmpty {
      throw ValidationError(
        "--question names a saved question; `permlog report --as-of … --save-question FILE` saves one")
    }
    if (shard == nil) != (job == nil) {
      throw ValidationError("--shard and --job go together: which shard, and of which job")
    }
    if (log == nil) == files.isEmpty { throw ValidationError("name either files to read or a log with --log") }
    if shard != nil, strict || maxRejected != nil {
      throw ValidationError(
        "--strict and --max-rejected do not go with --shard: give them to `permlog sums merge`, which adds up the shards"
      )
    }
    if shard != nil, log == nil, form.format == .auto, form.mapping.count != 1 {
      throw ValidationError(
        "--shard needs --format, or exactly one --mapping: every shard must be read in the same way, whatever its rows look like"
      )
    }
    if summary == .json, output == "-" {
      throw ValidationError("--summary json goes to standard output, and so do the sums: give --output a file")
    }
    let given = RepeatedOptions.given.filter { $0 != "--hash-users" || withoutUsers.isEmpty }
    if log != nil, let option = given.first(where: Self.readingOptions.contains) {
      throw ValidationError("\(option) is for reading files, but --log reads no files: leave one of the two out")
    }
  }

  /// Options for reading files. They have no meaning for a log, which was read before.
  private static let readingOptions = [
    "--format", "--mapping", "--identity", "--project-time-zone", "--input-time-zone", "--keep-ids",
    "--allow-custom-permissions", "--allow-future", "--keep-partial", "--hash-users", "--rejects", "--rejects-limit",
    "--strict", "--max-rejected", "--scratch", "--summary", "--experiment", "--state", "--no-join",
  ]

  func run() throws {
    var protected = ProtectedFiles(log: log)
    for path in question { protected.add(path, "a question that is answered") }
    for path in RawArguments.paths(files) { protected.add(path, "one of the files to read") }
    for path in form.mapping { protected.add(path, "a mapping of these files") }
    for key in users.hashUsers { protected.add(key, "the key of the users") }
    for file in withoutUsers { protected.add(file, "the users who are left out") }
    let without = WithoutUsers(files: withoutUsers, keys: users.hashUsers)
    protected.add(output: rejected.rejects, "the file of rejected lines")
    let questions = try CommandFailure.wrap { () throws -> [Question] in try self.questions() }
    let file = try SumsOutput(output, besides: protected, of: questions)
    let sums = try CommandFailure.wrap {
      let shard = try self.shard.map { try SumsShard($0.number, of: $0.count, job: job ?? "") }
      if let log {
        return try SumsBundle.make(
          questions, of: PermissionLog(log, threads: workers.threads), shard: shard, without: without,
          onUnknown: Output.tell)
      }
      return try read(questions, shard, without)
    }
    try file.write(sums)
  }

  private func questions() throws -> [Question] {
    // Standard input may hold the events.
    let inputs = files.filter { $0 == "-" }.count + question.filter { $0 == "-" }.count
    if inputs > 1 { throw CommandFailure.usage("standard input can be read only once, but is named several times") }
    return try question.map { try Question(contentsOf: $0 == "-" ? "/dev/stdin" : $0) }
  }

  private func read(_ questions: [Question], _ shard: SumsShard?, _ without: WithoutUsers) throws -> SumsBundle {
    let progress = ProgressLine(isShown: !quiet)
    let made: MadeSums
    do {
      defer { progress.clear() }
      made = try SumsBundle.make(
        questions, of: RawArguments.paths(files), shard: shard, options: try options(),
        without: without, scratch: scratch ?? Terminal.variable("TMPDIR") ?? "/tmp", threads: workers.threads,
        onProgress: progress.show)
    }
    try tell(made)
    guard let sums = made.sums else {
      throw CommandFailure.badData(
        made.ingest.refusal?.commandText(of: "no sums were written") ?? "no sums were written")
    }
    return sums
  }

  private func options() throws -> IngestOptions {
    var options = try form.options()
    options.userKey = try users.key(besides: "")
    rejected.apply(to: &options)
    options.keptFiles = users.hashUsers + question
    options.laterFiles = SumsOutput.file(output).map { [$0] } ?? []
    options.isStrict = strict
    options.rejectionLimit = maxRejected
    return options
  }

  /// Prints the summary of an ingest. If the sums go to standard output, the summary goes to standard error.
  private func tell(_ made: MadeSums) throws {
    let result = made.ingest
    IngestNotes.show(result, rejectsFile: rejected.rejects)
    if shard != nil, result.refusal != nil {
      Output.message(
        "WARNING: no line of this shard was understood, so its sums have no events. Check how the files are read, and make the sums again."
      )
    }
    if let path = made.leftDirectory {
      Output.message("WARNING: \(path) could not be removed. Remove it; nothing needs it.")
    }
    if summary == .json { return try Output.result(result.json) }
    if quiet, summary == nil { return }
    let text = IngestText(result: result, isOfSums: true).summary(appearance.style(toFile: output == "-"))
    if output != "-" { return try Output.result(text) }
    Output.message(lines: text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
  }
}

// MARK: `permlog sums`: counts of some users, to be added to the counts of others

struct SumsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sums", abstract: "Count some of the users, here or elsewhere, and add the counts up.",
    discussion: """
      report, compare, flow and audit save a question with --save-question. Each machine answers it for its own users. \
      The sums of all machines give the same report, byte for byte, as one log with all events. Sums have counts, but \
      no events and no user ids (except for the examples of an audit).

      Example:
        permlog sums make a.ndjson --format ndjson --question weekly.question \\
          --shard 1/2 --job april --output a.sums
        permlog sums make b.ndjson --format ndjson --question weekly.question \\
          --shard 2/2 --job april --output b.sums
        permlog report --from-sums a.sums --from-sums b.sums
      """,
    subcommands: [SumsMakeCommand.self, SumsMergeCommand.self, SumsShowCommand.self])
}

/// The destination of sums: a file, or standard output if it is named as `-`.
struct SumsOutput {
  private let stream: ResultStream

  /// - Parameter questions: the questions that the sums answer. If the sums have user ids, only the owner may read the
  ///   file.
  /// - Throws: before any work is done, if the file must not be overwritten or cannot be written.
  init(_ output: String, besides protected: ProtectedFiles, of questions: [Question]) throws {
    try Output.checkFile(Self.file(output), besides: protected)
    stream = try ResultStream(
      path: Self.file(output), option: "--output", besides: protected,
      isPrivate: questions.contains(where: \.asksForUserIDs))
  }

  func write(_ sums: SumsBundle) throws {
    let bytes = try CommandFailure.wrap { try sums.file() }
    try bytes.withUnsafeBytes { try stream.write($0) }
    try stream.close()
  }

  static func file(_ output: String) -> String? { output == "-" ? nil : output }
}

// MARK: `permlog sums merge`: adds up the sums of shards

struct SumsMergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Add up the sums of shards of one job.",
    usage: "permlog sums merge [<options>] <file> ... --output <file>",
    discussion: """
      The sums of the same shards are the same bytes, in whatever order and groups they are added up. Shards may be \
      missing, unless --strict or --max-rejected is given. Sums of another job, of other questions or of rows that \
      were read differently are refused, and so is a shard that occurs twice.

      Example:
        permlog sums merge shards/*.sums --output april.sums
        permlog sums merge 1.sums 2.sums --max-rejected 1% --output april.sums
      """)

  @Argument("Files of sums, or - for standard input.", value: "file")
  var files: [String]

  @Option("Write the sums to this file, whole or not at all; - is standard output.", value: "file")
  var output: String

  @Flag(help: "Write nothing if any line of any shard was rejected (exit status 2). All shards must be present.")
  var strict = false

  @Option(
    "Write nothing if more lines than this were rejected in all shards, as 1% or 100 (exit status 2). All shards must be present.",
    value: "share|number")
  var maxRejected: RejectionLimit?

  func run() throws {
    let paths = RawArguments.paths(files)
    var protected = ProtectedFiles()
    for path in paths { protected.add(path, "one of the files to add up") }
    try Output.checkFile(SumsOutput.file(output), besides: protected)
    let sums = try CommandFailure.wrap {
      let sums = try SumsBundle(paths: paths)
      if strict || maxRejected != nil {
        try sums.requireWhole()
        guard sums.totals.rejected != nil else {
          throw CommandFailure.badData(
            "these are sums of logs, so the number of rejected lines is unknown. Leave out --strict and --max-rejected."
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
