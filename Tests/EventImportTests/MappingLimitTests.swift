// What a mapping or the names and values of an export cannot do to an import: fill the memory, or say that something was
// stored that was not.

import PermissionEvents
import Testing

@testable import EventImport
@testable import EventMapping

private func decision(_ kind: EventKind, _ permission: String) -> MappingDecision {
  var decision = MappingDecision(outcome: .event(kind))
  decision.permission = Array(permission.utf8)
  return decision
}

extension EventTally {
  fileprivate func add(_ name: String, _ decision: MappingDecision, looksLikePermission: Bool, count: Int) {
    add(
      key(Array(name.utf8), answer: "", decision, looksLikePermission: looksLikePermission, isCanonical: false),
      count: count)
  }
}

@Suite struct MappingLimitTests {
  @Test func neitherNamesNorValuesFillTheMemory() {
    for custom in [false, true] {
      let tally = EventTally(allowsCustomPermissions: custom)
      let events = 60_000
      for i in 0..<events {
        tally.add("name \(i)", decision(.granted, "permission \(i)"), looksLikePermission: true, count: 1)
      }
      tally.add("one more", MappingDecision(outcome: .unknown(nil)), looksLikePermission: false, count: 1)
      let list = tally.list
      #expect(list.count == 20_002)
      #expect(list.reduce(0) { $0 + $1.count } == events + 1)
      let rest = list.filter { $0.name == "(other names)" }
      #expect(
        Set(rest.map(\.outcome)) == [custom ? "granted" : "rejected: not a known permission", "not mapped"])
      #expect(rest.map(\.count).max() == 40_000)
    }
  }

  @Test func whatIsRejectedIsNotShownAsStored() throws {
    for custom in [false, true] {
      let tally = EventTally(allowsCustomPermissions: custom)
      tally.add("gate", decision(.denied, "camra"), looksLikePermission: false, count: 2)
      tally.add("gate", decision(.denied, "camera"), looksLikePermission: false, count: 1)
      #expect(tally.list.map(\.isStored) == (custom ? [true, true] : [false, true]))
      #expect(
        tally.list.map(\.outcome) == [
          custom ? "denied camra" : "rejected: camra is not a known permission", "denied camera",
        ])
    }
  }

  @Test func placesThatRecogniseAreCounted() throws {
    func options(_ count: Int) throws -> ImportOptions {
      let places = (0..<count).map { "/p\($0)" }.joined(separator: ", ")
      return try testOptions(mapping: "record: {recognise: [\(places)], event: /e, user: /u, time: /t}\n")
    }
    let error = #expect(throws: ImportError.self) { try importText("{}\n", options(201)) }
    #expect(error?.message.contains("more than 200 columns and paths") == true)
    // All that are allowed are told apart.
    let line = "{" + (0..<200).map { "\"p\($0)\":1" }.joined(separator: ",") + ",\"e\":\"app_active\""
    let whole = try importText(line + ",\"u\":\"user-1234\",\"t\":1764007405}\n", options(200))
    #expect(whole.counts.events == 1)
    let without = line.replacing("\"p198\":1,", with: "")
    #expect(throws: ImportError.self) {
      try importText(without + ",\"u\":\"user-1234\",\"t\":1764007405}\n", options(200))
    }
  }
}
