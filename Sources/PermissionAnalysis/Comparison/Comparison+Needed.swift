// How many users it takes, and what those there are can show.

import PermissionEvents
import Statistics

extension Comparison {
  /// The users still needed, and what the present users can show.
  public struct Needed: Sendable {
    public let minimumEffect: Double
    /// Users that each arm still needs, for one look at the end.
    public internal(set) var perVariant: Int?
    /// The days for them, at the exposures a day of the last 28 days.
    public internal(set) var days: Int?
    /// The same for deciding by the always-valid interval at its planned number.
    public internal(set) var perVariantAlwaysValid, daysAlwaysValid: Int?
    /// The power to find the minimum effect with the present users, at one look.
    public internal(set) var power: Double?
    /// The smallest differences that the present users find with 80 % power at one look; as sizes, above 0.
    public internal(set) var detectableUp, detectableDown: Double?
    /// What the rule can find if it goes on; nil after the decision, and without a pace.
    public internal(set) var outlook: Outlook?
    /// The progress towards the planned users. Nil without a plan, and after the decision.
    public internal(set) var progress: Progress?
    /// Exposures of both arms a day that count, restricted ones left out, over the last 28 days of the test. Nil without
    /// exposures.
    public internal(set) var usersPerDay: Double?
    /// Successes that another day of an undecided test costs on average, if the rates are as now believed: the expected loss of
    /// the arm that is believed to be worse (Bayes) × the users a day that see it. Nil after the decision, and if the test
    /// has ended.
    public internal(set) var priceOfWaiting: Double?
  }

  /// How an undecided test stands. Raw values are those of the JSON.
  public enum Course: String, Sendable, CaseIterable {
    case tooEarly = "too_early"
    case onCourse = "on_course"
    /// There are users enough for what was asked, and it was not found: the test may end.
    case spent
    /// The smallest effect that matters is not found within 26 weeks at this pace, or no more users come.
    case outOfReach = "out_of_reach"

    /// The first day of a test whose pace says that something is out of reach; its first exposure is on day 1.
    static let firstDay: DayNumber = 28
    /// Half a year is the longest that a test is kept running for.
    package static let mostDays = 26 * 7
  }

