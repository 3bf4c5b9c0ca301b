// Tables at the top of a mapping: what a column's own words mean, for every event.

import PermissionEvents
import Testing

@testable import EventMapping

private func mapping(_ text: String) throws -> Mapping { try Mapping(yaml: Array(text.utf8), name: "m.yaml") }

private let record = "record: {form: csv, event: name, user: device, time: ts}\n"

/// What a program decides of an event with these properties, by the names of places.
private func decision(_ text: String, _ name: String, _ values: [String: String]) throws -> MappingDecision {
  let program = try MappingProgram(try mapping(record + text), prefersAccount: false)
  let plan = program.plan(Array(name.utf8))
  return program.decide(plan) { slot in
    // Only what the plan names takes part in a decision that is kept.
    plan.slots.contains(slot) ? values[program.places.names[slot]].map { Array($0.utf8) } : nil
  }
}

@Suite struct TranslationTests {
  @Test(arguments: [
    "values:\n  permission: {cam: camera, \"7\": notifications}\n  status: {\"2\": denied, \"3\": authorized}\n"
      + "fields: {permission: what, status: code}\n",
    "fields:\n  permission: {from: what, values: {cam: camera, \"7\": notifications}}\n"
      + "  status: {from: [code], values: {\"2\": denied, \"3\": authorized}}\n",
  ]) func codesOfAColumnAreTranslated(text: String) throws {
    func label(_ name: String, _ values: [String: String]) throws -> String {
      try decision(text, name, values).label
    }
    #expect(try label("permission_result", ["what": "cam", "code": "2"]) == "denied camera (denied)")
    #expect(try label("permission_result", ["what": "7", "code": "3"]) == "granted notifications (authorized)")
    #expect(try label("permission_denied", ["what": "CAM"]) == "denied camera")
    // A value that no table has is read as if there were none.
    #expect(try label("permission_denied", ["what": "microphone"]) == "denied microphone")
    #expect(try label("permission_denied", ["what": "7", "code": "3"]).hasPrefix("not mapped"))
    #expect(try label("permission_denied", [:]) == "not mapped: it names no permission")
  }

  @Test func answersAreTranslated() throws {
    let text =
      "fields: {result: reply, flag: granted}\nvalues: {result: {\"0\": denied, \"1\": granted}, flag: {ja: \"true\"}}\n"
    #expect(try decision(text, "push_permission_result", ["reply": "1"]).label == "granted notifications")
    #expect(try decision(text, "push_permission_result", ["reply": "0"]).label == "denied notifications")
    #expect(try decision(text, "push_permission_result", ["reply": "2"]).label.hasPrefix("not mapped"))
    #expect(try decision(text, "push_permission_result", ["granted": "ja"]).label == "granted notifications")
    // The table is the field's: the same word elsewhere keeps its meaning.
    #expect(try decision(text, "push_permission_result", ["outcome": "ja"]).label.hasPrefix("not mapped") == false)
  }

  @Test func otherFieldsAreTranslatedToo() throws {
    let text =
      "fields: {variant: copy, platform: os}\nvalues:\n  variant: {\"1\": calm, \"2\": urgent}\n  platform: {A: android}\n"
      + "rules:\n  - {event: own, kind: granted, permission: camera, variant: fixed}\n"
    func fields(_ name: String, _ values: [String: String]) throws -> [String] {
      try decision(text, name, values).fields.map { field, source in
        field.name + "=" + String(decoding: source.otherwise ?? [], as: UTF8.self)
      }.sorted()
    }
    #expect(try fields("push_permission_granted", ["copy": "2", "os": "a"]) == ["platform=android", "variant=urgent"])
    // Other values stay what the file has.
    #expect(try fields("push_permission_granted", ["copy": "3"]) == [])
    #expect(try fields("own", ["copy": "2", "os": "A"]) == ["platform=android", "variant=fixed"])
    #expect(try fields("app_active", ["os": "A"]) == ["platform=android"])
  }

  @Test func aTableOfOnePlaceIsForNoOther() throws {
    let text = "fields:\n  permission: {from: what, values: {x: camera}}\nvalues:\n  permission: {y: contacts}\n"
    #expect(try decision(text, "permission_denied", ["what": "x"]).label == "denied camera")
    #expect(try decision(text, "permission_denied", ["what": "y"]).label == "denied contacts")
    #expect(try decision("extends: segment\n" + text, "permission_denied", ["permission": "x"]).label == "denied x")
    #expect(
      try decision("extends: segment\n" + text, "permission_denied", ["permission": "y"]).label == "denied contacts")
  }

  @Test func conditionsAndTablesOfRulesSeeWhatTheFileHas() throws {
    let text =
      "values: {permission: {p: notifications}}\nfields: {permission: what}\nrules:\n"
      + "  - {event: a, where: {what: p}, kind: denied}\n"
      + "  - {event: b, kind: denied, permission: {from: what, values: {p: camera}}}\n"
    #expect(try decision(text, "a", ["what": "p"]).label == "denied notifications")
    #expect(try decision(text, "b", ["what": "p"]).label == "denied camera")
  }

  @Test(arguments: [
    ("values: {status: {on: okay}}\n", "m.yaml, line 2: there is no status okay; use one of not_determined"),
    ("values: {colour: {on: red}}\n", "m.yaml, line 2: values has no key colour; its keys are permission, variant"),
    ("values: {status: on}\n", "m.yaml, line 2: values of status is a text, not a map"),
    ("fields: {permission: {values: {a: camera}}}\n", "m.yaml, line 2: permission has no key from"),
    (
      "fields: {permission: {from: a, vals: {a: camera}}}\n",
      "m.yaml, line 2: permission has no key vals; its keys are from"
    ),
  ]) func messagesSayWhereAndWhat(text: String, message: String) {
    let error = #expect(throws: MappingError.self) { try mapping(record + text) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func unknownPermissionsAreNamed() throws {
    for text in ["values: {permission: {c: camra}}\n", "fields: {permission: {from: a, values: {c: camra}}}\n"] {
      let error = #expect(throws: MappingError.self) {
        try mapping(record + text).requireKnownPermissions(file: "m.yaml")
      }
      #expect(error?.message.hasPrefix("m.yaml, line 2: there is no permission camra; use one of") == true, "\(text)")
    }
  }
}
