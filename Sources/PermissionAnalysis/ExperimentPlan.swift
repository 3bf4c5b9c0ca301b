// How many users and days an experiment takes, or what it can find: before it begins.

import PermissionEvents
import Statistics

/// What a plan is asked for. Shares of 1.
public struct PlanQuestion: Sendable {
  public var metric: ComparisonMetric = .grantRate
  /// Variants, the control included; the users are divided evenly.
  public var variants = 2
  public var power = 0.8
  /// Of all comparisons with the control together.
  public var alpha = 0.05
  /// Declared looks of the group-sequential design that is planned beside the others.
  public var looks = 5
  /// The difference to find, above 0.
  public var effect: Double?
  /// Users of each arm, for the other way round.
  public var users: Int?
  /// How long a journey is followed, for `granted_by_day_28`.
  public var followUp: Milliseconds = 28 * millisecondsPerDay
  /// Days of exposures, for the other way round.
  public var days: Int?

  public init() {}
}

/// The rate and the traffic that a plan starts from.
public struct PlanBaseline: Sendable {
  /// Of the metric, a share of 1.
  public var rate: Double
  /// What it was counted from; nil if it was given.
  public var tally: Comparison.Tally?
  /// The last day counted.
  public var lastDay: DayNumber?
  /// Exposures a day, all arms together; nil is unknown.
  public var exposuresPerDay: Double?
  /// Of the exposures, those with an outcome that counts for the metric.
  public var countedShare = 1.0

  public init(rate: Double, exposuresPerDay: Double?) {
    self.rate = rate
    self.exposuresPerDay = exposuresPerDay
  }
}

/// What each way of deciding takes, or finds, from a rate and a traffic.
public struct ExperimentPlan: Sendable {
  /// Why a plan has no answer.
  public enum PlanRefusal: Sendable, Hashable {
    /// Days were given, and how many exposures there are in a day is not known.
    case unknownTraffic
    /// No rate between 0 and 1 lies so far from the baseline, up or down. Shares of 1.
    case noSuchRate(effect: Double, baseline: Double)
  }

  /// A way of deciding.
  public enum Design: Sendable, Hashable {
    case oneLook
    case looks(Int)
    case alwaysValid
  }

  /// What one way of deciding takes, or finds.
  public struct PlanRow: Sendable {
    public internal(set) var design: Design
    /// Users of one look times this.
    public internal(set) var inflation: Double
    /// Of each arm; nil if no number does.
    public internal(set) var usersPerVariant: Int?
    /// Of all arms.
    public internal(set) var users: Int?
    public internal(set) var days: Int?
    /// Absolute changes found upwards and downwards, as sizes; nil if no rate is far enough.
    public internal(set) var detectableUp: Double?
    public internal(set) var detectableDown: Double?
  }

  public let question: PlanQuestion
  public let baseline: PlanBaseline
  public internal(set) var rows: [PlanRow]
  /// Whether users were given and effects are the answer.
  public let isReverse: Bool
  /// Why there is no answer; nil if there is one.
  public internal(set) var refused: PlanRefusal?

  public init(_ question: PlanQuestion, _ baseline: PlanBaseline) {
    self.question = question
    self.baseline = baseline
    rows = []
    isReverse = question.users != nil || question.days != nil
    let alpha = question.alpha / Double(max(1, question.variants - 1))
    for design in [Design.oneLook, .looks(question.looks), .alwaysValid] {
      guard let inflation = Self.inflation(design, alpha: alpha, power: question.power) else { continue }
      var row = PlanRow(design: design, inflation: inflation)
      if isReverse {
        solveEffect(&row, alpha: alpha)
      } else {
        solveUsers(&row, alpha: alpha)
      }
      rows.append(row)
    }
    if isReverse {
      if rows.allSatisfy({ $0.usersPerVariant == nil }) { refused = .unknownTraffic }
    } else if rows.allSatisfy({ $0.usersPerVariant == nil }) {
      refused = .noSuchRate(effect: question.effect ?? 0, baseline: baseline.rate)
    }
  }

  private static func inflation(_ design: Design, alpha: Double, power: Double) -> Double? {
    switch design {
    case .oneLook: return 1
    case .looks(let count):
      return (try? GroupSequential(equalLooks: count, alpha: alpha, spending: .obrienFleming)).flatMap {
        SequentialInflation.groupSequential($0, power: power)
      }
    case .alwaysValid: return SequentialInflation.asymptotic(alpha: alpha, power: power)
    }
  }

  /// The rate that the plan looks for: upwards, or downwards if that leaves [0, 1].
  public var changedRate: Double? {
    guard let effect = question.effect else { return nil }
    let good = question.metric.isGoodWhenHigh ? effect : -effect
    return [good, -good].map { baseline.rate + $0 }.first { (0...1).contains($0) }
  }

  private func solveUsers(_ row: inout PlanRow, alpha: Double) {
    guard let changed = changedRate,
      let plan = SampleSize.perArm(
        baseline: baseline.rate, effect: changed - baseline.rate, alpha: alpha, power: question.power)
    else { return }
    let exact = (plan.controlExact * row.inflation).rounded(.up)
    guard exact < 1e15 else { return }
    setUsers(&row, max(1, Int(exact)))
    row.days = days(row.users)
  }

  private func solveEffect(_ row: inout PlanRow, alpha: Double) {
    if let users = question.users {
      setUsers(&row, users)
      row.days = days(row.users)
    } else if let days = question.days, let perDay = baseline.exposuresPerDay {
      let each = (Double(days) * perDay * baseline.countedShare / Double(question.variants)).rounded(.down)
      guard each >= 1, each < 1e15 else { return }
      setUsers(&row, Int(each))
      row.days = days
    }
    guard let users = row.usersPerVariant else { return }
    let effective = max(1, Int((Double(users) / row.inflation).rounded(.down)))
    let found = PowerAnalysis.minimumDetectableEffect(
      control: baseline.rate, controlUsers: effective, treatmentUsers: effective, alpha: alpha, power: question.power)
    row.detectableUp = found?.up
    row.detectableDown = found?.down
  }

  private func setUsers(_ row: inout PlanRow, _ each: Int) {
    row.usersPerVariant = each
    row.users = each.multipliedReportingOverflow(by: question.variants).partialValue
  }

  private func days(_ users: Int?) -> Int? {
    guard let users, let perDay = baseline.exposuresPerDay, perDay * baseline.countedShare > 0 else { return nil }
    let days = (Double(users) / (perDay * baseline.countedShare)).rounded(.up)
    return days < 1e9 ? Int(days) : nil
  }

  /// Days that the last exposed wait for their say on the metric, beside the response window.
  public var daysToMature: Int {
    switch question.metric {
    case .grantedByDay28: Int((question.followUp + millisecondsPerDay - 1) / millisecondsPerDay)
    case .retentionDay7: 8
    default: 0
    }
  }
}

extension PlanBaseline {
  /// The rate and the traffic of the last 28 days of a log.
  /// - Parameter sums: of one arm, which is everybody.
  package init?(_ sums: ComparisonSums, _ question: ComparisonQuestion) {
    let tallies = ComparisonTallies(sums, question)
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