  /// Users and days still needed, and what the present users can show.
  /// - Parameter hasEnded: whether no users are exposed any more, so there is no pace.
  static func needed(
    _ a: BinomialSample, _ b: BinomialSample, _ tallies: ComparisonTallies, _ pair: Pair, _ monitoring: Monitoring,
    bayes: Bayes?, alpha: Double, hasEnded: Bool
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
    needed.usersPerDay = ExposureTraffic(tallies, isUpToLast: true).perDay(of: pair).map { perDay in
      let both = tallies.counted[pair.control] + tallies.counted[pair.treatment]
      let decided = both.exposed - both.pending
      return decided > 0 ? perDay * Double(both.base) / Double(decided) : perDay
    }
    // The division of several periods mixes them in the rates of all users.
    if monitoring.decidedOn == nil, !hasEnded, question.split.changes.isEmpty {
      needed.priceOfWaiting = bayes.map { bayes in
        let (lossA, lossB) = (bayes.expectedLossA, bayes.expectedLossB)
        return max(lossA, lossB) * traffic.perDay(of: lossA > lossB ? pair.control : pair.treatment)
      }
    }
    if monitoring.decidedOn == nil {
      needed.progress = Needed.Progress(a, b, tallies, pair, traffic, hasEnded: hasEnded)
    }
    // In a list nothing is said of the outlook before the first looks.
    if monitoring.decidedOn == nil, !hasEnded, !(question.isBrief && tallies.days.count < LookPlan.minimumDays) {
      let counts = tallies.counted
      let base = counts[pair.control].exposed + counts[pair.treatment].exposed
      let prospect = Prospect(
        a: traffic.perDay(of: pair.control), b: traffic.perDay(of: pair.treatment),
        countedShare: base > 0 ? Double(a.trials + b.trials) / Double(base) : 1, rate: baseline,
        effect: question.minimumEffect, plannedUsers: monitoring.plannedUsers, alpha: alpha)
      needed.outlook = try prospect.outlook(
        monitoring.rule, exponent: monitoring.exponent ?? UnplannedRule.exponent,
        looks: monitoring.looks.map(\.time), boundaries: monitoring.boundaries)
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

  /// - Parameter isUpToLast: the last 28 days of the test, also if it has ended.
  init(_ tallies: ComparisonTallies, isUpToLast: Bool = false) {
    let question = tallies.question
    guard let first = tallies.days.first?.day else { return }
    // At midnight the day that begins has had no time for exposures.
    let asOfDay = question.zone.day(of: question.windows.asOf - 1)
    let last = isUpToLast ? min(asOfDay, tallies.days.last?.day ?? asOfDay) : asOfDay
    span = min(28, last - first + 1)
    let recent = tallies.days.filter { $0.day > last - 28 && $0.day <= last }
    exposed = (0..<question.arms).map { arm in recent.reduce(0) { $0 + $1.arms.all[arm].exposed } }
  }

  private var slowest: Int { exposed.min() ?? 0 }

  /// Of one arm.
  func perDay(of arm: Int) -> Double { span > 0 ? Double(exposed[arm]) / Double(span) : 0 }

  /// Of two arms together; nil without exposures.
  func perDay(of pair: Comparison.Pair) -> Double? {
    let users = perDay(of: pair.control) + perDay(of: pair.treatment)
    return users > 0 ? users : nil
  }

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

extension Comparison.Needed {
  /// The outlook at the present pace.
  public struct Outlook: Sendable, Hashable {
    /// Exposures of both arms a day, over the last 28 days.
    public let usersPerDay: Double
    /// The smallest difference, a size above 0, that the rule, which has not found it so far, finds with 80 % power
    /// by this many days from now. Nil if it finds none.
    public let detectable: Double?
    /// Four weeks.
    public let days: Int
    /// The smallest effect that matters, and the days until the rule finds it with 80 % power: 0 if it already had
    /// that power, nil beyond a year.
    public let effect: Double
    public let daysForEffect: Int?
  }
}

extension Comparison {
  struct Prospect {
    /// Exposures a day of A and B.
    let a, b: Double
    /// The share of exposures that count for the metric.
    let countedShare: Double
    let rate: Double
    let effect: Double
    let plannedUsers: Int
    let alpha: Double

    static let weeks = 4
    static let power = 0.8

    /// Information of one day's users, as a share of that planned.
    private var perDay: Double { 4 * (a * b / (a + b)) * countedShare / Double(plannedUsers) }

    /// The drift of the score under a difference: E S(t) = drift · t.
    private func drift(_ difference: Double) -> Double {
      let middle = min(1, max(0, rate + difference / 2))
      let deviation = (middle * (1 - middle)).squareRoot()
      return deviation > 0 ? abs(difference) * Double(plannedUsers).squareRoot() / 2 / deviation : .infinity
    }

    /// - Parameters:
    ///   - looks: times of those made.
    ///   - boundaries: at these looks, if they are known.
    func outlook(
      _ rule: Rule, exponent: Double, looks: [Double], boundaries: SequentialBoundaries? = nil
    ) throws -> Needed.Outlook? {
      guard a > 0, b > 0, perDay > 0 else { return nil }
      let now = looks.last ?? 0
      let days = Self.weeks * 7
      var detectable: Double?
      var daysForEffect: Int?
      switch rule {
      case .looks: return nil
      case .alwaysValid:
        let mixture = try NormalMixture(plannedUsers: plannedUsers, alpha: alpha)
        func power(_ day: Int, _ difference: Double) -> Double {
          let time = now + perDay * Double(day)
          let users = time * Double(plannedUsers)
          guard users > 0 else { return 0 }
          let bound = mixture.halfWidth(scaledVariance: users, users: users)
          return NormalDistribution.upperTail(bound - drift(difference) * time.squareRoot())
        }
        detectable = smallest { power(days, $0) }
        daysForEffect = (0...Self.mostDays).first { power($0, signedEffect) >= Self.power }
      case .daily:
        var path: SequentialBoundaries
        if let boundaries, boundaries.last?.time == looks.last {
          path = boundaries
        } else {
          path = try SequentialBoundaries(alpha: alpha, spending: .open(exponent: exponent))
          for time in looks { _ = try path.look(at: time) }
        }
        let made = path
        func crossed(_ path: SequentialBoundaries, _ difference: Double) -> Double {
          path.crossingProbability(drift: drift(difference))
        }
        /// That looks to come cross, given that none has.
        func given(before: Double, _ by: Double) -> Double {
          // If a crossing was almost certain, the absence of one is not used as information.
          before < 1 - 1e-9 ? (by - before) / (1 - before) : 1
        }
        let before = looks.isEmpty ? 0 : crossed(made, signedEffect)
        if before >= Self.power { daysForEffect = 0 }
        /// Whether the power may be reached: no test with this error, up to this day, has more of it than the one-sided test at its end
        /// (Neyman and Pearson). Nearly always it says no, and costs a thousandth of the recursion.
        func mayFind(by day: Int, error: Double) -> Bool {
          let mean = drift(signedEffect) * (now + perDay * Double(day)).squareRoot()
          guard mean.isFinite else { return true }
          let most = NormalDistribution.upperTail(-NormalDistribution.quantile(error) - mean)
          return given(before: before, min(1, most + 1e-9)) >= Self.power
        }
        func finds(by day: Int) -> Bool {
          mayFind(by: day, error: path.spent) && given(before: before, crossed(path, signedEffect)) >= Self.power
        }
        for day in 1...days {
          _ = try path.look(at: now + perDay * Double(day))
          if daysForEffect == nil, finds(by: day) { daysForEffect = day }
        }
        var soFar = SequentialBoundaries.CrossingChances(made)
        var inFourWeeks = SequentialBoundaries.CrossingChances(path)
        detectable = smallest { difference in
          let drift = drift(difference)
          return given(
            before: looks.isEmpty ? 0 : soFar.probability(drift: drift), inFourWeeks.probability(drift: drift))
        }
        guard mayFind(by: Self.mostDays, error: alpha) else { break }
        // After that a look a week: it costs a seventh of the work and next to nothing of the power.
        for day in stride(from: days + 7, through: Self.mostDays, by: 7) where daysForEffect == nil {
          _ = try path.look(at: now + perDay * Double(day))
          if finds(by: day) { daysForEffect = day }
        }
      }
      return Needed.Outlook(
        usersPerDay: a + b, detectable: detectable, days: days, effect: effect, daysForEffect: daysForEffect)
    }

    private static let mostDays = 365

    /// The effect in the direction that leaves the rate within [0, 1].
    private var signedEffect: Double { rate + effect <= 1 ? effect : -effect }

    /// Returns the smallest difference found with the power, in the direction with more room for rates. Nil if none is found.
    private func smallest(_ power: (Double) -> Double) -> Double? {
      let sign = rate <= 0.5 ? 1.0 : -1.0
      var (low, high) = (0.0, sign > 0 ? 1 - rate : rate)
      guard high > 0, power(sign * high) >= Self.power else { return nil }
      while high - low > 0.0005 * high {
        let middle = (low + high) / 2
        if power(sign * middle) >= Self.power { high = middle } else { low = middle }
      }
      return high
    }
  }
}

extension Comparison.Needed {
  /// The users of a pair of messages, and the planned number.
  public struct Progress: Sendable, Hashable {
    /// With an outcome, of both messages.
    public let users: Int
    /// Users of both messages in the planned split with as much information as the plan's number at an even split.
    public let planned: Int
    /// The day by which they are reached, at the exposures a day of the last 28 days. Nil if they are already
    /// reached, without a pace, and beyond ten years.
    public let until: DayNumber?
  }
}

extension Comparison.Needed.Progress {
  /// nil without a plan.
  init?(
    _ a: BinomialSample, _ b: BinomialSample, _ tallies: ComparisonTallies, _ pair: Comparison.Pair,
    _ traffic: ExposureTraffic, hasEnded: Bool
  ) {
    let question = tallies.question
    guard let plan = question.plan else { return nil }
    let (partA, partB) = (question.split.latest[pair.control], question.split.latest[pair.treatment])
    let share = partA / (partA + partB)
    // An uneven pair with share s of N users has as much information as an even one with 4 s (1 − s) N.
    let exact = (Double(plan.plannedUsers) / (4 * share * (1 - share))).rounded(.up)
    guard exact < 1e15 else { return nil }
    users = a.trials + b.trials
    planned = Int(exact)
    let exposed = tallies.counted[pair.control].exposed + tallies.counted[pair.treatment].exposed
    let pace = traffic.perDay(of: pair.control) + traffic.perDay(of: pair.treatment)
    let counted = exposed > 0 ? pace * Double(users) / Double(exposed) : 0
    let days = counted > 0 ? (Double(planned - users) / counted).rounded(.up) : .infinity
    until =
      users < planned && days < 3653 && !hasEnded
      ? question.zone.lastBegunDay(at: question.windows.asOf) + DayNumber(days) : nil
  }
}
