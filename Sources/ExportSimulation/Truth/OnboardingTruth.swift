// The truths of the onboarding: the expectation of the figures of timing, flows, a release and screens, under the model that makes
// the export.

import PermissionEvents

package struct OnboardingTruth: Sendable {
  /// The true grant rate of a class of journeys, and how many there are on average.
  package struct Rate: Sendable {
    package var name: String
    package var base: Double
    /// A share of 1; nil if no journey can count.
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
    /// Expected number of flows.
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
    /// By permission: places from `1` on.
    package var byPosition: [(permission: String, rates: [Rate])]
    /// By permission: `none` and the outcomes of the question before.
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

  /// The numbers of the permissions whose order is declared.
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
