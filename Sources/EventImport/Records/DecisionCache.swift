// A thread's cache of a mapping's decisions, by the name of the event and the values that matter. Names repeat, so that
// hardly any event needs the mapping itself.

import Buffers
import EventMapping
import PermissionEvents

/// Decisions of one program. Owned by one thread.
final class DecisionCache {
  /// A decision with its texts in memory of their own.
  final class CachedDecision {
    let decision: MappingDecision
    let permission: OwnedText
    let status: OwnedText
    let kind: OwnedText
    let others: [OwnedText?]
    let tallied: EventTally.Key
    /// Whether the event's name is UTF-8: cells have not been checked to be.
    let isUTF8: Bool
    /// Whether the event's name is that of a kind, in any spelling.
    let isKind: Bool
    @exclusivity(unchecked) var count = 0
    /// An event of it has been seen by this thread.
    @exclusivity(unchecked) var isKnown = false

    init(_ decision: MappingDecision, tallied: EventTally.Key, isUTF8: Bool, isKind: Bool) {
      self.decision = decision
      self.tallied = tallied
      self.isUTF8 = isUTF8
      self.isKind = isKind
      permission = OwnedText(decision.permission)
      status = OwnedText(decision.status)
      if case .event(let value) = decision.outcome {
        kind = OwnedText(Array(value.name.utf8))
      } else {
        kind = OwnedText([])
      }
      others = decision.fields.map { $0.value.otherwise.map { OwnedText($0) } }
    }
  }

  private final class Name {
    let plan: NamePlan
    let number: UInt64
    @exclusivity(unchecked) var only: CachedDecision?
    /// By the hash of the values; a new entry replaces one with the same hash.
    @exclusivity(unchecked) var byValues: [UInt64: (key: [UInt8], entry: CachedDecision)] = [:]
    init(_ plan: NamePlan, number: UInt64) {
      self.plan = plan
      self.number = number
    }
  }

  private static let maximumBytes = 8 << 20
  private static let maximumEntries = 50_000
  /// The longest value that is used.
  private static let maximumValue = 64

  private let program: MappingProgram
  private let tally: EventTally
  /// Whether names are of canonical rows, which are rejected if they are not understood.
  private let isCanonical: Bool
  // Owned by one thread, and used for every event: the checks for exclusive access would cost more than the look-up.
  @exclusivity(unchecked) private var names: [UInt64: Name] = [:]
  @exclusivity(unchecked) private var bytes = 0
  @exclusivity(unchecked) private var entries = 0
  @exclusivity(unchecked) private var generation = 0
  @exclusivity(unchecked) private var key: [UInt8] = []

  init(_ program: MappingProgram, tally: EventTally, isCanonical: Bool = false) {
    self.program = program
    self.tally = tally
    self.isCanonical = isCanonical
  }

  deinit { flush() }

  func decision(
    _ name: UnsafeRawBufferPointer, _ values: borrowing Buffer<FieldValue>, _ found: FoundMembers
  ) -> CachedDecision {
    if found.generation != generation {
      generation = found.generation
      clear()
    }
    let hash = UserHash.text(name)
    if let known = names[hash], known.plan.name.elementsEqual(name) {
      let entry = entry(known, values, found)
      entry.count += 1
      return entry
    }
    if entries > Self.maximumEntries || bytes > Self.maximumBytes { clear() }
    let made = Name(program.plan(Array(name)), number: hash)
    // A new name replaces one with the same hash.
    if let other = names[hash] { flush(other) }
    names[hash] = made
    bytes += name.count + 128
    let entry = entry(made, values, found)
    entry.count += 1
    return entry
  }

