// The decisions of a program: first the rules, then the usual spellings, then the rules for the rest.

import PermissionEvents

extension MappingProgram {
  /// The part of a decision that depends only on the name.
  package func plan(_ name: [UInt8]) -> NamePlan {
    let normal = NormalName(name)
    let looks = EventReading.looksLikePermission(normal)
    let isFeature = EventReading.kind(named: normal) == .featureUsed
    let text = normal.bytes.dropFirst().dropLast()
    let first = ruleNames.named(name).union(ruleNames.matching(text)).sorted()
    // A preset's names come before a user's patterns: "every other event" does not mean what the preset knows.
    let named = otherwiseNames.named(name)
    let last = named.sorted() + (looks ? [] : otherwiseNames.matching(text).subtracting(named).sorted())
    let usesUsual = mapping.usualSpellings && (mapping.isCanonical || EventReading.concerns(normal))
    let experiment = experimentRows.firstIndex { $0.names.contains(normal.text) }
    var readsOthers = false
    var slots: [Int] = first.flatMap { rules[$0].telling } + last.flatMap { otherwise[$0].telling }
    if [.appActive, .appInstalled].contains(EventReading.kind(named: normal)), first.isEmpty {
      // The use of the app needs no property, nor does its install.
    } else if usesUsual || !first.isEmpty {
      readsOthers = usesUsual
      slots += permission
      for field in Mapping.TellingField.allCases { slots += telling[field] ?? [] }
      if isFeature { slots += fields[StringField.feature.rawValue] }
    }
    if let experiment { slots += experimentRows[experiment].slots }
    if EventReading.kind(named: normal) == .assigned {
      slots += fields[StringField.experiment.rawValue] + fields[StringField.variant.rawValue]
    }
    slots += translatedSlots
    return NamePlan(
      name: name, normal: normal, first: first, experiment: experiment, otherwise: last, usesUsual: usesUsual,
      looksLikePermission: looks,
      slots: Array(Set(slots)).sorted(), readsOthers: readsOthers,
      answers: usesUsual || !first.isEmpty ? answers(normal, isFeature) : [])
  }

  /// The decision about an event.
  /// - Parameters:
  ///   - others: members that the mapping does not list but with keys about an answer.
  ///   - value: the text in a slot, nil if it is absent. Only slots of the plan are read.
  package func decide(
    _ plan: NamePlan, others: [TellingProperties.Other] = [], value: (Int) -> [UInt8]?
  ) -> MappingDecision {
    translating(untranslated(plan, others, value), value)
  }

  private func untranslated(
    _ plan: NamePlan, _ others: [TellingProperties.Other], _ value: (Int) -> [UInt8]?
  ) -> MappingDecision {
    for index in plan.first where applies(rules[index], value) { return decision(rules[index], plan, value) }
    if let row = plan.experiment, let decision = experimentRows[row].decision(value) { return decision }
    var unread: String?
    if plan.usesUsual {
      let reading = usual(plan, others, value)
      switch reading.meaning {
      case .event(.assigned) where !mapping.isCanonical && !hasAssignment(value): break
      // Another `Lost` is about something else, as of a game or a parcel: the recorder writes the exact word.
      case .event(.lost): break
      case .event(let kind):
        return finished(
          MappingDecision(
            outcome: .event(kind), permission: reading.permission ?? [],
            status: reading.status.map { Array($0.name.utf8) } ?? []))
      case .nothing(let reason): return MappingDecision(outcome: .nothing(reason))
      case .unknown(let reason): unread = reason
      }
    }
    for index in plan.otherwise where applies(otherwise[index], value) {
      return decision(otherwise[index], plan, value)
    }
    return MappingDecision(outcome: .unknown(unread))
  }

  /// Other events may be named `assigned`, as tickets and tasks are.
  private func hasAssignment(_ value: (Int) -> [UInt8]?) -> Bool {
    [StringField.experiment, .variant].allSatisfy { Self.first(fields[$0.rawValue], value) != nil }
  }

