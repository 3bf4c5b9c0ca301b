// Mapping files: what they can say, and how they are told what is wrong with them.

import Foundation
import PermissionEvents
import Testing

@testable import EventMapping

private func mapping(_ text: String) throws -> Mapping { try Mapping(yaml: Array(text.utf8), name: "m.yaml") }

private func program(_ text: String) throws -> MappingProgram {
  try MappingProgram(try mapping(text), prefersAccount: false)
}

/// What a program makes of an event with these properties, by the names of places.
private func outcome(_ program: MappingProgram, _ name: String, _ values: [String: String] = [:]) -> String {
  let plan = program.plan(Array(name.utf8))
  return program.decide(plan) { slot in values[program.places.names[slot]].map { Array($0.utf8) } }.label
}

@Suite struct MappingTests {
  @Test func rulesInTheirOrder() throws {
    let program = try program(
      """
      extends: amplitude
      rules:
        - event: Onboarding Step
          where: {step: push, answer: [yes, allow]}
          kind: granted
          permission: notifications
        - event: [Onboarding Step, onboarding_step]
          where: {step: "*"}
          kind: skipped
          permission: {from: step, values: {push: notifications, cam: camera}, default: mail}
        - pattern: "*_permission_test_*"
          kind: ignore
        - event: gate
          kind: denied
          permission: {from: /event_properties/what}
          status: {from: why, values: {parent: restricted}}
      otherwise:
        - pattern: "*"
          kind: feature_used
          feature: {from: /event_type}
      """)
    #expect(outcome(program, "Onboarding Step", ["step": "push", "answer": "Allow"]) == "granted notifications")
    #expect(outcome(program, "Onboarding Step", ["step": "push", "answer": "maybe"]) == "skipped notifications")
    #expect(outcome(program, "onboarding_step", ["step": "cam"]) == "skipped camera")
    #expect(outcome(program, "onboarding_step", ["step": "elsewhere"]) == "skipped mail")
    #expect(outcome(program, "onboarding_step") == "feature_used")
    #expect(outcome(program, "push_permission_test_granted") == "not stored: ignored by a rule")
    #expect(outcome(program, "push_permission_granted") == "granted notifications")
    #expect(
      outcome(program, "gate", ["/event_properties/what": "Camera", "why": "parent"]) == "denied camera (restricted)")
    #expect(outcome(program, "gate") == "not mapped: it names no permission")
    #expect(outcome(program, "session_start") == "app_active")
    // A pattern at the end does not swallow what looks like a permission event.
    #expect(outcome(program, "push_permission_funny") == "not mapped: the word \"funny\" is not known")
  }

  @Test(arguments: [
    ("amplitude", "[Amplitude] Application Opened", "session_end"), ("mixpanel", "$app_open", "$identify"),
    ("segment", "screen", "identify"), ("ga4", "screen_view", "app_remove"), ("posthog", "$pageview", "$set"),
  ]) func everyOtherEventIsNotWhatThePresetKnows(preset: String, active: String, ignored: String) throws {
    let program = try program(
      """
      extends: \(preset)
      otherwise:
        - {pattern: "*", kind: feature_used, feature: {from: /event}}
        - {event: Own Name, kind: app_active}
      """)
    #expect(outcome(program, active) == "app_active")
    #expect(outcome(program, ignored) == "not stored: ignored by a rule")
    #expect(outcome(program, "Own Name") == "app_active")
    #expect(outcome(program, "Purchase") == "feature_used")
  }

  /// What is not read is not stored: neither from the preset's paths nor by its rules.
  @Test func anEmptyListIsAFieldThatIsNotStored() throws {
    let optional = StringField.allCases.filter { $0 != .permission }
    #expect(optional.count == 9)
    for preset in Presets.names {
      let base = try program("extends: \(preset)\n")
      for field in optional {
        let program = try program("extends: \(preset)\nfields: {\(field.name): []}\n")
        #expect(program.fields[field.rawValue].isEmpty, "\(preset): \(field.name)")
        #expect(!(program.rules + program.otherwise).contains { $0.fields.contains { $0.field == field } })
        // The others are as they were.
        for other in StringField.allCases where other != field {
          #expect(
            program.fields[other.rawValue].isEmpty == base.fields[other.rawValue].isEmpty, "\(preset): \(other.name)")
        }
        let isOfAssignments = field == .variant || field == .experiment
        #expect(program.experimentRows.isEmpty == (isOfAssignments || base.experimentRows.isEmpty))
      }
    }
  }

  @Test(arguments: [
    ("fields: {permission: []}", "line 2: permission cannot be an empty list"),
    ("fields: {status: []}", "line 2: status cannot be an empty list: it is read to understand events"),
    ("fields: {user: []}", "line 2: user cannot be an empty list: no event can be stored without its user"),
    ("fields: {timestamp: []}", "line 2: timestamp cannot be an empty list: no event can be stored without its time"),
    ("fields: {event: []}", "line 2: event cannot be an empty list: no event can be stored without its name"),
    ("record: {event: /e, user: [], time: /t}", "line 2: record has no user"),
    ("record: {event: [], user: /u, time: /t}", "line 2: record has no event"),
    ("record: {event: /e, user: /u, time: []}", "line 2: record has no time"),
    ("fields: {variant: []}\nrules: [{event: e, kind: app_active, variant: B}]", "line 3: the rule sets variant, but"),
    ("fields: {variant: []}\nexperiments: [copy]", "experiments has copy, but fields has variant: []"),
    ("fields: {country: {from: []}}", "line 2: country has no key from"),
  ]) func whatEachEventNeedsCannotBeLeftOut(text: String, message: String) {
    let error = #expect(throws: MappingError.self) { try mapping("extends: amplitude\n" + text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func anExperimentOfTheCallerNeedsItsFields() throws {
    let mapping = try mapping("extends: amplitude\nfields: {experiment: []}\n")
    let error = #expect(throws: MappingError.self) {
      try MappingProgram(mapping, prefersAccount: false, sticky: [StickyProperty(experiment: "copy")])
    }
    #expect(error?.message.contains("assignments to copy cannot be stored") == true)
  }

  @Test func aNameOfOnesOwnComesBeforeThePresets() throws {
    let program = try program("extends: segment\notherwise: [{event: Application Opened, kind: ignore}]\n")
    #expect(outcome(program, "Application Opened") == "not stored: ignored by a rule")
    #expect(outcome(program, "screen") == "app_active")
  }

  @Test func presetsKnowEngagement() throws {
    for (preset, name) in [
      ("amplitude", "session_start"), ("mixpanel", "$ae_session"), ("segment", "Application Opened"),
      ("ga4", "user_engagement"), ("posthog", "$screen"), ("snowplow", "screen_view"),
    ] {
      let program = try program("extends: \(preset)\n")
      #expect(outcome(program, name) == "app_active", "\(preset)")
      #expect(outcome(program, "something_else") == "not mapped")
    }
  }

  @Test(arguments: [
    ("", "m.yaml: it is empty; the presets are examples"),
    ("a: [", "m.yaml, line 2: it is not valid YAML (did not find expected node content); correct the line"),
    ("- a\n", "m.yaml, line 1: a mapping is a list, not a map of keys and values"),
    (
      "extends: nobody\n",
      "m.yaml: extends: there is no preset nobody; use one of \(Presets.names.joined(separator: ", "))"
    ),
    (
      "rules: []\n",
      "m.yaml: it has neither extends: nor record:; add extends: amplitude (or another preset), or a record: section"
    ),
    (
      "extends: ga4\nrulez: []\n",
      "m.yaml, line 2: a mapping has no key rulez; its keys are name, extends, record, fields, values, experiments, states, rules, usual_spellings, otherwise"
    ),
    ("extends: ga4\nextends: ga4\n", "m.yaml, line 2: extends appears twice in a mapping; keep one of them"),
    (
      "extends: ga4\nrules:\n  - kind: granted\n",
      "m.yaml, line 3: the rule has neither event nor pattern, so it matches nothing"
    ),
    (
      "extends: ga4\nrules:\n  - event: a\n",
      "m.yaml, line 3: the rule has no kind; write what the event becomes, or kind: ignore"
    ),
    ("extends: ga4\nusual_spellings: 3\n", "m.yaml, line 2: usual_spellings is neither true nor false"),
    (
      "record:\n  event: e\n  user: u\n",
      "m.yaml, line 2: record has no time; write its column or path, like time: /time"
    ),
    ("record: {form: xml}\n", "m.yaml, line 1: form cannot be xml; use one of json, tsv, csv, table"),
  ]) func messagesSayWhereAndWhat(text: String, message: String) {
    let error = #expect(throws: MappingError.self) { try mapping(text) }
    #expect(error?.message == message)
  }

  @Test func wrongKindsAndStatusesAreNamed() {
    let kind = #expect(throws: MappingError.self) { try mapping("extends: ga4\nrules: [{event: a, kind: grantd}]\n") }
    #expect(kind?.message.hasPrefix("m.yaml, line 2: there is no kind grantd; use one of explanation_shown") == true)
    let status = #expect(throws: MappingError.self) {
      try mapping("extends: ga4\nrules: [{event: a, kind: granted, status: okay}]\n")
    }
    #expect(status?.message.hasPrefix("m.yaml, line 2: there is no status okay; use one of not_determined") == true)
  }

  @Test func unknownPermissionsAreNamed() throws {
    for rule in [
      "permission: camra", "permission: {from: gate, values: {cam: camra}}", "permission: {from: x, default: camra}",
    ] {
      let mapping = try mapping("extends: ga4\nrules:\n  - event: a\n    kind: denied\n    \(rule)\n")
      let error = #expect(throws: MappingError.self) { try mapping.requireKnownPermissions(file: "m.yaml") }
      #expect(error?.message.hasPrefix("m.yaml, line 3: there is no permission camra; use one of") == true, "\(rule)")
    }
    try mapping("extends: ga4\nrules: [{event: a, kind: denied, permission: Push}]\n").requireKnownPermissions(file: "")
    try mapping(
      "extends: ga4\nrules: [{event: a, kind: denied, permission: {from: x}}]\n"
    ).requireKnownPermissions(file: "")
  }

  @Test func aPatternFitsInAnySpelling() throws {
    let program = try program(
      "extends: ga4\nrules: [{pattern: [\"Push*\", \"gate ?-*\"], kind: denied, permission: camera}]\n")
    for name in ["Push Token", "push_token", "PushToken", "Gate A Closed"] {
      #expect(outcome(program, name) == "denied camera", "\(name)")
    }
  }

  @Test func bracketsWithoutEndAreRefusedAtOnce() {
    let deep = #expect(throws: MappingError.self) { try mapping(String(repeating: "[", count: 60_000)) }
    #expect(deep?.message.contains("nested too deep") == true)
    let maps = #expect(throws: MappingError.self) { try mapping(String(repeating: "{a: ", count: 15_000)) }
    #expect(maps?.message.contains("nested too deep") == true)
    let large = #expect(throws: MappingError.self) { try mapping(String(repeating: "# long\n", count: 50_000)) }
    #expect(large?.message == "m.yaml: it is larger than 256 KiB, the limit for a mapping")
  }

  @Test func aliasesOfLongTextsCannotFillTheMemory() {
    let text =
      "text: &a \(String(repeating: "x", count: 1_000))\nlist: [\(Array(repeating: "*a", count: 40_000).joined(separator: ","))]\n"
    let error = #expect(throws: MappingError.self) { try mapping(text) }
    #expect(error?.message.contains("nested too deep or too large") == true)
    // A long text alone is refused as such.
    let long = #expect(throws: MappingError.self) { try mapping("text: \(String(repeating: "x", count: 250_000))\n") }
    #expect(long?.message.contains("m.yaml, line 1: a text has more than 1024 bytes") == true)
    let paths = (0..<17).map { "/p\($0)" }.joined(separator: ", ")
    let many = #expect(throws: MappingError.self) {
      try mapping("record: {event: /e, user: /u, time: /t, properties: [\(paths)]}\n")
    }
    #expect(many?.message.contains("properties has 17 paths, but 16 are the most") == true)
  }

  @Test func aliasesCannotFillTheMemory() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for i in 1..<12 {
      text += "a\(i): &a\(i) [" + Array(repeating: "*a\(i - 1)", count: 10).joined(separator: ", ") + "]\n"
    }
    let error = #expect(throws: MappingError.self) { try mapping(text) }
    #expect(error?.message.contains("nested too deep or too large") == true)
    let loop = #expect(throws: MappingError.self) { try mapping("a: &a [*a]\n") }
    #expect(loop?.message.contains("m.yaml, line 1") == true)
  }

  @Test func globs() {
    for (pattern, text, matches) in [
      ("*", "", true), ("a*c", "abbc", true), ("a*c", "abcd", false), ("a?c", "abc", true), ("a?c", "ac", false),
      ("*_a_*", "x_a_y", true), ("", "", true), ("", "a", false), ("a*b*c", "aXbYbZc", true), ("**a", "a", true),
    ] { #expect(PatternSet([[Glob(pattern)]]).matching(Array(text.utf8)).isEmpty == !matches, "\(pattern) \(text)") }
    // Many stars on a long text do not take exponential time.
    let stars = PatternSet([[Glob(String(repeating: "*a", count: 40) + "b")]])
    #expect(stars.matching(Array(repeating: 97, count: 4000)).isEmpty && stars.words == 1)
  }

  @Test func pointersUnescape() {
    #expect(PropertyReference("/a~1b/~0c/~x") == .pointer(["a/b", "~c", "~x"]))
    #expect(PropertyReference("$feature/push") == .name("$feature/push"))
  }
}

