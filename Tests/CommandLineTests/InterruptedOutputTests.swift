// A signal takes away what is half written, and closed standard streams are no files of a log.

import Foundation
import Testing

@Suite struct InterruptedOutputTests {
  /// Starts the tool, waits until a name of a pattern is in the directory, sends a signal, and prints the status and the names.
  private static let interrupt = """
    import fnmatch, os, signal, subprocess, sys, time
    name, pattern, directory = sys.argv[1:4]
    ignored = name.startswith("ignored ")
    number = getattr(signal, name.split()[-1])
    def deliver():
        signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    tool = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stderr=sys.stdout, preexec_fn=deliver)
    for _ in range(3000):
        if fnmatch.filter(os.listdir(directory), pattern):
            break
        time.sleep(0.01)
    tool.send_signal(number)
    try:
        tool.wait(60)
    except subprocess.TimeoutExpired:
        tool.kill()
        tool.wait()
    print(tool.returncode == (0 if ignored else -number), *sorted(os.listdir(directory)))
    """

  private func interrupt(_ signal: String, _ pattern: String, _ workspace: Workspace, _ arguments: [String]) throws
    -> String
  {
    try Tool.run(
      ["python3", "-c", Self.interrupt, signal, pattern, workspace.url.path, Tool.path] + arguments,
      program: "/usr/bin/env"
    ).text
  }

  @Test(arguments: ["SIGINT", "SIGTERM", "SIGHUP"])
  func aSignalTakesAwayWhatIsHalfWritten(signal: String) throws {
    let workspace = try Workspace()
    try workspace.write("export.ndjson", "before\n")
    let names = try interrupt(
      signal, "*permlog-unfinished*", workspace,
      ["simulate", "--users", "300000", "--output", workspace.path("export.ndjson")])
    #expect(names == "True export.ndjson\n")
    #expect(try workspace.read("export.ndjson") == Data("before\n".utf8))
    // Of an ingest, whose refused lines are being written.
    let log = workspace.path("log")
    let ingest = try interrupt(
      signal, "log", workspace, ["ingest", "-", "--log", log, "--rejects", workspace.path("rejects")])
    #expect(ingest == "\npermlog: interrupted. Nothing of this ingest was stored.\nTrue export.ndjson log\n")
    // A log that was being made can be used.
    let line = #"{"user_id":"u","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    let again = try Tool.run(["ingest", try workspace.write("a.ndjson", line), "--log", log])
    #expect(again.status == 0 && again.text.contains("new        1 event"), "\(again.errors)")
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
  }

  @Test func aSignalThatIsIgnoredStaysSo() throws {
    let workspace = try Workspace()
    let names = try interrupt(
      "ignored SIGHUP", "*permlog-unfinished*", workspace,
      ["simulate", "--users", "5000", "--output", workspace.path("x.ndjson")])
    #expect(names == "True x.ndjson\n")
  }

  @Test func closedStreamsAreNoFilesOfALog() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let lines = (0..<50).map { n in
      #"{"user_id":"u\#(n)","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    }
    let file = try workspace.write("a.ndjson", lines.joined() + "{bad\n")
    func shell(_ command: String) throws -> ToolResult {
      try Tool.run(["-c", command, Tool.path, log, file], program: "/bin/sh")
    }
    for closed in ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- 2>&-", "<&- >&- 2>&-"] {
      try? FileManager.default.removeItem(atPath: log)
      let result = try shell("exec \(closed); exec \"$0\" ingest \"$2\" --log \"$1\"")
      // The summary has nowhere to go then; the events are stored before it is written.
      #expect(
        result.status == (closed.contains(">&- ") || closed.hasSuffix(" >&-") || closed == ">&-" ? 1 : 0), "\(closed)")
      #expect(try Tool.run(["verify", "--log", log]).status == 0, "\(closed)")
      #expect(try Tool.run(["export", "--log", log]).text.split(separator: "\n").count == 50, "\(closed)")
    }
    // Whoever reads the error need not do the work again.
    for sink in [">&-"] + (FileManager.default.fileExists(atPath: "/dev/full") ? ["> /dev/full"] : []) {
      let done = try shell("\"$0\" erase --user u\(sink.count) --log \"$1\" \(sink)")
      #expect(done.status == 1, "\(sink)")
      #expect(done.errors.hasSuffix(" The command has done its work: only its summary is missing.\n"), "\(done.errors)")
    }
    #expect(try Tool.run(["export", "--log", log]).text.split(separator: "\n").count == 48)
    #expect(try Tool.run(["ingest", file, "--log", log]).text.contains("erased     2 events"))
    #expect(try Tool.run(["erase", "--readmit", "u3", "--readmit", "u11", "--log", log]).status == 0)
    #expect(try Tool.run(["ingest", file, "--log", log]).text.contains("new        2 events"))
    let report = try shell("exec >&-; exec \"$0\" report --log \"$1\"")
    #expect(report.status == 1 && report.errors.contains("standard output is closed"), "\(report.errors)")
    // A result that goes to a file needs no standard output.
    let toFile = try shell("exec <&- >&- 2>&-; exec \"$0\" export --log \"$1\" --output \"$2.out\"")
    #expect(toFile.status == 0)
    #expect(try workspace.read("a.ndjson.out").split(separator: 0x0A).count == 50)
    let input = try shell("exec <&-; exec \"$0\" ingest - --log \"$1\"")
    #expect(input.status == 1 && input.errors.contains("cannot be read"), "\(input.errors)")
  }
}
