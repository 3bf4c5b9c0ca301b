// The looks of each rule, and the first that crosses.

import PermissionEvents
import Statistics

extension Comparison {
  /// What the rule saw and decided.
  /// - Parameter plan: nil if nobody was exposed: no look is no decision.
  static func monitoring(
    _ plan: LookPlan?, _ question: ComparisonQuestion, _ sequence: AsymptoticConfidenceSequence
  ) throws -> Monitoring {
    var monitoring = Monitoring(
      rule: question.rule, plannedUsers: sequence.plannedUsers,
      exponent: question.rule == .daily ? plan?.exponent ?? PlanFacts.unplannedExponent : nil,
      adjustedBy: question.adjust.map(\.name))
    if case .looks(let count) = question.rule {
      monitoring.declared = DeclaredLooks(count: count, of: sequence.plannedUsers)
    }
    guard let plan else { return monitoring }
    switch question.rule {
    case .daily: try dailyLooks(plan, into: &monitoring)
    case .alwaysValid: sequenceLooks(plan, sequence, into: &monitoring)
    case .looks(let count): try declaredLooks(count, plan, into: &monitoring)
    }
    if question.rule == .daily, !plan.strata.isEmpty { monitoring.usersSaved = plan.usersSaved }
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
    if plan.strata.isEmpty {
      let days = try plan.days.map { ArmsAtLook(a: try $0.a.binomial(), b: try $0.b.binomial()) }
      try monitoring.take(try rule.path(days, firstLook: first), plan)
    } else if plan.recordedLooks.isEmpty {
      try monitoring.take(try rule.path(adjusted: plan.strata, firstLook: first), plan)
    } else {
      try recordedLooks(plan, first, into: &monitoring)
    }
  }

  /// Adjusted looks: the recorded ones as they were, then those of later days.
  private static func recordedLooks(_ plan: LookPlan, _ first: Int, into monitoring: inout Monitoring) throws {
    var looks: [(place: Int, time: Double, z: Double)] = []
    for place in first..<plan.days.count {
      let last = looks.last?.time ?? 0
      let isRecorded = place < plan.recordedLooks.count
      let look = isRecorded ? plan.recordedLooks[place] : plan.adjustedLook(place)
      guard let look, look.time > last, isRecorded || look.time - last >= leastGrowth * last else { continue }
      looks.append((place, look.time, look.z))
    }
    let path = try LookPath(
      times: looks.map(\.time), z: looks.map(\.z), spending: .open(exponent: plan.exponent), alpha: plan.alpha)
    try monitoring.take(path, plan, places: looks.map(\.place))
  }

  /// A day on which the information grows by less is no look.
  private static let leastGrowth = 0.001

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
        estimate: Estimate(statement.difference, interval), isCrossed: interval.low > 0 || interval.high < 0)
      monitoring.looks.append(look)
      if monitoring.crossing == nil {
        smallest = min(smallest, statement.pValue)
        monitoring.pValue = smallest
        if look.isCrossed { monitoring.crossing = Crossing(look: look, pValue: statement.pValue) }
      }
    }
  }

  // MARK: Declared looks

  /// The end of the first day by which its share of the planned users had an outcome, so that reading the log more often
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
      guard n >= declared.users(at: next), let a = day.a.sample, let b = day.b.sample, day.hasEnoughEvents,
        let z = MiettinenNurminen.scoreAtZero(b, a)
      else { continue }
      while next <= count, n >= declared.users(at: next) { next += 1 }
      reached.append((place, next - 1, z))
    }
    declared.nextAt = next <= count ? declared.users(at: next) : nil
    monitoring.declared = declared
    guard !reached.isEmpty else { return }
    let times = reached.map { look in
      let day = plan.days[look.place]
      return look.number == count ? 1 : min(1, Double(day.a.trials + day.b.trials) / Double(planned))
    }
    let path = try LookPath(times: times, z: reached.map(\.z), spending: .obrienFleming, alpha: plan.alpha)
    try monitoring.take(path, plan, places: reached.map(\.place))
  }
}

extension Comparison {
  // MARK: What later days say

  /// The end of the first day at which both one-sided sequences lie within ± the minimum effect.
  private static func noDifference(
    _ plan: LookPlan, _ sequence: AsymptoticConfidenceSequence
  ) throws -> NoDifference? {
    let effect = plan.question.minimumEffect
    guard let first = plan.firstLook else { return nil }
    for day in plan.days[first...] {
      guard let a = day.a.sample, let b = day.b.sample,
        case .success(let bounds) = try sequence.oneSidedBounds(b, a)
      else { continue }
      if bounds.low >= -effect, bounds.high <= effect {
        return NoDifference(day: day.day, dayNumber: plan.dayNumber(day.day), low: bounds.low, high: bounds.high)
      }
    }
    return nil
  }