@Suite struct PresetTests {
  @Test(arguments: Presets.names) func everyPresetIsAMapping(name: String) throws {
    let mapping = try #require(try Presets.mapping(name))
    #expect(mapping.record != nil)
    #expect(!mapping.otherwise.isEmpty)
    let text = try #require(Presets.text(name))
    #expect(!text.contains("{{") && text.hasPrefix("# "))
    // Another form of a vendor's events takes the fields of the vendor's preset, or says them anew.
    guard !Presets.isOtherForm(name) else { return #expect(Presets.title(name)?.isEmpty == false) }
    #expect(text.hasPrefix("# \(Presets.title(name) ?? "?")"))
    // The names that the comments list are those that are always looked at.
    for field in [Mapping.TellingField.status, .result, .flag] {
      let names = try #require(Mapping.usualTelling[field])
      #expect(text.contains("  #   \(field.rawValue): \(names.joined(separator: ", "))\n"))
    }
    // What is said of the vendor can be read.
    _ = try Presets.Table(name)
  }

  /// The list in CVendors.c is the folder.
  @Test func everyTextIsBuiltIn() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/CVendors/vendors")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == Presets.names.map { $0 + ".yaml" }.sorted())
    for name in Presets.names {
      let text = try String(contentsOf: folder.appendingPathComponent(name + ".yaml"), encoding: .utf8)
      #expect(text.hasPrefix("title: \(Presets.title(name) ?? "")\n"))
      let shown = Presets.text(name) { _ in "{{project zone}}" } ?? "?"
      #expect(text.hasSuffix("\n---\n" + shown))
    }
  }
}
