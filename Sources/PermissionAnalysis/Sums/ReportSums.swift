// The sums of a report: all figures come from these.

public import Folding
import PermissionEvents

/// The counts of a report for some users.
public struct ReportSums: FoldSums {
  public static let name = "report 7"
  public static var layout: SumsLayout<Self> {
    [
      .part(\.totals), .part(\.groups), .part(\.activity), .part(\.reach), .part(\.evidence), .part(\.versions),
      .part(\.timing), .part(\.known), .part(\.calls),
    ]
  }

  private var totals = CountRow(
    "totals", columns: ["users", "events", "active_users"], bound: CheckedSum.limit, [0, 0, 0])
  var groups = GroupedSums()
  /// Events by permission, week and kind.
  var activity = CountTable<ActivityKey, Int64>("activity", columns: ["events"], bound: CheckedSum.limit)
  /// Active users by permission: their states, and of these the changes of the last 28 days.
  var reach = CountTable<[UInt8], [Int64]>("reach", columns: ReachTable.columns)
  var evidence = EvidenceSums()
  /// Of the exposures of the interval; empty unless the question asks for them.
  var versions = DaySums.versions
  /// Base and granted.
  var timing = CountTable<TimingKey, [Int64]>("timing", columns: ["base", "granted"])
  /// Names of the question that a log has.
  package var known = NameSums()
  /// How fast prompts were answered.
  package var calls = CallSums()

  struct ActivityKey: SumKey {
    /// Empty for kinds that belong to none.
    var permission: [UInt8] = []
    /// Index of the ISO week.
    var week: Int64 = 0
    /// Number of the `EventKind`.
    var kind = 0

    private static let kinds = SumKeys.words(EventKind.names)

    mutating func visit(_ parts: inout KeyParts) {
      parts.nameOrNone("permission", &permission)
      parts.week("week", &week)
      parts.word("kind", &kind, of: Self.kinds)
    }
  }

  struct TimingKey: SumKey {
    var permission: [UInt8] = []
    var scale = TimingScale.install
    /// The number of the class in its scale.
    var number = 0

    private static let scales = SumKeys.words(TimingScale.allCases.map { CounterNames.snakeCase("\($0)") })
    private static let classes = TimingScale.allCases.map { SumKeys.words($0.classes.map { "\($0)" }) }

    mutating func visit(_ parts: inout KeyParts) {
      parts.name("permission", &permission)
      parts.part("classification", &scale, { Self.scales[$0.rawValue] }) { part in
        TimingScale.allCases.first { Self.scales[$0.rawValue] == part }
      }
      parts.word("class", &number, of: Self.classes[scale.rawValue])
    }
  }

  public init() {}

  var users: Int64 {
    get { totals.row[0] }
    set { totals.row[0] = newValue }
  }
  var events: Int64 {
    get { totals.row[1] }
    set { totals.row[1] = newValue }
  }
  /// Users with any event in the 28 days up to as_of.
  var activeUsers: Int64 {
    get { totals.row[2] }
    set { totals.row[2] = newValue }
  }

  package var counted: (users: Int64, events: Int64) { (users, events) }

  // MARK: Checks

  public func checkCounts() throws(SumsError) {
    guard activeUsers <= users, users <= events else {
      throw SumsError(.damaged, "table totals has more users than events")
    }
    guard reach.rows.values.allSatisfy({ $0.prefix(ReachTable.states.count).reduce(0, +) <= activeUsers }) else {
      throw reach.shape.damaged("has more users than are active")
    }
    guard reach.rows.values.allSatisfy({ $0[5] <= $0[0] + $0[1] && $0[6] <= $0[2] + $0[3] }) else {
      throw reach.shape.damaged("has more users who changed a permission than have that state")
    }
    guard timing.rows.values.allSatisfy({ $0[1] <= $0[0] }) else {
      throw timing.shape.damaged("has more grants than journeys")
    }
    // Every journey is in one class of each classification.
    for permission in Set(timing.rows.keys.map(\.permission)) {
      let totals = TimingScale.allCases.map { timed(permission, $0) }
      guard totals.allSatisfy({ $0 == totals[0] }) else {
        throw timing.shape.damaged("does not have the same journeys in all classifications")
      }
    }
  }

  /// Base and granted in all classes of a classification. Each is at most 2^40, so nothing overflows.
  private func timed(_ permission: [UInt8], _ scale: TimingScale) -> SIMD2<Int64> {
    scale.classes.indices.reduce(into: .zero) { sum, number in
      let counts = timing[TimingKey(permission: permission, scale: scale, number: number)] ?? [0, 0]
      sum &+= SIMD2(counts[0], counts[1])
    }
  }