  private func entry(_ name: Name, _ values: borrowing Buffer<FieldValue>, _ found: FoundMembers) -> CachedDecision {
    if name.plan.slots.isEmpty {
      if let only = name.only { return only }
      let made = entry(name.plan, program.decide(name.plan) { _ in nil }, answer: "")
      name.only = made
      entries += 1
      return made
    }
    key.removeAll(keepingCapacity: true)
    for slot in name.plan.slots { append(values[slot], slot) }
    if name.plan.readsOthers {
      for slot in found.slots { append(values[slot], slot) }
      if found.isOverfull { append(values[found.overfull], found.overfull) }
    }
    let hash = key.withUnsafeBytes { UserHash.text($0) }
    if let known = name.byValues[hash], known.key == key { return known.entry }
    if entries > Self.maximumEntries || bytes > Self.maximumBytes {
      // This name's own memory is emptied too, but the name stays.
      clear()
      names[name.number] = name
    }
    let others = name.plan.readsOthers ? Self.others(values, found) : []
    let decision = program.decide(name.plan, others: others) { slot in Self.text(values[slot]) }
    let made = entry(name.plan, decision, answer: Self.answer(name.plan, decision, values, others))
    if let other = name.byValues[hash] { flush(other.entry) }
    name.byValues[hash] = (key, made)
    entries += 1
    bytes += key.count + 256
    return made
  }

  private func append(_ value: FieldValue, _ slot: Int) {
    let telling = Self.telling(value)
    if telling == .nothing { return }
    key.append(UInt8(truncatingIfNeeded: slot))
    key.append(UInt8(truncatingIfNeeded: slot >> 8))
    if telling == .unreadable { return key.append(.max) }
    key.append(UInt8(truncatingIfNeeded: value.bytes.count))
    key.append(contentsOf: value.bytes)
  }

  /// The values of members without a path, in the order of their keys, so that the result does not depend on the order
  /// in which a thread saw them.
  private static func others(
    _ values: borrowing Buffer<FieldValue>, _ found: FoundMembers
  ) -> [TellingProperties.Other] {
    var result: [TellingProperties.Other] = []
    for slot in found.slots {
      if let value = text(values[slot]) { result.append(.init(key: found.key(slot), value: value)) }
    }
    if found.isOverfull { result.append(.init(key: .tooMany, value: TellingProperties.unreadable)) }
    return result.sorted { $0.key.name < $1.key.name }
  }

  private func entry(_ plan: NamePlan, _ decision: MappingDecision, answer: String) -> CachedDecision {
    CachedDecision(
      decision,
      tallied: tally.key(
        plan.name, answer: answer, decision, looksLikePermission: plan.looksLikePermission, isCanonical: isCanonical),
      isUTF8: plan.name.withUnsafeBytes { EventAssembler.isUTF8($0) }, isKind: plan.isKind)
  }

  private enum Telling {
    case nothing, text
    /// Present, but not a short text: a list of permissions, a sentence. It must not count as absent.
    case unreadable
  }

  private static func telling(_ value: FieldValue) -> Telling {
    switch value.kind {
    case .string, .number, .boolean:
      if value.bytes.isEmpty || value.standsForNothing { return .nothing }
      return value.bytes.count <= maximumValue ? .text : .unreadable
    case .absent: return .nothing
    case .object, .array: return .unreadable
    }
  }

  /// The value as passed to the mapping: one text for all unreadable values, because they share one key.
  private static func text(_ value: FieldValue) -> [UInt8]? {
    switch telling(value) {
    case .nothing: nil
    case .text: Array(value.bytes)
    case .unreadable: TellingProperties.unreadable
    }
  }

  /// The values as tables show them: `result=denied, granted=false`.
  private static func answer(
    _ plan: NamePlan, _ decision: MappingDecision, _ values: borrowing Buffer<FieldValue>,
    _ others: [TellingProperties.Other]
  ) -> String {
    // The use of a feature says nothing about an answer, and an app has many features.
    if case .event(let kind) = decision.outcome, !kind.needsPermission { return "" }
    var parts: [String] = []
    for (slot, name) in plan.answers {
      guard let value = text(values[slot]) else { continue }
      let part = name + "=" + String(bounded: value)
      if !parts.contains(part) { parts.append(part) }
    }
    parts += others.map { $0.key.name + "=" + String(bounded: $0.value) }
    return parts.joined(separator: ", ")
  }

  private func flush(_ name: Name) {
    for entry in [name.only].compactMap({ $0 }) + name.byValues.values.map(\.entry) { flush(entry) }
  }

  private func flush(_ entry: CachedDecision) {
    if entry.count > 0 { tally.add(entry.tallied, count: entry.count) }
    entry.count = 0
  }

  func flush() { for name in names.values { flush(name) } }

  private func clear() {
    flush()
    for name in names.values {
      name.only = nil
      name.byValues = [:]
    }
    names = [:]
    bytes = 0
    entries = 0
  }
}
