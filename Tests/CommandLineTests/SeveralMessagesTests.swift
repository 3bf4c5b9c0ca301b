// Three messages: what is decided of a pair comes from that pair alone.

import Foundation
import Testing

@Suite struct SeveralMessagesTests {
  /// Answers of `users` users on a day; every n-th grants.
  private func day(_ day: Int, _ variant: String, users: Int, grantsEvery n: Int) -> [String] {
    (0..<users).flatMap { user -> [String] in
      let head =
        "{\"user_id\":\"\(variant)-\(day)-\(user)\",\"permission\":\"camera\",\"variant\":\"\(variant)\",\"event\":"
      let date = "2025-01-\(day < 10 ? "0" : "")\(day)T10:00:"
      return [
        head + "\"prompt_shown\",\"timestamp\":\"\(date)00Z\"}",
        head + "\"\(user % n == 0 ? "granted" : "denied")\",\"timestamp\":\"\(date)05Z\"}",
      ]
    }
  }

  private func log(_ workspace: Workspace, _ lines: [String]) throws -> String {
    let log = workspace.path("log")
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    return log
  }

  @Test func daysOfAnotherMessageAreNoDaysOfThePair() throws {
    let workspace = try Workspace()
    var lines: [String] = []
    for date in 1...12 { lines += day(date, "C", users: 100, grantsEvery: 3) }
    for date in 1...2 {
      lines += day(date, "A", users: 600, grantsEvery: 4) + day(date, "B", users: 600, grantsEvery: 2)
    }
    let log = try log(workspace, lines)
    for variants in [["A", "B"], ["A", "B", "C"]] {
      let result = try Tool.run(["compare"] + variants + ["--permission", "camera", "--log", log])
      #expect(!result.text.contains("B WON"), "\(variants): \(result.text)")
    }
  }

  @Test func longNamesLeaveTheVerdictWhole() throws {
    let workspace = try Workspace()
    let names = ["control_short_message_v1", "explanation_with_pictures_v2", "explanation_with_video_v3"]
    var lines: [String] = []
    for date in 1...10 {
      for (name, n) in zip(names, [4, 2, 3]) { lines += day(date, name, users: 200, grantsEvery: n) }
    }
    let result = try Tool.run(
      ["compare"] + names + ["--permission", "camera", "--log", try log(workspace, lines)],
      environment: ["COLUMNS": "80"])
    let words = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for name in names.dropFirst() {
      #expect(words.contains("\(name) WON on 2025-01-07 (day 7): take \(name)."), "\(result.text)")
    }
    #expect(result.text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(result.text)")
    #expect(result.text.contains("_v2 ") && result.text.contains("_v3 "), "the rows can be told apart")
  }

  @Test func aPlanNamesTheUsersOfAPair() throws {
    let result = try Tool.run(
      ["plan", "--baseline", "48", "--effect", "2", "--traffic", "300", "--variants", "3"])
    #expect(result.status == 0 && result.text.contains("--planned-n 42432"), "\(result.text)\(result.errors)")
  }
}
