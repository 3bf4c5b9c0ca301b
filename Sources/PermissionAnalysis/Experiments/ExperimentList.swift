// The experiments of a log at a glance, ready to be rendered.

import Folding
import PermissionEvents
import Statistics

/// Every experiment of a log: its messages, users, days, and the result of its comparison.
public struct ExperimentList: Sendable {
  /// The `as_of` of the list. Nil for a log without events.
  public let asOf: Milliseconds?
  public let zone: ZoneTable
  /// Milliseconds in which an answer counts, and for which a journey is followed.
  public let responseWindow, followUp: Milliseconds
  /// The requested permission. Nil for all.
  public let permission: String?
  /// Running experiments first, the newest exposure at the top; then the others, by name.
  public package(set) var experiments: [ExperimentSummary]
  /// The age of the log. Nil if `as_of` was given.
  public package(set) var age: DataAge?
  /// Users who have events, and are left out as if they had none; nil if no list of users is left out.
  public var leftOutUsers: Int?

  package init(
    asOf: Milliseconds?, zone: ZoneTable, responseWindow: Milliseconds, followUp: Milliseconds, permission: String?,
    experiments: [ExperimentSummary] = []
  ) {
    self.asOf = asOf
    self.zone = zone
    (self.responseWindow, self.followUp) = (responseWindow, followUp)
    self.permission = permission
    self.experiments = experiments
  }

  /// The name of `zone`.
  public var timeZone: String { zone.name }
  /// An experiment has ended if it has no exposure in this many days before `asOf`.
  public static let runningDays: DayNumber = 7
  /// Experiments that no screen carries are listed with each permission of which this many users were exposed.
  public static let leastAssigned: Int64 = 20
  /// Most experiments that are compared unless all are asked for, those with the most users, and most by assignment among them. Each
  /// comparison is a walk over the log.
  public static let mostCompared = 200, mostAssigned = 20
}

/// How many of the winners of a list may be false. Each test has an error of 5 %, so a list of many has winners by chance.
public struct WinnersCheck: Sendable {
  /// A message that won, or lost, against its control.
  public struct Winner: Sendable {
    /// Indices of the experiment in the list, and of the pair in its comparison.
    public let experiment, pair: Int
    /// Stage-wise, at the decision.
    public let pValue: Double
    /// Benjamini–Hochberg over all comparisons of the list. A comparison without a winner counts with a p-value of 1.
    public let adjustedPValue: Double
    /// Whether it is among the winners of which at most 5 % are expected to be false.
    public var isKept: Bool { adjustedPValue <= WinnersCheck.level }
  }

  /// All comparisons of the list: each message with its control.
  public let comparisons: Int
  /// In the order of the list.
  public let winners: [Winner]

  /// The false discovery rate, and the error of the comparisons of one experiment.
  public static let level = 0.05

  public var kept: Int { winners.count(where: \.isKept) }
  /// Of the winners that are kept, at most this many are expected to be false.
  public var expectedFalse: Double { Self.level * Double(kept) }

  /// - Parameter experiments: of the list, in its order.
  init(_ experiments: [ExperimentSummary]) {
    var found: [(experiment: Int, pair: Int)] = []
    var p: [Double?] = []
    for (number, experiment) in experiments.enumerated() {
      for (pair, comparison) in (experiment.comparison?.pairs ?? []).enumerated() {
        found.append((number, pair))
        // A larger p-value than its own is a valid one, too. So no p-value of an undecided or a doubtful test is needed.
        p.append(comparison.winningPValue ?? 1)
      }
    }
    comparisons = found.count
    let adjusted = MultipleTesting.benjaminiHochberg(p)
    winners = found.indices.compactMap { place in
      let (number, pair) = found[place]
      guard let own = experiments[number].comparison?.pairs[pair].winningPValue, let adjusted = adjusted[place] else {
        return nil
      }
      return Winner(experiment: number, pair: pair, pValue: own, adjustedPValue: adjusted)
    }
  }
}

