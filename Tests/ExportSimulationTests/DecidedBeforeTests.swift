// Users who had decided before the export begins, and whose app asks anyway.

import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct DecidedBeforeTests {
  /// By user the lines of an export.
  private func lines(_ export: Simulated) throws -> [String: [Substring]] {
    var lines: [String: [Substring]] = [:]
    for (line, row) in zip(export.lines, try export.objects()) {
      lines[try #require(row["user_id"] as? String), default: []].append(line)
    }
    return lines
  }

  /// As many as were asked for, from the first days to the last; all other users do what they would do without them.
  @Test func theOthersAreTheSame() throws {
    let usual = try lines(Simulated(.small(users: 1000)))
    let some = try lines(Simulated(.small(users: 1000, decidedBefore: 13)))
    #expect(Set(usual.keys) == Set(some.keys))
    let different = usual.keys.filter { usual[$0] != some[$0] }
    #expect(different.count == 130)
    let options = SimulationOptions.small(users: 1000, decidedBefore: 13)
    for number in stride(from: 0, through: 1000, by: 100) {
      #expect(options.decided(before: number) == 13 * number / 100)
    }
  }

  @Test func theirCallsReturnTheOldAnswerAtOnce() throws {
    let options = SimulationOptions.small(users: 1000, decidedBefore: 80)
    var events: [String: [(time: Milliseconds, kind: String, status: String)]] = [:]
    var ids = Set<String>()
    for row in try Simulated(options).objects() {
      guard let permission = row["permission"] as? String, ["notifications", "tracking"].contains(permission),
        let kind = row["event"] as? String, kind != "status_checked",
        ids.insert("\(row["user_id"] ?? "")\(row["event_id"] ?? "")").inserted
      else { continue }
      let text = try #require(row["timestamp"] as? String)
      let time = try #require(Array(text.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) })
      events["\(permission) \(row["user_id"] ?? "")", default: []].append((time, kind, row["status"] as? String ?? ""))
    }
    var answers: [String: [String: Int]] = [:]
    var (repeated, distances) = (0, Set<Milliseconds>())
    for (name, events) in events {
      let events = events.sorted { $0.time < $1.time }
      let pairs = stride(from: 0, to: events.count - 1, by: 2).map { (events[$0], events[$0 + 1]) }
      guard pairs.allSatisfy({ $0.kind == "prompt_shown" && $1.time - $0.time <= 60 }), events.count % 2 == 0 else {
        continue
      }
      #expect(Set(events.map(\.status)).count == 2, "\(name): another answer than before")
      for (prompt, answer) in pairs { distances.insert(answer.time - prompt.time) }
      #expect(pairs.allSatisfy { ($1.kind == "granted") == ($1.status == "authorized") })
      repeated += pairs.count > 1 ? 1 : 0
      answers[String(name.prefix { $0 != " " }), default: [:]][pairs[0].1.kind, default: 0] += 1
    }
    #expect(distances.min() == 5 && distances.max() == 60)
    #expect(repeated > 400)
    for model in PermissionModel.all {
      guard let granted = model.decidedGranted else { continue }
      let found = try #require(answers[model.name])
      #expect(found.values.reduce(0, +) == 800)
      // Within 4 standard errors.
      let error = 4 * (granted * (1 - granted) * 800).squareRoot()
      #expect(abs(Double(found["granted"] ?? 0) - 800 * granted) < error, "\(found)")
    }
  }

  /// The rates are those of the others; of permissions whose status the app reads first there are as many as before.
  @Test func theTruthIsOfTheOthers() throws {
    let (usual, some) = (
      SimulationTruth(.small(users: 10_000)), SimulationTruth(.small(users: 10_000, decidedBefore: 40))
    )
    #expect(usual.notAsked.isEmpty && some.notAsked.map(\.users) == [4000, 4000])
    for (one, other) in zip(usual.rows, some.rows) {
      let share = some.notAsked.contains { $0.permission == one.permission } ? 0.6 : 1
      #expect(abs(other.figures.exposed - share * one.figures.exposed) < 2, "\(one.permission) \(one.week ?? "")")
      #expect(abs((other.figures.grantRate ?? 0) - (one.figures.grantRate ?? 0)) < 0.001)
    }
    #expect(some.experiments.map(\.notAsked) == [2000, 2000, 0, 0])
  }
}
