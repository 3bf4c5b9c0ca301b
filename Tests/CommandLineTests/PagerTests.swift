// Long reports on a terminal go through a pager; nothing else does.

import Foundation
import Testing

@Suite struct PagerTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    let lines = (0..<40).flatMap { user -> [String] in
      let time = 1_770_000_000_000 + user * 30_000_000
      let answer = user % 3 == 0 ? "denied" : "granted"
      return [("prompt_shown", 0), (answer, 4000)].map { kind, wait in
        #"{"user_id":"user\#(user)","timestamp":\#(time + wait),"event":"\#(kind)","permission":"camera"}"#
      }
    }
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
  }

  /// Runs its arguments with a terminal of 24 lines and 70 columns, and prints what the terminal got.
  private static let terminal = """
    import fcntl, os, pty, struct, sys, termios
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
        os.execv(sys.argv[1], sys.argv[1:])
    out = b""
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    sys.stdout.buffer.write(out.replace(b"\\r\\n", b"\\n"))
    sys.stdout.flush()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """

  private func onTerminal(_ options: [String], _ environment: [String: String]) throws -> ToolResult {
    try Tool.run(
      ["python3", "-c", Self.terminal, Tool.path, "report", "--log", log] + options, program: "/usr/bin/env",
      environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
  }

  /// Marks every line that goes through it.
  private static let marking = "sed s/^/P:/"

  private func isPaged(_ result: ToolResult) -> Bool {
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.text.split(separator: "\n")
    #expect(!lines.isEmpty)
    return lines.allSatisfy { $0.hasPrefix("P:") }
  }

  @Test func longTextGoesThroughIt() throws {
    #expect(try isPaged(onTerminal(["--full"], ["PERMLOG_PAGER": Self.marking])))
    #expect(try isPaged(onTerminal(["--section", "weeks"], ["PERMLOG_PAGER": Self.marking, "PAGER": "tac"])))
    let whole = try onTerminal(["--full"], ["PERMLOG_PAGER": Self.marking]).text
    // The terminal's width and its colours.
    let lines = whole.split(separator: "\n").map { $0.dropFirst(2).replacing(#/\u{1B}\[\d+m/#, with: "") }
    #expect(lines.map(\.count).max() == 70)
    #expect(whole.contains("\u{1B}[1m"))
    #expect(lines.contains { $0.hasPrefix("── Retention, all weeks ") })
  }

  @Test func nothingElseDoes() throws {
    let pager = ["PERMLOG_PAGER": Self.marking]
    #expect(try !isPaged(onTerminal([], pager)))
    #expect(try !isPaged(onTerminal(["--full", "--no-pager"], pager)))
    #expect(try !isPaged(onTerminal(["--format", "csv"], pager)))
    #expect(try !isPaged(onTerminal(["--full"], ["PERMLOG_PAGER": "", "PAGER": Self.marking])))
    #expect(try !isPaged(onTerminal(["--full"], ["PERMLOG_PAGER": "cat"])))
    #expect(try !isPaged(onTerminal(["--full"], ["PERMLOG_PAGER": Self.marking, "TERM": "dumb"])))
    // No terminal.
    #expect(try !isPaged(Tool.run(["report", "--full", "--log", log], environment: pager)))
    let file = workspace.path("report.txt")
    #expect(try onTerminal(["--full", "--output", file], pager).text.isEmpty)
    #expect(try String(decoding: workspace.read("report.txt"), as: UTF8.self).contains("── Retention"))
  }

  @Test func lessGetsItsOptionsUnlessTheUserHasSome() throws {
    let told = #"echo "<$LESS> <$LV>"; cat >/dev/null"#
    #expect(try onTerminal(["--full"], ["PERMLOG_PAGER": told, "LESS": "S"]).text == "<S> <-c>\n")
    let bare = #"echo "<$LESS>"; cat >/dev/null"#
    let unset = ["-u", "LESS", "python3", "-c", Self.terminal, Tool.path, "report", "--full", "--log", log]
    let result = try Tool.run(unset, program: "/usr/bin/env", environment: ["TERM": "xterm", "PERMLOG_PAGER": bare])
    #expect(result.text == "<FRX>\n")
  }

  @Test func aPagerThatCannotBeStartedIsLeftOut() throws {
    for pager in ["/no/such/pager", "exit 126"] {
      let result = try onTerminal(["--full"], ["PERMLOG_PAGER": pager])
      #expect(result.status == 0 && result.text.contains("── Retention"), "\(pager)")
    }
  }

  @Test func aPagerThatQuitsHasSeenEnough() throws {
    for pager in ["head -n 1", "true", "exit 3"] {
      let result = try onTerminal(["--full"], ["PERMLOG_PAGER": pager])
      #expect(result.status == 0 && result.text.split(separator: "\n").count <= 1, "\(pager)")
    }
  }
}
