// No option writes over a log, an input, a key, a plan, a mapping, another output or a standard stream.

import Foundation
import Testing

@Suite struct ProtectedOutputTests {
  private let workspace: Workspace
  private let log: String
  private let input: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    input = workspace.path("a.ndjson")
    #expect(try Tool.run(["simulate", "--users", "20", "--output", input]).status == 0)
    #expect(try Tool.run(["ingest", input, "--log", log]).status == 0)
    try FileManager.default.createSymbolicLink(atPath: workspace.path("linked"), withDestinationPath: "log")
    try FileManager.default.linkItem(atPath: log + "/manifest", toPath: workspace.path("hard"))
  }

  /// All files of the workspace with their bytes.
  private func contents() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: workspace.url.path) {
      result[name] = try? workspace.read(name)
    }
    return result
  }

  private func refused(_ arguments: [String], _ words: String) throws {
    let before = try contents()
    let result = try Tool.run(arguments)
    #expect(result.status == 64 && result.output.isEmpty, "\(arguments): \(result.errors)")
    #expect(
      result.errors.contains(words) && result.errors.contains("Name another file."), "\(arguments): \(result.errors)")
    #expect(try contents() == before, "\(arguments)")
  }

  @Test func noCommandWritesIntoALog() throws {
    let commands = [
      ["report"], ["experiments"], ["info"], ["verify"], ["export"], ["compare", "A", "B"],
      ["plan", "--baseline", "40", "--traffic", "100"],
    ]
    for command in commands {
      for (path, words) in [
        (log + "/result", "directory of a log"), (workspace.path("linked/result"), "directory of a log"),
        (log + "/manifest", "directory of a log"), (workspace.path("hard"), "another name of the log's file manifest"),
      ] {
        try refused(
          command + ["--log", log, "--output", path],
          "--output \(path): it is \(words.first == "d" ? "in the " : "")\(words)")
      }
    }
    try refused(["simulate", "--output", log + "/x"], "--output \(log)/x: it is in the directory of a log")
    try refused(["simulate", "--truth", log + "/x"], "--truth \(log)/x: it is in the directory of a log")
    try refused(
      ["plan", "A", "B", "--permission", "camera", "--baseline", "40", "--traffic", "100", "--save", log + "/x"],
      "--save \(log)/x: it is in the directory of a log")
    for path in [log + "/x", workspace.path("linked/x")] {
      try refused(
        ["ingest", input, "--log", log, "--rejects", path], "--rejects \(path): it is in the directory of a log")
    }
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
  }

  @Test func nothingThatIsReadIsWrittenOver() throws {
    let key = try workspace.write("key", String(repeating: "k", count: 32))
    let mapping = try workspace.write("m.yaml", Tool.run(["mapping", "show", "segment"]).text)
    try FileManager.default.linkItem(atPath: key, toPath: workspace.path("key2"))
    for (path, words) in [
      (input, "one of the files to ingest"), (workspace.path("linked/../a.ndjson"), "one of the files to ingest"),
      (workspace.path("key2"), "a file that this ingest reads"), (mapping, "a mapping of this ingest"),
    ] {
      try refused(
        [
          "ingest", input, "--log", workspace.path("new"), "--hash-users", key, "--mapping", mapping, "--rejects", path,
        ],
        "--rejects \(path): it is \(words)")
    }
    let plan = workspace.path("plan.json")
    let made = try Tool.run([
      "plan", "A", "B", "--permission", "camera", "--baseline", "40", "--traffic", "100", "--save", plan,
    ])
    #expect(made.status == 0, "\(made.errors)")
    try refused(["compare", "--plan", plan, "--log", log, "--output", plan, "--record"], "it is the plan.")
    let record = workspace.path("plan.looks.json")
    try refused(["compare", "--plan", plan, "--log", log, "--output", record], "it is the record of the plan's looks.")
    try refused(
      ["export", "--skip-damaged", "--key", key, "--log", log, "--output", key],
      "it is the key of the list of erased users.")
  }

  @Test func twoOutputsAreTwoFiles() throws {
    let path = workspace.path("new")
    try refused(
      ["simulate", "--users", "3", "--output", path, "--truth", workspace.path("linked/../new")],
      "it is also the export's file.")
    try refused(
      [
        "plan", "A", "B", "--permission", "camera", "--baseline", "40", "--traffic", "100", "--save", path, "--output",
        path,
      ], "it is also the plan's file.")
  }

  @Test func standardStreamsKeepTheirFiles() throws {
    func shell(_ command: String) throws -> ToolResult {
      try Tool.run(["-c", command, Tool.path, log, workspace.path("x")], program: "/bin/sh")
    }
    for (redirection, words) in [
      (">> \"$2\"", "standard output goes to"), ("< \"$2\"", "standard input is read from"),
    ] {
      try workspace.write("x", "before\n")
      let result = try shell("\"$0\" report --log \"$1\" --output \"$2\" \(redirection)")
      #expect(
        result.status == 64 && result.errors.contains("it is the file that \(words). Name another"), "\(result.errors)")
      #expect(try workspace.read("x") == Data("before\n".utf8))
    }
    let errors = try shell("\"$0\" report --log \"$1\" --output \"$2\" 2>> \"$2\"")
    #expect(errors.status == 64)
    #expect(
      String(decoding: try workspace.read("x"), as: UTF8.self).contains("it is the file that standard error goes to"))
    // Devices keep nothing.
    #expect(try shell("\"$0\" report --log \"$1\" --output /dev/null > /dev/null").status == 0)
    #expect(try shell("\"$0\" report --log \"$1\" --output /dev/stdout | cat").text.hasPrefix("Week of"))
  }

  @Test func aDanglingLinkIsWrittenThrough() throws {
    let files = FileManager.default
    for (name, arguments) in [
      ("output", ["report", "--log", log, "--output"]),
      ("save", ["plan", "A", "B", "--permission", "camera", "--baseline", "40", "--traffic", "100", "--save"]),
      ("rejects", ["ingest", input, "--log", log, "--rejects"]),
    ] {
      let link = workspace.path("link-" + name)
      try files.createSymbolicLink(atPath: link, withDestinationPath: "target-" + name)
      let result = try Tool.run(arguments + [link])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try files.destinationOfSymbolicLink(atPath: link) == "target-" + name)
      #expect(files.fileExists(atPath: workspace.path("target-" + name)))
      let nowhere = workspace.path("nowhere-" + name)
      try files.createSymbolicLink(atPath: nowhere, withDestinationPath: "no/such/place")
      let refused = try Tool.run(arguments + [nowhere])
      #expect(
        refused.status == 1 && refused.errors.contains("\(nowhere): No such file or directory"), "\(refused.errors)")
      #expect(try files.destinationOfSymbolicLink(atPath: nowhere) == "no/such/place")
    }
  }
}
