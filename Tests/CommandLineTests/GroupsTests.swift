// Reports by a property with many values: the largest have rows of their own, the others one together.

import Foundation
import Testing

@Suite struct GroupsTests {
  /// A log with some values of `surface`: value n has n + 1 users.
  private func log(_ workspace: Workspace, values: Int, users: (Int) -> Int = { $0 + 1 }) throws -> String {
    var lines = ""
    for value in 0..<values {
      for user in 0..<users(value) {
        for (event, second) in [("prompt_shown", 0), ("granted", 3)] {
          lines +=
            #"{"user_id":"u\#(value)-\#(user)","timestamp":"2026-03-02T10:00:0\#(second)Z","event":"\#(event)","#
            + #""permission":"camera","surface":"s\#(value)"}"# + "\n"
        }
      }
    }
    let path = workspace.path("log")
    let result = try Tool.run(["ingest", try workspace.write("events.ndjson", lines), "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return path
  }

  private struct Report: Decodable {
    var by_limit, by_values: Int?
    var rows: [Row]
  }

  private struct Row: Decodable {
    var week: String?
    var by: Value?
    var exposed: Int
  }

  private struct Value: Decodable {
    var property: String
    var value: String?
    var other: Bool?
  }

  private func report(_ log: String, _ arguments: [String]) throws -> Report {
    let result = try Tool.run(["report", "--log", log, "--format", "json"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: result.output)
  }

  @Test func theLargestValuesHaveRowsAndTheOthersOneTogether() throws {
    let workspace = try Workspace()
    let log = try log(workspace, values: 9)
    let three = try report(log, ["--by", "surface", "--by-limit", "3"])
    #expect(three.by_limit == 3 && three.by_values == 9)
    let all = three.rows.filter { $0.week == nil }
    #expect(all.map { $0.by?.value } == ["s6", "s7", "s8", nil] && all.map(\.exposed) == [7, 8, 9, 21])
    #expect(all.map { $0.by?.other } == [nil, nil, nil, true])
    let usual = try report(log, ["--by", "surface"])
    #expect(usual.by_limit == 1000 && usual.by_values == 9 && !usual.rows.contains { $0.by?.other != nil })
    let without = try report(log, [])
    #expect(without.by_limit == nil && without.by_values == nil && without.rows.allSatisfy { $0.by == nil })

    let csv = try Tool.run(["report", "--log", log, "--format", "csv", "--by", "surface", "--by-limit", "3"]).text
    let lines = csv.split(separator: "\r\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(lines[0].last == "other")
    #expect(Set(lines.filter { $0[2] == "other" }.map { $0.last }) == ["true"])
    #expect(Set(lines.filter { $0[2] == "s8" }.map { $0.last }) == ["false"])

    for (part, words) in [("--full", "(other)"), ("--no-pager", "values: of the 9 of surface, the 3 with")] {
      let text = try Tool.run(["report", "--log", log, "--by", "surface", "--by-limit", "3", part]).text
      #expect(text.replacing("\u{A0}", with: " ").contains(words), "\(text)")
    }
    let many = try Tool.run(["report", "--log", log, "--by", "surface", "--by-limit", "8"]).text
    #expect(many.replacing("\u{A0}", with: " ").contains("and all others, with 1 exposure together"), "\(many)")
    let full = try Tool.run(["report", "--log", log, "--by", "surface", "--by-limit", "3", "--full"]).text
    let words = full.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("are not a value and are left out"))
  }

  @Test func aThousandValuesHaveRowsUnlessMoreAreAskedFor() throws {
    let workspace = try Workspace()
    let log = try log(workspace, values: 1003) { _ in 1 }
    let usual = try report(log, ["--by", "surface"]).rows.filter { $0.week == nil }
    #expect(usual.count == 1001 && usual.last?.by?.other == true && usual.last?.exposed == 3)
    let more = try report(log, ["--by", "surface", "--by-limit", "500000"]).rows.filter { $0.week == nil }
    #expect(more.count == 1003 && !more.contains { $0.by?.other != nil })
  }

  @Test func whatEndsWithAStatusIsSaidOfManyPermissionsToo() throws {
    let workspace = try Workspace()
    var lines = ""
    func ask(_ permission: String, _ day: String, _ users: Range<Int>, _ answer: (Int) -> String) {
      for user in users {
        for (event, second) in [("prompt_shown", 0), (answer(user), 3)] {
          lines +=
            #"{"user_id":"\#(permission)\#(user)","timestamp":"2026-03-\#(day)T10:00:0\#(second)Z","event":"\#(event)","#
            + #""permission":"\#(permission)"}"# + "\n"
        }
      }
    }
    for permission in 10..<45 {
      ask("custom_\(permission)", "02", 0..<50) { $0 % 2 == 0 ? "granted" : "denied" }
      ask("custom_\(permission)", "09", 50..<100) { $0 % 2 == 0 ? "granted" : "denied" }
    }
    ask("custom_small", "02", 0..<40) { _ in "granted" }
    ask("custom_small", "09", 40..<80) { _ in "denied" }
    let log = workspace.path("log")
    let ingested = try Tool.run([
      "ingest", try workspace.write("events.ndjson", lines), "--log", log, "--allow-custom-permissions",
    ])
    #expect(ingested.status == 0, "\(ingested.errors)")
    for part in [["--full"], [], ["--format", "html"]] {
      let report = try Tool.run(
        ["report", "--log", log, "--as-of", "2026-03-17", "--fail-on-drop", "--no-pager"] + part)
      #expect(report.status == 3 && report.errors.contains("custom_small"), "\(report.errors)")
      let text = report.text.replacing("\u{A0}", with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains("custom_small down 100.0 points"), "\(part): \(text.prefix(2000))")
    }
  }

  @Test func aLimitThatIsNoneIsRefused() throws {
    let workspace = try Workspace()
    let log = try log(workspace, values: 2)
    for (arguments, words) in [
      (["--by-limit", "3"], "--by-limit goes with --by"),
      (["--by", "surface", "--by-limit", "0"], "--by-limit: it needs a whole number from 1 on, not 0"),
      (["--by", "surface", "--by-limit", "-4"], "--by-limit"), (["--by", "surface", "--by-limit", "x"], "--by-limit"),
    ] {
      let result = try Tool.run(["report", "--log", log] + arguments)
      #expect(result.status == 64 && result.errors.contains(words), "\(arguments): \(result.errors)")
    }
  }
}