  /// Sums from a file may be of a different question than the one in the file.
  package func checkCounts(for question: ReportQuestion) throws(SumsError) {
    try groups.checkCounts(properties: question.properties.count)
    try checkTiming(question)
  }

  /// Every journey of the base is in one class of each classification, unless there is a breakdown: then there are
  /// no classes. Sums from a file may contradict that.
  private func checkTiming(_ question: ReportQuestion) throws(SumsError) {
    guard question.hasTiming else {
      guard timing.rows.isEmpty else {
        throw timing.shape.damaged("has journeys, but sums with a breakdown cannot have any")
      }
      return
    }
    var journeys: [[UInt8]: SIMD2<Int64>] = [:]
    for (slot, key) in groups.keys.enumerated() {
      let outcomes = Outcome.base.map { groups.integer(slot, Counter.granted.rawValue + $0.rawValue) }
      let counts = SIMD2(outcomes.reduce(0, &+), outcomes.first ?? 0)
      if counts != .zero { journeys[groups.permissions[Int(key.permission)], default: .zero] &+= counts }
    }
    var timed: [[UInt8]: SIMD2<Int64>] = [:]
    for permission in Set(timing.rows.keys.map(\.permission)) {
      let counts = self.timed(permission, .install)
      if counts != .zero { timed[permission] = counts }
    }
    guard journeys == timed else { throw timing.shape.damaged("does not have the same journeys as table groups") }
  }
}

/// The integers of one row: of one group, or of several together.
struct RowSums {
  private var integers: [Int64]
  /// All bits of the added integers. Counts of a walk are far below any limit, so single additions need no check.
  private var seen: Int64 = 0

  init(_ groups: GroupedSums, slots: some Collection<Int>) throws(SumsError) {
    self.init(checked: groups, slots: slots)
    if seen >= 1 << 40 || slots.count >= 1 << 10 { try checkCounts(groups, slots) }
  }

  /// Of slots that were added up before, and were not refused.
  init(checked groups: GroupedSums, slots: some Collection<Int>) {
    integers = [Int64](repeating: 0, count: GroupedSums.width)
    for slot in slots {
      groups.forEachInteger(of: slot) { place, value in
        integers[place] &+= value
        seen |= value
      }
    }
  }

  /// The same with each addition checked. Figures multiply counts by 100 and add up some of the sums.
  private mutating func checkCounts(_ groups: GroupedSums, _ slots: some Collection<Int>) throws(SumsError) {
    integers = [Int64](repeating: 0, count: GroupedSums.width)
    for slot in slots {
      for (place, value) in groups.integers(of: slot).enumerated() {
        integers[place] = try CheckedSum.add(integers[place], value)
      }
    }
    for (place, value) in integers.enumerated() where value > (place < Counter.places ? 1 << 50 : 1 << 60) {
      throw SumsError(.overflow, "the sums of a row are too large")
    }
  }

  subscript(_ counter: Counter) -> Int { self[place: counter.rawValue] }

  /// A counter by an outcome of the base, by that of granted.
  subscript(_ granted: Counter, _ outcome: Outcome) -> Int { self[place: granted.rawValue + outcome.rawValue] }

  /// An index of `Counter` and its families.
  subscript(place place: Int) -> Int { Int(integers[place]) }

  subscript(_ sum: JourneySum) -> Int { self.sum(place: sum.rawValue) }

  /// An index of `JourneySum` and its families.
  func sum(place: Int) -> Int { Int(integers[Counter.places + place]) }
}

/// Histograms of all series of some slots.
final class RowTimes {
  private let histograms = TimeSeries.allCases.map { _ in TimeHistogram() }
  /// By series the times in its histogram.
  private var filled = [[BucketCounts]](repeating: [], count: TimeSeries.count)

  subscript(_ series: TimeSeries) -> TimeHistogram { histograms[series.rawValue] }

  /// Replaces the times of the previous row by the times of some slots.
  func fill(_ groups: GroupedSums, slots: some Collection<Int>) {
    let counts = slots.map { groups.times(of: $0) }
    for series in TimeSeries.allCases {
      self[series].remove(filled[series.rawValue])
      let counts = counts.map { $0[$0.startIndex + series.rawValue] }
      for count in counts { self[series].add(count) }
      filled[series.rawValue] = counts
    }
  }
}
