// The experiments of a log at a glance, ready to be rendered.

import Folding
import PermissionEvents

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
  }

  public let permission, experiment: String
  /// The control first, the others bytewise.
  public let messages: [Message]
  /// Users whose first screen of the experiment had no variant: they belong to no message.
  public let withoutMessage: Int
  /// Days of the first and of the last exposure.
  public let firstExposure, lastExposure: DayNumber
  /// There are exposures in the last 7 days.
  public let isRunning: Bool
  public let notCompared: NotCompared?
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
    permission: [UInt8], experiment: [UInt8], _ counts: [(variant: [UInt8], days: [DayNumber: Int64])],
    asOfDay: DayNumber
  ) {
    let days = counts.flatMap(\.days.keys)
    guard let first = days.min(), let last = days.max() else { return nil }
    self.permission = String(decoding: permission, as: UTF8.self)
    self.experiment = String(decoding: experiment, as: UTF8.self)
    (firstExposure, lastExposure) = (first, last)
    isRunning = last + ExperimentList.runningDays >= asOfDay
    var named = counts.filter { !$0.variant.isEmpty }.sorted { $0.variant.lexicographicallyPrecedes($1.variant) }
    if !named.isEmpty { named.insert(named.remove(at: Self.control(of: named.map(\.variant))), at: 0) }
    func users(_ days: [DayNumber: Int64]) -> Int { Int(days.values.reduce(0, +)) }
    messages = named.map { Message(variant: String(decoding: $0.variant, as: UTF8.self), exposed: users($0.days)) }
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
  package func summaries(asOfDay: DayNumber) -> [ExperimentSummary] {
    let pairs = Dictionary(grouping: exposed.rows) { [$0.key.experiment, $0.key.permission] }
    let ordered = pairs.sorted { a, b in
      a.key[0] == b.key[0]
        ? a.key[1].lexicographicallyPrecedes(b.key[1]) : a.key[0].lexicographicallyPrecedes(b.key[0])
    }
    let all = ordered.compactMap { key, counts in
      let variants = Dictionary(grouping: counts, by: \.key.variant).map { variant, counts in
        (variant, Dictionary(uniqueKeysWithValues: counts.map { ($0.key.day, $0.value) }))
      }
      return ExperimentSummary(permission: key[1], experiment: key[0], variants, asOfDay: asOfDay)
    }
    // A stable order: experiments of one day keep the order of their names.
    let running = all.enumerated().filter(\.element.isRunning).sorted { a, b in
      (-a.element.lastExposure, a.offset) < (-b.element.lastExposure, b.offset)
    }
    return running.map(\.element) + all.filter { !$0.isRunning }
  }
}

/// Counts, for each experiment and permission, the users by the message that exposed them first and by the day of it.
package struct ExperimentFold: Fold, ~Copyable {
  private let contexts: HistoryContexts
  private let asOf: Milliseconds
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
  private var days = DayCursor()

  package static let selection = HistorySelection(variants: true)

  package init(asOf: Milliseconds, zone: ZoneTable, permission: String?, contexts: HistoryContexts) {
    self.contexts = contexts
    self.asOf = asOf
    self.zone = zone
    let only = permission.map { Array($0.utf8) }
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
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout ExperimentSums) {
    users += 1
    for i in 0..<user.eventCount {
      let context = user.context(i)
      let pair = pairs[context]
      let permission = contexts.contexts[context].permission
      guard permission != 0, exposes(user.unsafeCodes[i], permission) else { continue }
      let time = user.time(i)
      if time > asOf { break }
      lastExposed[Int(permission)] = users
      guard pair != 0, lastUsers[pair] != users else { continue }
      lastUsers[pair] = users
      exposed[context][days.day(of: time, in: zone), default: 0] += 1
    }
  }

  /// Whether an event exposes: a screen, or a first answer that replaces it.
  private func exposes(_ code: UInt32, _ permission: UInt32) -> Bool {
    if contexts.isAnsweredAlone(permission) {
      return KindSet.results.contains(code) && lastExposed[Int(permission)] != users
    }
    return KindSet.screens.contains(code) || CheckedStatus.isRefusal(code) && lastExposed[Int(permission)] != users
  }

  package mutating func finish(into sums: inout ExperimentSums) {
    for (context, days) in zip(contexts.contexts, exposed) {
      let permission = contexts.permissions[Int(context.permission)]
      let experiment = contexts.experiments[Int(context.experiment)]
      let variant = contexts.variants[Int(context.variant)]
      for (day, count) in days {
        // A walk does not count to 2^62.
        try? sums.exposed.add(
          count, to: .init(permission: permission, experiment: experiment, variant: variant, day: day))
      }
    }
  }
}

/// Users by experiment, permission, message and day of their first screen.
package struct ExperimentSums: FoldSums {
  package static let name = "experiments 1"
  package static var layout: SumsLayout<Self> { [.part(\.exposed)] }

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

  package init() {}
}