  /// The slots with values that tables show beside a name, with their properties' names.
  private func answers(_ name: NormalName, _ isFeature: Bool) -> [(slot: Int, name: String)] {
    // A button decides of events that are named for an answer, too: two rows of one name must not look alike.
    var shown: [Mapping.TellingField] = [.button, .result, .flag, .status]
    if EventReading.isScreen(name) || EventReading.isButton(name) { shown = [.screen] + shown }
    let slots = shown.flatMap { telling[$0] ?? [] } + (isFeature ? fields[StringField.feature.rawValue] : [])
    return slots.map { ($0, places.names[$0]) }
  }

  private func applies(_ rule: Rule, _ value: (Int) -> [UInt8]?) -> Bool {
    rule.conditions.allSatisfy { condition in
      guard let found = Self.first(condition.slots, value) else { return false }
      return condition.values.isEmpty || condition.values.contains(NormalName(found))
    }
  }

  private static func first(_ slots: [Int], _ value: (Int) -> [UInt8]?) -> [UInt8]? {
    for slot in slots {
      if let found = value(slot) { return found }
    }
    return nil
  }

  private func usual(
    _ plan: NamePlan, _ others: [TellingProperties.Other], _ value: (Int) -> [UInt8]?
  ) -> EventReading {
    func all(_ field: Mapping.TellingField) -> [[UInt8]] {
      (telling[field] ?? []).compactMap { self.value(of: field.rawValue, $0, value) }
    }
    var properties = TellingProperties()
    properties.others = others
    properties.permission = permission.compactMap { self.value(of: StringField.permission.name, $0, value) }.first
    properties.permissionHint = all(.permission_hint).first
    properties.statuses = all(.status)
    properties.results = all(.result)
    for slot in telling[.flag] ?? [] {
      // A path is named by its last key.
      let key = places.names[slot].split(separator: "/").last.map(String.init) ?? places.names[slot]
      let name = PropertyPrefix.ownName(key) ?? key
      if let found = self.value(of: Mapping.TellingField.flag.rawValue, slot, value) {
        properties.flags.append(.init(name: name, value: found))
      }
    }
    if EventReading.kind(named: plan.normal) == .featureUsed {
      properties.feature = Self.first(fields[StringField.feature.rawValue], value)
    }
    properties.scenes = all(.scene)
    properties.source = all(.source).first
    properties.screen = all(.screen).first
    properties.button = all(.button).first
    return mapping.isCanonical
      ? EventReading(canonical: plan.normal, properties) : EventReading(name: plan.normal, properties: properties)
  }

  private func decision(_ rule: Rule, _ plan: NamePlan, _ value: (Int) -> [UInt8]?) -> MappingDecision {
    guard case .event(let kind) = rule.rule.result else {
      return MappingDecision(outcome: .nothing("ignored by a rule"))
    }
    var decision = MappingDecision(outcome: .event(kind))
    if kind.needsPermission {
      // Values that the rule leaves open are read as usual.
      let reading = usual(plan, [], value)
      if let source = rule.rule.permission {
        let found = Self.translated(source, Self.first(rule.permission, value))
        decision.permission = found.map { PermissionWords.permission(value: $0).map { Array($0.utf8) } ?? $0 } ?? []
      } else {
        decision.permission = reading.permission ?? []
      }
      if let source = rule.rule.status {
        let found = Self.translated(source, Self.first(rule.status, value))
        decision.status = found.map { StatusWords.status($0).map { Array($0.name.utf8) } ?? $0 } ?? []
      } else {
        decision.status = reading.status.map { Array($0.name.utf8) } ?? []
      }
    }
    for (field, slots, source) in rule.fields {
      if source.values.isEmpty {
        decision.fields.append((field, .init(slots: slots, otherwise: source.otherwise.map { Array($0.utf8) })))
      } else {
        let found = Self.translated(source, Self.first(slots, value))
        decision.fields.append((field, .init(slots: [], otherwise: found)))
      }
    }
    return finished(decision)
  }

