// The users and days that an experiment needs, or the effect that it can find, before it begins.

import PermissionEvents
import Statistics

/// The question of a plan. Shares of 1.
public struct PlanQuestion: Sendable {
  public var metric: ComparisonMetric = .grantRate
  public var screen = MessageScreen.permission
  /// Variants, the control included.
  public var variants = 2
  /// Parts of the users, one for each variant, in any unit, above 0; nil for an even division.
  public var split: [Double]?
  public var power = 0.8
  /// Of all comparisons with the control together.
  public var alpha = 0.05
  /// The number of declared looks of the group-sequential design in the plan.
  public var looks = 5
  /// The difference to find, above 0.
  public var effect: Double?
  /// Users of each arm, for a reverse plan: what they can find.
  public var users: Int?
  /// How long a journey is followed, for `granted_by_day_28` and `kept_by_day_28`.
  public var followUp: Milliseconds = 28 * millisecondsPerDay
  /// Days of exposures, for a reverse plan.
  public var days: Int?
  /// The deviation of the effects of such tests, above 0; nil is unknown.
  public var effectDeviation: Double?
  /// How many decided tests it is of; nil if it was given.
  public var pastTests: Int?

  public init() {}

  /// Users of each variant for one of the control; the control is the first.
  package var ratios: [Double] {
    guard let split, let control = split.first, split.count == variants else {
      return [Double](repeating: 1, count: variants)
    }
    return split.map { $0 / control }
  }
}

/// The rate and the traffic that a plan starts from.
public struct PlanBaseline: Sendable {
  /// Of the metric, a share of 1.
  public var rate: Double
  /// The counts of the rate. Nil if the rate was given.
  public var tally: Comparison.Tally?
  /// The message of the counted users. Nil for all messages together, and if the rate was given.
  public var message: String?
  /// The last day counted.
  public var lastDay: DayNumber?
  /// Exposures a day, all arms together; nil is unknown.
  public var exposuresPerDay: Double?
  /// The share of exposures with an outcome that counts for the metric.
  public var countedShare = 1.0

  public init(rate: Double, exposuresPerDay: Double?) {
    self.rate = rate
    self.exposuresPerDay = exposuresPerDay
  }
}

/// The users and days that each way of deciding needs, or the effect that it finds, from a rate and a traffic.
public struct ExperimentPlan: Sendable {
  /// Why a plan has no answer.
  public enum PlanRefusal: Sendable, Hashable {
    /// Days were given, but the number of exposures a day is unknown.
    case unknownTraffic
    /// No rate between 0 and 1 is this far from the baseline, up or down. Shares of 1.
    case noSuchRate(effect: Double, baseline: Double)
  }

  /// A way of deciding.
  public enum Design: Sendable, Hashable {
    case oneLook
    case looks(Int)
    case alwaysValid
    /// The rule in force, held to this plan or not.
    case daily(isPlanned: Bool)
  }

  /// The users and days that one way of deciding needs, or the effect that it finds.
  public struct PlanRow: Sendable {
    public internal(set) var design: Design
    /// The factor by which its users exceed those of one look.
    public internal(set) var inflation: Double
    /// Users of each arm, control first. Empty if no number is enough.
    public internal(set) var usersByVariant: [Int] = []
    /// Users of each arm. Nil if no number is enough, or if it is not the same for all.
    public var usersPerVariant: Int? { Set(usersByVariant).count == 1 ? usersByVariant.first : nil }
    /// Of all arms.
    public var users: Int? {
      usersByVariant.isEmpty
        ? nil : usersByVariant.reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
    }
    public internal(set) var days: Int?
    /// Absolute changes found upwards and downwards, as sizes; nil if no rate is far enough.
    public internal(set) var detectableUp, detectableDown: Double?
  }

  /// The size of a test from what it loses.
  public struct Roll: Sendable {
    /// Of each message.
    public let users: Int
    public let days: Int
    /// New users of a year, by the exposures a day.
    public let usersAYear: Int
    /// Successes a year more than without a test, and those of a test with the users of one look.
    public let gain, gainOfOneLook: Double
  }

