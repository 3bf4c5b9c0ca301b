// `report --follow` draws the newest state of the log on a terminal until ctrl-C ends it.

import Foundation
import Testing

@Suite struct FollowTests {
  /// Runs its arguments on a terminal of 30 lines until the text shows what is expected first, ingests a file, waits for what is expected
  /// then, and presses ctrl-C. Prints both screens and how the program ended.
  private static let script = """
    import fcntl, os, pty, select, signal, struct, subprocess, sys, termios, time
    first, then, file, log, tool = sys.argv[1:6]
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[6]), 80, 0, 0))
        # Who runs tests in the background may have turned the key off.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.execv(tool, [tool, "report", "--follow", "--log", log])
    def until(text):
        # A read may end in the middle of a drawing, whose last bytes clear what is below it.
        seen, end = b"", time.time() + 300
        while b"\\x1b[J" not in seen.partition(text.encode())[2] and time.time() < end:
            if select.select([fd], [], [], 0.2)[0]:
                seen += os.read(fd, 65536)
        return seen
    one = until(first)
    subprocess.run([tool, "ingest", file, "--log", log, "--quiet"], check=True)
    two = until(then)
    os.write(fd, b"\\x03")
    end = time.time() + 20
    while (done := os.waitpid(pid, os.WNOHANG))[0] == 0:
        if time.time() > end:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    status = done[1]
    sys.stdout.buffer.write(one + b"\\n=====\\n" + two)
    print("\\nended by", os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status))
    """

  private func lines(_ users: Range<Int>) -> String {
    users.flatMap { user -> [String] in
      let time = 1_770_000_000_000 + user * 3_000_000
      return [("prompt_shown", 0), ("granted", 4000)].map { kind, wait in
        #"{"user_id":"user\#(user)","timestamp":\#(time + wait),"event":"\#(kind)","permission":"camera"}"#
      }
    }.joined(separator: "\n")
  }

  private func follow(_ first: String, _ then: String, rows: Int = 30) throws -> [String] {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let old = try workspace.write("a.ndjson", lines(0..<40))
    let new = try workspace.write("b.ndjson", lines(40..<57))
    #expect(try Tool.run(["ingest", old, "--log", log]).status == 0)
    let result = try Tool.run(
      ["python3", "-c", Self.script, first, then, new, log, Tool.path, "\(rows)"], program: "/usr/bin/env",
      environment: ["TERM": "xterm", "NO_COLOR": "1"])
    #expect(result.status == 0, "\(result.errors)")
    return result.text.components(separatedBy: "\n=====\n")
  }

  @Test func aCommitIsDrawnAndCtrlCEnds() throws {
    let screens = try follow("80 events", "114 events")
    #expect(screens.count == 2 && screens[0].contains("80 events") && screens[1].contains("114 events"), "\(screens)")
    // From the top, over the lines of before, and nothing of them is left.
    #expect(screens[1].contains("\u{1B}[H") && screens[1].contains("\u{1B}[K") && screens[1].contains("\u{1B}[J"))
    #expect(screens[1].hasSuffix("ended by 2\n"), "\(screens[1])")
  }

  @Test func aLowTerminalHasItsFirstLines() throws {
    let screens = try follow("more lines", "more lines", rows: 8)
    let drawn = screens[0].components(separatedBy: "\u{1B}[J")[0]
    #expect(drawn.split(separator: "\r\n").count <= 7, "\(drawn)")
  }

  @Test(arguments: [
    ["--format", "json"], ["--output", "x.txt"], ["--fail-on-drop"], ["--from-sums", "x"], [],
  ])
  func goesWithATerminalAlone(_ options: [String]) throws {
    let result = try Tool.run(["report", "--follow", "--log", "/nowhere"] + options)
    #expect(result.status == 64 && result.errors.contains("--follow"), "\(result.errors)")
  }
}
