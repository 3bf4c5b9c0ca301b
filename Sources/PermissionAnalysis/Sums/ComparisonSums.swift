// The sums of a comparison: all its numbers come from these.

public import Folding
import PermissionEvents

/// The counts of a comparison for some users.
public struct ComparisonSums: FoldSums {
  public static let name = "comparison 10"
  public static var layout: SumsLayout<Self> {
    [
      .part(\.shown), .part(\.assigned), .part(\.assignments), .part(\.mismatched), .part(\.evidence), .part(\.screens),
      .part(\.screensOfExperiment), .part(\.screensWithMessage), .part(\.answersWithMessage),
      .part(\.givenExperiments), .part(\.known), .part(\.calls),
    ]
  }

  /// By the messages that screens, or Settings prompts, showed.
  var shown = ArmSums()
  /// By the variants that users were given; empty without assignments to the experiment.
  var assigned = AssignedSums()
  /// Users by the variant given first, whether or not they were asked.
  var assignments = CountTable<AssignmentKey, AssignmentCounts>("assignments", columns: AssignmentCounts.names)
  /// Users who were given another variant than their screens showed.
  var mismatched = CountRow<Int64>("mismatched", columns: ["users"], 0)
  /// Of all users, whatever messages they saw.
  var evidence = EvidenceSums()
  /// Screens of the arms' messages up to as_of, whoever saw them and whatever conditions there are, by the experiment that they belong to:
  /// two experiments may have messages of one name. Empty unless messages are compared. In a comparison of Settings messages these and the
  /// next two counts are of Settings prompts.
  var screens = CountTable<ScreenKey, Int64>("screens", columns: ["screens"], bound: CheckedSum.limit)
  /// Screens of the permission with the experiment, and with any message.
  var screensOfExperiment = CountRow<Int64>(
    "screens_of_experiment", columns: ["screens"], bound: CheckedSum.limit, 0)
  var screensWithMessage = CountRow<Int64>("screens_with_message", columns: ["screens"], bound: CheckedSum.limit, 0)
  /// Experiments in which users were assigned to the messages, if the question names none; adding up joins them.
  var givenExperiments = CountTable<ScreenKey, Int64>(
    "given_experiments", columns: ["given"], bound: CheckedSum.limit)
  /// Answers of the permission with a message.
  var answersWithMessage = CountRow<Int64>("answers_with_message", columns: ["answers"], bound: CheckedSum.limit, 0)
  /// Names of the question that a log has.
  package var known = NameSums()
  /// How fast prompts were answered.
  package var calls = CallSums()

  public init() {}

  /// Whether a user's message is the variant given: users were given variants of the experiment, and no screen carries it.
  package var areByAssignment: Bool { screensOfExperiment.row == 0 && !assigned.arms.variants.isEmpty }

  /// If no screen and no answer carries a message, the experiments in which users were assigned to all of the question's.
  package var experimentsToName: [String] {
    guard screensWithMessage.row == 0, shown.arms.rows.isEmpty else { return [] }
    let variants = Dictionary(grouping: givenExperiments.rows.keys, by: \.experiment)
    return variants.filter { Set($0.value.map(\.variant)).isSuperset(of: shown.variants.compactMap(\.self)) }.keys
      .sorted { $0.lexicographicallyPrecedes($1) }.map { String(bounded: $0) }
  }

  /// Whether some answers carry messages, and no screens do; answers without any screens count alone.
  package var hasOnlyAnswersWithMessages: Bool {
    answersWithMessage.row > 0 && screensWithMessage.row == 0 && shown.arms.rows.isEmpty && !areByAssignment
  }

  /// If answers have the messages: the users without one, and all who saw a screen.
  package var withoutMessage: (users: Int, of: Int) { (Int(shown.withoutMessage.row), Int(shown.journeys.row)) }
  /// Whether screens, or the Settings prompts that are compared, show one of the messages in the experiment; nil for any.
  package func showMessages(of experiment: String?) -> Bool {
    let name = experiment.map { Array($0.utf8) }
    return screens.rows.keys.contains { name == nil || $0.experiment == name }
  }