  public let question: PlanQuestion
  public let baseline: PlanBaseline
  public internal(set) var rows: [PlanRow]
  /// Whether users were given and effects are the answer.
  public let isReverse: Bool
  /// Why there is no answer, if there is none.
  public internal(set) var refused: PlanRefusal?

  public init(_ question: PlanQuestion, _ baseline: PlanBaseline) {
    self.question = question
    self.baseline = baseline
    rows = []
    isReverse = question.users != nil || question.days != nil
    let alpha = question.alpha / Double(max(1, question.variants - 1))
    let designs: [Design] = [
      .oneLook, .looks(question.looks), .alwaysValid, .daily(isPlanned: true), .daily(isPlanned: false),
    ]
    rows = designs.compactMap { row($0, alpha: alpha) }
    guard rows.allSatisfy(\.usersByVariant.isEmpty) else { return }
    refused = isReverse ? .unknownTraffic : .noSuchRate(effect: question.effect ?? 0, baseline: baseline.rate)
  }

  private static let daysAYear = 365.0

  /// Test & Roll: for two messages, an even split, and a known traffic and deviation of effects; else nil.
  public var roll: Roll? {
    guard let deviation = question.effectDeviation, question.ratios == [1, 1], !isReverse,
      let perDay = baseline.exposuresPerDay, (0...1).contains(baseline.rate),
      let roll = try? TestAndRoll(
        users: perDay * baseline.countedShare * Self.daysAYear, effectDeviation: deviation,
        deviation: (baseline.rate * (1 - baseline.rate)).squareRoot()),
      roll.users < 1e15
    else { return nil }
    let users = max(1, roll.perArm.rounded(.up))
    let oneLook = rows.first { $0.design == .oneLook }?.usersPerVariant ?? 0
    return Roll(
      users: Int(users), days: Int((2 * users / (perDay * baseline.countedShare)).rounded(.up)),
      usersAYear: Int(roll.users.rounded()), gain: roll.gain(perArm: users),
      gainOfOneLook: roll.gain(perArm: Double(oneLook)))
  }

  private func row(_ design: Design, alpha: Double) -> PlanRow? {
    let inflation: Double?
    switch design {
    case .oneLook: inflation = 1
    case .looks(let count):
      inflation = (try? GroupSequential(equalLooks: count, alpha: alpha, spending: .obrienFleming)).flatMap {
        SequentialInflation.groupSequential($0, power: question.power)
      }
    case .alwaysValid: inflation = SequentialInflation.asymptotic(alpha: alpha, power: question.power)
    case .daily(let isPlanned):
      return isReverse ? detectable(isPlanned: isPlanned, alpha: alpha) : required(isPlanned: isPlanned, alpha: alpha)
    }
    guard let inflation else { return nil }
    var row = PlanRow(design: design, inflation: inflation)
    if isReverse { solveEffect(&row, alpha: alpha) } else { solveUsers(&row, alpha: alpha) }
    return row
  }

  /// The rate that the plan looks for: upwards, or downwards if that leaves [0, 1].
  public var changedRate: Double? {
    guard let effect = question.effect else { return nil }
    let good = question.metric.isGoodWhenHigh ? effect : -effect
    return [good, -good].map { baseline.rate + $0 }.first { (0...1).contains($0) }
  }

  /// N*: users of a pair of arms together, at an even split, by which one look at the end finds the effect; for the
  /// pair that needs most. An uneven pair with share s of N users has as much information as an even one with 4 s (1
  /// − s) N. nil without an effect.
  public var plannedUsers: Int? {
    let ratios = question.ratios
    guard ratios.count > 1, let arms = oneLook(question.alpha / Double(ratios.count - 1)) else { return nil }
    let most = zip(ratios.dropFirst(), arms).map { ratio, arms in
      4 * ratio / ((1 + ratio) * (1 + ratio)) * Double(arms.total)
    }.max()
    guard let most = most?.rounded(.up), most < 1e15 else { return nil }
    return max(2, Int(most))
  }

