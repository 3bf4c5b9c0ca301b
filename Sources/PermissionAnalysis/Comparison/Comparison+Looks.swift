// The looks of each rule, and the first that crosses.

import PermissionEvents
import Statistics

extension Comparison {
  /// Returns the looks and the decision of the rule.
  /// - Parameter plan: nil if no users were exposed. Without a look there is no decision.
  static func monitoring(
    _ plan: LookPlan?, _ question: ComparisonQuestion, _ sequence: AsymptoticConfidenceSequence
  ) throws -> Monitoring {
    var monitoring = Monitoring(
      rule: question.rule, plannedUsers: sequence.plannedUsers,
      isByFirstDays: question.plan == nil && question.plannedUsers == nil,
      exponent: question.rule == .daily ? plan?.exponent ?? UnplannedRule.exponent : nil,
      adjustedBy: question.adjust.map(\.name) + (question.split.changes.isEmpty ? [] : [Self.periods]))
    if case .looks(let count) = question.rule {
      monitoring.declared = DeclaredLooks(count: count, of: sequence.plannedUsers)
    }
    guard let plan else { return monitoring }
    monitoring.firstDay = plan.firstDay
    switch question.rule {
    case .daily: try dailyLooks(plan, into: &monitoring)
    case .alwaysValid: sequenceLooks(plan, sequence, into: &monitoring)
    case .looks(let count): try declaredLooks(count, plan, into: &monitoring)
    }
    if question.rule == .daily { monitoring.usersSaved = plan.usersSaved }
    monitoring.noDifference = try noDifference(plan, sequence)
    if let crossing = monitoring.crossing {
      monitoring.contradiction = disagreement(plan, sequence, since: crossing.day)
    }
    return monitoring
  }

  // MARK: Every day

  private static func dailyLooks(_ plan: LookPlan, into monitoring: inout Monitoring) throws {
    guard let first = plan.firstLook else { return }
    let rule = try DailyRule(plannedUsers: plan.plannedUsers, exponent: plan.exponent, alpha: plan.alpha)
    if !plan.question.isStratified {
      let days = try plan.days.map { ArmsAtLook(a: try $0.a.binomial(), b: try $0.b.binomial()) }
      try monitoring.take(try rule.path(days, firstLook: first, needsSequentialP: !plan.question.isBrief), plan)
    } else {
      try monitoring.take(try rule.path(adjusted: plan.strata, firstLook: first, recorded: plan.recordedLooks), plan)
    }
  }

  // MARK: The sequence

  private static func sequenceLooks(
    _ plan: LookPlan, _ sequence: AsymptoticConfidenceSequence, into monitoring: inout Monitoring
  ) {
    guard let first = plan.firstLook else { return }
    var smallest = 1.0
    for day in plan.days[first...] {
      guard let a = day.a.sample, let b = day.b.sample, case .success(let statement) = sequence.evaluate(b, a) else {
        continue
      }
      let interval = statement.interval
      let look = Look(
        day: day.day, dayNumber: plan.dayNumber(day.day), a: day.a, b: day.b,
        time: day.information / Double(plan.plannedUsers), z: nil, boundary: .interval,
        estimate: Estimate(statement.difference, interval), isCrossed: interval.low > 0 || interval.high < 0,
        isHigher: statement.difference > 0, isAdjusted: false)
      monitoring.looks.append(look)
      if monitoring.crossing == nil {
        smallest = min(smallest, statement.pValue)
        monitoring.pValue = smallest
        if look.isCrossed {
          monitoring.crossing = Crossing(look: look, pValue: statement.pValue, estimate: look.estimate)
        }
      }
    }
  }

  // MARK: Declared looks

  /// The end of the first day by which its share of the planned users had an outcome, so reading the log more often
  /// adds no looks.
  private static func declaredLooks(_ count: Int, _ plan: LookPlan, into monitoring: inout Monitoring) throws {
    let planned = plan.plannedUsers
    var declared = DeclaredLooks(count: count, of: planned)
    var next = 1
    var reached: [(place: Int, number: Int, z: Double)] = []
    for place in (plan.firstLook ?? plan.days.count)..<plan.days.count {
      let day = plan.days[place]
      let n = day.a.trials + day.b.trials
      guard next <= count else {
        let before = plan.days[place - 1]
        declared.isOverrun = declared.isOverrun || n > before.a.trials + before.b.trials
        continue
      }
      // A look that few events hold back is made on the first day that has enough.
      guard n >= declared.users(at: next), let a = day.a.sample, let b = day.b.sample,
        day.expectedEvents >= LookPlan.enoughEvents, let z = MiettinenNurminen.scoreAtZero(b, a)
      else { continue }
      while next <= count, n >= declared.users(at: next) { next += 1 }
      reached.append((place, next - 1, z))
    }
    declared.nextAt = next <= count ? declared.users(at: next) : nil
    monitoring.declared = declared
    guard !reached.isEmpty else { return }
    // Information of the planned users at the planned split; the last look is the end of the plan.
    let whole = Double(planned) * plan.evenness
    let times = reached.map { $0.number == count ? 1 : min(1, plan.days[$0.place].information / whole) }
    let path = try LookPath(times: times, z: reached.map(\.z), spending: .obrienFleming, alpha: plan.alpha)
    try monitoring.take(path, plan, places: reached.map(\.place))
  }