  /// Whether it is known of all screens with these messages, or of all Settings prompts, which experiment they belong to.
  var nameAllExperiments: Bool { !screens.rows.keys.contains { $0.experiment.isEmpty } }
  package var haveNoUsers: Bool { shown.arms.rows.isEmpty }
  package var haveScreensMessages: Bool { screensWithMessage.row > 0 }

  /// Takes what is counted of all users from the sums of another comparison with the same permission and screen.
  mutating func takeCounts(ofAllUsers other: ComparisonSums) {
    evidence = other.evidence
    screensWithMessage = other.screensWithMessage
    answersWithMessage = other.answersWithMessage
  }

  /// The counts that answer the question.
  var read: ArmSums { areByAssignment ? assigned.arms : shown }

  /// Names of the experiments that screens of the messages belong to, in order.
  package var experiments: [String] {
    let names = Set(screens.rows.keys.map(\.experiment)).subtracting([[]])
    return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(bounded: $0) }
  }
}

/// The counts of a comparison by arm and by whether the user saw, or was given, several variants.
struct ArmSums: SumsOfParts {
  static var layout: SumsLayout<Self> {
    [
      .part(\.list), .part(\.arms), .part(\.days), .part(\.strata), .part(\.settled), .part(\.times), .part(\.versions),
      .part(\.notAsked), .part(\.notDenied), .part(\.messageBefore), .part(\.journeys), .part(\.withoutMessage),
      .part(\.exposedBefore),
    ]
  }

  typealias VariantKey = ComparisonSums.VariantKey
  typealias ArmKey = ComparisonSums.ArmKey

  private var list = VariantList()
  /// By `ArmCounter`, with the survivals.
  var arms = CountTable<ArmKey, [Int64]>("arms", columns: ArmCounter.armNames)
  /// By calendar day of the exposure: by `ArmCounter`, without them.
  var days = CountTable<ComparisonSums.DayKey, [Int64]>("days", columns: ArmCounter.names)
  /// The same by value of a property of the exposure.
  var strata = CountTable<ComparisonSums.StratumKey, [Int64]>("strata", columns: ArmCounter.names)
  /// By the day by whose end a journey is settled.
  var settled = SettledSums()
  /// Times to answer.
  var times = CountTable<ComparisonSums.TimesKey, BucketCounts>(times: "times")
  /// Exposures of all arms.
  var versions = DaySums.versions
  /// Users who are not exposed, because all calls with the arm's message returned at once.
  var notAsked = CountTable<VariantKey, Int64>("not_asked", columns: ["users"])
  /// Users who saw a Settings prompt with the arm's message, and whose journey has no denial before it.
  var notDenied = CountTable<VariantKey, Int64>("not_denied", columns: ["users"])
  /// Users of Settings prompts who saw one of the messages on a screen of their journey, up to the denial, in the same experiment.
  var messageBefore = CountTable<VariantKey, Int64>("message_before", columns: ["users"])
  /// If the answer has the message: journeys of the base with any message or none, and those among them without one, as they
  /// have no answer or their answer has none. Of Settings prompts: denied journeys with a prompt of the arms, and those among them
  /// that are not counted, as their first prompt after the denial has no message.
  var journeys = CountRow<Int64>("journeys", columns: ["users"], 0)
  var withoutMessage = CountRow<Int64>("without_message", columns: ["users"], 0)

  /// Users who were exposed to a message of the test before its first day.
  var exposedBefore = CountRow<Int64>("exposed_before", columns: ["users"], 0)

  init() {}

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
}

/// The same for users who were given a variant, in tables whose names say so.
struct AssignedSums: SumsPart {
  var arms = ArmSums()

  private static let prefix = "assigned_"

  var tables: [SumTable] { arms.tables.map { $0.named(Self.prefix + $0.name) } }

  mutating func add(_ other: AssignedSums) throws(SumsError) { try arms.add(other.arms) }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    // A table that is missing is named as the file should have it.
    for table in AssignedSums().tables { _ = try tables.table(like: table) }
    try arms.read(
      tables.filter { $0.name.hasPrefix(Self.prefix) }.map { $0.named(String($0.name.dropFirst(Self.prefix.count))) })
  }
}

