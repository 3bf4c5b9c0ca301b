// How many users it takes, and what those there are can show.

import PermissionEvents
import Statistics

extension Comparison {
  /// How many users more it takes, and what those there are can show.
  public struct Needed: Sendable {
    public let minimumEffect: Double
    /// Users that each arm still needs, for one look at the end.
    public internal(set) var perVariant: Int?
    /// Days that takes at the exposures a day of the last 28 days.
    public internal(set) var days: Int?
    /// The same for deciding by the always-valid interval at its planned number.
    public internal(set) var perVariantAlwaysValid, daysAlwaysValid: Int?
    /// Of finding the minimum effect with the users there are, at one look.
    public internal(set) var power: Double?
    /// The smallest differences found with 80 % power by the users there are, at one look; as sizes, above 0.
    public internal(set) var detectableUp, detectableDown: Double?
    /// What the rule can find if it goes on; nil after the decision, and without a pace.
    public internal(set) var outlook: Outlook?
    /// How far the users of the plan are there; nil without a plan, and after the decision.
    public internal(set) var progress: Progress?
  }

  /// Users and days still needed, and what the users there are can show.
  /// - Parameter hasEnded: nobody is exposed any more, so that there is no pace to go on at.
  static func needed(
    _ a: BinomialSample, _ b: BinomialSample, _ tallies: ComparisonTallies, _ pair: Pair, _ monitoring: Monitoring,
    alpha: Double, hasEnded: Bool
  ) throws -> Needed {
    let question = tallies.question
    var needed = Needed(minimumEffect: question.minimumEffect)
    guard let baseline = a.rate else { return needed }
    let good = question.metric.isGoodWhenHigh ? question.minimumEffect : -question.minimumEffect
    let effect = (0...1).contains(baseline + good) ? good : -good
    if a.trials > 0, b.trials > 0 {
      needed.power = PowerAnalysis.power(
        control: baseline, treatment: baseline + effect, controlUsers: a.trials, treatmentUsers: b.trials,
        alpha: alpha)
      let smallest = PowerAnalysis.minimumDetectableEffect(
        control: baseline, controlUsers: a.trials, treatmentUsers: b.trials, alpha: alpha)
      needed.detectableUp = smallest?.up
      needed.detectableDown = smallest?.down
    }
    let traffic = ExposureTraffic(tallies)
    if monitoring.crossing == nil, monitoring.noDifference == nil {
      needed.progress = Needed.Progress(a, b, tallies, pair, traffic, hasEnded: hasEnded)
    }
    if monitoring.crossing == nil, monitoring.noDifference == nil, !hasEnded {
      let counts = tallies.counted
      let base = counts[pair.control].exposed + counts[pair.treatment].exposed
      let prospect = Prospect(
        a: traffic.perDay(of: pair.control), b: traffic.perDay(of: pair.treatment),
        countedShare: base > 0 ? Double(a.trials + b.trials) / Double(base) : 1, rate: baseline,
        effect: question.minimumEffect, plannedUsers: monitoring.plannedUsers, alpha: alpha)
      needed.outlook = try prospect.outlook(
        monitoring.rule, exponent: monitoring.exponent ?? PlanFacts.unplannedExponent,
        looks: monitoring.looks.map(\.time))
    }
    guard let plan = SampleSize.perArm(baseline: baseline, effect: effect, alpha: alpha) else { return needed }
    let have = min(a.trials, b.trials)
    let users = max(0, max(plan.control, plan.treatment) - have)
    needed.perVariant = users
    needed.days = traffic.days(for: users)
    if let inflation = SequentialInflation.asymptotic(alpha: alpha) {
      let inflated = (plan.controlExact * inflation).rounded(.up)
      let users = max(0, Int(min(inflated, 1e15)) - have)
      needed.perVariantAlwaysValid = users
      needed.daysAlwaysValid = traffic.days(for: users)
    }
    return needed
  }
}

/// Exposures a day, over the last 28 days or since the first exposure.
struct ExposureTraffic {
  /// Exposures in those days, by arm.
  private var exposed: [Int] = []
  private var span: Int64 = 0

  init(_ tallies: ComparisonTallies) {
    let question = tallies.question
    let last = question.zone.day(of: question.windows.asOf)
    guard let first = tallies.days.first?.day else { return }
    span = min(28, last - first + 1)
    let recent = tallies.days.filter { $0.day > last - 28 && $0.day <= last }
    exposed = (0..<question.arms).map { arm in recent.reduce(0) { $0 + $1.arms.all[arm].exposed } }
  }

  private var slowest: Int { exposed.min() ?? 0 }

  /// Of one arm.
  func perDay(of arm: Int) -> Double { span > 0 ? Double(exposed[arm]) / Double(span) : 0 }

  /// Of the slowest arm; nil without exposures.
  var perDay: Double? { span > 0 ? Double(slowest) / Double(span) : nil }

  /// Days until that many more users of each arm; nil if it takes for ever.
  func days(for users: Int) -> Int? {
    if users == 0 { return 0 }
    guard slowest > 0, span > 0 else { return nil }
    let days = (Double(users) * Double(span) / Double(slowest)).rounded(.up)
    return days < 1e9 ? Int(days) : nil
  }
}