  /// The value of a source: translated if it says how.
  private static func translated(_ source: ValueSource, _ found: [UInt8]?) -> [UInt8]? {
    if let found, found != TellingProperties.unreadable {
      if source.values.isEmpty { return found }
      if let text = source.values[NormalName(found)] { return Array(text.utf8) }
    }
    return source.otherwise.map { Array($0.utf8) }
  }

  /// An event that needs a permission cannot be stored without one.
  private func finished(_ decision: MappingDecision) -> MappingDecision {
    guard case .event(let kind) = decision.outcome else { return decision }
    if !kind.needsPermission {
      var copy = decision
      // A picker stands in for a permission; the other kinds here belong to no permission.
      if kind != .pickerUsed { copy.permission = [] }
      copy.status = []
      return copy
    }
    return decision.permission.isEmpty ? MappingDecision(outcome: .unknown("it names no permission")) : decision
  }
}

// MARK: The result of a mapping for an event, computed once for each combination of name and relevant values

package struct MappingDecision: Sendable {
  package struct Field: Sendable {
    package var slots: [Int]
    /// The value if no slot has one.
    package var otherwise: [UInt8]?
  }

  package var outcome: EventMeaning
  /// Empty without a permission.
  package var permission: [UInt8] = []
  package var status: [UInt8] = []
  /// Fields that a rule says where to find; the others are as the mapping says for all events.
  package var fields: [(field: StringField, value: Field)] = []

  package init(outcome: EventMeaning, permission: [UInt8] = [], status: [UInt8] = []) {
    (self.outcome, self.permission, self.status) = (outcome, permission, status)
  }

  package var hasUnknownPermission: Bool {
    !permission.isEmpty && !PermissionCode.taxonomy.contains { $0.utf8.elementsEqual(permission) }
  }

  /// The outcome of the event without its own words: one of a few texts.
  package var shortLabel: String {
    switch outcome {
    case .event(let kind): kind.name
    case .nothing: "not stored"
    case .unknown: "not mapped"
    }
  }

  private func constant(_ field: StringField) -> String? {
    fields.first { $0.field == field }?.value.otherwise.map { String(bounded: $0) }
  }

  /// The experiment of an assignment that a tool's own row makes.
  package var experiment: String? { outcome == .event(.assigned) ? constant(.experiment) : nil }

  /// ` push_copy: short` for an assignment with a constant experiment and variant.
  private var assignment: String {
    guard let experiment, let variant = constant(.variant) else { return "" }
    return " \(experiment): \(variant)"
  }

  /// A few words on what became of the event, for tables.
  package var label: String {
    switch outcome {
    case .event(let kind):
      let permission = self.permission.isEmpty ? "" : " " + String(bounded: self.permission)
      let status = self.status.isEmpty ? "" : " (" + String(bounded: self.status) + ")"
      return kind.name + permission + status + assignment
    case .nothing(let reason): return "not stored: " + reason
    case .unknown(let reason): return "not mapped" + (reason.map { ": " + $0 } ?? "")
    }
  }
}

/// The part of a decision that depends only on the name: the rules that may match, and the values that decide.
package struct NamePlan: Sendable {
  package let name: [UInt8]
  let normal: NormalName
  /// Whether the name is that of a kind, in any spelling.
  package var isKind: Bool { EventReading.kind(named: normal) != nil }
  /// The rules to check, by their index in the mapping's lists.
  let first: [Int]
  /// The row of an experiment's tool that has this name, by its index.
  let experiment: Int?
  let otherwise: [Int]
  let usesUsual: Bool
  package let looksLikePermission: Bool
  /// The slots with values that decide; if empty, there is one decision for the name.
  package let slots: [Int]
  /// Whether unlisted members also decide, if their keys are about an answer.
  package let readsOthers: Bool
  /// Those among them that tables show beside the name, with their properties' names.
  package let answers: [(slot: Int, name: String)]
}