/// Users who were given a variant on a day.
struct AssignmentCounts: SumRow, Hashable {
  /// All; of them those who saw a screen from then on, those whose screens were all before, and those who were given several variants.
  var users: Int64 = 0, exposed: Int64 = 0, askedBefore: Int64 = 0, several: Int64 = 0

  static let names = ["users", "exposed", "asked_before", "several"]

  init() {}

  init?(_ row: SumTable.Row, width: Int) {
    let all = [Int64](row, width: width) ?? []
    (users, exposed, askedBefore, several) = (all[0], all[1], all[2], all[3])
    guard exposed <= users, askedBefore <= users - exposed, several <= users else { return nil }
  }

  var row: SumTable.Row { SumTable.Row(all) }
  private var all: [Int64] { [users, exposed, askedBefore, several] }

  mutating func add(_ other: Self) throws(SumsError) {
    var sums = all
    try sums.add(other.all)
    (users, exposed, askedBefore, several) = (sums[0], sums[1], sums[2], sums[3])
  }

  mutating func add(_ exposure: AssignedExposure, seesSeveral: Bool) {
    users += 1
    exposed += exposure == .exposed ? 1 : 0
    askedBefore += exposure == .before ? 1 : 0
    several += seesSeveral ? 1 : 0
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

  struct AssignmentKey: SumKey {
    /// Of the first assignment.
    var day: DayNumber = 0
    var variant = VariantKey()

    mutating func visit(_ parts: inout KeyParts) {
      parts.day("day", &day)
      variant.visit(&parts)
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
    for variants in [shown.variants, assigned.arms.variants] {
      guard variants.isEmpty || variants == question.armNames else {
        throw SumsError(.otherQuestion, "the sums are of different messages than the question")
      }
    }
  }

  /// Checks the assumptions of figures: outcomes add up, and no share is above 1.
  public func checkCounts() throws(SumsError) {
    // Sums without arms are sums of no users. Others are added to them in any order.
    var nobody = ComparisonSums()
    nobody.known = known
    guard !shown.variants.isEmpty || nobody.tables == tables else {
      throw SumsError(.damaged, "there are no variants, but something was counted")
    }
    guard screens.rows.keys.allSatisfy({ shown.variants.contains($0.variant) }) else { throw screens.shape.otherKey }
    guard givenExperiments.rows.keys.allSatisfy({ shown.variants.contains($0.variant) }) else {
      throw givenExperiments.shape.otherKey
    }
    let given = assigned.arms
    guard assignments.rows.keys.allSatisfy({ given.variants.contains($0.variant.variant) }) else {
      throw assignments.shape.otherKey
    }
    for variant in given.variants {
      let exposed = assignments.rows.filter { $0.key.variant.variant == variant }.reduce(0) { $0 &+ $1.value.exposed }
      let counted = given.armKeys.filter { $0.variant.variant == variant }.reduce(0) {
        $0 &+ (given.arms[$1]?[ArmCounter.exposed.rawValue] ?? 0)
      }
      guard counted <= exposed else {
        throw SumsError(.damaged, "more users of a variant were asked than were given it")
      }
    }
  }
}

extension ArmSums {
  func checkCounts() throws(SumsError) {
    guard !variants.isEmpty || ArmSums().tables == tables else {
      throw SumsError(.damaged, "there are no variants, but something was counted")
    }
    try checkArms(arms, \.self)
    try checkArms(days, \.arm)
    try checkArms(strata, \.arm)
    guard times.rows.keys.allSatisfy({ variants.contains($0.arm.variant.variant) }) else { throw times.shape.otherKey }
    for table in [notAsked, notDenied, messageBefore] {
      guard table.rows.keys.allSatisfy({ variants.contains($0.variant) }) else { throw table.shape.otherKey }
    }
    guard withoutMessage.row <= journeys.row else {
      throw SumsError(.damaged, "more users have no message than saw one or a screen")
    }
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
