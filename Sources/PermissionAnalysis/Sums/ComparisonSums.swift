// The sums of a comparison: all its numbers come from these.

public import Folding
import PermissionEvents

/// The counts of a comparison for some users, by arm and by whether the user saw several variants.
public struct ComparisonSums: FoldSums {
  public static let name = "comparison 6"
  public static var layout: SumsLayout<Self> {
    [
      .part(\.list), .part(\.arms), .part(\.days), .part(\.strata), .part(\.settled), .part(\.times), .part(\.versions),
      .part(\.evidence), .part(\.screens), .part(\.known), .part(\.notAsked), .part(\.calls),
    ]
  }

  private var list = VariantList()
  /// By `ArmCounter`, with the survivals.
  var arms = CountTable<ArmKey, [Int64]>("arms", columns: ArmCounter.armNames)
  /// By calendar day of the exposure: by `ArmCounter`, without them.
  var days = CountTable<DayKey, [Int64]>("days", columns: ArmCounter.names)
  /// The same by value of a property of the exposure.
  var strata = CountTable<StratumKey, [Int64]>("strata", columns: ArmCounter.names)
  /// By the day by whose end a journey is settled.
  var settled = SettledSums()
  /// Times to answer.
  var times = CountTable<TimesKey, BucketCounts>(times: "times")
  /// Exposures of all arms.
  var versions = DaySums.versions
  /// Of all users, whatever messages they saw.
  var evidence = EvidenceSums()
  /// Screens of the arms' messages up to as_of, whoever saw them and whatever conditions there are, by the experiment that they belong to:
  /// two experiments may have messages of one name. Empty unless messages are compared.
  var screens = CountTable<ScreenKey, Int64>("screens", columns: ["screens"], bound: CheckedSum.limit)
  /// Names of the question that a log has.
  package var known = NameSums()
  /// Users who are not exposed, because all calls with the arm's message returned at once.
  var notAsked = CountTable<VariantKey, Int64>("not_asked", columns: ["users"])
  /// How fast prompts were answered.
  package var calls = CallSums()

  public init() {}

  /// The arms in their order; nil is an arm of all variants. Empty before anything was counted.
  var variants: [[UInt8]?] {
    get { list.variants }
    set { list.variants = newValue }
  }

  /// The counters of all arms one after the other, as `ArmIndex` numbers them.
  func flat(width: Int = ArmCounter.count, _ counts: (ArmKey) -> [Int64]?) -> [Int64] {
    armKeys.flatMap { counts($0) ?? [Int64](repeating: 0, count: width) }
  }

  /// Splits the result of `flat`, except for arms without users.
  func forEachArm(_ integers: [Int64], _ body: (ArmKey, [Int64]) -> Void) {
    let width = integers.count / max(1, 2 * variants.count)
    for (number, key) in armKeys.enumerated() {
      let counts = Array(integers[number * width..<(number + 1) * width])
      if counts.contains(where: { $0 != 0 }) { body(key, counts) }
    }
  }

  /// In the order of `ArmIndex`.
  var armKeys: [ArmKey] {
    variants.flatMap { variant in [false, true].map { ArmKey(variant: .init(variant: variant), seesSeveral: $0) } }
  }

  /// Names of the experiments that screens of the messages belong to, in order.
  package var experiments: [String] {
    let names = Set(screens.rows.keys.map(\.experiment)).subtracting([[]])
    return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }
}

// MARK: Keys

extension ComparisonSums {
  struct VariantKey: SumKey {
    /// Nil for all variants.
    var variant: [UInt8]?

    mutating func visit(_ parts: inout KeyParts) { parts.part("variant", &variant, { $0 }, { $0 }) }
  }

  struct ArmKey: SumKey {
    var variant = VariantKey()
    /// Of users who saw several variants.
    var seesSeveral = false

    mutating func visit(_ parts: inout KeyParts) {
      variant.visit(&parts)
      parts.word("messages_seen", &seesSeveral, no: "one", yes: "several")
    }
  }

  struct DayKey: SumKey {
    var day: DayNumber = 0
    var arm = ArmKey()

    mutating func visit(_ parts: inout KeyParts) {
      parts.day("day", &day)
      arm.visit(&parts)
    }
  }

  struct StratumKey: SumKey {
    var property = StringField.appVersion
    /// Empty if the exposure has no value.
    var value: [UInt8] = []
    var arm = ArmKey()

    mutating func visit(_ parts: inout KeyParts) {
      parts.property("property", &property)
      parts.nameOrNone("value", &value)
      arm.visit(&parts)
    }
  }

  struct TimesKey: SumKey {
    var arm = ArmKey()
    var series = TimeSeries.granted

