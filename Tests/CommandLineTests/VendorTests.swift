// Vendors' exports and mapping files as a user runs them.

import Foundation
import Testing

/// `data/samples` of this checkout.
private let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appendingPathComponent("data/samples").path

private func exported(_ log: String) throws -> [[String: String]] {
  let result = try Tool.run(["export", "--log", log])
  return try result.text.split(separator: "\n").map {
    try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
  }
}

@Suite struct VendorTests {
  @Test func aReexportAddsNothing() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    for (file, new) in [("export.zip", 3), ("187520_2025-11-24_18#0.json", 0), ("renamed_keys.json", 0)] {
      let result = try Tool.run(["ingest", "\(samples)/amplitude/\(file)", "--log", log, "--summary", "json"])
      #expect(result.status == 0, "\(result.errors)")
      let summary = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
      #expect(summary["new"] as? Int == new)
      #expect(summary["unmapped_events"] as? Int == 0)
    }
    #expect(try exported(log).map { $0["event"] } == ["explanation_shown", "denied", "re_enabled"])
  }

  @Test func nothingButTheMappedFieldsIsStored() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let secrets = [
      "203.0.113.77", "AEBE52E7-03EE-455A-B3C4-E57283966239", "someone@example.com", "37.804363", "Oakland",
      "u_secret_9",
    ]
    let amplitude =
      #"{"event_type":"Push Permission Granted","event_time":"2025-11-24 18:03:21.412000","device_id":"device-1234","user_id":"u_secret_9","ip_address":"203.0.113.77","idfa":"AEBE52E7-03EE-455A-B3C4-E57283966239","adid":"AEBE52E7-03EE-455A-B3C4-E57283966239","city":"Oakland","location_lat":37.804363,"$insert_id":"i1","event_properties":{"email":"someone@example.com"},"user_properties":{"email":"someone@example.com"}}"#
    let segment =
      #"{"type":"track","event":"Push Permission Denied","anonymousId":"anon-1234","userId":"u_secret_9","messageId":"m1","timestamp":"2025-11-24T18:03:25.957Z","context":{"ip":"203.0.113.77","location":{"city":"Oakland","latitude":37.804363},"device":{"advertisingId":"AEBE52E7-03EE-455A-B3C4-E57283966239"},"traits":{"email":"someone@example.com"}},"properties":{}}"#
    try workspace.write("a.json", amplitude + "\n")
    try workspace.write("b.json", segment + "\n")
    let result = try Tool.run(["ingest", workspace.path("a.json"), workspace.path("b.json"), "--log", log])
    #expect(result.status == 0 && result.text.contains("new        2 events"), "\(result.errors)")
    // The log is compressed; an export is all that it holds.
    var bytes = try Tool.run(["export", "--log", log]).output
    let files = try #require(FileManager.default.enumerator(atPath: log)).compactMap { $0 as? String }
    #expect(!files.isEmpty)
    for file in files {
      if let data = FileManager.default.contents(atPath: log + "/" + file) { bytes.append(data) }
    }
    for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)") }
    #expect(bytes.range(of: Data("device-1234".utf8)) != nil)
  }

  @Test func unmappedNamesAreShownThoseOfPermissionsFirst() throws {
    let workspace = try Workspace()
    func line(_ name: String) -> String {
      #"{"event_name":"\#(name)","event_timestamp":"1764007405717000","user_pseudo_id":"8D59CE7133E03F61"}"# + "\n"
    }
    try workspace.write(
      "e.json", String(repeating: line("purchase"), count: 3) + line("push_permission_odd") + line("session_start"))
    let file = workspace.path("e.json")
    let result = try Tool.run(["ingest", file, "--log", workspace.path("log")])
    #expect(result.status == 0)
    #expect(result.text.contains("unmapped   4 events, not stored"))
    let tail =
      result.text.components(separatedBy: "Not stored; the first one looks like a permission event:\n").last ?? ""
    #expect(tail.split(separator: "\n")[1].contains("push_permission_odd"))
    #expect(tail.split(separator: "\n")[2].contains("purchase"))
    let json = try Tool.run(["ingest", file, "--log", workspace.path("log"), "--summary", "json"])
    #expect(json.errors.contains("push_permission_odd"))
    #expect(json.text.contains(#", "unmapped_events": 4, "seconds": "#) && json.text.contains(#""respelled": 0"#))

    let check = try Tool.run(["mapping", "check", file])
    #expect(
      check.text == """
        Not understood, but look like permission events:

        count  event                became                                   first at
            1  push_permission_odd  not mapped: the word "odd" is not known  e.json:4

        count  event          became      first at
            1  session_start  app_active  e.json:5
            3  purchase       not mapped  e.json:1

        5 lines: 1 event, 4 not stored, 0 rejected

        """)
    try workspace.write(
      "m.yaml",
      """
      extends: ga4
      rules:
        - event: push_permission_odd
          kind: denied
      otherwise:
        - pattern: "*"
          kind: feature_used
          feature: {from: /event_name}
      """)
    let mapped = try Tool.run(["mapping", "check", file, "--mapping", workspace.path("m.yaml")])
    #expect(mapped.text.contains("    1  push_permission_odd  denied notifications  e.json:4\n"))
    #expect(mapped.text.contains("    3  purchase             feature_used          e.json:1\n"))
    #expect(mapped.text.contains("5 lines: 5 events, 0 not stored, 0 rejected"))
  }

  @Test func permissionsThatDoNotExistAreRefused() throws {
    let workspace = try Workspace()
    try workspace.write(
      "e.json",
      #"{"type":"track","event":"Gate Closed","messageId":"m1","anonymousId":"dev-aaaa-1111","timestamp":"2025-11-24T18:03:25.957Z","properties":{"gate":"camra"}}"#
        + "\n")
    try workspace.write(
      "m.yaml", "extends: segment\nrules:\n  - {event: Gate Closed, kind: denied, permission: camra}\n")
    let check = ["mapping", "check", workspace.path("e.json"), "--mapping", workspace.path("m.yaml")]
    let refused = try Tool.run(check)
    #expect(refused.status == 64 && refused.errors.contains("m.yaml, line 3: there is no permission camra"))
    #expect(try Tool.run(check + ["--allow-custom-permissions"]).text.contains("denied camra  e.json:1\n"))
    // What a property says is known event by event.
    try workspace.write(
      "m.yaml", "extends: segment\nrules:\n  - {event: Gate Closed, kind: denied, permission: {from: gate}}\n")
    let rejected = try Tool.run(check).text
    #expect(rejected.contains("Gate Closed  rejected: camra is not a known permission  e.json:1\n"))
    #expect(rejected.contains("1 line: 0 events, 0 not stored, 1 rejected"))
  }

  @Test func presetsAreShownAndReadBack() throws {
    let workspace = try Workspace()
    let names = try Tool.run(["mapping", "show"]).text.split(separator: "\n").map(String.init)
    #expect(names.contains("amplitude"))
    // CleverTap's pages do not name their event, nor their zone, and snapshots have no time.
    let given = [
      "--event-name", "Push Permission Denied", "--input-time-zone", "UTC", "--snapshot-time", "2025-11-24T20:00:00Z",
    ]
    for name in names {
      let shown = try Tool.run(["mapping", "show", name])
      #expect(shown.status == 0)
      try workspace.write("\(name).yaml", shown.text)
      let file = workspace.path("\(name).yaml")
      let check = try Tool.run(["mapping", "check", "\(samples)/\(name)", "--mapping", file] + given)
      #expect(check.status == 0, "\(name): \(check.errors)")
      #expect(check.text == (try Tool.run(["mapping", "check", "\(samples)/\(name)"] + given)).text)
    }
    #expect(try Tool.run(["mapping", "show", "nobody"]).status == 64)
  }

  @Test func theProjectsZoneByFlag() throws {
    let workspace = try Workspace()
    let log = workspace.path("log")
    let file = "\(samples)/mixpanel/legacy_los_angeles.jsonl"
    #expect(
      try Tool.run(["ingest", file, "--project-time-zone", "America/Los_Angeles", "--log", log]).status == 0)
    #expect(try exported(log).map { $0["timestamp"] } == ["2025-12-02T02:41:07.000Z"])
    let wrong = try Tool.run(["ingest", file, "--project-time-zone", "Mars/Olympus", "--log", log])
    #expect(wrong.status == 64 && wrong.errors.contains("--project-time-zone: there is no zone Mars/Olympus"))
  }

  @Test func keyedHashesInPlaceOfUserIDs() throws {
    let workspace = try Workspace()
    try workspace.write("key", String(repeating: "k", count: 32))
    let line =
      #"{"event_id":"e1","user_id":"someone@example.com","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
      + "\n"
      + #"{"user_id":"someone@example.com","timestamp":"2026-03-02T11:00:00Z","event":"app_active"}"# + "\n"
      + #"{"user_id":"anonymous","timestamp":"2026-03-02T11:00:00Z","event":"app_active"}"# + "\n"
    try workspace.write("e.ndjson", line)
    try workspace.write(
      "e.csv", "user_id,event_id,timestamp,event\nsomeone@example.com,e1,2026-03-02T10:00:00Z,app_active\n")
    let log = workspace.path("log")
    let hashed = ["--hash-users", workspace.path("key"), "--log", log]
    let first = try Tool.run(["ingest", workspace.path("e.ndjson")] + hashed)
    #expect(first.text.contains("new        2 events") && first.text.contains("rejected   1 line"))
    #expect(first.errors.contains(#"user_id "anonymous" names no user"#))
    #expect(
      try Tool.run(["ingest", workspace.path("e.ndjson"), workspace.path("e.csv")] + hashed).text.contains(
        "new        0 events"))
    let events = try exported(log)
    #expect(Set(events.compactMap { $0["user_id"] }).count == 1)
    // The first 16 bytes of the HMAC, two of whose fields say that it is a UUID of version 8.
    // printf someone@example.com | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
    #expect(events.first?["user_id"] == "bb2445c7-e839-8e99-9aeb-11763f788f22")
    for file in try #require(FileManager.default.enumerator(atPath: log)).compactMap({ $0 as? String }) {
      let data = FileManager.default.contents(atPath: log + "/" + file) ?? Data()
      #expect(data.range(of: Data("someone".utf8)) == nil)
    }
    // Another key, other people: only if that is meant.
    try workspace.write("other", String(repeating: "l", count: 32))
    let other = ["ingest", workspace.path("e.ndjson"), "--hash-users", workspace.path("other"), "--log", log]
    #expect(try Tool.run(other).status == 64)
    #expect(try Tool.run(other + ["--force-mixed-users"]).text.contains("new        2 events"))

    try workspace.write("short", "short")
    let short = try Tool.run([
      "ingest", workspace.path("e.ndjson"), "--hash-users", workspace.path("short"), "--log", log,
    ])
    #expect(short.status == 64 && short.errors.contains("the key has 5 bytes; it must have 16 to 4096"))
    let missing = try Tool.run([
      "ingest", workspace.path("e.ndjson"), "--hash-users", workspace.path("nokey"), "--log", log,
    ])
    #expect(missing.status == 1 && missing.errors.contains("--hash-users"))
  }

  @Test func hashedUsersAreErasedByTheirOwnIDs() throws {
    let workspace = try Workspace()
    try workspace.write("key", "sixteen bytes!!\n")
    let lines = ["ann", "bob"].map {
      #"{"event_id":"e1","user_id":"\#($0)","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"# + "\n"
    }
    try workspace.write("e.ndjson", lines.joined())
    let options = ["--hash-users", workspace.path("key"), "--log", workspace.path("log")]
    let ingest = ["ingest", workspace.path("e.ndjson")] + options
    #expect(try Tool.run(ingest).text.contains("new        2 events"))
    let plain = try Tool.run(["erase", "--user", "ann", "--log", workspace.path("log")])
    #expect(plain.status == 64 && plain.errors.contains("Give the key with which the log was filled: --hash-users"))
    let erased = try Tool.run(["erase", "--user", "ann"] + options)
    #expect(erased.status == 0 && erased.text.contains("erased 1 event of 1 user"), "\(erased.text)\(erased.errors)")
    #expect(try exported(workspace.path("log")).count == 1)
    #expect(try Tool.run(ingest).text.contains("new        0 events"))
    #expect(try Tool.run(["erase", "--readmit", "ann"] + options).status == 0)
    #expect(try Tool.run(ingest).text.contains("new        1 event"))
  }

  @Test func damagedFilesAreKeptInPartOnlyWhereAsked() throws {
    let workspace = try Workspace()
    let whole = try Data(contentsOf: URL(fileURLWithPath: "\(samples)/segment/archive.ndjson.gz"))
    try whole.prefix(whole.count - 12).write(to: workspace.url.appendingPathComponent("torn.gz"))
    let log = workspace.path("log")
    let refused = try Tool.run(["ingest", workspace.path("torn.gz"), "--log", log])
    #expect(refused.status == 2 && refused.errors.contains("nothing was stored"))
    let kept = try Tool.run(["ingest", workspace.path("torn.gz"), "--keep-partial", "--log", log])
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(kept.errors.contains("everything before it was kept"))
    #expect((try exported(log)).count >= 2)
  }

  @Test func aFileWhoseLastLineIsCutOffIsRefused() throws {
    let workspace = try Workspace()
    let line = #"{"user_id":"u1","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    try workspace.write("a.ndjson", line + "\n" + line.dropLast(30))
    let (path, log) = (workspace.path("a.ndjson"), workspace.path("log"))
    let refused = try Tool.run(["ingest", path, "--log", log])
    #expect(refused.status == 2)
    #expect(
      refused.errors.contains(
        "a.ndjson, line 2: the last line is cut off (it ends inside its JSON object); nothing was stored, so export "
          + "the file again. --keep-partial keeps the lines before it."), "\(refused.errors)")
    #expect(!refused.errors.contains("not valid JSON"))
    let piped = try Tool.run(["ingest", "-", "--log", log], input: Data((line + "\n{").utf8))
    #expect(piped.status == 2 && piped.errors.contains("-, line 2: the last line is cut off"), "\(piped.errors)")
    let checked = try Tool.run(["mapping", "check", path])
    #expect(checked.status == 2 && checked.errors.contains("the last line is cut off"), "\(checked.errors)")
    let partly = try Tool.run(["mapping", "check", path, "--keep-partial"])
    #expect(partly.errors.contains("line 2: the last line is cut off"), "\(partly.errors)")

    let kept = try Tool.run(["ingest", path, "--keep-partial", "--strict", "--log", log])
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(
      kept.errors.contains("(it ends inside its JSON object); everything before it was kept; export the file again\n"))
    #expect(!kept.errors.contains("--keep-partial"), "\(kept.errors)")
    #expect(kept.text.contains("rejected   0 lines") && kept.text.contains("read       1 line in 1 file"))
    #expect(try exported(log).count == 1)
  }

  @Test func sumsOfAFileWhoseLastLineIsCutOff() throws {
    let workspace = try Workspace()
    let line = #"{"user_id":"u1","timestamp":"2026-03-02T10:00:00Z","event":"app_active"}"#
    try workspace.write("a.ndjson", line + "\n" + line.dropLast(30))
    let question = workspace.path("q.json")
    let saved = try Tool.run(["report", "--as-of", "2026-04-01T00:00:00Z", "--save-question", question])
    #expect(saved.status == 0, "\(saved.errors)")
    let make = ["sums", "make", workspace.path("a.ndjson"), "--question", question, "--output", workspace.path("s")]
    let refused = try Tool.run(make)
    #expect(refused.status == 2 && refused.errors.contains("line 2: the last line is cut off"), "\(refused.errors)")
    let kept = try Tool.run(make + ["--keep-partial"])
    #expect(kept.status == 0 && kept.errors.contains("line 2: the last line is cut off"), "\(kept.errors)")
  }

  /// What is said of a file that is not read whole is what became of the ingest.
  @Test func aLargeWindowBesideAGoodFile() throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", "user_id,timestamp,event\nu1,2026-03-02T10:00:00Z,app_active\n")
    // A frame (RFC 8878) with a window of 2 GiB and one raw block, "x\n".
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 21 << 3, 2 << 3 | 1, 0, 0, 0x78, 0x0A]
    try Data(frame).write(to: workspace.url.appendingPathComponent("b.zst"))
    let ingest = [
      "ingest", workspace.path("a.csv"), workspace.path("b.zst"), "--keep-partial", "--log", workspace.path("log"),
    ]
    try workspace.write("bad.csv", "user_id,timestamp,event\nu1,yesterday,app_active\n")
    let strict = try Tool.run(ingest + [workspace.path("bad.csv"), "--strict"])
    #expect(strict.status == 2 && strict.errors.contains("refuse by default; nothing was stored. Decompress it"))
    #expect(!strict.errors.contains("was kept"), "\(strict.errors)")
    let kept = try Tool.run(ingest)
    #expect(kept.status == 0 && kept.errors.contains("refuse by default; everything before it was kept. Decompress it"))
    #expect(!kept.errors.contains("nothing was stored"), "\(kept.errors)")
    #expect(try exported(workspace.path("log")).count == 1)
    let refused = try Tool.run(ingest.filter { $0 != "--keep-partial" })
    #expect(refused.status == 2 && refused.errors.contains("refuse by default; nothing was stored. Decompress it"))
  }

  @Test func unknownFilesAndOptions() throws {
    let workspace = try Workspace()
    try workspace.write("x.json", #"{"hello":"world"}"# + "\n")
    let unknown = try Tool.run(["ingest", workspace.path("x.json"), "--log", workspace.path("log")])
    #expect(unknown.status == 2)
    for word in ["its format is not known", "Its keys: hello", "permlog mapping draft "] {
      #expect(unknown.errors.contains(word))
    }
    try workspace.write("m.yaml", "extends: nobody\n")
    let mapping = try Tool.run(
      ["ingest", workspace.path("x.json"), "--mapping", workspace.path("m.yaml"), "--log", workspace.path("log")])
    #expect(mapping.status == 64 && mapping.errors.contains("there is no preset nobody"))
    let format = try Tool.run(
      ["ingest", "\(samples)/ga4/events_20251124.json", "--format", "snowplow", "--log", workspace.path("log")])
    #expect(format.status == 2 && format.errors.contains("does not look like an export of snowplow"))
  }

  @Test func mappingsThatWouldNotBeUsedAreRefused() throws {
    let workspace = try Workspace()
    for name in ["a.yaml", "b.yaml"] { try workspace.write(name, "extends: amplitude\n") }
    let file = "\(samples)/amplitude/export.zip"
    let first = ["--mapping", workspace.path("a.yaml")]
    let twice = try Tool.run(["mapping", "check", file] + first + ["--mapping", workspace.path("b.yaml")])
    #expect(twice.status == 64 && twice.errors.contains("both extend amplitude"))
    for form in ["csv", "ndjson"] {
      let result = try Tool.run(["mapping", "check", file, "--format", form] + first)
      #expect(result.status == 64 && result.errors.contains("need no --mapping"))
    }
  }

  @Test func filesThatAreLeftOutAreNamed() throws {
    let workspace = try Workspace()
    try workspace.write("manifest.json", "{\"files\":[\"a.jsonl\"]}\n")
    let result = try Tool.run(["ingest", workspace.path("manifest.json"), "--log", workspace.path("log")])
    #expect(result.status == 0 && result.text.contains("skipped    1 file: "))
    #expect(result.text.contains("manifest.json (comes with exports)"))
  }
}
