// Weeks that begin on Sunday or Saturday: named by their first day, in every output, and fixed by a saved question.

import Foundation
import Testing

@Suite struct WeekStartTests {
  private let workspace: Workspace
  private let log: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    // From Monday, 23 March, to Sunday, 5 April 2026: one user a day, who grants on Sundays alone.
    let lines = (0..<14).flatMap { day -> [String] in
      let moment = { (second: Int) in
        let time = Date(timeIntervalSince1970: 1_774_260_000 + Double(day) * 86_400 + Double(second))
        return ISO8601DateFormatter().string(from: time)
      }
      let answer = day % 7 == 6 ? "granted" : "denied"
      return [("prompt_shown", 0), (answer, 5)].map { kind, second in
        #"{"user_id":"u\#(day)","timestamp":"\#(moment(second))","event":"\#(kind)","permission":"camera"}"# + "\n"
      }
    }
    let file = try workspace.write("export.ndjson", lines.joined())
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
  }

  private func json(_ words: [String]) throws -> [String: Any] {
    let result = try Tool.run(words + ["--log", log, "--format", "json"])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private func weeks(_ words: [String]) throws -> [String: [Int]] {
    let rows = try #require(try json(words)["rows"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: rows.map { row in
        (row["week"] as? String ?? "all", [row["exposed"] as? Int ?? -1, row["granted"] as? Int ?? -1])
      })
  }

  @Test func aWeekHasTheDaysFromItsFirst() throws {
    let iso = ["all": [14, 2], "2026-W13": [7, 1], "2026-W14": [7, 1]]
    #expect(try weeks(["report"]) == iso && weeks(["report", "--week-start", "monday"]) == iso)
    // Sunday, 22 March, to Saturday, 28 March.
    #expect(
      try weeks(["report", "--week-start", "sunday"])
        == ["all": [14, 2], "2026-03-22": [6, 0], "2026-03-29": [7, 1], "2026-04-05": [1, 1]])
    #expect(
      try weeks(["report", "--week-start", "saturday"])
        == ["all": [14, 2], "2026-03-21": [5, 0], "2026-03-28": [7, 1], "2026-04-04": [2, 1]])
    for (start, words) in [("monday", []), ("sunday", ["--week-start", "sunday"])] {
      for kind in ["report", "flow"] { #expect(try json([kind] + words)["week_start"] as? String == start) }
    }
    let empty = workspace.path("empty")
    #expect(try Tool.run(["ingest", workspace.write("none.ndjson", ""), "--log", empty]).status == 0)
    let nothing = try Tool.run(["report", "--week-start", "sunday", "--format", "json", "--log", empty])
    #expect(nothing.text.contains("\"week_start\": \"sunday\""))
  }

  @Test func oneWeekIsNamedAsWeeksAre() throws {
    let sunday = try json(["report", "--week-start", "sunday", "--week", "2026-03-29"])
    #expect(
      sunday["from"] as? String == "2026-03-29T00:00:00.000Z" && sunday["to"] as? String == "2026-04-05T00:00:00.000Z")
    // In any order of the options, and for journeys.
    let rows = try Tool.run(["export", "--journeys", "--week", "2026-03-28", "--week-start", "saturday", "--log", log])
    #expect(rows.status == 0 && rows.text.split(separator: "\n").count == 7)
    for (words, advice) in [
      (["--week", "2026-03-29"], "like 2026-W14"),
      (["--week", "2026-W14", "--week-start", "sunday"], "like 2026-03-29"),
      (["--week", "2026-03-28", "--week-start", "sunday"], "like 2026-03-29"),
      (["--week", "2026-03-31", "--week-start", "sunday"], "like 2026-03-29"),
      (["--week", "2026-03-31"], "like 2026-W14"), (["--week", "x", "--week-start", "sunday"], "like 2026-03-29"),
      (["--week-start", "sonday"], "is not one of monday, sunday, saturday"),
    ] {
      let refused = try Tool.run(["report", "--log", log] + words)
      #expect(refused.status == 64 && refused.errors.contains(advice), "\(words): \(refused.errors)")
    }
  }

  @Test func textsNameAWeekByItsDays() throws {
    for format in ["text", "markdown", "html", "slack"] {
      let words = ["report", "--log", log, "--week-start", "sunday", "--as-of", "2026-04-08", "--format", format]
      let text = try Tool.run(words).text.replacing(/\u{A0}|\\u00a0/, with: " ")
      #expect(text.contains("29 March to 4 April 2026"), "\(format): \(text.prefix(500))")
      #expect(!text.contains("-W1"), "\(format)")
    }
    // A date alone would be a day.
    let early = try Tool.run(["report", "--log", log, "--week-start", "sunday", "--as-of", "2026-04-03"]).text
    #expect(!early.contains(/(^|[^kr] )2026-03-29 (has|is)/), "\(early)")
    let csv = try Tool.run(["report", "--log", log, "--week-start", "sunday", "--format", "csv"]).text
    #expect(csv.contains("\n2026-03-29,camera,") && !csv.contains("-W1"))
    let small = try Tool.run(["report", "--log", log, "--week-start", "sunday", "--small-groups", "2"])
    #expect(small.status == 64 && small.errors.contains("other weeks than ISO 8601 has"), "\(small.errors)")
  }

  @Test func aQuestionFixesIt() throws {
    let question = workspace.path("question")
    let words = ["report", "--as-of", "2026-04-08", "--log-start", "2026-03-01", "--week-start", "sunday"]
    #expect(try Tool.run(words + ["--save-question", question]).status == 0)
    #expect(String(decoding: try workspace.read("question"), as: UTF8.self).contains("\"week_start\":\"sunday\""))
    let sums = workspace.path("sums")
    #expect(try Tool.run(["sums", "make", "--log", log, "--question", question, "--output", sums]).status == 0)
    let direct = try Tool.run(words + ["--log", log, "--format", "json"])
    let rendered = try Tool.run(["report", "--from-sums", sums, "--format", "json"])
    #expect(rendered.status == 0 && rendered.output == direct.output)
    #expect(try Tool.run(["report", "--from-sums", sums, "--week-start", "sunday"]).status == 0)
    let refused = try Tool.run(["report", "--from-sums", sums, "--week-start", "saturday"])
    #expect(refused.status == 64 && refused.errors.contains("first day of weeks"), "\(refused.errors)")
    // A question of before has no such key: it is of ISO weeks.
    let usual = workspace.path("usual")
    #expect(try Tool.run(Array(words.dropLast(2)) + ["--save-question", usual]).status == 0)
    #expect(!String(decoding: try workspace.read("usual"), as: UTF8.self).contains("week_start"))
  }
}
