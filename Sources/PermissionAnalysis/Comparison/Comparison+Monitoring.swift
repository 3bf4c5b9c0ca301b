// Looks at a pair of arms, by the rule in force.

import PermissionEvents
import Statistics

extension Comparison {
  /// The finished days of a pair, and how they are looked at.
  struct LookPlan {
    let question: ComparisonQuestion
    /// Shared out among the comparisons with the same control.
    let alpha: Double
    /// Cumulative, oldest first; recorded ones as they were.
    let days: [SettledDay]
    /// For each recorded day, the first of `days`, its look; nil if it was none.
    let recordedLooks: [AdjustedLook?]
    /// For each of `days` the strata of the adjustment; empty without one.
    let strata: [[Stratified.Stratum]]
    /// Place in `days` of the first that may be a look; nil if there is none yet.
    let firstLook: Int?
    /// The arm that is compared with the control.
    let treatment: Int
    /// The calendar day of the first exposure.
    let firstDay: DayNumber
    let exponent: Double

    /// Days with exposures before anything is decided: a whole week, with its weekend.
    static let minimumDays = 7
    /// Expected events, or non-events, of the smaller arm from which a statistic is taken as normal.
    static let enoughEvents = 10.0

    var plannedUsers: Int { question.plan?.plannedUsers ?? question.plannedUsers }

    func dayNumber(_ day: DayNumber) -> Int { Int(day - firstDay) + 1 }
  }
}

extension Comparison.LookPlan {
  /// - Parameters:
  ///   - exposureDays: days with exposures of the pair, oldest first.
  ///   - recorded: of this treatment; nil to go by the log alone.
  init?(
    _ tallies: ComparisonTallies, _ pair: Comparison.Pair, alpha: Double, exposureDays: [DayNumber],
    recorded: RecordedArm?
  ) {
    guard let first = recorded?.firstDay ?? exposureDays.first else { return nil }
    let question = tallies.question
    self.question = question
    self.alpha = alpha
    treatment = pair.treatment
    firstDay = first
    let isInTime = question.plan.map { !Self.isLate($0, first, question.zone) } ?? false
    let planned = question.plan?.exponent ?? PlanFacts.unplannedExponent
    exponent = recorded?.exponent ?? (isInTime ? planned : PlanFacts.unplannedExponent)
    let settled = tallies.settledDays(pair)
    let kept = recorded?.days.map { SettledDay($0) } ?? []
    let lastKept = kept.last?.day
    let fresh = settled.filter { day in lastKept.map { day.day > $0 } ?? true }
    let days = kept + fresh
    self.days = days
    recordedLooks = (recorded?.days ?? []).map { day in
      guard let time = day.time, let z = day.z else { return nil }
      return AdjustedLook(
        aUsers: day.aUsers, bUsers: day.bUsers, time: time, z: z, difference: day.difference, error: day.error)
    }
    if question.adjust.isEmpty {
      strata = []
    } else {
      // Recorded looks bring their own statistic and estimate.
      strata = kept.map { _ in [] } + tallies.settledStrata(pair).suffix(fresh.count)
    }
    let seventh = exposureDays.dropFirst(Self.minimumDays - 1).first
    let firstRecorded = recorded?.days.firstIndex(where: \.isLook)
    firstLook = firstRecorded ?? seventh.flatMap { day in days.firstIndex { $0.day >= day } }
  }

  /// A plan saved after the day of the first exposure was no plan.
  static func isLate(_ plan: PlanFacts, _ firstDay: DayNumber, _ zone: ZoneTable) -> Bool {
    zone.day(of: plan.savedAt) > firstDay
  }
}

extension SettledDay {
  init(_ recorded: RecordedDay) {
    self.init(
      day: recorded.day, a: Comparison.Tally(trials: recorded.aUsers, successes: recorded.aEvents),
      b: Comparison.Tally(trials: recorded.bUsers, successes: recorded.bEvents))
  }
}
