// Comparisons of sums: plans and their records, what may not be replaced, and cautions.

import Foundation
import Testing

@testable import Folding

@Suite struct SumsComparisonTests {
  private typealias Group = Experiment.Group
  private let experiment: Experiment
  private let workspace: Workspace

  init() throws {
    experiment = try Experiment([Group("A", 700, granted: 300), Group("B", 700, granted: 420)])
    workspace = experiment.workspace
  }

  private func time(_ days: Int) -> String {
    ISO8601DateFormatter().string(
      from: Date(timeIntervalSince1970: Double(Experiment.start + days * Experiment.day) / 1000))
  }

  /// Sums that the log is asked for.
  private func sums(_ log: String, _ words: [String]) throws -> String {
    let (question, sums) = (workspace.path("q"), workspace.path("x.sums"))
    let saved = try Tool.run(words + ["--as-of", time(15), "--save-question", question])
    #expect(saved.status == 0, "\(saved.errors)")
    let made = try Tool.run(["sums", "make", "--log", log, "--question", question, "--output", sums])
    #expect(made.status == 0, "\(made.errors)")
    return sums
  }

  @Test func aPlanIsComparedWithAndRecordedFromSums() throws {
    let log = try experiment.log()
    let plan = workspace.path("plan.json")
    #expect(
      try Tool.run(
        [
          "plan", "A", "B", "--permission", "camera", "--effect", "10", "--log", log, "--as-of", time(14), "--save",
          plan,
        ]).status == 0)
    let text = String(decoding: try workspace.read("plan.json"), as: UTF8.self)
    try workspace.write("plan.json", text.replacing(/"saved_at": "[^"]*"/, with: "\"saved_at\": \"\(time(-2))\""))
    let sums = try sums(log, ["compare", "--plan", plan])
    let words = ["compare", "--plan", plan, "--as-of", time(15), "--format", "json"]
    let one = try Tool.run(words + ["--log", log])
    #expect(one.status == 0, "\(one.errors)")
    let many = try Tool.run(words + ["--from-sums", sums, "--record", "--now", "2026-05-01T00:00:00Z"])
    #expect(many.status == 0 && many.output == one.output, "\(many.errors)")
    let looks = try workspace.read("plan.looks.json")
    try FileManager.default.removeItem(atPath: workspace.path("plan.looks.json"))
    _ = try Tool.run(words + ["--log", log, "--record", "--now", "2026-05-01T00:00:00Z"])
    #expect(try workspace.read("plan.looks.json") == looks)
    try workspace.write("plan.json", text.replacing("\"camera\"", with: "\"photos\""))
    let other = try Tool.run(["compare", "--plan", plan, "--from-sums", sums])
    #expect(
      other.status == 64 && other.errors.contains("--plan ") && other.errors.contains("permission camera"),
      "\(other.errors)")
    let metric = try Tool.run(["compare", "--from-sums", sums, "--metric", "skip_rate", "--permission", "photos"])
    #expect(metric.status == 64 && metric.errors.contains("--permission: "), "\(metric.errors)")
  }

  @Test func aQuestionReplacesNothingThatIsRead() throws {
    let (log, plan) = (try experiment.log(), workspace.path("plan.json"))
    #expect(
      try Tool.run(
        [
          "plan", "A", "B", "--permission", "camera", "--effect", "10", "--log", log, "--as-of", time(14), "--save",
          plan,
        ]
      ).status == 0)
    let before = try workspace.read("plan.json")
    for name in ["plan.json", "plan.looks.json"] {
      let saved = try Tool.run(
        ["compare", "--plan", plan, "--as-of", time(15), "--save-question", workspace.path(name)])
      #expect(saved.status == 64 && saved.errors.contains("--save-question"), "\(name): \(saved.errors)")
    }
    #expect(try workspace.read("plan.json") == before)
    #expect(!FileManager.default.fileExists(atPath: workspace.path("plan.looks.json")))
    let inLog = try Tool.run(["report", "--as-of", time(15), "--save-question", log + "/question"])
    #expect(inLog.status == 64 && inLog.errors.contains("the directory of a log"), "\(inLog.errors)")
  }

  @Test func aMessageWithoutAScreenIsRefused() throws {
    let log = try experiment.log()
    let sums = try sums(log, ["compare", "A", "X", "--permission", "camera"])
    let result = try Tool.run(["compare", "--from-sums", sums])
    #expect(result.status == 64 && result.errors.contains("these sums have no message X"), "\(result.errors)")
    let other = try self.sums(log, ["compare", "A", "B", "--permission", "camera", "--experiment", "none"])
    let unknown = try Tool.run(["compare", "--from-sums", other])
    #expect(unknown.status == 64 && unknown.errors.contains("these sums have no experiment none"), "\(unknown.errors)")
  }

  /// A difference of answers that are not logged is none.
  @Test func aMessageThatNobodyAnsweredIsInvalid() throws {
    for (left, isSilent) in [(700, true), (699, false)] {
      let experiment = try Experiment([Group("A", 700, granted: 300), Group("B", 700, granted: 0, left: left)])
      let result = try Tool.run(
        ["compare", "A", "B", "--permission", "camera", "--as-of", time(15), "--log", experiment.log()])
      let words = result.text.split { $0.isWhitespace }.joined(separator: " ")
      #expect(
        result.status == 0
          && words.contains("Not one of the 700 users of B granted, denied or skipped. Does the app log their answers?")
            == isSilent,
        "\(result.text)")
    }
  }

  @Test func severalExperimentsAreACautionOfSumsToo() throws {
    let lines = (0..<40).flatMap { user in
      ["prompt_shown", "granted"].map { event in
        #"{"user_id":"\#(user)","timestamp":"2026-03-0\#(1 + user % 5)T10:00:0\#(event == "granted" ? 1 : 0)Z","event":"\#(event)","permission":"camera","#
          + #""variant":"\#(user % 2 == 0 ? "A" : "B")","experiment":"\#(user < 20 ? "one" : "two")"}"# + "\n"
      }
    }
    let log = workspace.path("other")
    let words = ["compare", "A", "B", "--permission", "camera", "--as-of", "2026-04-01"]
    let ingest = try Tool.run(["ingest", workspace.write("l", lines.joined()), "--format", "ndjson", "--log", log])
    #expect(ingest.status == 0, "\(ingest.errors)")
    let one = try Tool.run(words + ["--log", log])
    #expect(one.text.contains("one") && one.text.contains("--experiment"), "\(one.text)")
    let question = workspace.path("experiments.question")
    #expect(try Tool.run(words + ["--save-question", question]).status == 0)
    let files = try (1...2).map { number in
      let own = lines.filter { $0.contains("\"experiment\":\"\(number == 1 ? "one" : "two")\"") }
      let sums = workspace.path("\(number).sums")
      let made = try Tool.run(
        [
          "sums", "make", workspace.write("\(number)", own.joined()), "--format", "ndjson", "--question", question,
          "--shard",
          "\(number)/2", "--job", "j", "--output", sums,
        ])
      #expect(made.status == 0, "\(made.errors)")
      return sums
    }
    #expect(try Tool.run(["compare", "--from-sums", files[0], "--from-sums", files[1]]).output == one.output)
    let half = try Tool.run(["compare", "--from-sums", files[0]])
    #expect(half.status == 2 && half.errors.contains("shard 2 of 2"), "\(half.errors)")
  }

  /// What does not go with one question of a file may go with another.
  @Test func aSplitChoosesAmongQuestions() throws {
    let log = try experiment.log()
    let questions = try [["A", "B"], ["A", "B", "C"]].map { (messages: [String]) throws -> String in
      let path = workspace.path(messages.joined() + ".question")
      let words = ["compare"] + messages + ["--permission", "camera", "--as-of", time(15), "--save-question", path]
      #expect(try Tool.run(words).status == 0)
      return path
    }
    let sums = workspace.path("both.sums")
    let made = try Tool.run(
      ["sums", "make", "--log", log, "--output", sums] + questions.flatMap { ["--question", $0] })
    #expect(made.status == 0, "\(made.errors)")
    let two = try Tool.run(["compare", "--from-sums", sums, "--split", "2:1", "--format", "json"])
    let words = [
      "compare", "A", "B", "--permission", "camera", "--split", "2:1", "--as-of", time(15), "--format", "json",
    ]
    let one = try Tool.run(words + ["--log", log])
    #expect(two.status == 0 && two.output == one.output, "\(two.errors)")
    let none = try Tool.run(["compare", "--from-sums", sums, "--split", "1:1:1:1"])
    #expect(none.status == 64 && !none.errors.contains("<subcommand>"), "\(none.errors)")
    let other = try Tool.run(["audit", "--from-sums", sums])
    #expect(other.status == 64 && other.errors.contains("do not answer a question of an audit"), "\(other.errors)")
  }

  /// The sums with each count times a factor, and the right checksum.
  private func scaled(_ path: String, by factor: Int) throws -> [UInt8] {
    var file = SumsText()
    var table = ""
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    for line in text.split(separator: "\n").dropLast() {
      if line.hasPrefix("table ") { table = String(line.dropFirst(6)) }
      let isScaled = line.hasPrefix("=") && !["variants", "names"].contains(table)
      let cells = line.split(separator: " ").map { cell -> String in
        guard isScaled, let colon = cell.firstIndex(of: ":"), let column = Int(cell[..<colon]),
          let count = Int(cell[cell.index(after: colon)...])
        else { return String(cell) }
        return "\(column):\(count * factor)"
      }
      file.add(cells.joined(separator: " ") + "\n")
    }
    file.endWithChecksum()
    return file.bytes
  }

  @Test(arguments: [1, 1_000_000, 1_000_000_000, 1_000_000_000_000])
  func countsThatNobodyHasAreRefusedByTheFilesName(factor: Int) throws {
    let sums = try sums(try experiment.log(), ["compare", "A", "B", "--permission", "camera"])
    let path = workspace.path("scaled.sums")
    try Data(scaled(sums, by: factor)).write(to: URL(fileURLWithPath: path))
    let answer = try Tool.run(["compare", "--from-sums", path])
    if factor < 1_000_000_000 {
      #expect(answer.status == 0, "\(answer.errors)")
    } else {
      #expect(answer.status == 2 && answer.errors.contains("permlog: \(path): table "), "\(answer.errors)")
    }
  }
}