extension Comparison {
  /// The stage-wise p-value of the crossing, if a message won by it.
  fileprivate var winningPValue: Double? {
    decision == .aWins || decision == .bWins ? monitoring.crossing?.pValue : nil
  }
}

extension ExperimentList {
  /// Of the comparisons in it.
  public var winnersCheck: WinnersCheck { WinnersCheck(experiments) }
}

/// An experiment in one permission.
public struct ExperimentSummary: Sendable {
  /// A message, and the users who saw it first.
  public struct Message: Sendable, Hashable {
    public let variant: String
    public let exposed: Int
  }

  /// Why its messages are not compared.
  public enum NotCompared: String, Sendable, CaseIterable {
    /// No screen of it names a variant.
    case noMessage = "no_message"
    case oneMessage = "one_message"
    /// More messages than a comparison takes.
    case tooManyMessages = "too_many_messages"
    /// Of more experiments than are compared at once. Most flags choose no message.
    case tooManyExperiments = "too_many_experiments"
    /// The log holds no answers of its permission, so no rate is known.
    case noAnswers = "no_answers"
    /// After Settings prompts: the log does not show who turns the permission on later.
    case noReturns = "no_returns"
  }

  public let permission, experiment: String
  /// What shows its messages: Settings prompts only if no screens carry the experiment.
  public let screen: MessageScreen
  /// The control first, the others bytewise.
  public let messages: [Message]
  /// Users whose first screen of the experiment had no variant: they belong to no message.
  public let withoutMessage: Int
  /// A user's message is the variant given; no screen of the permission carries the experiment.
  public let isByAssignment: Bool
  /// Days of the first and of the last exposure.
  public let firstExposure, lastExposure: DayNumber
  /// There are exposures in the last 7 days.
  public let isRunning: Bool
  public package(set) var notCompared: NotCompared?
  /// The comparison of all messages with the control, with default options; nil if they are not compared.
  public package(set) var comparison: ComparisonSet?

  /// Users of all messages.
  public var exposed: Int { messages.reduce(0) { $0 + $1.exposed } }
  /// The message that the others are compared with; nil without messages.
  public var control: String? { messages.first?.variant }
}

extension ExperimentSummary {
  /// Names that a control has, the first that a message has.
  private static let controlNames = ["control", "baseline", "original", "default", "a", "0", "off"]

  /// The index of the control among messages in bytewise order: the message with a name for a control, else the first.
  static func control(of variants: [[UInt8]]) -> Int {
    let lower = variants.map { variant in variant.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 } }
    return controlNames.lazy.compactMap { name in lower.firstIndex { $0.elementsEqual(name.utf8) } }.first ?? 0
  }

  /// The facts of an experiment without comparing its messages. Nil without an exposure.
  /// - Parameter counts: users by variant, empty for none, and day.
  init?(
    permission: [UInt8], experiment: [UInt8], _ screen: MessageScreen,
    _ counts: [(variant: [UInt8], days: [DayNumber: Int64])], asOfDay: DayNumber, isByAssignment: Bool
  ) {
    self.screen = screen
    self.isByAssignment = isByAssignment
    let days = counts.flatMap(\.days.keys)
    guard let first = days.min(), let last = days.max() else { return nil }
    self.permission = String(bounded: permission)
    self.experiment = String(bounded: experiment)
    (firstExposure, lastExposure) = (first, last)
    isRunning = last + ExperimentList.runningDays >= asOfDay
    var named = counts.filter { !$0.variant.isEmpty }.sorted { $0.variant.lexicographicallyPrecedes($1.variant) }
    if !named.isEmpty { named.insert(named.remove(at: Self.control(of: named.map(\.variant))), at: 0) }
    func users(_ days: [DayNumber: Int64]) -> Int { Int(days.values.reduce(0, +)) }
    messages = named.map { Message(variant: String(bounded: $0.variant), exposed: users($0.days)) }
    withoutMessage = counts.filter(\.variant.isEmpty).reduce(0) { $0 + users($1.days) }
    notCompared =
      switch messages.count {
      case 0: .noMessage
      case 1: .oneMessage
      case ...ComparisonQuestion.mostVariants: nil
      default: .tooManyMessages
      }
  }
}

