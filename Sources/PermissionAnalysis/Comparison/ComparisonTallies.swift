// The tallies of a comparison's metric, made from its sums, with the contamination policy at hand: what figures are made of.

import PermissionEvents

/// Tallies of each arm, of users who saw one variant and of those who saw several.
struct ArmTallies {
  let clean: [Comparison.Tally]
  let contaminated: [Comparison.Tally]

  /// - Parameter integers: `ArmCounter.count` for each number of `ArmPlace`.
  init(_ integers: [Int64], arms: Int, _ metric: ComparisonMetric) {
    func tally(_ arm: Int, isContaminated: Bool) -> Comparison.Tally {
      let start = ArmPlace.number(arm, isContaminated: isContaminated) * ArmCounter.count
      return ArmCounts(integers[start..<start + ArmCounter.count]).tally(metric)
    }
    clean = (0..<arms).map { tally($0, isContaminated: false) }
    contaminated = (0..<arms).map { tally($0, isContaminated: true) }
  }

  /// By arm, each user counted for the variant seen first.
  var all: [Comparison.Tally] { zip(clean, contaminated).map { $0 + $1 } }
}

struct ComparisonTallies {
  /// A value of a property, nil if the exposure has none, and its users.
  typealias ValueTallies = (value: String?, arms: ArmTallies)

  let question: ComparisonQuestion
  let clean: [ArmCounts]
  let contaminated: [ArmCounts]
  /// By day of exposure, oldest first.
  let days: [(day: DayNumber, arms: ArmTallies)]
  /// By the day that settles a journey.
  let settled: SettledTallies
  /// By property: those that are always checked, then the one asked for.
  let properties: [(field: StringField, strata: [ValueTallies])]
  /// Times to answer by arm, under the policy.
  let times: [TimeHistogram]
  /// What the log does not hold.
  let missing: [Evidence]
  /// By arm users who were not asked.
  let notAsked: [Int]
  /// The sums were counted in another reading than they call for.
  let isMisread: Bool

  /// - Parameter sums: of all users.
  init(_ sums: ComparisonSums, _ question: ComparisonQuestion) {
    self.question = question
    notAsked = sums.variants.map { Int(sums.notAsked[.init(variant: $0)] ?? 0) }
    isMisread = CallReading(sums.calls).differs(from: question.reading, of: Array(question.permission.utf8))
    missing = sums.evidence.missing(for: Array(question.permission.utf8), sums.calls)
    let arms = 0..<question.arms
    func key(_ arm: Int, isContaminated: Bool) -> ComparisonSums.ArmKey {
      .init(variant: .init(variant: question.armNames[arm]), seesSeveral: isContaminated)
    }
    func arm(_ arm: Int, isContaminated: Bool) -> ArmCounts {
      sums.arms[key(arm, isContaminated: isContaminated)].map { ArmCounts($0[...]) } ?? ArmCounts()
    }
    clean = arms.map { arm($0, isContaminated: false) }
    contaminated = arms.map { arm($0, isContaminated: true) }
    days = Set(sums.days.rows.keys.map(\.day)).sorted().map { day in
      (day, ArmTallies(sums.flat { sums.days[.init(day: day, arm: $0)] }, arms: question.arms, question.metric))
    }
    settled = SettledTallies(sums.settled, question)
    // Within one of its own values there is nothing to compare.
    var fields = ComparisonQuestion.checkedAttributes.filter { $0 != question.comparedProperty }
    if let by = question.by, !fields.contains(by) { fields.append(by) }
    properties = fields.map { ($0, Self.strata(sums, $0, question)) }
    times = arms.map { arm in
      let histogram = TimeHistogram()
      for isContaminated in question.policy == .first ? [false, true] : [false] {
        let key = key(arm, isContaminated: isContaminated)
        for series in TimeSeries.answers { sums.times[.init(arm: key, series: series)].map { histogram.add($0) } }
      }
      return histogram
    }
  }

  /// Throws if the log does not hold what the metric takes. Of nobody there is nothing to refuse.
  func requireEvidence() throws(EvidenceError) {
    guard counted.contains(where: { $0.exposed > 0 }),
      let evidence = question.metric.evidence.first(where: missing.contains)
    else { return }
    throw EvidenceError(evidence: evidence, figure: question.metric.rawValue)
  }

  /// None first, then by value, bytewise.
  private static func strata(
    _ sums: ComparisonSums, _ field: StringField, _ question: ComparisonQuestion
  ) -> [ValueTallies] {
    let values = Set(sums.strata.rows.keys.filter { $0.property == field }.map(\.value))
    return values.sorted { $0.lexicographicallyPrecedes($1) }.map { value in
      let integers = sums.flat { sums.strata[.init(property: field, value: value, arm: $0)] }
      return (
        value.orAbsent.map { String(decoding: $0, as: UTF8.self) },
        ArmTallies(integers, arms: question.arms, question.metric)
      )
    }
  }

  /// By arm, each user counted for the variant seen first.
  var all: [ArmCounts] { zip(clean, contaminated).map { $0 + $1 } }

  /// By arm, under the policy.
  var counted: [ArmCounts] { question.policy == .first ? all : clean }

  /// Two arms' part of a day's or a value's tallies, under the policy.
  func counted(_ arms: ArmTallies, _ pair: Comparison.Pair) -> (a: Comparison.Tally, b: Comparison.Tally) {
    let tallies = question.policy == .first ? arms.all : arms.clean
    return (tallies[pair.control], tallies[pair.treatment])
  }

  /// Days all of whose exposures have their say on the metric, oldest first.
  var finishedDays: ArraySlice<(day: DayNumber, arms: ArmTallies)> {
    let windows = question.windows
    let zone = question.zone
    let asOfDay = zone.lastBegunDay(at: windows.asOf)
    let last = days.lastIndex { day, _ in
      let end = zone.firstMoment(of: day + 1) - 1
      guard end + windows.response <= windows.asOf else { return false }
      return switch question.metric {
      case .grantedByDay28: end + windows.followUp <= windows.asOf
      case .retentionDay7: day + 8 <= asOfDay
      default: true
      }
    }
    return days[..<(last.map { $0 + 1 } ?? 0)]
  }
}