  /// No difference lies in all always-valid intervals since the decision: what was tested then is not so now.
  private static func disagreement(
    _ plan: LookPlan, _ sequence: AsymptoticConfidenceSequence, since day: DayNumber
  ) -> Contradiction? {
    var low = -Double.infinity
    var high = Double.infinity
    for look in plan.days where look.day >= day {
      guard let a = look.a.sample, let b = look.b.sample, case .success(let statement) = sequence.evaluate(b, a)
      else { continue }
      low = max(low, statement.interval.low)
      high = min(high, statement.interval.high)
      if low > high { return .intervalsDisagree(since: day, until: look.day) }
    }
    return nil
  }
}

extension Comparison.Monitoring {
  /// - Parameter places: in the plan's days, of the looks of the path; nil if it names them itself.
  mutating func take(_ path: LookPath, _ plan: Comparison.LookPlan, places: [Int]? = nil) throws {
    for look in path.looks {
      let place = places?[look.day] ?? look.day
      let day = plan.days[place]
      let boundary: Comparison.Boundary =
        switch look.boundary {
        case .normal(let bound): .score(bound)
        case .exact(let lower, let upper): .events(lower: lower, upper: upper)
        }
      looks.append(
        Comparison.Look(
          day: day.day, dayNumber: plan.dayNumber(day.day), a: day.a, b: day.b, time: look.time, z: look.z,
          boundary: boundary, estimate: try plan.estimate(at: place, boundary), isCrossed: look.isCrossed))
    }
    pValue = path.pValue
    if let place = path.crossing, let pValue { crossing = Comparison.Crossing(look: looks[place], pValue: pValue) }
  }

  /// A decision is contradicted too if the interval of one look lies wholly on the other side of 0 now.
  mutating func compareOneLook(_ difference: Estimate?) {
    guard contradiction == nil, let crossing, let low = difference?.low, let high = difference?.high else { return }
    if crossing.isHigher ? high < 0 : low > 0 { contradiction = .otherSide(low: low, high: high) }
  }

  /// Recorded looks decide; what the log says now of the same days is told if it is something else.
  mutating func compareRecord(with fromLog: Self) {
    if crossing?.day != fromLog.crossing?.day || crossing?.isHigher != fromLog.crossing?.isHigher {
      recordDiffers = Comparison.RecordDifference(recorded: crossing?.day, fromLog: fromLog.crossing?.day)
    }
  }
}

extension Comparison.LookPlan {
  /// B minus A at the end of a day, with the interval that the boundary stands for.
  func estimate(at place: Int, _ boundary: Comparison.Boundary) throws -> Estimate {
    let day = days[place]
    if !strata.isEmpty { return adjustedEstimate(place, boundary) }
    let (a, b) = (try day.a.binomial(), try day.b.binomial())
    let value = BinomialSample.exactDifference(b, a) ?? 0
    switch boundary {
    case .score(let bound): return Estimate(value, MiettinenNurminen.differenceInterval(b, a, bound: bound))
    case .events: return Estimate(value, try Comparison.exactSequence(b, a, planned: plannedUsers, alpha: alpha))
    case .interval: return Estimate(value)
    }
  }

  /// Mantel and Haenszel's difference ± bound · Sato's error.
  private func adjustedEstimate(_ place: Int, _ boundary: Comparison.Boundary) -> Estimate {
    guard case .success(let stratified) = StratifiedDifference.compare(strata[place]) else {
      return Estimate((days[place].b.rate ?? 0) - (days[place].a.rate ?? 0))
    }
    let value = stratified.mantelHaenszel
    guard case .score(let bound) = boundary, bound.isFinite else { return Estimate(value, low: -1, high: 1) }
    let reach = bound * stratified.satoError
    return Estimate(value, low: value - reach, high: value + reach)
  }

  /// 1 − (adjusted error)²/(plain error)², at the end of the latest day.
  fileprivate var usersSaved: Double? {
    guard let day = days.last, let strata = strata.last,
      case .success(let stratified) = StratifiedDifference.compare(strata), let a = day.a.rate, let b = day.b.rate
    else { return nil }
    let plain = a * (1 - a) / Double(day.a.trials) + b * (1 - b) / Double(day.b.trials)
    return plain > 0 ? 1 - stratified.satoError * stratified.satoError / plain : nil
  }

  /// Information time and statistic of the strata at the end of a day; nil unless both arms have users in one.
  fileprivate func adjustedLook(_ place: Int) -> (time: Double, z: Double)? {
    guard case .success(let stratified) = StratifiedDifference.compare(strata[place]) else { return nil }
    return (stratified.informationUsers / Double(plannedUsers), stratified.cmhZ)
  }
}

extension SettledDay {
  /// Users at an even split that would know as much: 4 nA nB/(nA + nB).
  fileprivate var information: Double {
    let (a, b) = (Double(a.trials), Double(b.trials))
    return a + b > 0 ? 4 * a * b / (a + b) : 0
  }

  /// Ten events and non-events expected in the smaller arm: enough for the normal approximation.
  fileprivate var hasEnoughEvents: Bool {
    let events = a.successes + b.successes
    let users = a.trials + b.trials
    guard users > 0 else { return false }
    return Double(min(a.trials, b.trials)) * Double(min(events, users - events)) / Double(users) >= 10
  }
}