  /// What one look takes of each pair with the control.
  private func oneLook(_ alpha: Double) -> [SampleSize.Arms]? {
    guard let changed = changedRate else { return nil }
    let pairs = question.ratios.dropFirst().map { ratio in
      SampleSize.perArm(
        baseline: baseline.rate, effect: changed - baseline.rate, alpha: alpha, power: question.power, ratio: ratio)
    }
    let found = pairs.compactMap { $0 }
    return found.count == pairs.count ? found : nil
  }

  func solveUsers(_ row: inout PlanRow, alpha: Double) {
    // Every pair has its power if the control has users for the one that takes most.
    guard let control = oneLook(alpha)?.map(\.controlExact).max() else { return }
    let exact = question.ratios.map { (control * $0 * row.inflation).rounded(.up) }
    guard exact.allSatisfy({ $0 < 1e15 }) else { return }
    row.usersByVariant = exact.map { max(1, Int($0)) }
    row.days = days(row.users)
  }

  /// Users and days of a plan that they are given to.
  func setGiven(_ row: inout PlanRow) {
    let ratios = question.ratios
    let sum = ratios.reduce(0, +)
    if let users = question.users {
      row.usersByVariant = ratios.map { _ in users }
      row.days = days(row.users)
    } else if let days = question.days, let perDay = baseline.exposuresPerDay {
      let each = ratios.map { (Double(days) * perDay * baseline.countedShare * $0 / sum).rounded(.down) }
      guard each.allSatisfy({ $0 >= 1 && $0 < 1e15 }) else { return }
      row.usersByVariant = each.map { Int($0) }
      row.days = days
    }
  }

  private func solveEffect(_ row: inout PlanRow, alpha: Double) {
    setGiven(&row)
    let effective = row.usersByVariant.map { max(1, Int((Double($0) / row.inflation).rounded(.down))) }
    guard let control = effective.first else { return }
    // What every pair finds.
    let found = effective.dropFirst().map { users in
      PowerAnalysis.minimumDetectableEffect(
        control: baseline.rate, controlUsers: control, treatmentUsers: users, alpha: alpha, power: question.power)
    }
    func least(_ effects: [Double?]) -> Double? {
      effects.contains { $0 == nil } ? nil : effects.compactMap { $0 }.max()
    }
    row.detectableUp = least(found.map { $0?.up })
    row.detectableDown = least(found.map { $0?.down })
  }

  func days(_ users: Int?) -> Int? {
    guard let users, let perDay = baseline.exposuresPerDay, perDay * baseline.countedShare > 0 else { return nil }
    let days = (Double(users) / (perDay * baseline.countedShare)).rounded(.up)
    return days < 1e9 ? Int(days) : nil
  }

  /// Days until the last exposed users count for the metric, in addition to the response window.
  public var daysToMature: Int {
    switch question.metric {
    case .grantedByDay28, .keptByDay28: Int((question.followUp + millisecondsPerDay - 1) / millisecondsPerDay)
    case .retentionDay7: 8
    case .settingsEnabled: Int(AnalysisWindows.settingsDays)
    default: 0
    }
  }
}

extension PlanBaseline {
  /// The rate and the traffic of the last 28 days of a log.
  /// - Parameters:
  ///   - sums: of one arm, which has all users.
  ///   - needsRate: false if another rate will be taken, and only the traffic counts.
  /// - Throws: `EvidenceError` if the log has no evidence for the rate.
  package init?(_ sums: ComparisonSums, _ question: ComparisonQuestion, needsRate: Bool = true) throws {
    let tallies = ComparisonTallies(sums, question)
    if needsRate { try tallies.requireEvidence() }
    guard let last = tallies.finishedDays.last?.day else { return nil }
    let days = tallies.finishedDays.filter { $0.day > last - 28 }
    let tally = days.reduce(Comparison.Tally()) { $0 + $1.arms.all[0] }
    guard let rate = tally.rate else { return nil }
    self.init(rate: rate, exposuresPerDay: ExposureTraffic(tallies).perDay)
    self.tally = tally
    lastDay = last
    countedShare = Double(tally.trials) / Double(max(1, tally.exposed))
  }
}

