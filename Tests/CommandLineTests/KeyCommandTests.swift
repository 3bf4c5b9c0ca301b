// Keys as a user of the command line gives them: --key, --move-key and --hash-users.

import Foundation
import Testing

@Suite struct KeyCommandTests {
  private let workspace: Workspace
  private let log: String
  private let key: String

  init() throws {
    workspace = try Workspace()
    log = workspace.path("log")
    key = workspace.path("erased.key")
  }

  private func run(_ arguments: [String], input: String? = nil) throws -> ToolResult {
    try Tool.run(arguments + ["--log", log], input: input.map { Data($0.utf8) })
  }

  private func ingest(_ users: [String], _ arguments: [String] = []) throws -> ToolResult {
    let lines = users.map {
      #"{"event_id":"e1","user_id":"\#($0)","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    }
    return try run(["ingest", "-", "--format", "ndjson"] + arguments, input: lines.joined())
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func info() throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: try run(["info", "--format", "json"]).output)
    return try #require(object as? [String: Any])
  }

  /// True if a file of the log has these bytes.
  private func logHolds(_ bytes: Data) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: log).contains {
      try workspace.read("log/\($0)").range(of: bytes) != nil
    }
  }

  @Test func theFirstErasureMakesTheKeyOutsideTheLog() throws {
    _ = try ingest(["ann", "bob"])
    let dry = try run(["erase", "--user", "ann", "--key", key, "--dry-run"])
    #expect(dry.status == 0 && dry.text.contains("the key \(key) would be made"), "\(dry.text)\(dry.errors)")
    #expect(!FileManager.default.fileExists(atPath: key))
    let first = try run(["erase", "--user", "ann", "--key", key])
    #expect(first.status == 0 && first.errors.isEmpty, "\(first.errors)")
    #expect(
      first.text.contains(
        "made the key \(key)\nkeep it, and a copy of it, away from the log: without it nothing can be"))
    #expect(first.text.contains("from now on give --key \(key) to ingest and erase"))
    #expect(try mode(key) == 0o600)
    let bytes = try workspace.read("erased.key")
    #expect(bytes.count == 32)
    #expect(try !logHolds(bytes))

    for arguments in [
      ["erase", "--user", "x"], ["erase", "--user", "x", "--dry-run"], ["erase", "--readmit", "ann"],
    ] {
      let missing = try run(arguments)
      #expect(missing.status == 64, "\(arguments)")
      #expect(missing.errors.contains("is kept outside the log. Give it with --key FILE."), "\(missing.errors)")
    }
    #expect(try ingest(["ann", "cat"]).status == 64)
    try workspace.write("wrong.key", String(repeating: "w", count: 32))
    #expect(chmod(workspace.path("wrong.key"), 0o600) == 0)
    let wrong = try ingest(["ann", "cat"], ["--key", workspace.path("wrong.key")])
    #expect(
      wrong.status == 64 && wrong.errors.contains("is not that of its list of erased users"), "\(wrong.errors)")
    let lost = try run(["erase", "--user", "x", "--key", workspace.path("lost.key")])
    #expect(lost.status == 1 && lost.errors.contains("--key \(workspace.path("lost.key")): "), "\(lost.errors)")
    #expect(!FileManager.default.fileExists(atPath: workspace.path("lost.key")), "no second key is made")
    #expect(try run(["export"]).text.split(separator: "\n").count == 1, "nothing was stored")

    let right = try ingest(["ann", "cat"], ["--key", key])
    #expect(right.status == 0 && right.errors.isEmpty && right.text.contains("new        1 event"), "\(right.text)")
    for command in [
      ["report"], ["export"], ["info"], ["verify"], ["compact"], ["expire", "--before", "2020-01-01"], ["experiments"],
    ] {
      #expect(try run(command).status == 0, "\(command) does not need the key")
    }
    let state = try info()
    #expect(state["erasure_key"] as? String == "outside" && state["keys_needed"] as? [String] == ["erasure_key"])
    let text = try run(["info"]).text
    #expect(text.contains("erasure key outside the log") && text.contains("keys        ingest and erase need --key"))
    #expect(try run(["erase", "--readmit", "ann", "--key", key]).text.hasPrefix("1 user is accepted again"))
    #expect(try info()["erasure_key"] is NSNull, "with the last user the list goes")
  }

  @Test func withoutAKeyTheLogHoldsItAndSaysWhatThatMeans() throws {
    _ = try ingest(["ann", "bob"])
    let first = try run(["erase", "--user", "ann"])
    #expect(
      first.text.contains(
        "the key of the list of erased users is in the log: anyone who can read the log's files can test whether a "
          + "guessed id was erased. permlog erase --move-key FILE moves it elsewhere"), "\(first.text)")
    #expect(try !run(["erase", "--user", "bob"]).text.contains("move-key"), "it is said once")
    #expect(try info()["erasure_key"] as? String == "inside" && info()["keys_needed"] as? [String] == [])
    let other = try run(["erase", "--user", "x", "--key", key])
    #expect(other.status == 64 && other.errors.contains("permlog erase --move-key FILE"), "\(other.errors)")
    #expect(!FileManager.default.fileExists(atPath: key))

    // The 32 bytes after the id of the list, which is its 24th byte.
    let names = try FileManager.default.contentsOfDirectory(atPath: log)
    let list = try #require(names.first { $0.hasPrefix("erased-") })
    let secret = try workspace.read("log/\(list)").subdata(in: 24..<56)
    let moved = try run(["erase", "--move-key", key])
    #expect(moved.status == 0 && moved.text.hasPrefix("moved the key out of the log, into \(key)\n"), "\(moved.errors)")
    #expect(try workspace.read("erased.key") == secret && mode(key) == 0o600)
    #expect(try !logHolds(secret) && !FileManager.default.fileExists(atPath: log + "/" + list))
    #expect(try run(["verify"]).status == 0)
    #expect(try ingest(["ann"]).status == 64)
    let again = try ingest(["ann", "bob"], ["--key", key, "--summary", "json"])
    #expect(again.text.contains("\"erased\": 2,"), "\(again.text)\(again.errors)")
    let twice = try run(["erase", "--move-key", workspace.path("second.key")])
    #expect(twice.status == 64 && twice.errors.contains("is already kept outside the log"), "\(twice.errors)")
    #expect(!FileManager.default.fileExists(atPath: workspace.path("second.key")))
  }

  @Test func aKeyIsMovedIntoANewFileAlone() throws {
    _ = try ingest(["ann"])
    let nobody = try run(["erase", "--move-key", key])
    #expect(nobody.status == 64 && nobody.errors.contains("no user was erased from it, so it has no key"))
    _ = try run(["erase", "--user", "ann"])
    for options in [["--user", "x"], ["--readmit", "x"], ["--users-from", "x"], ["--dry-run"], ["--key", key]] {
      let result = try run(["erase", "--move-key", key] + options)
      #expect(
        result.status == 64 && result.errors.contains("--move-key cannot be combined"), "\(options): \(result.errors)")
    }
    try workspace.write("erased.key", "what is here stays")
    let there = try run(["erase", "--move-key", key])
    #expect(there.status == 64 && there.errors.contains("the file already exists"), "\(there.errors)")
    #expect(try workspace.read("erased.key") == Data("what is here stays".utf8))
    let inside = try run(["erase", "--move-key", log + "/key"])
    #expect(inside.status == 64 && inside.errors.contains("in the directory of a log"), "\(inside.errors)")
  }

  @Test func aKeyOfOnesOwnIsTakenAlsoFromAPipe() throws {
    _ = try ingest(["ann", "bob"])
    try workspace.write("own.key", "sixteen bytes!!\n")
    let script = "'\(Tool.path)' erase --user ann --log '\(log)' --key <(cat '\(workspace.path("own.key"))')"
    let piped = try Tool.run(["-c", script], program: "/bin/bash")
    #expect(piped.status == 0 && piped.text.contains("keep it, and a copy of it, away from the log"), "\(piped.errors)")
    #expect(try workspace.read("own.key") == Data("sixteen bytes!!\n".utf8))
    let file = ["--key", workspace.path("own.key")]
    #expect(try run(["erase", "--user", "bob"] + file).text.hasPrefix("erased 1 event of 1 user"))
    #expect(try ingest(["ann", "bob"], file + ["--summary", "json"]).text.contains("\"erased\": 2,"))
  }

  @Test func aKeyThatOthersCanReadIsWarnedOf() throws {
    try workspace.write("key", String(repeating: "k", count: 32))
    let path = workspace.path("key")
    for (bits, isWarned) in [(0o644, true), (0o640, true), (0o620, true), (0o600, false), (0o400, false)] {
      #expect(chmod(path, mode_t(bits)) == 0)
      for option in ["--hash-users", "--key"] {
        let result = try Tool.run(
          [
            "ingest", "-", "--format", "ndjson", option, path, "--log", workspace.path("log\(bits)\(option)"),
            "--quiet",
          ],
          input: Data())
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("WARNING: \(option) \(path): users other than its owner") == isWarned, "\(bits)")
      }
    }
    // Only root can give a file away.
    if geteuid() == 0 {
      #expect(chmod(path, 0o600) == 0 && chown(path, 65534, 65534) == 0)
      let others = try ingest([], ["--hash-users", path])
      #expect(others.errors.contains("this key belongs to another user"), "\(others.errors)")
    }
    let script = "'\(Tool.path)' ingest - --format ndjson --log '\(log)' --hash-users <(cat '\(path)') < /dev/null"
    let pipe = try Tool.run(["-c", script], program: "/bin/bash")
    #expect(pipe.status == 0 && !pipe.errors.lowercased().contains("warning"), "\(pipe.errors)")
  }

  @Test func keysThatAreNoneAreRefused() throws {
    _ = try ingest(["ann"])
    for (bytes, words) in [
      ("short", "the key has 5 bytes; it must have 16 to 4096"), (String(repeating: "\0", count: 32), "only zeros"),
      (String(repeating: "k", count: 4097), "more than 4096 bytes"),
    ] {
      try workspace.write("key", bytes)
      for arguments in [["erase", "--user", "ann", "--key"], ["erase", "--user", "ann", "--hash-users"]] {
        let result = try run(arguments + [workspace.path("key")])
        #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
        #expect(result.errors.contains("head -c 32 /dev/urandom > "))
      }
    }
    #expect(try run(["export"]).text.contains("ann"))
  }

  @Test func aLogOfHashedUsersTakesItsOwnKeyAlone() throws {
    for name in ["one", "two"] {
      try workspace.write(name, name + String(repeating: "k", count: 32))
      #expect(chmod(workspace.path(name), 0o600) == 0)
    }
    let (one, two) = (["--hash-users", workspace.path("one")], ["--hash-users", workspace.path("two")])
    #expect(try ingest(["ann"], one).status == 0)
    #expect(try workspace.read("log/manifest").starts(with: Data("permlog-manifest 6\n".utf8)))
    let other = try ingest(["bob"], two)
    #expect(other.status == 64, "\(other.errors)")
    #expect(
      other.errors.contains(
        "its users are hashed under a different key than the given one. Nothing was stored. Give the same key with "
          + "--hash-users; of a log that was rekeyed all its keys, the oldest first. --force-mixed-users"),
      "\(other.errors)")
    let none = try ingest(["bob"])
    #expect(none.status == 64 && none.errors.contains("its users are hashed under a key, but no key was given"))
    for options in [two, []] {
      let erase = try run(["erase", "--user", "ann"] + options)
      #expect(erase.status == 64 && erase.errors.contains("Nothing was changed. Give the key with which"))
    }
    let exported = try run(["export"]).text
    #expect(exported.split(separator: "\n").count == 1)
    // The pseudonym is in every export, the person's id perhaps nowhere any more.
    let pseudonym = try #require(exported.firstMatch(of: /"user_id":"([^"]+)"/)?.1)
    let dry = try run(["erase", "--user", String(pseudonym), "--dry-run"] + one)
    #expect(dry.text.hasPrefix("would erase 1 event of 1 user"), "\(dry.text)\(dry.errors)")
    #expect(try info()["user_ids"] as? String == "hashed" && info()["keys_needed"] as? [String] == ["user_key"])
    #expect(try run(["info"]).text.contains("keys        ingest and erase need --hash-users"))

    #expect(try ingest(["bob"], two + ["--force-mixed-users"]).status == 0)
    #expect(try info()["user_ids"] as? String == "mixed")
    #expect(try run(["info"]).text.contains("user ids    mixed: "))
    let warning = "WARNING: this log names users in several ways: erase this person again with each other"
    let mixed = try run(["erase", "--user", "bob", "--quiet"] + two)
    #expect(mixed.status == 0 && mixed.text.isEmpty && mixed.errors.contains(warning), "\(mixed.errors)")
    let spoken = try run(["erase", "--user", "ann"] + one)
    #expect(spoken.text.hasPrefix("erased 1 event of 1 user") && spoken.errors.contains(warning), "\(spoken.errors)")
    #expect(try run(["compact"]).status == 0 && info()["user_ids"] as? String == "mixed")
  }

  @Test func aLogOfPlainUsersTakesNoKey() throws {
    try workspace.write("key", String(repeating: "k", count: 32))
    #expect(chmod(workspace.path("key"), 0o600) == 0)
    let hashed = ["--hash-users", workspace.path("key")]
    #expect(try ingest(["ann"]).status == 0)
    let refused = try ingest(["bob"], hashed)
    #expect(refused.status == 64 && refused.errors.contains("its users have plain ids"), "\(refused.errors)")
    let erase = try run(["erase", "--user", "ann"] + hashed)
    #expect(erase.status == 64 && erase.errors.contains("Leave --hash-users out."), "\(erase.errors)")
    #expect(try info()["user_ids"] is NSNull && info()["events"] as? Int == 1)
    // A mix that is forced can be taken apart again.
    #expect(try ingest(["ann"], hashed + ["--force-mixed-users"]).status == 0)
    #expect(try run(["erase", "--user", "ann"]).text.hasPrefix("erased 1 event"))
    #expect(try run(["erase", "--user", "ann"] + hashed).text.hasPrefix("erased 1 event"))
  }
}
