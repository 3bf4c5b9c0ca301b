// Messages that a recorder gave by its rule, and a version of the app that gives others.

import Foundation
import Testing

@Suite struct WrongVariantTests {
  /// The hash, written once more: FNV-1a over the name and the id, and over its digits.
  private func bucket(_ experiment: String, _ user: String) -> Int {
    func hash(_ text: String) -> UInt32 {
      var value: UInt32 = 2_166_136_261
      for byte in text.utf8 { value = (value ^ UInt32(byte)) &* 16_777_619 }
      return value
    }
    return Int(hash(String(hash(experiment + user))) % 10_000)
  }

  private func line(_ user: String, _ variant: String, version: String, rule: String = "hash2 5000:A,10000:B") -> String
  {
    #"{"user_id":"\#(user)","timestamp":"2026-11-02T10:00:00Z","event":"assigned","experiment":"copy_v1","variant":"\#(variant)","surface":"\#(rule)","app_version":"\#(version)"}"#
  }

  @Test func aVersionThatChoosesByItselfIsNamed() throws {
    let workspace = try Workspace()
    let lines = (0..<400).map { number -> String in
      let user = "install-\(number)"
      let right = bucket("copy_v1", user) < 5000 ? "A" : "B"
      // Version 3.1 gives A to everybody.
      return line(user, number % 4 == 0 ? "A" : right, version: number % 4 == 0 ? "3.1" : "3.0")
    }
    let wrong = (0..<400).count { $0 % 4 == 0 && bucket("copy_v1", "install-\($0)") >= 5000 }
    let log = workspace.path("log")
    let file = try workspace.write("e.ndjson", lines.joined(separator: "\n") + "\n")
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    let audit = try Tool.run(["audit", "--log", log, "--format", "json"])
    let found = try findings(audit.output)
    #expect(found.count == 1 && found[0]["users"] as? Int == wrong && found[0]["of"] as? Int == 100)
    #expect((found[0]["sentence"] as? String)?.hasPrefix("Version 3.1 of the app gave") == true)
    // Without that version there is none.
    let good = workspace.path("good")
    let rest = lines.filter { $0.contains("3.0") }.joined(separator: "\n")
    #expect(try Tool.run(["ingest", "-", "--format", "ndjson", "--log", good], input: Data(rest.utf8)).status == 0)
    #expect(try findings(Tool.run(["audit", "--log", good, "--format", "json"]).output).isEmpty)
  }

  /// Rules that are no rules, and logs in which nothing can be computed.
  @Test func whatCannotBeComputedIsNotFound() throws {
    let workspace = try Workspace()
    let rules = [
      "hash2", "hash2 ", "hash2 x:A", "hash2 5000:A,4000:B", "hash2 10001:A", "hash2 5000", "hash3 5000:A,10000:B",
      "onboarding",
    ]
    for (number, rule) in rules.enumerated() {
      let log = workspace.path("log\(number)")
      let lines = (0..<40).map { line("install-\($0)", "A", version: "1", rule: rule) }.joined(separator: "\n")
      #expect(try Tool.run(["ingest", "-", "--format", "ndjson", "--log", log], input: Data(lines.utf8)).status == 0)
      #expect(try findings(Tool.run(["audit", "--log", log, "--format", "json"]).output).isEmpty, "\(rule)")
    }
    let (log, key) = (workspace.path("hashed"), workspace.path("key"))
    try Data(0..<32).write(to: URL(fileURLWithPath: key))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let lines = (0..<40).map { line("install-\($0)", "A", version: "1") }.joined(separator: "\n")
    let ingest = ["ingest", "-", "--format", "ndjson", "--hash-users", key, "--log", log]
    #expect(try Tool.run(ingest, input: Data(lines.utf8)).status == 0)
    #expect(try findings(Tool.run(["audit", "--log", log, "--format", "json"]).output).isEmpty)
  }

  private func findings(_ json: Data) throws -> [[String: Any]] {
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    return (object["findings"] as? [[String: Any]] ?? []).filter { $0["id"] as? String == "wrong_variant" }
  }
}
