// The experiments of a log at a glance, ready to be rendered.

import PermissionEvents

/// Every experiment of a log: which messages, how many users, since when, and what its comparison says.
public struct ExperimentList: Sendable {
  /// The moment that it looks from; nil for a log without events.
  public let asOf: Milliseconds?
  public let zone: ZoneTable
  /// Milliseconds in which an answer counts, and for which a journey is followed.
  public let responseWindow, followUp: Milliseconds
  /// The only permission that was asked for; nil for all.
  public let permission: String?
  /// Those still running first, the one with the newest exposure at the head; then the others, by name.
  public package(set) var experiments: [ExperimentSummary]
  /// How old the log is; nil if the moment to look from was given.
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
  /// An experiment without an exposure in so many days before `asOf` has ended.
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
    /// More than a comparison takes.
    case tooManyMessages = "too_many_messages"
  }

  public let permission, experiment: String
  /// The control first, the others bytewise.
  public let messages: [Message]
  /// Users whose first screen of the experiment had no variant: they are of no message.
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

  /// The place of the control among messages in bytewise order: the one that is named like one, else the first.
  static func control(of variants: [[UInt8]]) -> Int {
    let lower = variants.map { variant in variant.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 } }
    return controlNames.lazy.compactMap { name in lower.firstIndex { $0.elementsEqual(name.utf8) } }.first ?? 0
  }

  /// What is known of an experiment without comparing its messages; nil if it has no exposure.
  /// - Parameters:
  ///   - counts: users by variant, empty for none, and day.
  ///   - asOfDay: the day that is looked from.
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
  /// The experiments in the order of the list.
  /// - Parameter asOfDay: the day that is looked from.
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
    // A stable order: those of one day stay in the order of their names.
    let running = all.enumerated().filter(\.element.isRunning).sorted { a, b in
      (-a.element.lastExposure, a.offset) < (-b.element.lastExposure, b.offset)
    }
    return running.map(\.element) + all.filter { !$0.isRunning }
  }
}
