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

  init(_ table: borrowing TallyTable, slot: Int, arms: Int) {
    clean = (0..<arms).map { table.tally(slot: slot, arm: $0, contaminated: false) }
    contaminated = (0..<arms).map { table.tally(slot: slot, arm: $0, contaminated: true) }
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

  /// - Parameter fold: of all users.
  init(_ fold: ComparisonFold) {
    let question = fold.question
    self.question = question
    let arms = 0..<question.arms
    clean = arms.map { ArmCounts(fold.arms.counters(of: $0, contaminated: false)) }
    contaminated = arms.map { ArmCounts(fold.arms.counters(of: $0, contaminated: true)) }
    days = fold.days.keys.enumerated().map { slot, key in
      (DayNumber(key), TallyRow(fold.days, slot: slot, arms: question.arms))
    }.sorted { $0.day < $1.day }
    var properties = ComparisonQuestion.checkedAttributes.enumerated().map { place, field in
      (field, Self.strata(fold, attribute: place))
    }
    if let by = question.by, !ComparisonQuestion.checkedAttributes.contains(by) {
      properties.append((by, Self.strata(fold)))
    }
    self.properties = properties
    times = arms.map { arm in
      let histogram = TimeHistogram()
      for series in RowTimes.answers {
        fold.times.add(
          series, slots: question.policy == .first ? [arm * 2, arm * 2 + 1] : [arm * 2], to: histogram)
      }
      return histogram
    }
  }

  /// By arm, each user counted for the first message.
  var all: [ArmCounts] { zip(clean, contaminated).map { $0 + $1 } }

  /// By arm, under the policy.
  var counted: [ArmCounts] { question.policy == .first ? all : clean }

  /// The strata of one of the checked attributes: combinations with the same value together.
  private static func strata(_ fold: ComparisonFold, attribute place: Int) -> [Stratum] {
    let arms = fold.question.arms
    var rows: [UInt32: TallyRow] = [:]
    for (slot, key) in fold.attributes.keys.enumerated() {
      guard fold.contexts.attributes.indices.contains(key) else { continue }
      let code = fold.contexts.attributes[key][place]
      rows[code, default: TallyRow(arms: arms)].add(TallyRow(fold.attributes, slot: slot, arms: arms))
    }
    return named(rows, fold.contexts.attributeValues[place])
  }

  private static func strata(_ fold: ComparisonFold) -> [Stratum] {
    var rows: [UInt32: TallyRow] = [:]
    for (slot, key) in fold.properties.keys.enumerated() {
      rows[UInt32(truncatingIfNeeded: key)] = TallyRow(fold.properties, slot: slot, arms: fold.question.arms)
    }
    return named(rows, fold.contexts.properties)
  }

  /// None first, then by name, bytewise.
  private static func named(_ rows: [UInt32: TallyRow], _ names: [[UInt8]]) -> [Stratum] {
    rows.keys.sorted { a, b in
      if a == 0 || b == 0 { return a == 0 && b != 0 }
      return names[Int(a)].lexicographicallyPrecedes(names[Int(b)])
    }.compactMap { code in
      rows[code].map { (code == 0 ? nil : String(decoding: names[Int(code)], as: UTF8.self), $0) }
    }
  }

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
