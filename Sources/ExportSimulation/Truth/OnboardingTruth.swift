// The truths of the onboarding: the expectation of the figures of timing, flows, a release and screens, under the model that makes
// the export.

import PermissionEvents

package struct OnboardingTruth: Sendable {
  /// The true grant rate of a class of journeys, and how many there are on average.
  package struct Rate: Sendable {
    package var name: String
    package var base: Double
    /// A share of 1; nil if there are no journeys that can count.
    package var rate: Double?
  }

  /// Grant rates of one permission by what came before the question; classes without a journey are left out.
  package struct Timing: Sendable {
    package var permission: String
    package var byInstall: [Rate]
    package var byActiveDays: [Rate]
    package var byFeatureUsed: [Rate]
  }

  /// What becomes of flows that have come to the end of a prefix.
  package struct Node: Sendable {
    package var prefix: [String]
    package var flows: Double
    /// Shares of the outcomes of the last permission: granted, denied, skipped, dropped off, restricted.
    package var outcomes: [Double]
    /// Share that goes on to another permission.
    package var wentOn: Double
  }

  package struct Flows: Sendable {
    /// `all`, `first` or `later` flows of a user.
    package var which: String
    package var flows: Double
    package var tree: [Node]
    /// By permission: positions from `1` on.
    package var byPosition: [(permission: String, rates: [Rate])]
    /// By permission: `none` and the outcomes of the previous question.
    package var byOutcomeBefore: [(permission: String, rates: [Rate])]
    /// Expected flows that reach each declared step, and that answer it.
    package var reached: [Double]
    package var answered: [Double]
  }

  /// The true grant rate under the old release and the new one.
  package struct Release: Sendable {
    package var permission: String
    package var old: Double?
    package var new: Double?
  }

  package var options: SimulationOptions
  /// From which a report must look.
  package var asOf: Milliseconds
  package var timing: [Timing] = []
  package var flows: [Flows] = []
  package var releases: [Release] = []
  package var surfaces: [(permission: String, rates: [Rate])] = []

  /// The indices of the permissions with a declared order.
  static let declared = [0, 1, 2]
  package static var declaredSteps: [String] { declared.map { OnboardingPermission.all[$0].name } }
  package static var versions: [String] { OnboardingRelease.versions }

  package init(_ options: SimulationOptions) {
    self.options = options
    asOf = options.end
    let sweep = OnboardingSweep(options)
    for (permission, times) in zip(OnboardingPermission.all, sweep.times) {
      let name = permission.name
      timing.append(
        Timing(
          permission: name, byInstall: Self.rates(TimingClass.install, times.byInstall),
          byActiveDays: Self.rates(TimingClass.activeDays, times.byActiveDays),
          byFeatureUsed: Self.rates(TimingClass.features, times.byFeatures)))
      releases.append(Release(permission: name, old: times.byVersion[0].rate, new: times.byVersion[1].rate))
      surfaces.append((name, Self.rates(OnboardingScreen.allCases.map(\.name), times.byScreen)))
    }
    flows = [
      Flows("all", sweep.first + sweep.later), Flows("first", sweep.first), Flows("later", sweep.later),
    ]
  }

  fileprivate static func rates(_ names: [String], _ rates: [ExpectedRate]) -> [Rate] {
    zip(names, rates).filter { $1.base > 0 }.map { Rate(name: $0, base: $1.base, rate: $1.rate) }
  }
}

extension OnboardingTruth.Flows {
  fileprivate init(_ which: String, _ expected: ExpectedFlows) {
    self.which = which
    flows = expected.flows
    let names = OnboardingPermission.all.map(\.name)
    // In bytewise order of the names, as the report has them.
    tree = expected.nodes.map { node in
      OnboardingTruth.Node(
        prefix: node.prefix.map { names[$0] }, flows: node.flows,
        outcomes: node.outcomes.map { node.flows > 0 ? $0 / node.flows : 0 },
        wentOn: node.flows > 0 ? node.wentOn / node.flows : 0)
    }.filter { $0.flows > 0 }.sorted { $0.prefix.lexicographicallyPrecedes($1.prefix) }
    byPosition = zip(names, expected.byPosition).map { name, rates in
      (name, OnboardingTruth.rates(rates.indices.map { String($0 + 1) }, rates))
    }
    byOutcomeBefore = zip(names, expected.byOutcomeBefore).map { name, rates in
      (name, OnboardingTruth.rates(AskOutcome.allCases.map(\.name) + ["none"], rates))
    }
    reached = expected.reached
    answered = expected.answered
  }
}

// MARK: The expectation of every table of the onboarding: a sum over all plans and all outcomes, one after the other, each with its probability
// Nothing is drawn.

/// What decides the tables beside the plan: how many users there are of each kind follows from the calendar.
private struct Arrival: Hashable {
  /// Number of the app's version in the onboarding and in the later sitting; nil if the export ends before that
  /// sitting.
  var version: Int
  var laterVersion: Int?
  /// The 28 days before are known.
  var isKnown: Bool
  var isLaterKnown: Bool

  var rank: Int { (version * 3 + (laterVersion ?? 2)) * 4 + (isKnown ? 2 : 0) + (isLaterKnown ? 1 : 0) }
}

struct OnboardingSweep {
  private(set) var times = [ExpectedTimes](repeating: ExpectedTimes(), count: OnboardingPermission.all.count)
  private(set) var first = ExpectedFlows()
  private(set) var later = ExpectedFlows()

