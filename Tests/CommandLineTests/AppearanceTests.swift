// Colour and signs beyond ASCII: what the options, the environment and the terminal say.

import Foundation
import Testing

@Suite struct AppearanceTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    var lines = ""
    for user in 1...40 {
      lines +=
        #"{"user_id":"u\#(user)","timestamp":"2026-03-03T10:00:00Z","event":"prompt_shown","permission":"camera"}"#
      lines += "\n"
      guard user % 2 == 0 else { continue }
      lines += #"{"user_id":"u\#(user)","timestamp":"2026-03-03T10:00:05Z","event":"granted","permission":"camera"}"#
      lines += "\n"
    }
    let file = try workspace.write("events.ndjson", lines)
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
  }

  private static let bare = [
    "NO_COLOR": "", "FORCE_COLOR": "", "LC_ALL": "C.UTF-8", "LC_CTYPE": "", "LANG": "", "TERM": "xterm",
  ]

  private func report(_ options: [String] = [], _ environment: [String: String] = [:]) throws -> ToolResult {
    try Tool.run(
      ["report", "--log", log, "--as-of", "2026-03-20"] + options,
      environment: Self.bare.merging(environment) { $1 })
  }

  private func isColored(_ options: [String] = [], _ environment: [String: String] = [:]) throws -> Bool {
    try report(options, environment).output.contains(0x1B)
  }

  @Test func theOptionDecidesOnColourThenTheEnvironment() throws {
    #expect(try !isColored())
    #expect(try isColored(["--color", "always"], ["NO_COLOR": "1"]))
    #expect(try isColored([], ["FORCE_COLOR": "1", "TERM": "dumb"]))
    #expect(try !isColored([], ["FORCE_COLOR": "0"]))
    #expect(try !isColored([], ["FORCE_COLOR": "1", "NO_COLOR": "1"]))
    #expect(try !isColored(["--color", "never"], ["FORCE_COLOR": "1"]))
    #expect(try report(["--color", "sometimes"]).status == 64)
  }

  @Test func aFileHasColourOnlyIfItIsAskedFor() throws {
    let file = workspace.path("report.txt")
    #expect(try report(["--output", file], ["FORCE_COLOR": "1"]).status == 0)
    #expect(try !workspace.read("report.txt").contains(0x1B))
    #expect(try report(["--output", file, "--color", "always"]).status == 0)
    #expect(try workspace.read("report.txt").contains(0x1B))
  }

  /// Runs the tool with a pseudo-terminal as its output.
  private func onTerminal(_ options: [String], _ environment: [String: String]) throws -> Bool {
    let program = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    let result = try Tool.run(
      ["python3", "-c", program, Tool.path, "report", "--log", log, "--as-of", "2026-03-20"] + options,
      program: "/usr/bin/env", environment: Self.bare.merging(environment) { $1 })
    #expect(result.status == 0)
    #expect(!result.output.isEmpty)
    return result.output.contains(0x1B)
  }

  @Test func aTerminalHasColourUnlessItIsToldOtherwise() throws {
    #expect(try onTerminal([], [:]))
    #expect(try !onTerminal([], ["TERM": "dumb"]))
    #expect(try !onTerminal([], ["NO_COLOR": "1"]))
    #expect(try !onTerminal(["--color", "never"], [:]))
  }

  @Test func aLocaleWithoutUTF8HasASCIIOnly() throws {
    func isASCII(_ environment: [String: String], _ options: [String] = []) throws -> Bool {
      try report(options, environment).output.allSatisfy { $0 < 0x80 }
    }
    #expect(try !isASCII(["LC_ALL": "C.UTF-8", "LANG": "C"]))
    #expect(try !isASCII(["LC_ALL": "", "LC_CTYPE": "de_DE.utf8", "LANG": "C"]))
    #expect(try !isASCII(["LC_ALL": "", "LANG": "en_US.UTF-8"]))
    #expect(try isASCII(["LC_ALL": "C", "LANG": "en_US.UTF-8"]))
    #expect(try isASCII(["LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "en_US.UTF-8"]))
    #expect(try isASCII(["LC_ALL": "", "LANG": "de_DE.ISO-8859-1"]))
    // As cron starts it.
    #expect(try isASCII(["LC_ALL": ""]))
    #expect(try isASCII([:], ["--ascii"]))
    // Files for other programs are UTF-8 whatever the terminal does.
    #expect(try !isASCII(["LC_ALL": "C"], ["--format", "html"]))
    let error = try Tool.run(["report", "--log", workspace.path("Grüße")], environment: ["LC_ALL": "C"]).errors
    #expect(!error.isEmpty && error.utf8.allSatisfy { $0 < 0x80 })
  }

  /// The commands whose results are text for people.
  @Test(arguments: [
    "ingest", "report", "compare", "experiments", "plan", "flow", "audit", "info", "verify", "erase", "expire",
    "compact",
  ])
  func everyCommandWithTextTakesColour(command: String) throws {
    let help = try Tool.run([command, "--help"]).text
    #expect(help.contains("--color <color>"))
    #expect(help.contains("--ascii"))
  }
}
