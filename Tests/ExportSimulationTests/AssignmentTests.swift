// Variants as events of their own: who gets them when, and what the truth says of it.

import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct AssignmentTests {
  private static let experiments = PermissionModel.all.compactMap(\.experiment?.name)

  private struct Row {
    var time: String
    var kind: String
    var permission, experiment, variant, status: String?
  }

  /// By user the events of an export, each once, in the order of time.
  private func events(_ options: SimulationOptions) throws -> [String: [Row]] {
    var events: [String: [Row]] = [:]
    var ids = Set<String>()
    for row in try Simulated(options).objects() {
      let (user, id) = (try #require(row["user_id"] as? String), try #require(row["event_id"] as? String))
      guard ids.insert(user + id).inserted else { continue }
      events[user, default: []].append(
        Row(
          time: try #require(row["timestamp"] as? String), kind: try #require(row["event"] as? String),
          permission: row["permission"] as? String, experiment: row["experiment"] as? String,
          variant: row["variant"] as? String, status: row["status"] as? String))
    }
    return events.mapValues { $0.sorted { $0.time < $1.time } }
  }

  private func isScreen(_ row: Row) -> Bool { ["explanation_shown", "prompt_shown"].contains(row.kind) }

  @Test func everyUserGetsOneVariantOfEachExperimentAndScreensCarryNone() throws {
    let users = try events(.small(users: 1000, assignments: true))
    #expect(users.count == 1000)
    var (late, repeated, copied) = (0, 0, 0)
    for (user, rows) in users {
      #expect(rows.allSatisfy { $0.kind == "assigned" || $0.experiment == nil && $0.variant == nil })
      let given = rows.filter { $0.kind == "assigned" }
      #expect(given.allSatisfy { $0.permission == nil && $0.status == nil })
      for experiment in Self.experiments {
        let variants = Set(given.filter { $0.experiment == experiment }.map(\.variant))
        #expect(variants == ["A"] || variants == ["B"], "\(user) \(experiment)")
      }
      // The first variants come right after the launch, or when the visit is over.
      let first = try #require(rows.firstIndex { $0.kind == "assigned" })
      let firstDay = rows[0].time.prefix(10)
      let visit = rows.filter { $0.time.prefix(10) == firstDay }
      if first == 1 {
        #expect(rows[0].kind == "app_active")
      } else {
        late += 1
        #expect(visit.suffix(4).allSatisfy { $0.kind == "assigned" } && first == visit.count - 4)
      }
      let days = given.filter { $0.experiment == Self.experiments[0] }.map { $0.time.prefix(10) }
      repeated += Set(days).count > 1 ? 1 : 0
      copied += Set(days).count < days.count ? 1 : 0
    }
    // 2 % within 4 standard errors. A user with one event in the first visit is late, too, if the variants are second.
    #expect(late > 2 && late < 38, "\(late)")
    #expect(repeated > 200 && copied > 50)
  }

  @Test func copiesOfADayAreNoEvents() throws {
    let export = try Simulated(.small(users: 1000, assignments: true))
    var ids = Set<String>()
    for row in try export.objects() {
      let (user, id) = (try #require(row["user_id"] as? String), try #require(row["event_id"] as? String))
      let day = try #require(row["timestamp"] as? String).prefix(10)
      // What `ingest` makes of it.
      let isAssigned = row["event"] as? String == "assigned"
      ids.insert(user + (isAssigned ? "\(day) \(row["experiment"] ?? "")" : id))
    }
    #expect(export.summary.events == ids.count && export.summary.lines == export.lines.count)
  }

  /// Without the assignments the export has the events of the usual one, but for those of users whose variant is late.
  @Test func usersDoTheSame() throws {
    func story(_ rows: [Row]) -> [String] {
      rows.filter { $0.kind != "assigned" }.map { "\($0.time.prefix(16)) \($0.kind) \($0.permission ?? "")" }
    }
    let (usual, assigned) = (try events(.small(users: 1000)), try events(.small(users: 1000, assignments: true)))
    #expect(Set(usual.keys) == Set(assigned.keys))
    // Some milliseconds later it may be the next minute.
    let different = usual.keys.filter { story(usual[$0] ?? []).count != story(assigned[$0] ?? []).count }
    #expect(different.count < 20, "\(different.count)")
  }

  /// The exact numbers of the truth, by a plain reading of the lines.
  @Test(arguments: [0, 30]) func theTruthHasTheExactNumbers(decidedBefore: Int) throws {
    let options = SimulationOptions.small(users: 3000, decidedBefore: decidedBefore, assignments: true)
    let users = try events(options)
    for experiment in SimulationTruth(options).experiments {
      var counts = AssignedUsers()
      for rows in users.values {
        let given = try #require(rows.first { $0.kind == "assigned" && $0.experiment == experiment.name })
        let arm = given.variant == "B" ? 1 : 0
        counts.users[arm] += 1
        let own = rows.filter { $0.permission == experiment.permission }
        // The answer of a call that returned at once comes within 60 ms, a user's after 150 ms.
        let screens = own.indices.filter { i in
          isScreen(own[i])
            && !(i + 1 < own.count && ["granted", "denied"].contains(own[i + 1].kind)
              && milliseconds(own[i + 1].time) - milliseconds(own[i].time) <= 60)
        }.map { own[$0].time }
        guard let first = screens.first, let last = screens.last else { continue }
        counts.exposed[arm] += last >= given.time ? 1 : 0
        counts.late += first < given.time ? 1 : 0
        counts.askedBefore += last < given.time ? 1 : 0
      }
      #expect(experiment.assigned == counts, "\(experiment.name)")
      #expect(counts.users.reduce(0, +) == 3000)
    }
    #expect(SimulationTruth(.small()).experiments.allSatisfy { $0.assigned == nil })
  }

  private func milliseconds(_ text: String) -> Milliseconds {
    Array(text.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) } ?? 0
  }

  /// The exact numbers are draws of the expected ones.
  @Test(arguments: [1, 2, 3]) func theExpectedNumbersAreThoseOfTheDraw(seed: UInt64) throws {
    let options = SimulationOptions.small(users: 20_000, seed: seed, weeks: 12, decidedBefore: 20, assignments: true)
    let experiments = SimulationTruth(options).experiments
    for experiment in experiments {
      let assigned = try #require(experiment.assigned)
      for (exposed, figures) in zip(assigned.exposed, [experiment.a, experiment.b]) {
        #expect(abs(Double(exposed) - figures.exposed) < 4.5 * figures.exposed.squareRoot(), "\(experiment.name)")
      }
      #expect(assigned.askedBefore <= assigned.late && assigned.late < 400)
    }
    let late = experiments.compactMap(\.assigned?.late), before = experiments.compactMap(\.assigned?.askedBefore)
    #expect(late.reduce(0, +) > before.reduce(0, +), "some are asked again")
  }

  /// A message works only if it is read: by assignment the effect is that of the explanations, diluted by the prompts
  /// without one. The report's own figures change only by the few who see the default.
  @Test func theTruthIsThatOfAllWhoAreAsked() throws {
    let (usual, assigned) = (
      SimulationTruth(.small(users: 10_000, weeks: 12)),
      SimulationTruth(.small(users: 10_000, weeks: 12, assignments: true))
    )
    for (one, other) in zip(usual.experiments, assigned.experiments) {
      let model = try #require(PermissionModel.all.first { $0.name == one.permission })
      let effect = try #require(TrueFigures.difference(one.b.grantRate, one.a.grantRate))
      let diluted = try #require(TrueFigures.difference(other.b.grantRate, other.a.grantRate))
      // Prompts without an explanation are never skipped, so their share of the base is a little larger.
      #expect(abs(diluted - effect * model.explained) < 0.01, "\(one.name): \(effect), \(diluted)")
      #expect(other.a.exposed > one.a.exposed && other.b.exposed == other.a.exposed)
    }
    for (one, other) in zip(usual.rows, assigned.rows) where one.week == nil {
      #expect(abs(one.figures.exposed - other.figures.exposed) < 1e-6, "\(one.permission)")
      let (before, after) = (try #require(one.figures.grantRate), try #require(other.figures.grantRate))
      #expect(abs(before - after) < 0.002, "\(one.permission)")
    }
  }

  @Test(arguments: SimulatedFormat.allCases) func theSeedDecidesEveryByte(format: SimulatedFormat) throws {
    let options = SimulationOptions.small(users: 100, assignments: true)
    let one = try Simulated(options, format)
    #expect(try Simulated(options, format).bytes == one.bytes)
    #expect(try Simulated(.small(users: 100, seed: 6, assignments: true), format).bytes != one.bytes)
    let canonical = try Simulated(options)
    #expect(one.summary == canonical.summary)
    #expect(one.lines.count == canonical.lines.count + (format == .csv ? 1 : 0))
  }

  /// The onboarding has no experiments.
  @Test func theOnboardingIsUnchanged() throws {
    func options(_ assignments: Bool) -> SimulationOptions {
      SimulationOptions(
        users: 50, seed: 1, weeks: 4, firstDay: 20_094, population: .onboarding, assignments: assignments)
    }
    #expect(try Simulated(options(true)).bytes == Simulated(options(false)).bytes)
  }
}