  init(_ options: SimulationOptions) {
    let calendar = JoinCalendar(options)
    for (plan, share) in OnboardingPlan.all {
      var arrivals: [Arrival: Double] = [:]
      for day in 0..<options.days {
        let (askDay, laterDay) = (plan.askDay(joining: day), plan.laterDay(joining: day))
        guard askDay < options.days else { continue }
        func version(_ day: Int) -> Int { OnboardingRelease.version(on: day, of: options.days, group: plan.group) }
        let arrival = Arrival(
          version: version(askDay), laterVersion: laterDay < options.days ? version(laterDay) : nil,
          isKnown: plan.isKnown(askedOn: askDay), isLaterKnown: plan.isKnown(askedOn: laterDay))
        arrivals[arrival, default: 0] += share * Double(calendar.users(on: day).count)
      }
      // In a fixed order, so that sums are rounded alike everywhere.
      for (arrival, weight) in arrivals.sorted(by: { $0.key.rank < $1.key.rank }) where weight > 0 {
        onboard(plan, arrival, weight)
      }
    }
  }

  private mutating func onboard(_ plan: OnboardingPlan, _ arrival: Arrival, _ weight: Double) {
    /// Users who left after this many questions, including the last question.
    var leaving = [Double](repeating: 0, count: plan.order.count + 1)
    func step(_ position: Int, after outcome: AskOutcome?, _ weight: Double, _ sweep: inout OnboardingSweep) {
      let asking = OnboardingAsking(
        permission: plan.order[position], screen: plan.screen, version: arrival.version, position: position,
        before: outcome, willingness: plan.willingness(isLater: false))
      let shares = asking.shares
      let hasNext = position + 1 < plan.order.count
      sweep.first.add(weight, asking, Array(plan.order[...position]), shares) { hasNext ? $0.goingOn : 0 }
      // A minute passes between two questions, so that the second is not within the minute of the first.
      let wait = plan.wait == .atOnce && position > 0 ? Wait.minutes : plan.wait
      sweep.add(weight, plan, asking, shares, since: wait.rawValue, isLater: false, isKnown: arrival.isKnown)
      for outcome in AskOutcome.allCases {
        let weight = weight * shares[outcome]
        let goingOn = hasNext ? outcome.goingOn : 0
        leaving[position + 1] += weight * (1 - goingOn)
        if goingOn > 0 { step(position + 1, after: outcome, weight * goingOn, &sweep) }
      }
    }
    step(0, after: nil, weight, &self)
    guard let version = arrival.laterVersion else { return }
    for asked in 1...plan.order.count {
      let next = asked < plan.order.count ? plan.order[asked] : nil
      returnLater(plan, arrival, version, next, leaving[asked] * OnboardingPlan.comesLater)
    }
  }

  /// The later sitting: the question that the onboarding did not come to, if there is one, and the one for the camera.
  private mutating func returnLater(
    _ plan: OnboardingPlan, _ arrival: Arrival, _ version: Int, _ next: Int?, _ weight: Double
  ) {
    let since = plan.wait.days + OnboardingPlan.laterAfter < 7 ? Wait.days : .overAWeek
    let camera = OnboardingPermission.camera
    var cold = weight
    func ask(_ asking: OnboardingAsking, _ prefix: [Int], _ weight: Double, goingOn: Bool) -> OutcomeShares {
      let shares = asking.shares
      later.add(weight, asking, prefix, shares) { goingOn ? $0.goingOn * OnboardingPlan.askedCamera : 0 }
      add(weight, plan, asking, shares, since: since.rawValue, isLater: true, isKnown: arrival.isLaterKnown)
      return shares
    }
    var asking = OnboardingAsking(
      permission: camera, screen: .scanner, version: version, willingness: plan.willingness(isLater: true))
    if let next {
      let weight = weight * OnboardingPlan.askedLater
      cold -= weight
      var asked = asking
      (asked.permission, asked.screen) = (next, .profile)
      let shares = ask(asked, [next], weight, goingOn: true)
      for outcome in AskOutcome.allCases {
        (asking.position, asking.before) = (1, outcome)
        let weight = weight * shares[outcome] * outcome.goingOn * OnboardingPlan.askedCamera
        if weight > 0 { _ = ask(asking, [next, camera], weight, goingOn: false) }
      }
    }
    (asking.position, asking.before) = (0, nil)
    _ = ask(asking, [camera], cold * OnboardingPlan.askedCamera, goingOn: false)
  }

  /// - Parameter since: number of the class of time since the install.
  private mutating func add(
    _ weight: Double, _ plan: OnboardingPlan, _ asking: OnboardingAsking, _ shares: OutcomeShares, since: Int,
    isLater: Bool, isKnown: Bool
  ) {
    let days = TimingClass.of(activeDays: plan.activeDays(isLater: isLater))
    let features = TimingClass.of(features: plan.features(isLater: isLater))
    func add(_ table: WritableKeyPath<ExpectedTimes, [ExpectedRate]>, _ index: Int) {
      times[asking.permission][keyPath: table][index].add(weight, shares)
    }
    add(\.byInstall, plan.isOld ? TimingClass.install.count - 1 : since)
    add(\.byActiveDays, isKnown ? days : TimingClass.activeDays.count - 1)
    add(\.byFeatures, isKnown ? features : TimingClass.features.count - 1)
    add(\.byVersion, asking.version)
    add(\.byScreen, asking.screen.rawValue)
  }
}
