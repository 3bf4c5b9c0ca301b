// Each sample gives the events of the story that it tells, plain and packed.

import EventMapping
import Foundation
import PermissionEvents
import Testing

@testable import EventImport

@Suite struct SampleTests {
  static let amplitude = [
    "C8F9E604-F01A-4BD9-95C6-8E5357DF265D explanation_shown 2025-11-24T18:03:21.412Z B -",
    "C8F9E604-F01A-4BD9-95C6-8E5357DF265D denied 2025-11-24T18:03:27.835Z B denied",
    "C8F9E604-F01A-4BD9-95C6-8E5357DF265D re_enabled 2025-12-02T02:41:07.090Z B authorized",
  ]

  private func events(_ name: String, _ options: ImportOptions = testOptions()) throws -> ImportOutcome {
    let outcome = try importPaths([Samples.path(name)], options)
    #expect(outcome.rejects.isEmpty, "\(outcome.rejects)")
    return outcome
  }

  @Test(arguments: ["amplitude/187520_2025-11-24_18#0.json", "amplitude/export.zip", "amplitude/renamed_keys.json"])
  func amplitude(file: String) throws {
    let outcome = try events(file)
    #expect(outcome.stories == Self.amplitude)
    #expect(
      outcome.events.map(\.event) == [
        "3F2504E0-4F89-11D3-9A0C-0305E82C3301", "3F2504E0-4F89-11D3-9A0C-0305E82C3303",
        "3F2504E0-4F89-11D3-9A0C-0305E82C3377",
      ])
    #expect(outcome.events.allSatisfy { $0.fields["permission"] == "notifications" })
    #expect(outcome.events[0].fields["app_version"] == "2.4.0")
    #expect(outcome.events[0].fields["surface"] == "onboarding_p7")
  }

  @Test func amplitudesTableOfMergedIdsHoldsNoEvents() throws {
    for options in [testOptions(), testOptions(format: .vendor("amplitude"))] {
      let outcome = try events("amplitude/-189524_2025-12-02_2.json", options)
      #expect(outcome.events.isEmpty && outcome.counts.lines == 0)
    }
  }

  @Test func mixpanel() throws {
    let user = "0A1B2C3D-1111-2222-3333-444455556666"
    for file in ["mixpanel/seconds.jsonl", "mixpanel/seconds.jsonl.gz"] {
      #expect(try events(file).stories == ["\(user) prompt_shown 2025-11-24T18:03:25.000Z B -"])
    }
    #expect(
      try events("mixpanel/milliseconds.jsonl").stories == ["\(user) denied 2025-11-24T18:03:27.835Z B -"])
    var options = testOptions()
    // Los Angeles in the winter of 2025.
    options.projectZone = zone("America/Los_Angeles", -8 * hour)
    #expect(
      try events("mixpanel/legacy_los_angeles.jsonl", options).stories == [
        "\(user) re_enabled 2025-12-02T02:41:07.000Z B -"
      ])
  }

  @Test(arguments: ["segment/archive.ndjson", "segment/archive.ndjson.gz", "segment/batch.json"])
  func segment(file: String) throws {
    let outcome = try events(file)
    let user = "507f191e-810c-4972-9de8-60ea00000001"
    #expect(
      outcome.stories == [
        "\(user) prompt_shown 2025-11-24T18:03:25.957Z B -", "\(user) denied 2025-11-24T18:03:28.075Z B -",
        "\(user) re_enabled 2025-12-02T02:41:07.391Z B -",
      ])
    #expect(outcome.events[0].event == "7B9D2F10-6A3C-4E51-9E34-0A0C5D3E9001")
    #expect(outcome.events[0].fields["locale"] == "en-US")
  }

  @Test(arguments: [
    "ga4/events_20251124.json", "ga4/plain_numbers.json", "ga4/array.json", "ga4/events_20251124-000000000000.json.gz",
  ])
  func ga4(file: String) throws {
    let user = "8D59CE7133E03F6170EADBCE40174C91"
    let times = ["2025-11-24T18:03:25.717Z", "2025-11-24T18:03:27.835Z", "2025-12-02T02:41:07.090Z"]
    let outcome = try events(file)
    #expect(
      outcome.stories == [
        "\(user) prompt_shown \(times[0]) B -", "\(user) denied \(times[1]) - -", "\(user) re_enabled \(times[2]) - -",
      ])
    // All dialects make the same ids.
    #expect(outcome.events.map(\.event) == (try events("ga4/events_20251124.json")).events.map(\.event))
    let named = try events(
      file, testOptions(mapping: "extends: ga4\nfields:\n  variant: [variant, /user_properties/push_variant]\n"))
    #expect(named.events.map { $0.fields["variant"] } == ["B", "B", "B"])
  }

  @Test(arguments: ["posthog/events.jsonl", "posthog/properties_as_text.jsonl", "posthog/export.tar.gz"])
  func posthog(file: String) throws {
    let user = "0A1B2C3D-1111-2222-3333-444455556666"
    let outcome = try events(file)
    #expect(
      outcome.stories == [
        "\(user) explanation_shown 2025-11-24T18:03:21.412Z - -", "\(user) denied 2025-11-24T18:03:27.835Z - -",
      ])
    #expect(outcome.counts.unmapped == 1)
    #expect(outcome.events.map(\.event) == (try events("posthog/events.jsonl")).events.map(\.event))
    let named = try events(
      file, testOptions(mapping: "extends: posthog\nfields:\n  variant: [variant, $feature/push_copy]\n"))
    #expect(named.events.map { $0.fields["variant"] } == ["B", "B"])
  }

  @Test(arguments: ["snowplow/enriched.tsv", "snowplow/enriched.tsv.gz", "snowplow/enriched.tsv.xz"])
  func snowplow(file: String) throws {
    let outcome = try events(file)
    let user = "0a1b2c3d-1111-2222-3333-444455556666"
    #expect(
      outcome.stories == [
        "\(user) prompt_shown 2025-11-24T18:03:25.937Z B -", "\(user) denied 2025-11-24T18:03:28.055Z B -",
        "\(user) re_enabled 2025-12-02T02:41:07.280Z - -",
      ])
    #expect(outcome.events.map(\.event).first == "c6ef3124-b53a-4b13-a233-0088f79dcbcb")
    #expect(outcome.events[0].fields["os_version"] == "18.1")
  }

  @Test func airship() throws {
    let outcome = try events("airship/events.ndjson")
    let user = "5e605b40-1111-4c1a-9c2e-1234567890ab"
    #expect(
      outcome.stories == [
        "\(user) app_installed 2025-11-24T18:03:18.002Z - -", "\(user) app_active 2025-11-24T18:03:18.002Z - -",
        "\(user) app_active 2025-11-24T18:03:19.900Z - -", "\(user) explanation_shown 2025-11-24T18:03:21.412Z B -",
        "\(user) prompt_shown 2025-11-24T18:03:25.717Z B -", "\(user) denied 2025-11-24T18:03:27.835Z B -",
        "\(user) re_enabled 2025-12-02T02:41:07.090Z B -",
      ])
    #expect(outcome.counts.unmapped == 2)
    #expect(outcome.events.compactMap { $0.fields["surface"] } == ["onboarding_p7"])
    #expect(outcome.events.allSatisfy { $0.fields["app_version"] == "2.4.0" })
  }

  @Test func othersThroughMappings() throws {
    func events(_ vendor: String, _ file: String, zone: (String, Milliseconds)? = nil) throws -> [String] {
      var options = testOptions()
      options.mappings = [try Samples.mapping("mappings/\(vendor)/mapping.yaml")]
      if let (name, offset) = zone { options.zones = [name: EventImportTests.zone(name, offset)] }
      return try self.events("mappings/\(vendor)/\(file)", options).stories
    }
    #expect(
      try events("braze", "custom_events.jsonl") == [
        "C8F9E604-F01A-4BD9-95C6-8E5357DF265D denied 2025-11-24T18:03:27.000Z B -"
      ])
    let device = "a8ffcbc9-a747-4ee3-a791-c5e58ad03097"
    #expect(
      try events("clevertap", "page.json", zone: ("Asia/Kolkata", 5 * hour + hour / 2)) == [
        "\(device) denied 2025-11-24T18:03:27.000Z B -", "\(device) re_enabled 2025-12-02T02:41:07.000Z B -",
      ])
    let subscription = "5e605b40-0000-4c1a-9c2e-1234567890ab"
    #expect(
      try events("onesignal", "stream.jsonl") == [
        "\(subscription) explanation_shown 2025-11-24T18:03:21.412Z B -"
      ])
  }

  @Test func aMixedDirectoryIsReadFileByFile() throws {
    let directory = try TemporaryDirectory()
    for file in [
      "amplitude/export.zip", "mixpanel/milliseconds.jsonl", "segment/batch.json", "ga4/array.json",
      "posthog/export.tar.gz", "snowplow/enriched.tsv",
    ] {
      try directory.write(
        file.replacingOccurrences(of: "/", with: "-"), Data(contentsOf: URL(fileURLWithPath: Samples.path(file))))
    }
    try directory.write("canonical.csv", "user_id,timestamp,event\nu1,1740830400000,app_active\n")
    let outcome = try importPaths([directory.path])
    #expect(outcome.rejects.isEmpty)
    #expect(outcome.events.count == 3 + 1 + 3 + 3 + 2 + 3 + 1)
  }
}
