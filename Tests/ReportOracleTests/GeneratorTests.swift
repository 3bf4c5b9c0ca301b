// The random histories: the same for the same seed, and on the edges that they are for.

import Foundation
import ReportOracle
import Testing

@Suite struct GeneratorTests {
  private static let histories = (1...12).map { HistoryGenerator(seed: $0).history(users: 60) }

  @Test func sameSeedSameHistory() {
    let one = HistoryGenerator(seed: 5).history(users: 20)
    #expect(one == HistoryGenerator(seed: 5).history(users: 20))
    #expect(one != HistoryGenerator(seed: 6).history(users: 20))
    #expect(HistoryGenerator(seed: 5).history(users: 0).isEmpty)
  }

  @Test func everyKindAndStatusOccurs() {
    let events = Self.histories.flatMap { $0 }
    #expect(Set(events.map(\.event)) == Set(oracleKinds))
    #expect(Set(events.compactMap(\.status)).count == 15)
    let needNone = ["feature_used", "app_active", "app_installed"]
    #expect(events.allSatisfy { $0.permission != nil || needNone.contains($0.event) })
  }

  @Test func idsLookAlikeAndAreShort() {
    let ids = Set(Self.histories.flatMap { $0 }.map { Array($0.eventID.utf8) })
    #expect(ids.allSatisfy { (1...128).contains($0.count) })
    let users = Set(Self.histories[0].map { Array($0.userID.utf8) })
    #expect(users.allSatisfy { (1...256).contains($0.count) })
    // Swift takes composed and decomposed text for equal, bytes do not.
    #expect(users.count > Set(Self.histories[0].map(\.userID)).count)
    let lower = Set(ids.map { String(decoding: $0, as: UTF8.self) }.filter { $0.count == 36 && $0 == $0.lowercased() })
    #expect(
      ids.contains {
        lower.contains(String(decoding: $0, as: UTF8.self).lowercased())
          && !lower.contains(String(decoding: $0, as: UTF8.self))
      })
  }

  @Test func thereAreCopiesWithOtherContent() {
    for events in Self.histories {
      let groups = Dictionary(grouping: events) { [Array($0.userID.utf8), Array($0.eventID.utf8)] }
      #expect(groups.values.contains { $0.count > 1 && Set($0).count == 1 })
      #expect(groups.values.contains { Set($0).count > 1 })
    }
  }

  @Test(arguments: [1_800_000, 7 * 86_400_000, 28 * 86_400_000], [-1, 0, 1])
  func gapsOfExactlyAWindowOccur(window: Int, beside: Int) {
    let found = Self.histories.contains { events in
      let groups = Dictionary(grouping: events.filter { $0.permission != nil }) {
        [$0.userID, $0.permission ?? ""]
      }
      return groups.values.contains { group in
        let times = Set(group.map(\.timestamp))
        return times.contains { times.contains($0 + window + beside) }
      }
    }
    #expect(found)
  }

  /// What has to hold for any history; the seed is in the message if it does not.
  @Test(arguments: 1...12) func reportsHoldTogether(seed: Int) {
    let generator = HistoryGenerator(seed: UInt64(seed))
    let events = generator.history(users: 60)
    for variation in 0..<6 {
      let report = oracleReport(events, generator.options(for: events, variation: variation))
      for row in report["rows"]?.elements ?? [] {
        let place = "seed \(seed), variation \(variation), row \(row["permission"] ?? .null) \(row["week"] ?? .null)"
        func number(_ path: String) -> Double { row.at(path) ?? .nan }
        let missing = row["no_evidence"]?.elements ?? []
        #expect(number("exposed") == number("pending") + number("restricted") + number("base"), "\(place)")
        if missing.contains(.string("screens")) || missing.contains(.string("answers")) { continue }
        let outcomes = ["granted", "denied", "skipped", "dropped_off"]
        #expect(number("base") == outcomes.map(number).reduce(0, +), "\(place)")
        #expect(number("answered_by_status") <= number("base"), "\(place)")
        let explained = ["continued", "skipped", "answered", "dropped"].map { number("steps.explanation.\($0)") }
        let isKnown = !missing.contains(.string("explanation"))
        #expect(!isKnown || number("steps.explanation.shown") == explained.reduce(0, +), "\(place)")
        let prompted = ["granted", "denied", "skipped", "dropped"].map { number("steps.prompt.\($0)") }
        #expect(number("steps.prompt.shown") == prompted.reduce(0, +), "\(place)")
      }
      for reach in report["reach"]?.elements ?? [] {
        let six = ["never_asked", "on", "partial", "off", "restricted", "undecided"].compactMap { reach.at($0) }
        #expect(reach.at("active_users") == six.reduce(0, +), "seed \(seed), variation \(variation)")
      }
    }
  }

  /// Most logs with calls have some that returned at once, and each way to read them occurs.
  @Test func logsWithCallsHaveThemInEachWay() {
    var found: Set<String> = []
    for seed in 1...40 as ClosedRange<UInt64> {
      let report = oracleReport(HistoryGenerator(seed: seed, hasCalls: true).history(users: 20), OracleOptions())
      for unit in report["at_once"]?.elements ?? [] {
        let hasCalls = unit.at("at_once") ?? 0 > 0
        if hasCalls { found.insert(unit["applied"] == .bool(true) ? "applied" : "as logged") }
        if hasCalls, unit["platform"] == .null { found.insert("no platform") }
      }
      for row in report["rows"]?.elements ?? [] where row["week"] == .null {
        for missing in row["no_evidence"]?.elements ?? [] { if case .string(let name) = missing { found.insert(name) } }
        if row.at("answered_by_status") ?? 0 > 0 { found.insert("by status") }
      }
    }
    let ways = [
      "applied", "as logged", "no platform", "by status", "prompt_times", "screens", "explanation", "answers",
    ]
    #expect(found.isSuperset(of: ways), "\(Set(ways).subtracting(found))")
  }

  @Test func linesSayWhatTheEventIs() throws {
    let formatter = ISO8601DateFormatter()
    var forms: Set<String> = []
    for event in Self.histories[0] {
      let line = ndjsonLine(event)
      #expect(line == ndjsonLine(event))
      let object = try OracleJSON(parsing: Data(line.utf8))
      func text(_ key: String) -> String? {
        switch object[key] {
        case .string(let text): text.isEmpty ? nil : text
        case .int(let number): "\(number)"
        default: nil
        }
      }
      #expect(text("user_id").map { Array($0.utf8) } == Array(event.userID.utf8), "\(line)")
      #expect(text("event_id").map { Array($0.utf8) } == Array(event.eventID.utf8), "\(line)")
      #expect(text("event") == event.event && text("permission") == event.permission, "\(line)")
      #expect(text("status") == event.status && text("app_version") == event.appVersion, "\(line)")
      guard case .string(let time) = object["timestamp"] else {
        #expect(object["timestamp"] == .int(event.timestamp))
        forms.insert("epoch")
        continue
      }
      // Whole seconds through Foundation, the fraction by its digits.
      let fraction = time.firstMatch(of: /\.([0-9]+)/).map { String($0.1) } ?? ""
      forms.insert("\(fraction.count) digits, \(time.hasSuffix("Z"))")
      let date = formatter.date(from: time.replacing(/\.[0-9]+/, with: ""))
      let seconds = try #require(date).timeIntervalSince1970
      let milliseconds = Int((fraction + "000").prefix(3)) ?? -1
      #expect(Int(seconds) * 1000 + milliseconds == event.timestamp, "\(line)")
    }
    #expect(forms.count > 8)
  }
}
