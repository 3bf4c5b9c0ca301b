// The forms of a report and a comparison as a user asks for them.

import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct FormTests {
  /// An experiment of 800 users whose messages, and one permission, are named by somebody hostile.
  private func makeLog(_ workspace: Workspace) throws -> String {
    let log = workspace.path("log")
    var lines = ""
    for user in 0..<800 {
      let variant = user % 2 == 0 ? "<script>alert(1)</script>" : "=1+1|\\\"x\\\""
      let permission = user % 5 == 0 ? "=cmd\\u001b[2J<b>" : "notifications"
      let start = 1_769_385_600_000 + user * 3_600_000
      func line(_ event: String, _ time: Int) -> String {
        "{\"user_id\":\"u\(user)\",\"timestamp\":\(time),\"event\":\"\(event)\",\"permission\":\"\(permission)\","
          + "\"variant\":\"\(variant)\"}\n"
      }
      lines += line("prompt_shown", start)
      let isGranted = user % 2 == 0 ? user % 3 == 0 : user % 3 != 0
      lines += line(isGranted ? "granted" : "denied", start + 2000 + user % 7 * 1000)
    }
    let file = try workspace.write("a.ndjson", lines)
    let result = try Tool.run(["ingest", file, "--log", log, "--allow-custom-permissions"])
    #expect(result.status == 0, "\(result.errors)")
    return log
  }

  private func isWellFormed(_ data: Data) -> Bool { XMLParser(data: data).parse() }

  @Test func pagesAreWellFormedWhateverTheNamesAre() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    let variants = ["<script>alert(1)</script>", "=1+1|\"x\""]
    let commands = [
      ["report"], ["report", "--by", "variant"], ["report", "--week", "2020-W01"],
      ["compare"] + variants + ["--permission", "notifications"],
      ["compare"] + variants + ["--permission", "notifications", "--looks", "2", "--planned-n", "600"],
      ["compare"] + variants + [
        "--permission", "notifications", "--explain", "--metric", "deny_rate", "--by", "platform",
      ],
    ]
    for command in commands {
      let result = try Tool.run(command + ["--log", log, "--format", "html"])
      #expect(result.status == 0 && result.errors.isEmpty, "\(command): \(result.errors)")
      #expect(isWellFormed(result.output), "\(command)")
      #expect(!result.text.contains("<script") && !result.text.contains("\u{1B}"), "\(command)")
      #expect(!result.text.contains("http") || result.text.matches(of: /https?:/).count == namespaces(result.text))
    }
  }

  private func namespaces(_ text: String) -> Int { text.matches(of: /xmlns="http/).count }

  @Test func comparisonHasItsCharts() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    let compare = ["compare", "<script>alert(1)</script>", "=1+1|\"x\"", "--permission", "notifications", "--log", log]
    let page = try Tool.run(compare + ["--format", "html"]).text
    for title in ["Difference of the grant rate", "Difference day by day"] { #expect(page.contains("\">" + title)) }
    for words in ["Verdict", "Day by day", "Checks", "sample ratio"] { #expect(page.contains(words), "\(words)") }
    let text = try Tool.run(compare + ["--full"]).text
    let markdown = try Tool.run(compare + ["--format", "markdown"]).text
    // The verdict is the same in each form.
    let verdict = try #require(["WON on", "KEEP RUNNING", "TOO EARLY", "REVIEW"].first { text.contains($0) })
    #expect(page.contains(verdict) && markdown.contains("### ") && markdown.contains(verdict))
    #expect(markdown.replacing("\\<", with: "").contains("<script") == false)
    let csv = try Tool.run(compare + ["--format", "csv"])
    #expect(csv.status == 0 && csv.text.contains("\"'=1+1|"), "a name is no formula")
    // Whoever scrolls to the end of the text finds the verdict there.
    #expect(text.split(separator: "\n").last == text.split(separator: "\n").dropFirst(2).first)
  }

  @Test func anEmptyLogHasAPageToo() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    #expect(try Tool.run(["ingest", try workspace.write("a.ndjson", ""), "--log", log]).status == 0)
    for format in ["text", "json", "csv", "markdown", "html"] {
      let result = try Tool.run(["report", "--log", log, "--format", format])
      #expect(result.status == 0 && !result.output.isEmpty, "\(format)")
      if format == "html" { #expect(isWellFormed(result.output)) }
    }
  }

  // MARK: Files

  @Test func aFileHasTheWholeResultOrWhatItHad() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    for format in ["text", "json", "csv", "markdown", "html"] {
      let file = workspace.path("report." + format)
      #expect(try Tool.run(["report", "--log", log, "--format", format, "--output", file]).status == 0)
      let printed = try Tool.run(["report", "--log", log, "--format", format]).output
      #expect(try workspace.read("report." + format) == printed, "\(format)")
    }
    try workspace.write("kept.txt", "mine")
    let failed = try Tool.run(["report", "--log", workspace.path("none"), "--output", workspace.path("kept.txt")])
    #expect(failed.status == 1)
    #expect(try workspace.read("kept.txt") == Data("mine".utf8))
    // A full disk, as the file-size limit makes one: the old file stays, and nothing lies beside it.
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    let report = "\"\(Tool.path)\" report --log \"\(log)\" --format csv --output \"\(workspace.path("kept.txt"))\""
    shell.arguments = ["-c", "trap '' XFSZ; ulimit -f 1; exec \(report) 2>/dev/null"]
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 1)
    #expect(try workspace.read("kept.txt") == Data("mine".utf8))
    let names = try FileManager.default.contentsOfDirectory(atPath: workspace.url.path)
    #expect(!names.contains { $0.hasPrefix("kept.txt.") }, "\(names)")
  }

  @Test func aFileKeepsItsModeAndALinkItsTarget() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace)
    let target = try workspace.write("target.txt", "old")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target)
    let link = workspace.path("link.txt")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(try Tool.run(["report", "--log", log, "--output", link]).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    #expect(try workspace.read("target.txt").count > 100)
    let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try Tool.run(["report", "--log", log, "--output", "/dev/null"]).status == 0)
    for place in [workspace.url.path, workspace.path("no/such/place.txt")] {
      let result = try Tool.run(["report", "--log", log, "--output", place])
      #expect(result.status == 1 && result.errors.contains("--output"), "\(result.errors)")
    }
  }
}
