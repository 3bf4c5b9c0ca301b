// The other commands as a user runs them: statuses, messages, and figures that must agree with one another.

import Foundation
import ReportOracle
import Testing

@Suite struct CommandTests {
  /// A log of random histories.
  private func makeLog(_ workspace: Workspace, seed: UInt64, users: Int = 60) throws -> String {
    let log = workspace.path("log")
    let lines = HistoryGenerator(seed: seed).history(users: users).map { ndjsonLine($0) + "\n" }
    let result = try Tool.run(["ingest", try workspace.write("a.ndjson", lines.joined()), "--log", log])
    #expect(result.status == 0, "\(result.errors)")
    return log
  }

  private func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func usageErrorsExit64AndSayWhatToDo() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace, seed: 3)
    let cases: [([String], String)] = [
      (["report", "--time-zone", "Mars/Olympus"], "Mars/Olympus"),
      (["report", "--time-zone", "../../etc/passwd"], "zone"),
      (["report", "--permission", "telepathy"], "notifications"),
      (["report", "--week", "2026-W60"], "2026-W60"),
      (["report", "--week", "2026-W10", "--from", "2026-01-01"], "--week"),
      (["report", "--from", "2026-02-30"], "2026-02-30"),
      (["report", "--from", "2026-03-02", "--to", "2026-03-01"], "before"),
      (["report", "--as-of", "yesterday"], "yesterday"),
      (["report", "--response-window", "30"], "30"),
      (["report", "--by", "shoe_size"], "shoe_size"),
      (["compare", "A", "A"], "two or more different"),
      (["compare", "A", "Nowhere", "--permission", "notifications"], "A"),
      (["compare", "A", "B", "--permission", "notifications", "--split", "0:1"], "--split"),
      (["frobnicate"], "frobnicate"),
    ]
    for (arguments, words) in cases {
      let isCommand = arguments[0] != "frobnicate"
      let result = try Tool.run(arguments + (isCommand ? ["--log", log] : []))
      #expect(result.status == 64, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
      #expect(result.output.isEmpty, "\(arguments)")
    }
  }

  @Test func noLogAndAnEmptyLogAreToldApart() throws {
    let workspace = try Workspace()
    let missing = try Tool.run(["report", "--log", workspace.path("none")])
    #expect(missing.status == 1 && missing.errors.contains("permlog ingest"))
    let empty = workspace.path("empty")
    #expect(try Tool.run(["ingest", try workspace.write("a.ndjson", ""), "--log", empty]).status == 0)
    let report = try object(try Tool.run(["report", "--log", empty, "--format", "json"]).output)
    #expect(report["as_of"] is NSNull && (report["rows"] as? [Any])?.isEmpty == true)
    #expect(try Tool.run(["report", "--log", empty]).status == 0)
    let occupied = workspace.path("occupied")
    try FileManager.default.createDirectory(atPath: occupied, withIntermediateDirectories: true)
    try workspace.write("occupied/thesis.txt", "mine")
    let refused = try Tool.run(["ingest", workspace.path("a.ndjson"), "--log", occupied])
    #expect(refused.status == 1 && refused.errors.contains("not empty"))
  }

  @Test func damageIsFoundNamedAndNeverReported() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace, seed: 8)
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: log).filter { $0.hasPrefix("part-") }
    let name = try #require(names.first)
    let whole = try workspace.read("log/\(name)")
    let seed: UInt64 = 17
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      var torn = whole
      let place = Int.random(in: 0..<whole.count, using: &random)
      if Bool.random(using: &random) {
        torn[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      } else {
        torn = torn.prefix(place)
      }
      try torn.write(to: URL(fileURLWithPath: log + "/" + name))
      let result = try Tool.run(["verify", "--log", log])
      #expect(result.status == 2, "seed \(seed), byte \(place)")
      #expect(result.errors.contains(name), "seed \(seed), byte \(place): \(result.errors)")
      let export = try Tool.run(["export", "--log", log])
      #expect(export.status == 2, "seed \(seed), byte \(place): \(export.errors)")
    }
    try whole.write(to: URL(fileURLWithPath: log + "/" + name))
    #expect(try Tool.run(["verify", "--log", log]).status == 0)
    var manifest = try workspace.read("log/manifest")
    manifest[20] ^= 1
    try manifest.write(to: URL(fileURLWithPath: log + "/manifest"))
    #expect(try Tool.run(["verify", "--log", log]).status == 2)
    #expect(try Tool.run(["report", "--log", log]).status == 2)
  }

  @Test func comparisonCountsAreThoseOfTheReportByVariant() throws {
    let workspace = try Workspace()
    let seed: UInt64 = 21
    let log = try makeLog(workspace, seed: seed, users: 200)
    for permission in ["notifications", "location_always"] {
      let report = try object(
        try Tool.run(["report", "--log", log, "--by", "variant", "--permission", permission, "--format", "json"]).output
      )
      let rows = try #require(report["rows"] as? [[String: Any]])
      let result = try Tool.run(["compare", "A", "B", "--log", log, "--permission", permission, "--format", "json"])
      let comparison = try object(result.output)
      for (arm, variant) in [("a", "A"), ("b", "B")] {
        let counts = try #require(comparison[arm] as? [String: Any])
        let row = rows.first { row in
          row["week"] is NSNull && (row["by"] as? [String: Any])?["value"] as? String == variant
        }
        for key in ["exposed", "pending", "restricted", "base", "granted", "denied", "skipped", "dropped_off"] {
          let expected = (row?[key] as? NSNumber)?.intValue ?? 0
          #expect((counts[key] as? NSNumber)?.intValue == expected, "seed \(seed), \(permission), \(variant), \(key)")
        }
      }
      let keys: Set = [
        "schema", "permission", "experiment", "metric", "a", "b", "difference", "ratio", "p_value", "test",
        "always_valid", "always_valid_refused", "bayes", "sample_ratio", "contaminated", "needed", "secondary",
        "decision", "reasons",
      ]
      // Grown only by addition.
      #expect(Set(comparison.keys).isSuperset(of: keys))
    }
  }

  @Test func aClosedPipeEndsQuietly() throws {
    let workspace = try Workspace()
    let log = try makeLog(workspace, seed: 4, users: 300)
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "\"\(Tool.path)\" export --log \"\(log)\" | head -1 >/dev/null"]
    let errors = Pipe()
    shell.standardError = errors
    try shell.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(text.isEmpty, "\(text)")
  }

  @Test func helpNamesEveryCommandWithAnExample() throws {
    let commands = ["ingest", "report", "compare", "plan", "export", "info", "verify", "simulate"]
    let help = try Tool.run(["--help"]).text
    for command in commands {
      #expect(help.contains(command))
      let own = try Tool.run([command, "--help"])
      #expect(own.status == 0 && own.text.contains("permlog \(command)"), "\(command)")
    }
  }

  /// A script whose variable has no value.
  @Test func anEmptyArgumentIsNamed() throws {
    for (arguments, place) in [
      (["report", "--by", ""], "the argument after --by"), (["report", "--by="], "the value of --by"),
      (["report", "--all", ""], "the argument after --all"), ([""], "the first argument"),
      (["ingest", ""], "the argument after ingest"),
      (["ingest", "a", "--mapping", ""], "the argument after --mapping"),
      (["ingest", "--", ""], "the argument after --"), (["compare", "A", ""], "the argument after A"),
    ] {
      let result = try Tool.run(arguments)
      #expect(result.status == 64 && result.text.isEmpty, "\(arguments): \(result.errors)")
      let sentence = "permlog: \(place) is empty: perhaps a variable in the script has no value\n"
      #expect(result.errors == sentence, "\(arguments): \(result.errors)")
    }
    // After `--` nothing is an option, and help is help.
    let operand = try Tool.run(["ingest", "--log", "no such log", "--", "--a="])
    #expect(operand.status == 1 && operand.errors.contains("--a="), "\(operand.errors)")
    #expect(try Tool.run(["report", "--by", "", "--help"]).status == 0)
    // A condition may ask for screens without a value.
    let condition = try Tool.run(["report", "--where=country=", "--log", "no such log"])
    #expect(condition.status == 1 && condition.errors.contains("no log at"), "\(condition.errors)")
  }

  @Test func nearNamesAreProposed() throws {
    for (arguments, words) in [
      (["repot"], "there is no command `permlog repot`; did you mean report? All commands: ingest, report, "),
      (["sums", "merg"], "`permlog sums merg`; did you mean merge? All commands: make, merge, show"),
      (["nonsense"], "`permlog nonsense`; use one of ingest, "),
      (["report", "--by", "os"], "country; did you mean os_version?"),
      (["report", "--by", "contry"], "country; did you mean country?"),
      (
        ["report", "--output", "x.pdf"], "writes no files of the kind .pdf. Write a page (.html), open it in a browser"
      ),
      (["flow", "--output", "x.XLSX"], "no files of the kind .xlsx. Write CSV"),
    ] {
      let result = try Tool.run(arguments)
      #expect(result.status == 64 && result.errors.contains(words), "\(arguments): \(result.errors)")
    }
  }
}