extension ExperimentSums {
  /// - Parameter comparesAll: no experiments are left out for their number.
  package func summaries(asOfDay: DayNumber, comparesAll: Bool = false) -> [ExperimentSummary] {
    let shown = Dictionary(grouping: exposed.rows) { [$0.key.experiment, $0.key.permission] }
    // An experiment on screens decides who is denied: its Settings prompts compare different users.
    let led = Dictionary(grouping: settings.rows) { [$0.key.experiment, $0.key.permission] }
      .filter { shown[$0.key] == nil }
    // Where screens or Settings prompts carry an experiment they count. Of the others only those matter that many users could have seen.
    let given = Dictionary(grouping: assigned.rows) { [$0.key.experiment, $0.key.permission] }
      .filter { shown[$0.key] == nil && led[$0.key] == nil }
      .filter { $0.value.reduce(0) { $0 &+ $1.value } >= ExperimentList.leastAssigned }
    let pairs =
      shown.map { ($0.key, $0.value, MessageScreen.permission, false) }
      + given.map { ($0.key, $0.value, .permission, true) } + led.map { ($0.key, $0.value, .settings, false) }
    let ordered = pairs.sorted { a, b in
      a.0[0] == b.0[0] ? a.0[1].lexicographicallyPrecedes(b.0[1]) : a.0[0].lexicographicallyPrecedes(b.0[0])
    }
    let all = ordered.compactMap { key, counts, screen, isByAssignment in
      let variants = Dictionary(grouping: counts, by: \.key.variant).map { variant, counts in
        (variant, Dictionary(uniqueKeysWithValues: counts.map { ($0.key.day, $0.value) }))
      }
      return ExperimentSummary(
        permission: key[1], experiment: key[0], screen, variants, asOfDay: asOfDay, isByAssignment: isByAssignment)
    }
    // A stable order: experiments of one day keep the order of their names.
    let running = all.enumerated().filter(\.element.isRunning).sorted { a, b in
      (-a.element.lastExposure, a.offset) < (-b.element.lastExposure, b.offset)
    }
    var list = running.map(\.element) + all.filter { !$0.isRunning }
    if comparesAll { return list }
    let comparable = list.indices.filter { list[$0].notCompared == nil }
    // Of equally many users the first of the list.
    let most = comparable.sorted { (-list[$0].exposed, $0) < (-list[$1].exposed, $1) }
    let beyond =
      comparable.filter { list[$0].isByAssignment }.dropFirst(ExperimentList.mostAssigned)
      + most.dropFirst(ExperimentList.mostCompared)
    for place in beyond { list[place].notCompared = .tooManyExperiments }
    return list
  }
}

