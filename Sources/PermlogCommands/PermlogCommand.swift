// The command line: one type for each command.

import ArgumentParser
import CLicenses
import CUnfinishedFiles
import Permlog
import SystemCalls

public struct PermlogCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "permlog",
    abstract: "Permission analytics from exported events: ingest them, report by week, compare two messages.",
    discussion: """
      Example:
        permlog ingest export.ndjson
        permlog report
        permlog compare A B --permission notifications

      The log is the directory named by --log, else by $PERMLOG_LOG, else ./permlog-data. Exit status: 0 success, 1 \
      failure, 2 the data is at fault, 3 a condition was met or an id not found, 64 the command line is wrong.

      To complete commands and options in your shell, install the script that this prints:
        permlog --generate-completion-script bash      (or zsh, fish)
      """,
    version: PermlogVersion.text,
    subcommands: [
      IngestCommand.self, ReportCommand.self, CompareCommand.self, ExperimentsCommand.self, PlanCommand.self,
      FlowCommand.self, AuditCommand.self, SumsCommand.self, QuestionsCommand.self,
      ExportCommand.self, UsersCommand.self, EraseCommand.self, RekeyCommand.self, ExpireCommand.self,
      CompactCommand.self,
      VerifyCommand.self,
      InfoCommand.self, UndoCommand.self, BackupCommand.self,
      SimulateCommand.self, MappingCommand.self,
    ])

  @Flag(help: "Print the licenses of permlog and of everything linked into it.")
  var licenses = false

  public init() {}

  public func run() throws {
    guard licenses else { throw CleanExit.helpRequest(self) }
    try Output.result([UInt8](UnsafeBufferPointer(start: cl_licenses(), count: cl_licenses_length())))
  }

  /// Runs the command line of this process and ends it with its status: 0 success, 1 failure, 2 the data is at fault, 3
  /// a condition like --max-age was met, 64 usage.
  public static func runMain() -> Never {
    StandardStreams.occupy()
    // If a reader goes away, the next write fails, and the command ends quietly (see `Output`).
    signal(SIGPIPE, SIG_IGN)
    // A file that must not grow further (`ulimit -f`) is also an error of the write, and not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    // Unfinished files are removed when the process ends.
    cuf_install()
    do {
      try CommandNames.checkMarks(CommandLine.arguments)
      // Scripts and package managers ask for this often. Building the parser's tree of commands takes most of the time.
      if CommandLine.arguments.dropFirst() == ["--version"] {
        try Output.result(configuration.version + "\n")
        PermlogCommand.exit(withError: nil)
      }
      // Before any message, also about the options themselves.
      if CommandLine.arguments.contains("--quiet") { Output.holdMessages() }
      try CommandNames.checkEmpty(CommandLine.arguments.dropFirst())
      try CommandNames.checkCommand(CommandLine.arguments.dropFirst())
      try CommandNames.checkDashes(CommandLine.arguments.dropFirst())
      try RepeatedOptions.refuse(in: Array(CommandLine.arguments.dropFirst()))
      var command = try parseAsRoot()
      // The parser accepts the flag anywhere, and runs the command.
      if CommandLine.arguments.contains("--licenses"), !(command is PermlogCommand) {
        throw CommandFailure.usage("--licenses does not go with a command: run permlog --licenses")
      }
      try command.run()
      PermlogCommand.exit(withError: nil)
    } catch let error as CommandFailure {
      Output.tellHeldMessages()
      Output.error(error.message)
      PermlogCommand.exit(withError: ExitCode(error.status))
    } catch {
      let status = exitCode(for: error)
      if status.isSuccess { PermlogCommand.exit(withError: error) }
      Output.tellHeldMessages()
      let text = fullMessage(for: error)
      if !text.isEmpty { Output.message(parser: text, arguments: CommandLine.arguments) }
      PermlogCommand.exit(withError: status)
    }
  }
}
