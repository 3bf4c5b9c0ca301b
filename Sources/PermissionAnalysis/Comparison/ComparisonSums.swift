// The integers of a finished fold, by name, with the contamination policy applied: what the figures are made of.

import PermissionEvents

/// Tallies of each arm, of users who saw one message and of those who saw several.
struct TallyRow {
  var clean: [Comparison.Tally]
  var contaminated: [Comparison.Tally]

  init(arms: Int) {
    clean = [Comparison.Tally](repeating: .init(), count: arms)
    contaminated = clean
  }

  /// - Parameter integers: `ArmCounter.count` for each number of `ArmPlace`.
  init(_ integers: [Int64], arms: Int, _ metric: ComparisonMetric) {
    func tally(_ arm: Int, isContaminated: Bool) -> Comparison.Tally {
      let start = ArmPlace.number(arm, isContaminated: isContaminated) * ArmCounter.count
      return ArmCounts(integers[start..<start + ArmCounter.count]).tally(metric)
    }
    clean = (0..<arms).map { tally($0, isContaminated: false) }
    contaminated = (0..<arms).map { tally($0, isContaminated: true) }
  }

  /// By arm, each user counted for the first message.
  var all: [Comparison.Tally] { zip(clean, contaminated).map { $0 + $1 } }

  func counted(_ policy: ContaminationPolicy) -> [Comparison.Tally] { policy == .first ? all : clean }

  mutating func add(_ other: TallyRow) {
    for arm in clean.indices {
      clean[arm] = clean[arm] + other.clean[arm]
      contaminated[arm] = contaminated[arm] + other.contaminated[arm]
    }
  }
}

struct ComparisonSums {
  /// A value of a property, nil where the exposure has none, and its users.
  typealias Stratum = (value: String?, row: TallyRow)

  let question: ComparisonQuestion
  let clean: [ArmCounts]
  let contaminated: [ArmCounts]
  /// By day of exposure, oldest first.
  let days: [(day: DayNumber, row: TallyRow)]
  /// By property: those checked always, then the one asked for.
  let properties: [(field: StringField, strata: [Stratum])]
  /// Times to answer by arm, under the policy.
  let times: [TimeHistogram]

  /// - Parameter counts: of all users.
  init(_ counts: ComparisonCounts, _ question: ComparisonQuestion) {
    self.question = question
    let arms = 0..<question.arms
    func arm(_ arm: Int, isContaminated: Bool) -> ArmCounts {
      let start = ArmPlace.number(arm, isContaminated: isContaminated) * ArmCounter.places
      return counts.arms.isEmpty ? ArmCounts() : ArmCounts(counts.arms[start..<start + ArmCounter.places])
    }
    clean = arms.map { arm($0, isContaminated: false) }
    contaminated = arms.map { arm($0, isContaminated: true) }
    days = counts.days.map { day, integers in
      (day, TallyRow(integers, arms: question.arms, question.metric))
    }.sorted { $0.day < $1.day }
    var fields = ComparisonQuestion.checkedAttributes
    if let by = question.by, !fields.contains(by) { fields.append(by) }
    properties = fields.map { ($0, Self.strata(counts, $0, question)) }
    times = arms.map { arm in
      let histogram = TimeHistogram()
      let numbers = [false] + (question.policy == .first ? [true] : [])
      for number in numbers.map({ ArmPlace.number(arm, isContaminated: $0) }) where !counts.times.isEmpty {
        for series in RowTimes.answers { histogram.add(counts.times[number * TimeSeries.count + series.rawValue]) }
      }
      return histogram
    }
  }

  /// None first, then by value, bytewise.
  private static func strata(
    _ counts: ComparisonCounts, _ field: StringField, _ question: ComparisonQuestion
  ) -> [Stratum] {
    let rows = counts.strata.filter { $0.key.property == field }.map { (value: $0.key.value, integers: $0.value) }
    let ordered = rows.sorted { a, b in
      guard let right = b.value else { return false }
      return a.value?.lexicographicallyPrecedes(right) ?? true
    }
    return ordered.map { value, integers in
      let row = TallyRow(integers, arms: question.arms, question.metric)
      return (value.map { String(decoding: $0, as: UTF8.self) }, row)
    }
  }

  /// By arm, each user counted for the first message.
  var all: [ArmCounts] { zip(clean, contaminated).map { $0 + $1 } }

  /// By arm, under the policy.
  var counted: [ArmCounts] { question.policy == .first ? all : clean }

  /// The last day all of whose exposures have their say on the metric.
  func lastFinishedDay() -> DayNumber? {
    let windows = question.windows
    let zone = question.zone
    let asOfDay = zone.lastBegunDay(at: windows.asOf)
    return days.last { day, _ in
      let end = zone.firstMoment(of: day + 1) - 1
      guard end + windows.response <= windows.asOf else { return false }
      return switch question.metric {
      case .grantedByDay28: end + windows.followUp <= windows.asOf
      case .retentionDay7: day + 8 <= asOfDay
      default: true
      }
    }?.day
  }

  /// Days all of whose exposures have their say on the metric.
  var finishedDays: [(day: DayNumber, row: TallyRow)] {
    guard let last = lastFinishedDay() else { return [] }
    return Array(days.prefix { $0.day <= last })
  }
}
