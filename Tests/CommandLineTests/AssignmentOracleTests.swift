// Who is compared by an assignment: random logs against the rule, written out plainly.

import Foundation
import Testing

@Suite struct AssignmentOracleTests {
  private struct Event {
    var user, time: Int
    var kind: String
    var variant = ""
    var experiment = ""

    /// The order of the log within one millisecond.
    static let kinds = [
      "explanation_shown", "prompt_shown", "granted", "denied", "skipped", "settings_prompt_shown", "re_enabled",
      "assigned",
    ]
    var rank: Int { Self.kinds.firstIndex(of: kind) ?? 99 }
    var isScreen: Bool { rank < 2 }
  }

  private static let start = 1_767_225_600_000
  private static let names = ["A", "B"]

  private static func log(seed: UInt64) -> [Event] {
    var random = LinkedIDTests.Random(seed: seed)
    var events: [Event] = []
    for user in 0..<80 {
      // Few moments, so that many events are at one.
      for _ in 0..<random.below(8) {
        let time = random.below(12) * 1_200_000 + random.below(10) * 86_400_000
        let kind = Event.kinds[random.below(7)]
        events.append(Event(user: user, time: time, kind: kind))
      }
      for number in 0..<random.below(4) {
        // Often at a screen's moment, and never at that of another assignment: those would be in the order of their ids.
        let time = random.below(12) * 1_200_000 + random.below(10) * 86_400_000 + number
        let variant = ["A", "B", "A", "B", "C"][random.below(5)]
        events.append(
          Event(
            user: user, time: time, kind: "assigned", variant: variant, experiment: random.below(8) == 0 ? "F" : "E"))
      }
    }
    return events
  }

  private static func data(_ events: [Event]) -> Data {
    let lines = events.enumerated().map { number, event in
      let permission = event.kind == "assigned" ? "" : #","permission":"notifications""#
      let message = event.variant.isEmpty ? "" : #","variant":"\#(event.variant)","experiment":"\#(event.experiment)""#
      return
        #"{"event_id":"e\#(number)","user_id":"u\#(event.user)","timestamp":\#(start + event.time),"event":"\#(event.kind)"\#(permission)\#(message)}"#
    }
    return Data((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func answer(_ events: [Event]) throws -> [String: Any] {
    let workspace = try Workspace()
    let path = workspace.path("log")
    let ingest = try Tool.run(["ingest", "-", "--quiet", "--log", path], input: data(events))
    #expect(ingest.status == 0, "\(ingest.errors)")
    let command = [
      "compare", "A", "B", "--experiment", "E", "--permission", "notifications", "--at-once", "0s", "--as-of",
      "2026-01-10T12:00:00Z",
    ]
    let result = try Tool.run(command + ["--format", "json", "--log", path])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  private static let counts = ["exposed", "pending", "restricted", "granted", "denied", "skipped", "dropped_off"]

  private static func arms(_ answer: [String: Any]) -> [[Int?]] {
    ["a", "b"].map { arm in counts.map { (answer[arm] as? [String: Any])?[$0] as? Int } }
  }

  @Test("users count by their first assignment, from the first screen at or after it", arguments: 0..<12)
  func rule(seed: Int) throws {
    let events = Self.log(seed: UInt64(seed) + 100)
    let asOf = 9 * 86_400_000 + 12 * 3_600_000
    var assigned = [0, 0], exposed = [0, 0]
    var before = 0, several = 0
    var derived: [Event] = []
    for (_, all) in Dictionary(grouping: events, by: \.user).sorted(by: { $0.key < $1.key }) {
      let own = all.enumerated().sorted {
        ($0.element.time, $0.element.rank, $0.offset) < ($1.element.time, $1.element.rank, $1.offset)
      }.map(\.element)
      let given = own.filter { $0.kind == "assigned" && $0.experiment == "E" && $0.time <= asOf }
      guard let first = given.first, let arm = Self.names.firstIndex(of: first.variant) else { continue }
      assigned[arm] += 1
      // A "Not now" without a screen before it exposes, as everywhere.
      let asks = own.indices.filter { index in
        own[index].time <= asOf
          && (own[index].isScreen
            || own[index].kind == "skipped" && !own[..<index].contains { $0.isScreen || $0.kind == "skipped" })
      }
      guard let index = asks.first(where: { own[$0].time >= first.time }) else {
        before += asks.isEmpty ? 0 : 1
        continue
      }
      exposed[arm] += 1
      if given.contains(where: { $0.variant != first.variant && Self.names.contains($0.variant) }) { several += 1 }
      var kept = own[index...].filter { $0.kind != "assigned" }
      kept[kept.startIndex].variant = first.variant
      kept[kept.startIndex].experiment = "E"
      derived += kept
    }
    let found = try Self.answer(events)
    let expected = try Self.answer(derived)
    let numbers = try #require(found["assigned"] as? [String: Any])
    #expect(numbers["users"] as? [Int] == assigned, "seed \(seed)")
    #expect(numbers["exposed"] as? [Int] == exposed, "seed \(seed)")
    #expect(Self.arms(found) == Self.arms(expected), "seed \(seed)")
    #expect((found["contaminated"] as? [String: Any])?["users"] as? Int == several, "seed \(seed)")
    let cautions = found["cautions"] as? [String] ?? []
    let isSaid = cautions.contains { $0.hasPrefix("\(before) user") && $0.contains("before they were assigned") }
    #expect(isSaid == (before > 0), "seed \(seed): \(before), \(cautions)")
  }
}
