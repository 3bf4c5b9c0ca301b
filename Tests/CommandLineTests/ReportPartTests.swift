// How much of a report is printed: one screen, everything, or sections.

import Foundation
import Testing

@Suite struct ReportPartTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    let made = workspace.path("made.ndjson")
    #expect(
      try Tool.run([
        "simulate", "--users", "300", "--weeks", "5", "--seed", "4", "--format", "ndjson", "--output", made,
      ])
      .status == 0)
    #expect(try Tool.run(["ingest", made, "--log", log]).status == 0)
  }

  private func report(_ options: [String], columns: Int = 80) throws -> ToolResult {
    try Tool.run(["report", "--log", log] + options, environment: ["COLUMNS": "\(columns)"])
  }

  @Test(arguments: [60, 80, 120])
  func oneScreenUnlessMoreIsAskedFor(columns: Int) throws {
    for options in [
      [], ["--by", "app_version"], ["--by", "locale"], ["--permission", "camera"], ["--week", "2026-W02"],
    ] {
      let lines = try report(options, columns: columns).text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count - 1 <= 23, "\(options): \(lines.count - 1) lines")
      #expect(lines.allSatisfy { $0.count <= columns }, "\(options)")
      #expect(lines.contains { $0.hasPrefix("see more   --full for everything; --section NAME") }, "\(options)")
    }
    #expect(try report(["--full"], columns: columns).text.split(separator: "\n").count > 100)
  }

  /// A note is printed with the sections in their order, whatever the order of the options.
  @Test(arguments: ["text", "markdown", "html"])
  func sectionsAreChosenByName(format: String) throws {
    let text = try report(["--section", "weeks", "--section", "retention", "--format", format]).text
    let titles =
      format == "html"
      ? ["Retention, all weeks</bdi></h2>", "Grant rate by week</bdi></h2>"] : ["Retention, all weeks", "By week"]
    let places = titles.compactMap { text.range(of: $0)?.lowerBound }
    #expect(places.count == 2 && places == places.sorted())
    for other in ["Granted, all weeks", "Settings prompts", "What to look at"] { #expect(!text.contains(other)) }
  }

  @Test func everySectionHasAName() throws {
    let help = try Tool.run(["report", "--help"]).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let list = try #require(help.firstMatch(of: /repeat it for several: ([a-z, -]+)\./)?.1)
    let names = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(names.count == 18)
    var titles: Set<String> = []
    for name in names {
      let result = try report(["--section", name, "--by", "platform"])
      #expect(result.status == 0)
      let sections = result.text.split(separator: "\n").filter { $0.hasPrefix("── ") }
      #expect(sections.count == 1, "\(name)")
      titles.formUnion(sections.map(String.init))
    }
    #expect(titles.count == names.count)
  }

  @Test func whatDoesNotGoTogetherIsRefused() throws {
    let cases: [([String], String)] = [
      (["--section", "nope"], "after-grant"), (["--section", "time", "--format", "json"], "always has everything"),
      (["--section", "time", "--format", "csv"], "The sections are --section values, --section timing"),
      (["--section", "timing", "--section", "time", "--format", "csv"], "csv is one table"),
      (["--section", "values", "--format", "csv"], "--section values needs --by"),
      (["--section", "timing", "--by", "country", "--format", "csv"], "--section timing does not go with --by"),
      (["--log-start", "yesterday"], "--log-start"), (["--section", "time", "--full"], "--full"),
      (["--title", "Hello"], "--title"), (["--format", "html", "--title", " "], "--title"),
      (["--output", "-"], "--output"), (["--title", "Hello", "--format", "json"], "--title"),
    ]
    for (options, words) in cases {
      let result = try report(options)
      #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(words), "\(options)")
    }
  }

  @Test func aTitleIsThePages() throws {
    let html = try report(["--format", "html", "--title", "Acme <b> & co"]).text
    #expect(html.contains("<title>Acme &lt;b&gt; &amp; co</title>"))
    #expect(html.contains("<h1><bdi>Acme &lt;b&gt; &amp; co</bdi></h1>") && html.contains("Week of "))
    let markdown = try report(["--format", "markdown", "--title", "Acme @home"]).text
    #expect(markdown.hasPrefix("## Acme @\u{200B}home\n"))
    #expect(try report(["--format", "html"]).text.contains("<h1><bdi>Week of "))
  }
}
