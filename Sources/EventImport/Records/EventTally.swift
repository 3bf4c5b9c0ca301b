// How often each event name occurred with each answer and what became of it, for the whole import.

import EventMapping
import PermissionEvents
import Threads

/// The outcome of the events of one name in an import.
public struct TalliedEvent: Sendable, Equatable {
  public var name: String
  /// The properties that decided: `result=denied`; may be empty.
  public var answer: String
  /// `granted notifications`, `not mapped`.
  public var outcome: String
  public var count: Int
  public var isStored: Bool
  /// The name speaks of a permission.
  public var looksLikePermission: Bool
  /// The events that figures lack, like `skips (skip rate)`, because lines with this name were rejected; empty if
  /// unknown. Nil if they were not rejected.
  public var missing: [String]?
  /// File and line of the first one, `export.json:17`.
  public var example: String?
}

/// Properties that rows carry again and again.
struct StickyTally: Sendable {
  /// Those that no mapping and no option reads.
  fileprivate(set) var unread: Set<StickyProperty> = []
  /// Those with a value that was read.
  fileprivate(set) var read: Set<StickyProperty> = []
  /// Experiments in which rows of their tools assign users.
  fileprivate(set) var assigned: Set<String> = []
  fileprivate static let mostAssigned = 10_000
  /// Of states the least value that is not understood.
  fileprivate(set) var notUnderstood: [StickyProperty: [UInt8]] = [:]
}

/// Counts by name, answer and outcome; safe to use from several threads.
final class EventTally: Sendable {
  struct Key: Hashable, Sendable {
    var name: [UInt8]
    var answer: String
    var outcome: String
    var isStored: Bool
    var looksLikePermission: Bool
    /// The events that figures lack if a line with it is rejected; nil if no line is.
    var missing: [String]?
    /// The outcome without any name: one of a few texts.
    var shortOutcome: String
  }

  private struct Counted {
    var count = 0
    var example: String?
  }

  /// The number of names that are counted separately: some exports put ids into the names.
  private static let maximumEntries = 20_000
  /// Shown instead of names that may be a user id.
  private static let hidden = Array("(names that are not shown)".utf8)
  private let entries = Mutex<[Key: Counted]>([:])
  private let sticky = Mutex(StickyTally())
  private let allowsCustomPermissions: Bool
  private let showsValues: Bool

  /// - Parameters:
  ///   - allowsCustomPermissions: permissions outside the taxonomy are stored too.
  ///   - showsValues: false leaves out what properties hold, which may be a user's id.
  init(allowsCustomPermissions: Bool, showsValues: Bool = true) {
    self.allowsCustomPermissions = allowsCustomPermissions
    self.showsValues = showsValues
  }

  /// The key under which a decision is counted.
  /// - Parameter isCanonical: of a canonical row, of which everything is meant to be of a permission and is rejected if it is not
  ///   understood.
  func key(
    _ name: [UInt8], answer: String, _ decision: MappingDecision, looksLikePermission: Bool, isCanonical: Bool
  ) -> Key {
    var key = Key(
      name: name, answer: answer, outcome: decision.label, isStored: false, looksLikePermission: looksLikePermission,
      shortOutcome: decision.shortLabel)
    switch decision.outcome {
    case .event: key.isStored = true
    case .nothing: key.looksLikePermission = false
    // A reason means that something about a permission was seen but not understood.
    case .unknown(let reason): key.looksLikePermission = looksLikePermission || reason != nil
    }
    if key.isStored, !allowsCustomPermissions, decision.hasUnknownPermission {
      key.outcome = "rejected: \(String(bounded: decision.permission)) is not a known permission"
      key.shortOutcome = "rejected: not a known permission"
      key.isStored = false
      key.missing = Self.missing(permission: decision.permission)
      key.looksLikePermission = true
    }
    if isCanonical, case .unknown(let reason) = decision.outcome {
      key.looksLikePermission = true
      key.missing = MissingFigures.of(event: name)
      key.shortOutcome = "rejected: the event is not understood"
      key.outcome = reason.map { "rejected: " + $0 } ?? key.shortOutcome
      // In a row with shifted cells it may be a user id.
      if !showsValues, !looksLikePermission { key.name = Self.hidden }
    }
    if !showsValues {
      key.answer = ""
      if !key.isStored { key.outcome = key.shortOutcome }
    }
    return key
  }

  /// The key of a value that a canonical row was rejected for.
  /// - Parameter isPermission: it is the permission, else the status.
  func key(refused value: [UInt8], _ outcome: String, isPermission: Bool) -> Key {
    Key(
      name: showsValues ? value : Self.hidden, answer: "", outcome: outcome, isStored: false, looksLikePermission: true,
      missing: isPermission
        ? Self.missing(permission: showsValues ? value : []) : ["statuses (partial grants, found on)"],
      shortOutcome: outcome)
  }

  private static func missing(permission: [UInt8]) -> [String] {
    [permission.isEmpty ? "all of a permission" : "all of " + String(bounded: permission)]
  }

  func add(_ key: Key, count: Int) {
    entries.withLock { entries in
      var key = key
      if entries[key] == nil, entries.count >= Self.maximumEntries {
        // Neither names nor what properties hold may fill the memory.
        key = Key(
          name: Array("(other names)".utf8), answer: "", outcome: key.shortOutcome, isStored: key.isStored,
          looksLikePermission: false, missing: key.missing.map { _ in [] }, shortOutcome: key.shortOutcome)
      }
      entries[key, default: Counted()].count += count
    }
  }

