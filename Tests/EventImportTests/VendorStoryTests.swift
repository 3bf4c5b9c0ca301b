// Each preset's samples tell the story of data/samples/README.md, and no preset takes another's files.

import EventMapping
import Foundation
import PermissionEvents
import Testing

@testable import EventImport

@Suite struct VendorStoryTests {
  private static let files: [(vendor: String, name: String)] = Presets.names.flatMap { vendor in
    let folder = URL(fileURLWithPath: Samples.directory).appendingPathComponent(vendor).path
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.contains(".") && !$0.hasPrefix("-") }.sorted().map { (vendor, "\(vendor)/\($0)") }
  }

  /// What some vendors' files do not have.
  private func given(_ name: String = "Push Permission Denied") -> ImportOptions {
    var options = testOptions()
    options.rows.eventName = name
    options.inputZone = zone("Asia/Kolkata", 5 * hour + hour / 2)
    options.rows.snapshotTime = 1_764_007_200_000
    return options
  }

  @Test func everyPresetHasASample() {
    #expect(Set(Self.files.map(\.vendor)) == Set(Presets.names))
  }

  @Test(arguments: files.map(\.name)) func aNamedFormatReadsTheSame(file: String) throws {
    let vendor = String(file.prefix { $0 != "/" })
    let told = try importPaths([Samples.path(file)], given())
    var options = given()
    options.rows.format = .vendor(vendor)
    let named = try importPaths([Samples.path(file)], options)
    #expect(told.events.map(\.content) == named.events.map(\.content) && !told.events.isEmpty)
    #expect(told.rejects.isEmpty)
  }

  // MARK: Recognition

  /// A document's records, whatever list they are in.
  private func records(_ text: String) throws -> [[String: Any]] {
    func found(_ value: Any) -> [[String: Any]] {
      if let list = value as? [Any] { return list.flatMap { found($0) } }
      guard let object = value as? [String: Any] else { return [] }
      let lists = EnvelopeWalk.keys.compactMap { object[String(decoding: $0, as: UTF8.self)] as? [[String: Any]] }
      return [object] + lists.flatMap { $0 }
    }
    if let whole = try? JSONSerialization.jsonObject(with: Data(text.utf8)) { return found(whole) }
    return try text.split(separator: "\n").flatMap { found(try JSONSerialization.jsonObject(with: Data($0.utf8))) }
  }

  /// No preset takes a record or a heading of another's, whatever comes first in the file.
  @Test(arguments: files.map(\.name)) func noOtherPresetTakesIt(file: String) throws {
    guard let text = try? Samples.text(file), let first = text.utf8.first(where: { !ByteSearch.isSpace($0) }) else {
      return
    }
    let vendor = String(file.prefix { $0 != "/" })
    let programs = try RecordFormats().vendors()
    var takers: Set<String> = []
    if !file.hasSuffix(".csv"), first == 0x7B || first == 0x5B {
      for record in try records(text) {
        let bytes = [UInt8](try JSONSerialization.data(withJSONObject: record))
        for program in programs where program.record.form == .json {
          let probe = try #require(PathProbe(capacity: bytes.count))
          probe.add(program.record.recognise, target: 0)
          probe.exclude(program.record.unless, target: 0)
          if probe.target(bytes) != nil { takers.insert(program.mapping.name) }
        }
      }
    } else {
      let head = Array(text.utf8)
      let detector = FormatDetector(head: head, formats: try RecordFormats(), name: file, document: nil)
      let dialects = CSVDialect.all(head, from: 0, lines: 0).map(\.inLowerCase)
      for program in programs where program.record.form == .csv {
        if detector.recognised(program, dialects) != nil { takers.insert(program.mapping.name) }
      }
      // A file without a heading is known by the number of its columns.
      if takers.isEmpty { takers = [vendor == "snowplow" ? vendor : "nobody"] }
    }
    #expect(takers == [vendor])
  }

  /// All paths of recognition have a slot of their own.
  @Test func allPathsFitTheProbe() throws {
    let paths = try RecordFormats().vendors().filter { $0.record.form == .json }.flatMap {
      ($0.record.recognise + $0.record.companions).flatMap { $0 } + $0.record.unless
    }
    #expect(Set(paths.map(\.keys)).count < 200)
  }

  // MARK: The story

  /// An explanation, a prompt and a denial on 24 November 2025, and Settings on 2 December: seconds of 18:03 and 02:41.
  private static let story = [
    "explanation_shown 2025-11-24T18:03:21", "prompt_shown 2025-11-24T18:03:25", "denied 2025-11-24T18:03:27",
    "re_enabled 2025-12-02T02:41:07",
  ]

  private static let told: [(files: [String], zone: (String, Milliseconds)?, message: String?)] = [
    (["segment_tables/events/"], nil, "B"), (["segment_tables/rudderstack/"], nil, "B"),
    (["fivetran_amplitude/event.csv"], nil, "B"), (["fivetran_mixpanel/event.csv"], nil, "B"),
    (["airbyte_amplitude/raw_table.csv"], nil, "B"), (["airbyte_amplitude_json/events.jsonl"], nil, "B"),
    (["airbyte_amplitude_typed/events.csv"], nil, "B"), (["airbyte_amplitude_typed/bigquery_events.csv"], nil, "B"),
    (["airbyte_mixpanel/2025_12_03_1764740000000_0.csv"], nil, "B"), (["airbyte_mixpanel_json/export.jsonl"], nil, "B"),
    (["airbyte_mixpanel_typed/export.csv"], nil, "B"), (["ga4_csv/params_as_columns.csv"], nil, "B"),
    (["ga4_csv/params_with_prefix_and_timestamps.csv"], nil, "B"), (["posthog_csv/sql.csv"], nil, "B"),
    (["posthog_csv/explorer.csv"], nil, "B"), (["posthog_csv_all/export.csv"], nil, "B"),
    (["snowplow_atomic/unified_events.csv"], nil, nil), (["snowplow_atomic/entities_as_objects.csv"], nil, nil),
    (["snowplow_tp2/request_1.json", "snowplow_tp2/request_2.json"], nil, nil),
    (["appsflyer/in_app_events.csv"], nil, "B"),
    (["appsflyer/los_angeles.csv"], ("America/Los_Angeles", -8 * hour), "B"),
    (["appsflyer_data_locker/inapps.csv"], nil, "B"), (["adjust/events.csv"], nil, "B"),
    (["adjust/braces_first.csv"], nil, "B"), (["branch/events.csv"], nil, "B"),
    (["branch_webhook/events.ndjson"], nil, "B"), (["mparticle/batches.ndjson"], nil, "B"),
    (["matomo/utc.json"], nil, nil), (["matomo/los_angeles.json"], ("America/Los_Angeles", -8 * hour), nil),
    (["braze/currents.jsonl"], nil, "B"), (["braze_http/bodies.ndjson"], nil, "B"),
    (["clevertap_export/events.json"], nil, "B"), (["moengage/stream.json"], nil, "B"),
    (["airship/events.ndjson"], nil, "B"),
  ]

  @Test(arguments: told.indices) func samplesTellTheStory(index: Int) throws {
    let (files, project, message) = Self.told[index]
    var options = given()
    options.projectZone = project.map { zone($0.0, $0.1) }
    // Matomo's numbers are a wall clock's.
    if files[0].hasPrefix("matomo") { options.inputZone = options.projectZone ?? .utc }
    let outcome = try importPaths(files.map { Samples.path($0) }, options)
    #expect(outcome.rejects.isEmpty)
    let answers = outcome.events.filter { $0.fields["permission"] == "notifications" && $0.kind != "status_checked" }
    var seen: Set<String> = []
    // Tables may hold copies of a row.
    let own = answers.sorted { $0.time < $1.time }.filter { seen.insert($0.event).inserted || $0.event.isEmpty }
    #expect(own.map { "\($0.kind) \(Timestamp.text($0.time).prefix(19))" } == Self.story, "\(files)")
    // PostHog's install has another id after it signed in: a log joins the two.
    #expect(Set(own.map(\.user)).count == (files[0].hasPrefix("posthog") ? 2 : 1))
    #expect(Set(own.map { $0.fields["variant"] }) == [message])
  }

  /// The same events in two forms have the same ids, so that both may be in one log.
  @Test(arguments: [
    ["airbyte_amplitude/raw_table.csv", "airbyte_amplitude_json/events.jsonl", "airbyte_amplitude_typed/events.csv"],
    ["airbyte_mixpanel_json/export.jsonl", "airbyte_mixpanel_typed/export.csv", "fivetran_mixpanel/event.csv"],
    ["posthog_csv/sql.csv", "posthog_csv_all/export.csv"], ["braze_http/body.json", "braze_http/bodies.ndjson"],
  ]) func formsOfOneEventHaveOneID(files: [String]) throws {
    let ids = try files.map { file in Set(try importPaths([Samples.path(file)], given()).events.map(\.event)) }
    for other in ids.dropFirst() { #expect(other.isSubset(of: ids[0]) || ids[0].isSubset(of: other), "\(files)") }
  }

  /// Numbers of a clock whose zone nobody named are no moments.
  @Test func aWallClocksNumbersNeedAZone() throws {
    let outcome = try importPaths([Samples.path("matomo/utc.json")])
    #expect(outcome.events.isEmpty && outcome.rejects.count == outcome.counts.rejected && outcome.counts.rejected > 4)
  }

  @Test func aPageOfOneEventNeedsItsName() throws {
    let file = Samples.path("clevertap/push_permission_prompt_shown.json")
    var options = given("Push Permission Prompt Shown")
    #expect(try importPaths([file], options).events.map(\.kind) == ["prompt_shown"])
    options.rows.eventName = nil
    let error = #expect(throws: ImportError.self) { try importPaths([file], options) }
    #expect(error?.code == .usage)
    // Without its zone a time is not guessed.
    options = given("Push Permission Prompt Shown")
    options.inputZone = nil
    #expect(try importPaths([file], options).rejects.count == 1)
  }

  // MARK: Snapshots

  private func states(_ file: String, at time: String) throws -> [String] {
    var options = testOptions()
    options.rows.snapshotTime = Array(time.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) }
    let outcome = try importPaths([Samples.path(file)], options)
    #expect(outcome.rejects.isEmpty && outcome.events.allSatisfy { $0.kind == "status_checked" })
    return outcome.events.map {
      "\($0.user.suffix(1)) \(Timestamp.text($0.time).prefix(10)) \($0.status.isEmpty ? "-" : $0.status)"
    }
  }

  /// A row is a user with a state: a check of the status at the moment of the snapshot, and never an answer.
  @Test func aSnapshotOfSubscriptions() throws {
    let first = "onesignal_subscriptions/users_2025-11-24.csv"
    #expect(
      try states(first, at: "2025-11-24T20:00:00Z") == [
        "1 2025-11-24 -", "2 2025-11-24 authorized", "3 2025-11-24 not_determined", "4 2025-11-24 authorized",
      ])
    #expect(
      try states("onesignal_subscriptions/users_2025-12-02.csv", at: "2025-12-02T20:00:00Z") == [
        "1 2025-12-02 authorized", "2 2025-12-02 -", "3 2025-12-02 not_determined", "4 2025-12-02 authorized",
      ])
    let error = #expect(throws: ImportError.self) { try importPaths([Samples.path(first)]) }
    #expect(error?.code == .usage && error.map { "\($0)" }?.contains("users as they were at one time") == true)
  }

  /// Its rows have times of their own.
  @Test func aSnapshotOfChannels() throws {
    let files = ["airship_channels/page.json", "airship_channels/page_2.json"]
    let outcome = try importPaths(files.map { Samples.path($0) })
    #expect(
      outcome.stories == [
        "5e605b40-1111-4c1a-9c2e-123456789001 status_checked 2025-11-24T18:03:52.000Z - -",
        "5e605b40-1111-4c1a-9c2e-123456789002 status_checked 2025-11-25T09:12:00.000Z - authorized",
        "5e605b40-1111-4c1a-9c2e-123456789001 status_checked 2025-12-02T02:41:07.000Z - authorized",
      ])
  }

  // MARK: What is no answer

  /// `State` of an address is none of a permission, and a state of the device is none either.
  @Test func statesOfOtherThingsAnswerNothing() throws {
    let directory = try TemporaryDirectory()
    for (heading, kinds) in [
      ("Event Name,Event Time,Device,State,City", ["denied"]), ("Event Name,Event Time,Device,State", []),
    ] {
      let rows = [
        "push_permission_denied,2025-11-24 18:03:27,d1,ON", "push_permission_result,2025-11-24 18:04:27,d2,ON",
      ]
      let text =
        ([heading] + rows.map { $0 + (heading.hasSuffix("City") ? ",Toronto" : "") }).joined(separator: "\n") + "\n"
      let outcome = try importPaths(
        [try directory.write("a.csv", text)],
        try testOptions(
          mapping:
            "record:\n  form: table\n  event: Event Name\n  user: Device\n  time: {from: Event Time, zone: UTC}\n"))
      #expect(outcome.events.map(\.kind).filter { $0 == "denied" } == kinds, "\(heading)")
    }
    // What a mapping names is what it says, and an answer contradicts as ever.
    func table(_ rules: String, _ rows: [String]) throws -> [String] {
      let base = "record:\n  form: table\n  event: name\n  user: user\n  time: time\n"
      let text = (["name,user,time,state,city"] + rows).joined(separator: "\n") + "\n"
      return try importPaths([try directory.write("t.csv", text)], try testOptions(mapping: base + rules)).events.map {
        "\($0.kind) \($0.status)"
      }
    }
    let rule = "rules:\n  - {event: Gate, where: {state: refused}, kind: denied, permission: camera}\n"
    let other = "  - {event: Gate, kind: status_checked, permission: camera, status: authorized}\n"
    #expect(try table(rule + other, ["Gate,u,1764007407,refused,Berlin"]).map { $0.prefix(7) } == ["denied "])
    #expect(try table("", ["camera_permission_granted,u,1764007407,denied,Berlin"]) == [])
    #expect(try table("", ["camera_permission_granted,u,1764007407,Berlin,Berlin"]) == ["granted "])
    let line =
      #"{"event":"push_permission_denied","user":"u","time":1764007407,"info":{"permission_status":"granted"}}"#
    for (ignore, count) in [("", 0), ("  ignore: [/info]\n", 1)] {
      let outcome = try importPaths(
        [try directory.write("a.ndjson", line + "\n")],
        try testOptions(mapping: "record:\n  event: /event\n  user: /user\n  time: /time\n\(ignore)"))
      #expect(outcome.events.count == count, "\(ignore)")
    }
  }

  /// What iOS says of tracking is on all rows of some apps, and answers nothing of other permissions.
  @Test(arguments: ["denied", "authorized", "notDetermined", "restricted", "2"])
  func trackingAnswersForItselfAlone(status: String) throws {
    let directory = try TemporaryDirectory()
    let names = [
      "Push Permission Denied", "Push Permission Granted", "Camera Permission Prompt Shown", "Push Primer Skipped",
    ]
    func rows(_ more: String) -> String {
      names.enumerated().map { number, name in
        #"{"type":"track","messageId":"m\#(number)","anonymousId":"a","timestamp":"2025-11-24T18:03:0\#(number)Z","event":"\#(name)","properties":{"x":1\#(more)}}"#
      }.joined(separator: "\n") + "\n"
    }
    let plain = try importPaths([try directory.write("a.ndjson", rows(""))])
    let told = try importPaths([try directory.write("b.ndjson", rows(#","att_status":"\#(status)""#))])
    #expect(told.events.map(\.kind) == ["denied", "granted", "prompt_shown", "skipped"])
    #expect(told.events.map(\.content) == plain.events.map(\.content))
  }

  @Test func aPickerKeepsItsPermission() throws {
    let directory = try TemporaryDirectory()
    let row =
      #"{"type":"track","messageId":"m","anonymousId":"a","timestamp":"2025-11-24T18:03:00Z","event":"picker_used","properties":{"permission":"contacts"}}"#
    let outcome = try importPaths([try directory.write("a.ndjson", row + "\n")])
    #expect(outcome.events.map { "\($0.kind) \($0.fields["permission"] ?? "-")" } == ["picker_used contacts"])
  }

  /// An object around a list, over several lines and alone: as a web page shows it, or as jq writes it.
  @Test(arguments: ["mparticle/batches.ndjson", "matomo/utc.json"]) func aBatchOverSeveralLines(file: String) throws {
    let directory = try TemporaryDirectory()
    let text = try Samples.text(file)
    let whole = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any]
    let batches = try whole ?? text.split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
    let pretty = try batches.map { batch in
      let data = try JSONSerialization.data(withJSONObject: batch, options: [.prettyPrinted, .sortedKeys])
      return String(decoding: data, as: UTF8.self) + "\n"
    }
    let plain = try importPaths([Samples.path(file)], given())
    for format in [ImportFormat.auto, .vendor(String(file.prefix { $0 != "/" }))] {
      var options = given()
      options.rows.format = format
      let read = try importPaths([try directory.write("a.json", pretty.joined())], options)
      #expect(read.rejects.isEmpty && Set(read.events.map(\.event)) == Set(plain.events.map(\.event)))
      // In a directory none is passed over.
      let folder = try TemporaryDirectory()
      for (number, one) in pretty.enumerated() { try folder.write("\(number).json", one) }
      let each = try importPaths([folder.path], options)
      #expect(Set(each.events.map(\.event)) == Set(plain.events.map(\.event)))
    }
  }

  /// A vendor's record over several lines is refused and not passed over, in a directory too.
  @Test(arguments: ["onesignal/stream.jsonl", "airship/events.ndjson", "amplitude/187520_2025-11-24_18#0.json"])
  func aRecordOverSeveralLinesIsNotPassedOver(file: String) throws {
    let line = try Samples.text(file).split(separator: "\n")[0]
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    let pretty = try JSONSerialization.data(withJSONObject: object, options: .prettyPrinted)
    let folder = try TemporaryDirectory()
    try folder.write("one.json", pretty)
    #expect(throws: ImportError.self) { try importPaths([folder.path]) }
  }

  /// What the mapping names itself is read in what it ignores, and a name is ignored wherever it is.
  @Test func ignoredAndNamed() throws {
    let directory = try TemporaryDirectory()
    let line =
      #"{"event":"push_permission_denied","user":"u","time":1764007407,"device":{"app":"2.4"},"properties":{"permission_status":"granted"}}"#
    let base = "record:\n  event: /event\n  user: /user\n  time: /time\n  properties: /properties\n  ignore: "
    for (ignore, kinds) in [("/device", []), ("[/device, permission_status]", ["denied 2.4"])] {
      let outcome = try importPaths(
        [try directory.write("a.ndjson", line + "\n")],
        try testOptions(mapping: base + ignore + "\nfields:\n  app_version: /device/app\n"))
      #expect(outcome.events.map { "\($0.kind) \($0.fields["app_version"] ?? "-")" } == kinds)
    }
  }

  @Test func aNumberBelowZeroIsAnother() throws {
    let directory = try TemporaryDirectory()
    let rule = "rules:\n  - {event: e, where: {code: 2}, kind: granted, permission: camera}\n"
    let base = "record:\n  event: /event\n  user: /user\n  time: /time\n" + rule
    for (code, count) in [("2", 1), ("-2", 0), (#""2""#, 1), (#""-2""#, 0)] {
      let line = #"{"event":"e","user":"u","time":1764007407,"code":\#(code)}"#
      let outcome = try importPaths([try directory.write("a.ndjson", line + "\n")], try testOptions(mapping: base))
      #expect(outcome.events.count == count, "\(code)")
    }
  }

  /// A mapping on top of a preset makes the ids that the preset makes, whatever that is built on.
  @Test(arguments: [
    "posthog_csv/sql.csv", "fivetran_mixpanel/event.csv", "airbyte_mixpanel/2025_12_03_1764740000000_0.csv",
  ])
  func aMappingMakesTheIDsOfItsPreset(file: String) throws {
    let plain = try importPaths([Samples.path(file)])
    let own = try importPaths([Samples.path(file)], try testOptions(mapping: "extends: \(file.prefix { $0 != "/" })\n"))
    #expect(!plain.events.isEmpty && own.events.map(\.event) == plain.events.map(\.event))
  }

  @Test func aTableOfCompanionsHasTwoColumns() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("a.csv", "uid,other\n1,2\n")
    let base = "record:\n  form: table\n  recognise: [/x]\n  event: x\n  user: x\n  time: x\n  companions: "
    for companions in ["[]", "[/uid]", "[/uid, /nothing]"] {
      #expect(throws: ImportError.self) { try importPaths([file], try testOptions(mapping: base + companions + "\n")) }
    }
    let outcome = try importPaths([file], try testOptions(mapping: base + "[/uid, /other]\n"))
    #expect(outcome.counts.lines == 0)
  }

  /// Matomo writes false for a visitor without an id: all of them were one user.
  @Test func falseIsNoVisitor() throws {
    let directory = try TemporaryDirectory()
    let text = try Samples.text("matomo/utc.json")
    let without = text.replacing(/"visitorId": *"[^"]*"/, with: #""visitorId": false"#)
    let outcome = try importPaths([try directory.write("a.json", without)], given())
    #expect(without != text && outcome.events.allSatisfy { $0.user != "false" })
  }
}