/// Counts, for each experiment and permission, the users by the message that exposed them first and by the day of it: on a screen, and
/// on a Settings prompt after a denial.
package struct ExperimentFold: Fold, ~Copyable {
  private let contexts: HistoryContexts
  private let windows: AnalysisWindows
  /// Code of the only permission that is asked for.
  private let only: UInt32?
  private let zone: ZoneTable
  /// By context the number of its experiment and permission plus one; 0 for screens of none.
  private let pairs: [Int]
  /// By number of the experiment the last user who was exposed in it.
  private var lastUsers: [Int]
  /// By permission code the last user who was exposed at all.
  private var lastExposed: [Int]
  private var users = 0
  /// Users by context and day of their exposure.
  private var exposed: [[DayNumber: Int64]]
  /// The same of Settings prompts after a denial.
  private var led: [[DayNumber: Int64]]
  private var journeys: UserJourneys
  /// By context whether its events without a permission give a variant of an experiment.
  private let givesVariant: [Bool]
  private let hasAssignments: Bool
  /// The user's first assignment to each experiment: its time and context, oldest first.
  private var given: [(time: Milliseconds, context: Int)] = []
  /// By code of an experiment the last user who was assigned to it.
  private var lastAssigned: [Int]
  /// By code of a permission how many of those assignments the user has been counted under.
  private var counted: [UInt32: Int] = [:]
  private var assigned: [AssignedKey: AssignedCount] = [:]

  private struct AssignedKey: Hashable {
    var context: Int
    var permission: UInt32
  }

  /// Exposed users, and the days of the first and of the last exposure.
  private struct AssignedCount {
    var users: Int64 = 0
    var first = DayNumber.max, last = DayNumber.min
  }
  private var days = DayCursor()

  package static let selection = HistorySelection(variants: true)

  package init(_ windows: AnalysisWindows, zone: ZoneTable, permission: String?, contexts: HistoryContexts) {
    self.contexts = contexts
    self.windows = windows
    self.zone = zone
    let only = permission.map { Array($0.utf8) }
    self.only = permission.map { contexts.permissionCode($0) }
    var numbers: [SIMD2<UInt32>: Int] = [:]
    pairs = contexts.contexts.map { context in
      guard context.permission != 0, context.experiment != 0,
        only == nil || only == contexts.permissions[Int(context.permission)]
      else { return 0 }
      let pair = SIMD2(context.permission, context.experiment)
      let number = numbers[pair] ?? numbers.count + 1
      numbers[pair] = number
      return number
    }
    lastUsers = [Int](repeating: 0, count: numbers.count + 1)
    lastExposed = [Int](repeating: 0, count: contexts.permissions.count)
    exposed = [[DayNumber: Int64]](repeating: [:], count: contexts.contexts.count)
    led = exposed
    journeys = UserJourneys(contexts)
    givesVariant = contexts.contexts.map { $0.permission == 0 && $0.experiment != 0 && $0.variant != 0 }
    hasAssignments = givesVariant.contains(true)
    lastAssigned = [Int](repeating: 0, count: contexts.experiments.count)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout ExperimentSums) {
    users += 1
    if hasAssignments { findAssignments(of: user) }
    var hasSettingsPrompts = false
    for i in 0..<user.eventCount {
      let context = user.context(i)
      let pair = pairs[context]
      let permission = contexts.contexts[context].permission
      hasSettingsPrompts = hasSettingsPrompts || pair != 0 && KindSet.settingsPrompts.contains(user.unsafeCodes[i])
      guard permission != 0, exposes(user.unsafeCodes[i], permission) else { continue }
      let time = user.time(i)
      if time > windows.asOf { break }
      lastExposed[Int(permission)] = users
      if !given.isEmpty { addAssigned(permission, time) }
      guard pair != 0, lastUsers[pair] != users else { continue }
      lastUsers[pair] = users
      exposed[context][days.day(of: time, in: zone), default: 0] += 1
    }
    if hasSettingsPrompts { addSettingsPrompts(of: user) }
  }

  /// Counts the first Settings prompt of each experiment after a denial.
  private mutating func addSettingsPrompts(of user: borrowing UserHistory) {
    let times = user.unsafeTimes
    var found: [(time: Milliseconds, context: Int)] = []
    journeys.forEach(windows.events(times, user.eventCount), times, user.unsafeCodes) { events, permission, _ in
      guard events.contains(.settingsPrompts) else { return }
      let messages = MessageEvents(
        .settings, events, isAlone: contexts.isAnsweredAlone(permission),
        permission: PermissionCode(rawValue: permission), windows)
      var prompt = events.next(.settingsPrompts, from: messages.start)
      var seen: Set<Int> = []
      while prompt < events.end {
        let context = Int(events.code(prompt) >> HistoryBatch.contextShift)
        if pairs[context] != 0, seen.insert(pairs[context]).inserted { found.append((events.time(prompt), context)) }
        prompt = events.next(.settingsPrompts, from: prompt + 1)
      }
    }
    for (time, context) in found { led[context][days.day(of: time, in: zone), default: 0] += 1 }
  }

  private mutating func findAssignments(of user: borrowing UserHistory) {
    given.removeAll(keepingCapacity: true)
    counted.removeAll(keepingCapacity: true)
    for i in 0..<user.eventCount where user.unsafeCodes[i] & 15 == UInt32(KindCode.assigned) {
      let context = user.context(i)
      let experiment = Int(contexts.contexts[context].experiment)
      guard givesVariant[context], user.time(i) <= windows.asOf, lastAssigned[experiment] != users else { continue }
      lastAssigned[experiment] = users
      given.append((user.time(i), context))
    }
  }

  /// Counts an exposure under each experiment that the user was given a variant of by then.
  private mutating func addAssigned(_ permission: UInt32, _ time: Milliseconds) {
    if let only, only != permission { return }
    var next = counted[permission] ?? 0
    while next < given.count, given[next].time <= time {
      let day = days.day(of: time, in: zone)
      let key = AssignedKey(context: given[next].context, permission: permission)
      var count = assigned[key] ?? AssignedCount()
      count = AssignedCount(users: count.users + 1, first: min(count.first, day), last: max(count.last, day))
      assigned[key] = count
      next += 1
    }
    counted[permission] = next
  }

  /// Whether an event exposes: a screen, or a first answer that replaces it.
  private func exposes(_ code: UInt32, _ permission: UInt32) -> Bool {
    if contexts.isAnsweredAlone(permission) {
      return KindSet.results.contains(code) && lastExposed[Int(permission)] != users
    }
    return KindSet.screens.contains(code) || CheckedStatus.isRefusal(code) && lastExposed[Int(permission)] != users
  }

  package mutating func finish(into sums: inout ExperimentSums) {
    for (key, count) in assigned {
      let context = contexts.contexts[key.context]
      // Of the days only the first and the last matter.
      let rest = count.first == count.last ? 0 : 1 as Int64
      for (day, users) in [(count.first, count.users - rest), (count.last, rest)] where users > 0 {
        try? sums.assigned.add(
          users,
          to: .init(
            permission: contexts.permissions[Int(key.permission)],
            experiment: contexts.experiments[Int(context.experiment)], variant: contexts.variants[Int(context.variant)],
            day: day))
      }
    }
    add(exposed, to: &sums.exposed)
    add(led, to: &sums.settings)
  }

  private func add(_ users: [[DayNumber: Int64]], to table: inout CountTable<ExperimentSums.Key, Int64>) {
    for (context, days) in zip(contexts.contexts, users) {
      let permission = contexts.permissions[Int(context.permission)]
      let experiment = contexts.experiments[Int(context.experiment)]
      let variant = contexts.variants[Int(context.variant)]
      for (day, count) in days {
        // A walk does not count to 2^62.
        try? table.add(count, to: .init(permission: permission, experiment: experiment, variant: variant, day: day))
      }
    }
  }
}

/// Users by experiment, permission, message and day of their first screen.
package struct ExperimentSums: FoldSums {
  package static let name = "experiments 3"
  package static var layout: SumsLayout<Self> { [.part(\.exposed), .part(\.assigned), .part(\.settings)] }

  struct Key: SumKey {
    var permission: [UInt8] = []
    var experiment: [UInt8] = []
    /// Empty for a screen without a variant.
    var variant: [UInt8] = []
    var day: DayNumber = 0

    mutating func visit(_ parts: inout KeyParts) {
      parts.name("permission", &permission)
      parts.name("experiment", &experiment)
      parts.nameOrNone("variant", &variant)
      parts.day("day", &day)
    }
  }

  var exposed = CountTable<Key, Int64>("exposures", columns: ["users"])
  /// The same by the variant assigned first. The days are the first and the last of the exposures from then on.
  var assigned = CountTable<Key, Int64>("assigned", columns: ["users"])
  /// The same by the message of the first Settings prompt after a denial.
  var settings = CountTable<Key, Int64>("settings_prompts", columns: ["users"])

  package init() {}
}