  /// Notes where the first event of a key was; called in the order of the input.
  func note(_ key: Key, file: String, line: Int) {
    entries.withLock { entries in
      guard entries[key] != nil || entries.count < Self.maximumEntries else { return }
      if entries[key]?.example == nil { entries[key, default: Counted()].example = "\(file):\(line)" }
    }
  }

  func note(unread: Set<StickyProperty>) { sticky.withLock { $0.unread.formUnion(unread) } }

  /// Notes an experiment that rows of its own tool assign users in.
  func note(assigned experiment: String) {
    sticky.withLock { tally in
      if tally.assigned.count < StickyTally.mostAssigned { tally.assigned.insert(experiment) }
    }
  }

  func note(_ property: StickyProperty, isRead: Bool, notUnderstood value: [UInt8]?) {
    sticky.withLock { tally in
      if isRead { tally.read.insert(property) }
      guard let value, tally.notUnderstood[property].map({ value.lexicographicallyPrecedes($0) }) ?? true else {
        return
      }
      tally.notUnderstood[property] = value
    }
  }

  /// Properties of experiments and states that rows carry.
  var stickyProperties: StickyTally { sticky.withLock { $0 } }

  /// All counts: first events that are not stored but look like permission events, then by count.
  var list: [TalliedEvent] {
    entries.withLock { entries in
      entries.filter { $0.value.count > 0 }.map { key, entry in
        TalliedEvent(
          name: String(bounded: key.name), answer: key.answer, outcome: key.outcome, count: entry.count,
          isStored: key.isStored, looksLikePermission: key.looksLikePermission, missing: key.missing,
          example: entry.example)
      }.sorted { a, b in
        let (x, y) = (!a.isStored && a.looksLikePermission, !b.isStored && b.looksLikePermission)
        if x != y { return x }
        if a.count != b.count { return a.count > b.count }
        return (a.name, a.answer, a.outcome) < (b.name, b.answer, b.outcome)
      }
    }
  }
}

// MARK: Yes and no by permission, over all that an import read. Many answers of one side alone are rarely the truth: mostly a word
// was not understood, or one of the two events is not exported.

/// Answers of one permission.
public struct AnswerCount: Equatable, Sendable {
  public var permission: String
  public var granted = 0
  public var denied = 0

  /// The number of answers of one kind, without any of the other, that is suspicious.
  public static let suspicious = 50

  public var isOneSided: Bool { granted + denied >= Self.suspicious && (granted == 0 || denied == 0) }
}

/// The events of one permission in an import, copies included; those without a permission are use of the app.
package struct PermissionCount: Equatable, Sendable {
  package var permission: String
  /// Explanations and prompts.
  package var screens = 0
  /// Of them, those that name a variant.
  package var screensWithVariant = 0
  package var granted = 0
  package var denied = 0
  /// All others.
  package var others = 0

  package var all: Int { screens + granted + denied + others }
}

/// Counts of a whole import; safe to use from several threads.
final class AnswerTally: Sendable {
  private let counts = Mutex<[[UInt8]: PermissionCount]>([:])

  func add(_ permission: [UInt8], _ events: AnswerCounter.Counts, hasVariant: Bool) {
    counts.withLock {
      var known = $0[permission] ?? PermissionCount(permission: String(bounded: permission))
      known.screens += Int(events.screens)
      known.screensWithVariant += hasVariant ? Int(events.screens) : 0
      known.granted += Int(events.granted)
      known.denied += Int(events.denied)
      known.others += Int(events.others)
      $0[permission] = known
    }
  }

  /// By the permission's name.
  var permissions: [PermissionCount] {
    counts.withLock { $0.values.sorted { $0.permission < $1.permission } }
  }

  /// By the permission's name, without permissions with guessed answers.
  var list: [AnswerCount] {
    permissions.filter { $0.granted + $0.denied > 0 && UnansweredPermission(rawValue: $0.permission) == nil }
      .map { AnswerCount(permission: $0.permission, granted: $0.granted, denied: $0.denied) }
  }
}

/// Counts of one thread, for one dictionary.
struct AnswerCounter {
  /// Small: a dictionary may have very many contexts.
  struct Counts {
    var screens: UInt32 = 0
    var granted: UInt32 = 0
    var denied: UInt32 = 0
    var others: UInt32 = 0
  }

  /// By the context's code.
  private var counts: [Counts] = []

  mutating func count(_ batch: EventBatch) {
    for event in batch.events {
      let context = Int(event.context)
      if context >= counts.count { counts += Array(repeating: Counts(), count: context + 64 - counts.count) }
      switch EventKind(rawValue: event.kindCode) {
      case .explanationShown, .promptShown: counts[context].screens &+= 1
      case .granted, .reEnabled: counts[context].granted &+= 1
      case .denied: counts[context].denied &+= 1
      default: counts[context].others &+= 1
      }
    }
  }

  func flush(_ dictionary: EventDictionary, to tally: AnswerTally) {
    if counts.isEmpty { return }
    let contents = dictionary.contents
    for (context, count) in zip(contents.contexts, counts)
    where count.screens | count.granted | count.denied | count.others != 0 {
      let permission = contents.values[StringField.permission.rawValue][Int(context.permission)]
      tally.add(permission, count, hasVariant: context.variant != 0)
    }
  }
}