    mutating func visit(_ parts: inout KeyParts) {
      arm.visit(&parts)
      parts.part("series", &series, { TimeSeries.names[$0.rawValue] }) { part in
        TimeSeries.allCases.first { TimeSeries.names[$0.rawValue] == part }
      }
    }
  }

  struct ScreenKey: SumKey {
    var variant: [UInt8] = []
    /// Empty for screens of no experiment.
    var experiment: [UInt8] = []

    mutating func visit(_ parts: inout KeyParts) {
      parts.name("variant", &variant)
      parts.nameOrNone("experiment", &experiment)
    }
  }
}

/// The arms in their order: the same in all sums that add up.
struct VariantList: SumsPart {
  var variants: [[UInt8]?] = []

  private static let shape = TableShape(
    "variants", keys: ComparisonSums.VariantKey.names, columns: .named(["place"]), isOfNobody: true)

  init() {}

  mutating func add(_ other: VariantList) throws(SumsError) {
    if variants.isEmpty { variants = other.variants }
    guard other.variants.isEmpty || variants == other.variants else {
      throw SumsError(.otherQuestion, "these sums are of different messages")
    }
  }

  var tables: [SumTable] {
    [Self.shape.empty.filled(variants.enumerated().map { (key: [$1], row: SumTable.Row([Int64($0) + 1])) })]
  }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    let rows = try Self.shape.rows(in: tables).sorted { $0.row[0] < $1.row[0] }
    guard rows.count <= ComparisonQuestion.mostVariants,
      rows.map({ $0.row[0] }).elementsEqual(1..<Int64(rows.count) + 1)
    else { throw Self.shape.damaged("does not number the variants from 1 without gaps") }
    variants = rows.map { $0.key[0] }
  }
}

// MARK: Checks

extension ComparisonSums {
  /// Sums from a file may be of different messages than the question in the file.
  package func checkCounts(for question: ComparisonQuestion) throws(SumsError) {
    guard variants.isEmpty || variants == question.armNames else {
      throw SumsError(.otherQuestion, "the sums are of different messages than the question")
    }
  }

  /// Checks the assumptions of figures: outcomes add up, and no share is above 1.
  public func checkCounts() throws(SumsError) {
    // Sums without arms are sums of no users. Others are added to them in any order.
    var nobody = ComparisonSums()
    nobody.known = known
    guard !variants.isEmpty || nobody.tables == tables else {
      throw SumsError(.damaged, "there are no variants, but something was counted")
    }
    try checkArms(arms, \.self)
    try checkArms(days, \.arm)
    try checkArms(strata, \.arm)
    guard times.rows.keys.allSatisfy({ variants.contains($0.arm.variant.variant) }) else { throw times.shape.otherKey }
    guard notAsked.rows.keys.allSatisfy({ variants.contains($0.variant) }) else { throw notAsked.shape.otherKey }
    guard screens.rows.keys.allSatisfy({ variants.contains($0.variant) }) else { throw screens.shape.otherKey }
    let all = armKeys.map { arms[$0]?.prefix(ArmCounter.count) ?? [] }
    guard total(days.rows, \.arm) == all else { throw SumsError(.damaged, "the days do not add up to the arms") }
    for property in Set(strata.rows.keys.map(\.property)) {
      guard total(strata.rows.filter { $0.key.property == property }, \.arm) == all else {
        throw SumsError(.damaged, "the values of \(property.name) do not add up to the arms")
      }
    }
    try settled.checkCounts(of: flat(width: ArmCounter.places) { arms[$0] })
  }

  /// Throws unless a table is of the arms, and each of its rows is of journeys.
  private func checkArms<Key: SumKey>(_ table: CountTable<Key, [Int64]>, _ arm: (Key) -> ArmKey) throws(SumsError) {
    for (key, integers) in table.rows {
      guard variants.contains(arm(key).variant.variant) else {
        throw table.shape.damaged("has a key that names no arm")
      }
      let counts = ArmCounts(integers[..<ArmCounter.count])
      let answered = Outcome.base.reduce(0) { $0 + counts[$1] }
      let isWhole = ComparisonMetric.allCases.allSatisfy { metric in
        let tally = counts.tally(metric)
        return tally.successes >= 0 && tally.successes <= tally.trials && tally.trials <= counts.exposed
      }
      guard answered == counts.base, isWhole else {
        throw SumsError(.damaged, "the counts of an arm contradict each other")
      }
    }
  }

  /// The counters of each arm, all rows together. Empty for an arm without users.
  private func total<Key: SumKey>(_ rows: [Key: [Int64]], _ arm: (Key) -> ArmKey) -> [ArraySlice<Int64>] {
    var total: [ArmKey: [Int64]] = [:]
    for (key, counts) in rows { total[arm(key)] = total[arm(key)].map { zip($0, counts).map { $0 &+ $1 } } ?? counts }
    return armKeys.map { total[$0]?[...] ?? [] }
  }
}