// MARK: The rule in force in a plan: looks on every finished day, with this plan and without one, by exact computation

extension ExperimentPlan {
  /// If the traffic is unknown, looks are planned as if one look's users came over this many days.
  private static let assumedDays = 60.0
  /// Looks up to one look's users that are computed; of an experiment of years not every day.
  private static let mostLooks = 365.0
  /// What daily looks with a plan take, over one look: for the plan's number of users that are given.
  private static let plannedInflation = 1.28
  /// What a user of all arms adds to a pair, as users at an even split: of the pair that learns slowest.
  private var informationShare: Double {
    let ratios = question.ratios
    let sum = ratios.reduce(0, +)
    return ratios.dropFirst().map { 4 * $0 / ((1 + $0) * sum) }.min() ?? 1
  }

  /// Users of a pair a day, at an even split; nil is unknown.
  private var pairUsersPerDay: Double? {
    baseline.exposuresPerDay.map { $0 * baseline.countedShare * informationShare }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Exposures of the slowest pair for each user that counts for it at an even split.
  private var exposuresPerUser: Double {
    let ratios = question.ratios
    let sum = ratios.reduce(0, +)
    let slowest = ratios.dropFirst().min { $0 / (1 + $0) < $1 / (1 + $1) } ?? 1
    return (1 + slowest) / (sum * baseline.countedShare * informationShare)
  }

  /// - Parameter aDay: users of a pair at an even split.
  private func looks(isPlanned: Bool, _ planned: Int, alpha: Double, aDay: Double) -> OpenRulePower.Looks? {
    let firstDays = Int(min(1e9, (Double(UnplannedRule.days) * aDay * exposuresPerUser).rounded()))
    return try? OpenRulePower.Looks(
      plannedUsers: isPlanned ? planned : UnplannedRule.plannedUsers(exposed: firstDays),
      exponent: isPlanned ? SavedPlan.plannedExponent : UnplannedRule.exponent, alpha: alpha, usersADay: aDay)
  }

  private func required(isPlanned: Bool, alpha: Double) -> PlanRow? {
    guard let changed = changedRate, let planned = plannedUsers, planned < 1_000_000_000_000,
      let one = SampleSize.perArm(
        baseline: baseline.rate, effect: changed - baseline.rate, alpha: alpha, power: question.power)
    else { return nil }
    let fixed = 2 * one.controlExact
    let aDay = max(pairUsersPerDay ?? fixed / Self.assumedDays, fixed / Self.mostLooks)
    guard let looks = looks(isPlanned: isPlanned, planned, alpha: alpha, aDay: aDay),
      let needed = OpenRulePower.requirement(
        looks, baseline: baseline.rate, effect: changed - baseline.rate, power: question.power)
    else { return nil }
    var row = PlanRow(design: .daily(isPlanned: isPlanned), inflation: Double(needed.users) / fixed)
    solveUsers(&row, alpha: alpha)
    return row
  }

  private func detectable(isPlanned: Bool, alpha: Double) -> PlanRow? {
    var row = PlanRow(design: .daily(isPlanned: isPlanned), inflation: 1)
    setGiven(&row)
    guard let all = row.users.map(Double.init) else { return nil }
    let users = all * informationShare
    let days = min(max(Double(row.days ?? Int(Self.assumedDays)), 1), Self.mostLooks)
    let planned = max(2, Int(min(users / Self.plannedInflation, 1e12)))
    guard let looks = looks(isPlanned: isPlanned, planned, alpha: alpha, aDay: users / days),
      let found = OpenRulePower.detectableEffect(looks, baseline: baseline.rate, days: Int(days), power: question.power)
    else { return nil }
    row.detectableUp = found.up
    row.detectableDown = found.down
    let effect = found.up ?? found.down.map { -$0 }
    guard
      let one = effect.flatMap({
        SampleSize.perArm(baseline: baseline.rate, effect: $0, alpha: alpha, power: question.power)
      })
    else { return nil }
    row.inflation = users / (2 * one.controlExact)
    return row
  }
}
