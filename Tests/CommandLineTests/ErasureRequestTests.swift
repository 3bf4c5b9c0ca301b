// Requests to erase somebody: a request that was not fulfilled never looks fulfilled, and a receipt proves what was erased.

import Foundation
import Testing

@Suite struct ErasureRequestTests {
  private let workspace: Workspace
  private let log: String
  private static let install = "8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42"
  private static let users = ["john@example.com", install, "MixedCase", "Jürgen", "u5", "u6"]

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    #expect(try Tool.run(["ingest", export(), "--log", log]).status == 0)
  }

  /// Two events of each user.
  private func export() throws -> String {
    let lines = Self.users.flatMap { user in
      ["prompt_shown", "granted"].enumerated().map { i, event in
        #"{"user_id":"\#(user)","timestamp":"2026-03-02T10:00:0\#(i)Z","event":"\#(event)","permission":"camera"}"#
          + "\n"
      }
    }
    return try workspace.write("export.ndjson", lines.joined())
  }

  private func erase(_ arguments: [String], in log: String? = nil) throws -> ToolResult {
    try Tool.run(["erase"] + arguments + ["--log", log ?? self.log])
  }

  private func json(_ arguments: [String], in log: String? = nil) throws -> [String: [String: Any]] {
    let result = try erase(arguments + ["--format", "json"], in: log)
    let document = try #require(try JSONSerialization.jsonObject(with: Data(result.text.utf8)) as? [String: Any])
    let ids = try #require(document["ids"] as? [[String: Any]])
    #expect(document["schema"] as? String == "permlog.erase/1")
    #expect((result.status == 0) == (document["fulfilled"] as? Bool == true))
    return Dictionary(uniqueKeysWithValues: ids.map { ($0["id"] as? String ?? "", $0) })
  }

  private func events(_ log: String) throws -> Int {
    try Tool.run(["export", "--log", log]).text.split(separator: "\n").count
  }

  @Test func otherSpellingsAreNamedAndStay() throws {
    let asked = [
      "John@Example.com ", "8c1b3f6e2d7a4e559a0b0f3c6d1e7a42", "mixed case", "JÜRGEN", "u5", "nobody",
    ]
    let file = try workspace.write("requests.txt", "# of today\n\n" + asked.joined(separator: "\n") + "\n \t\n")
    let dry = try json(["--users-from", file, "--dry-run"])
    let found = try json(["--users-from", file])
    #expect(found.count == asked.count, "comments and blank lines are no ids: \(found.keys)")
    for answers in [dry, found] {
      for (id, stored) in zip(asked, Self.users).prefix(4) {
        #expect(answers[id]?["outcome"] as? String == "other_spelling", "\(id)")
        #expect(answers[id]?["spellings"] as? [String] == [stored], "\(id)")
      }
      #expect(answers["u5"]?["outcome"] as? String == "erased" && answers["u5"]?["events"] as? Int == 2)
      #expect(answers["nobody"]?["outcome"] as? String == "not_found")
    }
    #expect(try events(log) == 10)
    let text = try erase(["--users-from", file])
    #expect(text.status == 3)
    #expect(text.text.contains("JÜRGEN: NOT FOUND, but the log has Jürgen, which stays"), "\(text.text)")
    #expect(text.text.contains("u5: erased before on 20"), "\(text.text)")
    // On request they go, and the next time they are what they are.
    let all = try erase(["--users-from", file, "--other-spellings"])
    #expect(all.status == 3 && all.errors.contains("does not have 1 of 6 ids") && all.errors.contains("nobody"))
    #expect(all.text.contains("JÜRGEN: erased, 2 events, as Jürgen"), "\(all.text)")
    #expect(try events(log) == 2)
    let again = try json(["--users-from", file])
    for id in asked.dropLast() { #expect(again[id]?["outcome"] as? String == "erased_before", "\(id)") }
    #expect(try erase(["--users-from", file, "--allow-missing"]).status == 0)
  }

  @Test func underAKeyLikelySpellingsAreTried() throws {
    let key = try workspace.write("key", String(repeating: "k", count: 40))
    let hashed = workspace.path("hashed")
    #expect(try Tool.run(["ingest", export(), "--log", hashed, "--hash-users", key]).status == 0)
    let options = ["--user", "JOHN@example.com", "--user", "u5", "--hash-users", key]
    let first = try json(options, in: hashed)
    #expect(first["JOHN@example.com"]?["outcome"] as? String == "other_spelling")
    #expect(first["u5"]?["outcome"] as? String == "erased")
    #expect(
      try json(options + ["--other-spellings"], in: hashed)["JOHN@example.com"]?["outcome"] as? String == "erased")
  }

  @Test func installsOfAnAccountAreErasedByAFile() throws {
    let pairs = try workspace.write(
      "pairs.csv",
      "account,install\r\nanna@example.com,u5\r\n\"Doe, Jane \"\"J\"\"\",u6\n# nobody\nanna@example.com,gone\n")
    let result = try erase(["--user", "anna@example.com", "--link-file", pairs])
    #expect(result.status == 0 && result.text.contains("anna@example.com: erased, 2 events"), "\(result.text)")
    #expect(try json(["--user", "Doe, Jane \"J\"", "--link-file", pairs])["Doe, Jane \"J\""]?["events"] as? Int == 2)
    #expect(try events(log) == 8)
    let wrong = try erase(["--user", "a", "--link-file", try workspace.write("wrong.csv", "a,b,c\n")])
    #expect(wrong.status == 2 && wrong.errors.contains("is not a pair of ids"), "\(wrong.errors)")
    #expect(try erase(["--readmit", "a", "--link-file", pairs]).status == 64)
  }

  @Test func theLogListsItsRequests() throws {
    func list() throws -> String { try Tool.run(["info", "--erasures", "--log", log]).text }
    #expect(try list() == "no user is erased in this log\n")
    _ = try erase(["--user", "u5", "--user", "nobody"])
    #expect(try list().hasSuffix("Z  2 ids, 2 events erased; 1 had no events\n"))
    let json = try Tool.run(["info", "--erasures", "--log", log, "--format", "json"]).text
    #expect(json.contains(#""ids": 2, "found": 1, "not_found": 1, "events": 2"#), "\(json)")
    _ = try erase(["--readmit", "nobody"])
    #expect(try list().hasSuffix("Z  1 id, 2 events erased\n"))
    #expect(try Tool.run(["info", "--erasures", "--ingests", "--log", log]).status == 64)
  }

  // MARK: Receipts

  private func verify(_ receipt: String, _ log: String, _ options: [String] = []) throws -> ToolResult {
    try Tool.run(["verify", "--receipt", receipt, "--log", log] + options)
  }

  @Test func aReceiptProvesThatNothingCameBack() throws {
    let receipt = workspace.path("receipt.json")
    let before = try Tool.run(["info", "--fingerprint", "--log", log]).text
    #expect(try erase(["--user", "john@example.com", "--user", "nobody", "--receipt", receipt]).status == 3)
    let text = try String(contentsOfFile: receipt, encoding: .utf8)
    #expect(!text.contains("john") && !text.contains("nobody"))
    #expect(text.contains(before.dropLast()) && text.contains("part-0000000000000001"), "\(text)")
    #expect(text.contains(try Tool.run(["info", "--fingerprint", "--log", log]).text.dropLast()))
    let mode = try FileManager.default.attributesOfItem(atPath: receipt)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let proof = try verify(receipt, log)
    #expect(proof.status == 0 && proof.text.contains("found       none\nkept out    all\n"), "\(proof.text)")
    #expect(proof.text.contains("not found   1 id had no events then"), "\(proof.text)")
    // In a log that has him, whatever its key: a copy from before, or another machine.
    let other = workspace.path("other")
    #expect(try Tool.run(["ingest", export(), "--log", other]).status == 0)
    let found = try verify(receipt, other, ["--format", "json"])
    #expect(
      found.status == 2 && found.errors.contains("request 1 of the receipt is in the log again"), "\(found.errors)")
    #expect(found.text.contains(#""found": [1]"#) && found.text.contains(#""readmitted": [1, 2]"#), "\(found.text)")
    // Let in again, it is said before anything came back, and then what came back.
    #expect(try erase(["--readmit", "john@example.com"]).status == 0)
    let readmitted = try verify(receipt, log)
    #expect(
      readmitted.status == 0 && readmitted.errors.contains("WARNING: request 1 of the receipt is not kept out any more")
    )
    #expect(try Tool.run(["ingest", export(), "--log", log]).status == 0)
    #expect(try verify(receipt, log).status == 2)
    // The ingest can be taken back, but is still there for that.
  }

  @Test func filesThatUndoNeedsAreSearched() throws {
    let receipt = workspace.path("receipt.json")
    #expect(try erase(["--user", "u5", "--receipt", receipt]).status == 0)
    let other = workspace.path("other")
    #expect(try Tool.run(["ingest", export(), "--log", other]).status == 0)
    #expect(try verify(receipt, other).status == 2)
    #expect(try Tool.run(["undo", "--log", other]).status == 0)
    #expect(try verify(receipt, other).status == 0)
  }

  @Test func aChangedReceiptIsRefused() throws {
    let receipt = workspace.path("receipt.json")
    #expect(try erase(["--user", "u5", "--receipt", receipt]).status == 0)
    let text = try String(contentsOfFile: receipt, encoding: .utf8)
    let changes = [
      (#""events": 2"#, #""events": 3"#), ("permlog.receipt/1", "permlog.receipt/2"), ("{", "["),
      (#""log": "#, #""lag": "#),
      ("erased", "not_found"), (#""users": 1,"#, #""users": 1, "users": 1,"#),
    ]
    for (old, new) in changes {
      let range = try #require(text.range(of: old))
      let changed = try workspace.write("changed.json", text.replacingCharacters(in: range, with: new))
      let result = try verify(changed, log)
      #expect(
        result.status != 0 && result.text.isEmpty && result.errors.contains("changed.json"), "\(new): \(result.errors)")
    }
    for (name, content) in [("empty", ""), ("other", "{}"), ("cut", String(text.dropLast(200)))] {
      #expect(try verify(try workspace.write(name, content), log).status != 0, "\(name)")
    }
    #expect(try verify(workspace.path("none"), log).status == 1)
    // A receipt replaces no file, and nothing is erased without it.
    let second = try erase(["--user", "u6", "--receipt", receipt])
    #expect(second.status == 64 && second.errors.contains("a receipt never replaces a file"), "\(second.errors)")
    #expect(try erase(["--user", "u6", "--receipt", workspace.path("no/directory.json")]).status == 1)
    #expect(try erase(["--user", "u6", "--receipt", log + "/receipt"]).status == 64)
    #expect(try erase(["--user", "u6", "--dry-run", "--receipt", workspace.path("dry")]).status == 64)
    #expect(try events(log) == 10)
  }

  @Test func withAKeyOutsideTheReceiptHasNone() throws {
    let (key, receipt) = (workspace.path("erased.key"), workspace.path("receipt.json"))
    #expect(try erase(["--user", "u5", "--key", key, "--receipt", receipt]).status == 0)
    #expect(try String(contentsOfFile: receipt, encoding: .utf8).contains(#""key": null"#))
    let without = try verify(receipt, log)
    #expect(without.status == 64 && without.errors.contains("kept outside the log"), "\(without.errors)")
    #expect(try verify(receipt, log, ["--key", key]).status == 0)
    let other = workspace.path("other")
    #expect(try Tool.run(["ingest", export(), "--log", other]).status == 0)
    #expect(try verify(receipt, other, ["--key", key]).status == 2)
    #expect(
      try verify(receipt, log, ["--key", try workspace.write("wrong.key", String(repeating: "x", count: 32))]).status
        == 64)
  }

  // MARK: What a reviewer found

  /// An install in another spelling, or in no file of the log, is not passed over; nor an account that the pairs spell in another way.
  @Test func everyInstallOfAnAccountIsAccountedFor() throws {
    let pairs = try workspace.write(
      "pairs.csv", "acc1,\(Self.install.lowercased())\nacc1 , u5\nacc2,u6\nacc2,notthere\nanna@example.com,MixedCase\n")
    let first = try erase(["--user", "acc1", "--link-file", pairs, "--dry-run"])
    #expect(
      first.text.contains(
        "acc1: would be erased, 2 events, of 1 of 2 installs; the log also has \(Self.install), which stays"),
      "\(first.text)")
    let both = try json(["--user", "acc1", "--link-file", pairs, "--other-spellings"])["acc1"]
    #expect(both?["events"] as? Int == 4 && both?["also_erased"] as? [String] == [Self.install], "\(both ?? [:])")
    let part = try json(["--user", "acc2", "--link-file", pairs])["acc2"]
    #expect(part?["installs"] as? Int == 2 && part?["installs_found"] as? Int == 1)
    let wrong = try erase(["--user", "Anna@example.com", "--link-file", pairs])
    #expect(
      wrong.status == 64 && wrong.errors.contains("the pairs have the account anna@example.com"), "\(wrong.errors)")
    #expect(try events(log) == 6)
  }

  @Test func otherSpellingsBesideTheRightOneAreNamed() throws {
    let more = try workspace.write(
      "more.ndjson", #"{"user_id":"U5","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n")
    #expect(try Tool.run(["ingest", more, "--log", log]).status == 0)
    let found = try json(["--user", "u5"])["u5"]
    #expect(found?["outcome"] as? String == "erased" && found?["spellings"] as? [String] == ["U5"])
    #expect(try erase(["--user", "u5"]).text.contains("u5: erased before on 20"))
    // Somebody else's erasure does not fulfil a request.
    #expect(try erase(["--user", "u6"]).status == 0)
    let other = try erase(["--user", "U6"])
    #expect(
      other.status == 3 && other.text.contains("U6: NOT FOUND, no events here; erased before: u6"), "\(other.text)")
  }

  @Test func aRequestOfNobodyIsNotFulfilled() throws {
    for (name, text) in [("empty", ""), ("comments", "# one\n#two\n\n")] {
      let file = try workspace.write(name, text)
      for command in [["erase"], ["export"]] {
        let result = try Tool.run(command + ["--users-from", file, "--log", log])
        #expect(result.status == 64 && result.errors.contains("it has no ids"), "\(result.errors)")
      }
    }
    let file = try workspace.write("one", "#hash\nu5\n")
    #expect(try erase(["--users-from", file]).errors.contains("1 line with # at the start skipped"))
  }

  /// Names of files that are read after the erasure, or spell the id in other letters.
  @Test func anErasedIDIsInNoNameOfAFile() throws {
    let receipt = workspace.path("receipt.json")
    let name = "John@Example.com.ndjson"
    try FileManager.default.copyItem(atPath: workspace.path("export.ndjson"), toPath: workspace.path(name))
    #expect(try Tool.run(["ingest", workspace.path(name), "--log", log]).status == 0)
    #expect(try erase(["--user", "john@example.com", "--receipt", receipt]).status == 0)
    func names() throws -> String { try Tool.run(["info", "--ingests", "--format", "json", "--log", log]).text }
    #expect(try !names().lowercased().contains("john"))
    #expect(try Tool.run(["ingest", workspace.path(name), workspace.path("export.ndjson"), "--log", log]).status == 0)
    let later = try names()
    #expect(!later.lowercased().contains("john") && later.contains("export.ndjson"), "\(later)")
    #expect(try verify(receipt, log).status == 0)
    // A log that keeps such a name has the id.
    let other = workspace.path("other")
    let rest = try workspace.write(
      "x_john@example.com.csv.ndjson",
      #"{"user_id":"u9","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n")
    #expect(try Tool.run(["ingest", rest, "--log", other]).status == 0)
    #expect(try verify(receipt, other).status == 2)
  }

  @Test func whoIsLetInAgainIsNamed() throws {
    let receipt = workspace.path("receipt.json")
    #expect(try erase(["--user", "u5", "--receipt", receipt]).status == 0)
    #expect(try erase(["--readmit", "u5"]).status == 0)
    // The log has no list any more, so it keeps nobody out.
    let alone = try verify(receipt, log)
    #expect(
      alone.errors.contains("request 1 of the receipt is not kept out") && alone.text.contains("kept out    0 of 1"))
    // One id of a person is enough.
    let pairs = try workspace.write("pairs.csv", "acc,u5\nacc,u6\n")
    #expect(try Tool.run(["ingest", export(), "--log", log]).status == 0)
    let second = workspace.path("second.json")
    #expect(try erase(["--user", "acc", "--link-file", pairs, "--receipt", second]).status == 0)
    #expect(try verify(second, log).text.contains("kept out    all"))
    #expect(try erase(["--readmit", "u6"]).text.contains("stay out until they are named too"))
    #expect(try verify(second, log).errors.contains("request 1 of the receipt is not kept out"))
  }

  @Test func aReceiptIsNotComparedWithOtherHashes() throws {
    let receipt = workspace.path("receipt.json")
    #expect(try erase(["--user", "u5", "--receipt", receipt]).status == 0)
    let key = try workspace.write("key", String(repeating: "k", count: 40))
    let hashed = workspace.path("hashed")
    #expect(try Tool.run(["ingest", export(), "--log", hashed, "--hash-users", key]).status == 0)
    let plain = try verify(receipt, hashed)
    #expect(plain.status == 64 && plain.errors.contains("plain user ids") && plain.text.isEmpty, "\(plain.errors)")
    let own = workspace.path("own.json")
    #expect(try erase(["--user", "u5", "--hash-users", key, "--receipt", own], in: hashed).status == 0)
    #expect(try verify(own, hashed).status == 0)
    // Its plain id is in the receipt too.
    let other = workspace.path("other")
    #expect(try Tool.run(["ingest", export(), "--log", other]).status == 0)
    #expect(try verify(own, other).status == 2)
    #expect(try verify(receipt, log, ["--key", key]).status == 64, "the receipt has its own key")
  }
}