  // MARK: The results of later days

  /// The end of the first day at which both one-sided sequences are within ± the minimum effect.
  private static func noDifference(_ plan: LookPlan, _ sequence: AsymptoticConfidenceSequence) throws -> NoDifference? {
    let effect = plan.question.minimumEffect
    guard let first = plan.firstLook else { return nil }
    for place in first..<max(first, plan.days.count) {
      guard let bounds = try plan.oneSidedBounds(at: place, sequence), bounds.low >= -effect, bounds.high <= effect
      else { continue }
      let day = plan.days[place].day
      return NoDifference(day: day, dayNumber: plan.dayNumber(day), low: bounds.low, high: bounds.high)
    }
    return nil
  }

  /// The always-valid intervals since the decision have no difference in common: what was true then is not true now.
  private static func disagreement(
    _ plan: LookPlan, _ sequence: AsymptoticConfidenceSequence, since day: DayNumber
  ) -> Contradiction? {
    var low = -Double.infinity
    var high = Double.infinity
    for (place, look) in plan.days.enumerated() where look.day >= day {
      guard let interval = plan.alwaysValid(at: place, sequence) else { continue }
      low = max(low, interval.low)
      high = min(high, interval.high)
      if low > high { return .intervalsDisagree(since: day, until: look.day) }
    }
    return nil
  }
}

extension Comparison.Monitoring {
  /// - Parameter places: the indices of the path's looks in the plan's days. Nil if the path has them itself.
  mutating func take(_ path: LookPath, _ plan: Comparison.LookPlan, places: [Int]? = nil) throws {
    for look in path.looks {
      let place = places?[look.day] ?? look.day
      let day = plan.days[place]
      let (boundary, estimate) = try plan.boundary(of: look, at: place)
      looks.append(
        Comparison.Look(
          day: day.day, dayNumber: plan.dayNumber(day.day), a: day.a, b: day.b, time: look.time, z: look.z,
          boundary: boundary, estimate: estimate, isCrossed: look.isCrossed, isHigher: look.isHigher,
          isAdjusted: !adjustedBy.isEmpty))
    }
    pValue = path.pValue
    boundaries = path.boundaries
    if let place = path.crossing, let pValue {
      crossing = Comparison.Crossing(
        look: looks[place], pValue: pValue, estimate: try path.estimate.flatMap { try Self.estimate($0, looks[place]) })
    }
  }

  /// A decision is also contradicted if the interval of one look is now entirely on the other side of 0.
  mutating func compareOneLook(_ difference: Estimate?) {
    guard contradiction == nil, let crossing, let low = difference?.low, let high = difference?.high else { return }
    if crossing.isHigher ? high < 0 : low > 0 { contradiction = .otherSide(low: low, high: high) }
  }

  /// The size at the decision in points: as `look` measured it, adjusted or not. Nil if an adjusted look has no error.
  private static func estimate(_ found: StagewiseEstimate, _ look: Comparison.Look) throws -> Estimate? {
    guard let z = look.z else { return nil }
    if let error = look.error, look.isAdjusted {
      let size = found.difference(look.estimate.value, error: error, z: z)
      return Estimate(size.value, size.interval)
    }
    return look.isAdjusted
      ? nil : found.difference(try look.b.binomial(), try look.a.binomial()).map { Estimate($0.value, $0.interval) }
  }

  private var verdict: Comparison.RecordDifference.Verdict? {
    decidedOn.map { Comparison.RecordDifference.Verdict(day: $0, isHigher: crossing?.isHigher) }
  }

  /// Recorded looks decide. If the log now gives another decision for the same days, that is reported.
  mutating func compareRecord(with fromLog: Self) {
    let (kept, now) = (verdict, fromLog.verdict)
    if kept != now { recordDiffers = Comparison.RecordDifference(recorded: kept, fromLog: now) }
  }
}

extension Comparison {
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
    /// Index in `days` of the first day that may be a look. Nil before it.
    let firstLook: Int?
    let treatment: Int
    /// The calendar day of the first exposure.
    let firstDay: DayNumber
    let exponent: Double

    /// Days with exposures before anything is decided: a whole week, with its weekend.
    static let minimumDays = 7
    /// Expected events, or non-events, of the smaller arm from which a statistic is taken as normal.
    static let enoughEvents = 10.0

    /// N*.
    let plannedUsers: Int

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
    plannedUsers = tallies.plannedUsers(pair)
    treatment = pair.treatment
    firstDay = first
    let isInTime = question.plan.map { !Self.isLate($0, first, question.zone) } ?? false
    let planned = question.plan?.exponent ?? UnplannedRule.exponent
    exponent = recorded?.exponent ?? (isInTime ? planned : UnplannedRule.exponent)
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
    if !question.isStratified {
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
