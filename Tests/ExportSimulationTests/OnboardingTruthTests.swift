// The truths of the onboarding: against a plain reading of what a large draw did, and against what the model was given.

import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct OnboardingTruthTests {
  /// One question as a plain reading of a user's events finds it.
  private struct Question {
    var permission: String
    var time: Milliseconds
    var surface: String
    var version: String
    var outcome: String
    var classes: [String]
  }

  private static let names = OnboardingPermission.all.map(\.name)

  /// First screens of each permission, in their order, with their answers and classes: SPEC's definitions in loops.
  private func questions(_ events: [SimulatedEvent], logStart: Milliseconds) -> [Question] {
    var found: [Question] = []
    for (place, event) in events.enumerated() where event.kind.isScreen {
      let permission = Self.names[Int(event.permission)]
      if found.contains(where: { $0.permission == permission }) { continue }
      let answer = events[(place + 1)...].first {
        $0.permission == event.permission && $0.time <= event.time + 1_800_000
          && [.granted, .denied, .skipped, .reEnabled].contains($0.kind)
      }
      let outcome = answer.map { $0.status == .restricted ? "restricted" : $0.kind.name } ?? "dropped_off"
      let before = events[..<place]
      let install = before.last { $0.kind == .appInstalled }.map { event.time - $0.time }
      let byInstall =
        switch install {
        case nil: "unknown"
        case .some(..<60_000): "under_1m"
        case .some(..<3_600_000): "1m_1h"
        case .some(..<86_400_000): "1h_1d"
        case .some(..<604_800_000): "1d_7d"
        default: "7d_up"
        }
      let isKnown = install != nil || event.time - 28 * millisecondsPerDay >= logStart
      func day(_ event: SimulatedEvent) -> Int64 { event.time / millisecondsPerDay }
      let days = Set(before.filter { $0.kind.isEngagement && (1...27).contains(day(event) - day($0)) }.map(day)).count
      let features = before.count {
        $0.kind == .featureUsed && $0.time >= event.time - 28 * millisecondsPerDay && $0.time < event.time
      }
      let byDays = days == 0 ? "0" : days == 1 ? "1" : days <= 3 ? "2_3" : days <= 7 ? "4_7" : "8_up"
      let byFeatures = features == 0 ? "0" : features <= 2 ? "1_2" : features <= 9 ? "3_9" : "10_up"
      found.append(
        Question(
          permission: permission, time: event.time, surface: OnboardingScreen.allCases[Int(event.surface)].name,
          version: OnboardingRelease.versions[Int(event.appVersion)], outcome: outcome,
          classes: [byInstall, isKnown ? byDays : "unknown", isKnown ? byFeatures : "unknown"]))
    }
    return found
  }

  /// Counts of a plain reading, under names.
  private struct Counts {
    var numbers: [String: Int] = [:]

    subscript(_ words: String...) -> Int { numbers[words.joined(separator: " "), default: 0] }

    mutating func add(_ words: String...) { numbers[words.joined(separator: " "), default: 0] += 1 }
  }

  private func count(_ options: SimulationOptions) -> Counts {
    var counts = Counts()
    for user in Onboarded(options).users {
      // The first users come in the first hours; whoever asks lies more than a day from the border.
      let questions = questions(user, logStart: options.firstDay * millisecondsPerDay + 43_200_000)
      for question in questions where question.outcome != "restricted" {
        let places = zip(["install", "days", "features"], question.classes).map { "\($0) \($1)" }
        for place in places + ["version \(question.version)", "surface \(question.surface)"] {
          counts.add("base", question.permission, place)
          if question.outcome == "granted" { counts.add("granted", question.permission, place) }
        }
      }
      var flows: [[Question]] = []
      for question in questions {
        if let last = flows.last?.last, question.time <= last.time + 1_800_000 {
          flows[flows.count - 1].append(question)
        } else {
          flows.append([question])
        }
      }
      for (number, flow) in flows.enumerated() {
        for which in ["all", number == 0 ? "first" : "later"] { add(flow, which, to: &counts) }
      }
    }
    return counts
  }

  private func add(_ flow: [Question], _ which: String, to counts: inout Counts) {
    counts.add("flows", which)
    var next = 0
    for (place, question) in flow.enumerated() {
      let prefix = flow[...place].map(\.permission).joined(separator: ",")
      counts.add("prefix", which, prefix)
      counts.add("prefix", which, prefix, question.outcome)
      if place + 1 < flow.count { counts.add("went on", which, prefix) }
      let before = place == 0 ? "none" : flow[place - 1].outcome
      if question.outcome != "restricted" {
        for name in ["position \(place + 1)", "before \(before)"] {
          counts.add("base", which, question.permission, name)
          if question.outcome == "granted" { counts.add("granted", which, question.permission, name) }
        }
      }
      let declared = OnboardingTruth.declaredSteps
      if flow[0].permission == declared[0], next < declared.count, question.permission == declared[next] {
        next += 1
        counts.add("reached", which, String(next))
        if question.outcome != "dropped_off" { counts.add("answered", which, String(next)) }
      }
    }
  }

  /// All tables of a large draw against the expectation, each count within 4.5 standard errors.
  @Test(arguments: [12, 5]) func theDrawHasTheTrueTables(weeks: Int) {
    let options = SimulationOptions.onboarding(users: 12_000, seed: 11, weeks: weeks)
    let counts = count(options)
    let truth = OnboardingTruth(options)
    var checked = 0
    func expectNear(_ found: Int, _ expected: Double, of trials: Double, _ what: String) {
      let deviation = max(0, expected * (1 - expected / max(trials, 1))).squareRoot()
      #expect(abs(Double(found) - expected) < 4.5 * deviation + 1, "\(what): \(found), \(expected)")
      checked += 1
    }
    func expectShares(_ permission: String, _ prefix: String, _ rates: [OnboardingTruth.Rate]) {
      for rate in rates {
        let what = "\(permission) \(prefix) \(rate.name)"
        let base = counts["base", what]
        expectNear(base, rate.base, of: Double(options.users), what)
        expectNear(counts["granted", what], Double(base) * (rate.rate ?? 0), of: Double(base), "granted, \(what)")
      }
      // The classes of the truth are all that there are.
      let bases = counts.numbers.filter { $0.key.hasPrefix("base \(permission) \(prefix) ") }
      let known = rates.map { counts["base", "\(permission) \(prefix) \($0.name)"] }
      #expect(bases.values.reduce(0, +) == known.reduce(0, +))
    }
    for timing in truth.timing {
      expectShares(timing.permission, "install", timing.byInstall)
      expectShares(timing.permission, "days", timing.byActiveDays)
      expectShares(timing.permission, "features", timing.byFeatureUsed)
    }
    for (permission, rates) in truth.surfaces { expectShares(permission, "surface", rates) }
    for release in truth.releases {
      for (version, rate) in zip(OnboardingTruth.versions, [release.old, release.new]) {
        let base = counts["base", "\(release.permission) version \(version)"]
        let granted = counts["granted", "\(release.permission) version \(version)"]
        expectNear(granted, Double(base) * (rate ?? 0), of: Double(base), "\(release.permission) under \(version)")
      }
    }
    for flows in truth.flows {
      expectNear(counts["flows", flows.which], flows.flows, of: Double(2 * options.users), "\(flows.which) flows")
      for node in flows.tree {
        let prefix = "\(flows.which) \(node.prefix.joined(separator: ","))"
        let number = counts["prefix", prefix]
        expectNear(number, node.flows, of: Double(options.users), prefix)
        expectNear(counts["went on", prefix], Double(number) * node.wentOn, of: Double(number), "\(prefix) went on")
        for (outcome, share) in zip(AskOutcome.allCases, node.outcomes) {
          let found = counts["prefix", prefix, outcome.name]
          expectNear(found, Double(number) * share, of: Double(number), "\(prefix) \(outcome.name)")
        }
      }
      for (permission, rates) in flows.byPosition { expectShares("\(flows.which) \(permission)", "position", rates) }
      for (permission, rates) in flows.byOutcomeBefore { expectShares("\(flows.which) \(permission)", "before", rates) }
      for step in flows.reached.indices {
        let name = "\(flows.which) \(step + 1)"
        expectNear(counts["reached", name], flows.reached[step], of: Double(options.users), "reached \(name)")
        expectNear(counts["answered", name], flows.answered[step], of: Double(options.users), "answered \(name)")
      }
    }
    #expect(checked > 400)
  }

  @Test(arguments: [1, 2, 5, 30]) func tablesAddUp(weeks: Int) throws {
    let truth = OnboardingTruth(.onboarding(users: 4000, weeks: weeks))
    func sum(_ rates: [OnboardingTruth.Rate]) -> Double { rates.reduce(0) { $0 + $1.base } }
    for (timing, surfaces) in zip(truth.timing, truth.surfaces) {
      let base = sum(timing.byInstall)
      for other in [timing.byActiveDays, timing.byFeatureUsed, surfaces.rates] {
        #expect(abs(sum(other) - base) < 1e-6)
        #expect(other.allSatisfy { (0...1).contains($0.rate ?? 0) })
      }
      let placed = truth.flows[0].byPosition.first { $0.permission == timing.permission }
      #expect(abs(sum(placed?.rates ?? []) - base) < 1e-6)
    }
    #expect(abs(truth.flows[0].flows - truth.flows[1].flows - truth.flows[2].flows) < 1e-6)
    for flows in truth.flows {
      let roots = flows.tree.filter { $0.prefix.count == 1 }.reduce(0) { $0 + $1.flows }
      #expect(abs(roots - flows.flows) < 1e-6)
      for node in flows.tree {
        let children = flows.tree.filter {
          $0.prefix.count == node.prefix.count + 1 && $0.prefix.starts(with: node.prefix)
        }
        #expect(abs(children.reduce(0) { $0 + $1.flows } - node.flows * node.wentOn) < 1e-6)
        #expect(abs(node.outcomes.reduce(0, +) - 1) < 1e-9)
      }
      // Whoever reaches a step has reached the one before; whoever answers it has reached it.
      #expect(zip(flows.reached, flows.reached.dropFirst()).allSatisfy { $0 + 1e-9 >= $1 })
      #expect(zip(flows.reached, flows.answered).allSatisfy { $0 + 1e-9 >= $1 })
    }
  }

  @Test func theEffectsAreTheOnesThatWerePutIn() throws {
    let truth = OnboardingTruth(.onboarding(users: 10_000, weeks: 12))
    func rate(_ rates: [OnboardingTruth.Rate]?, _ name: String) throws -> Double {
      try #require(rates?.first { $0.name == name }?.rate)
    }
    // Too early: the first minute against more than a week.
    let notifications = truth.timing[0]
    #expect(try rate(notifications.byInstall, "7d_up") > rate(notifications.byInstall, "under_1m") + 0.15)
    #expect(try rate(notifications.byActiveDays, "8_up") > rate(notifications.byActiveDays, "0") + 0.15)
    // Right after a denial.
    let before = truth.flows[1].byOutcomeBefore.first { $0.permission == "photo_library" }?.rates
    #expect(try rate(before, "denied") < 0.75 * rate(before, "granted"))
    // The new release raises notifications, and changes nothing for the camera.
    let releases = truth.releases
    let (old, new) = (try #require(releases[0].old), try #require(releases[0].new))
    #expect(abs(new / old - 1.25) < 0.03)
    let camera = try #require(releases.first { $0.permission == "camera" })
    #expect(TrueFigures.difference(camera.new, camera.old) == 0)
    // One screen loses people.
    let screens = truth.surfaces[0].rates
    #expect(try rate(screens, "paywall") < 0.75 * rate(screens, "onboarding"))
  }

  @Test func whatHasNotHappenedYetIsUnknown() {
    let truth = OnboardingTruth(.onboarding(weeks: 1))
    // In a week nobody waits for longer, and nobody has been known for four weeks.
    #expect(!truth.timing[0].byInstall.contains { $0.name == "7d_up" })
    #expect(truth.timing[0].byActiveDays.contains { $0.name == "unknown" })
    #expect(OnboardingTruth(.onboarding(weeks: 4)).timing[0].byActiveDays.contains { $0.name == "unknown" })
  }
}
