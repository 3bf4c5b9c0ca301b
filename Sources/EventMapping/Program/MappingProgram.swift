// A mapping made ready for reading records: every place is a slot, every decision is made here and asked for once.

import PermissionEvents

package final class MappingProgram: Sendable {
  package let mapping: Mapping
  package let record: RecordDescription
  package let places: ValuePlaces
  package let names: [NameSource]
  package let user: [(slot: Int, without: [UInt8])]
  package let time: [Int]
  package let id: ID
  /// Slots of the string fields, permission left out, by `StringField.rawValue`.
  package let fields: [[Int]]
  private let permission: [Int]
  private let telling: [Mapping.TellingField: [Int]]
  private let rules: [Rule]
  private let otherwise: [Rule]

  package enum NameSource: Sendable {
    case slot(Int)
    case joined([Int])
    case constant([UInt8])
  }

  package enum KeyPart: Sendable {
    case slot(Int)
    case time
    case timeInSeconds
  }

  package enum ID: Sendable {
    case none
    case plain([Int], within: Int?)
    case derived([KeyPart], needs: Int?)
  }

  private struct Rule: Sendable {
    var rule: MappingRule
    var conditions: [(slots: [Int], values: [NormalName])]
    var permission: [Int]
    var status: [Int]
    var fields: [(field: StringField, slots: [Int], source: ValueSource)]
    /// Slots whose values have a say in what the rule does.
    var telling: [Int]
  }

  /// - Parameter prefersAccount: the user is the account before the device.
  package init(_ mapping: Mapping, prefersAccount: Bool) throws(MappingError) {
    guard let record = mapping.record else { throw MappingError("\(mapping.name): it has no record section") }
    self.mapping = mapping
    self.record = record
    var places = ValuePlaces(containers: record.properties)
    names = record.event.map { source in
      switch source {
      case .from(let reference): .slot(places.slots(of: reference)[0])
      case .joined(let references): .joined(references.map { places.slots(of: $0)[0] })
      case .constant(let text): .constant(Array(text.utf8))
      }
    }
    let identities = prefersAccount && !record.account.isEmpty ? record.account : record.user
    user = identities.flatMap { identity in
      places.slots(of: identity.from).map { ($0, Array((identity.without ?? "").utf8)) }
    }
    time = places.slots(of: record.time)
    switch record.id {
    case nil: id = .none
    case .plain(let from, let within):
      id = .plain(places.slots(of: from), within: within.map { places.slots(of: $0)[0] })
    case .derived(let parts, let needs):
      id = .derived(
        parts.map { part in
          switch part {
          case .value(let reference): .slot(places.slots(of: reference)[0])
          case .time: .time
          case .timeInSeconds: .timeInSeconds
          }
        }, needs: needs.map { places.slots(of: $0)[0] })
    }
    fields = StringField.allCases.map { places.slots(of: mapping.fields[$0] ?? []) }
    permission = fields[StringField.permission.rawValue]
    var telling: [Mapping.TellingField: [Int]] = [:]
    for field in Mapping.TellingField.allCases { telling[field] = places.slots(of: mapping.telling[field] ?? []) }
    self.telling = telling
    rules = mapping.rules.map { Self.compile($0, &places) }
    otherwise = mapping.otherwise.map { Self.compile($0, &places) }
    self.places = places
    guard places.count <= 1000 else { throw MappingError("\(mapping.name): it looks at more than 1,000 places") }
  }

  private static func compile(_ rule: MappingRule, _ places: inout ValuePlaces) -> Rule {
    let conditions = rule.conditions.map { (slots: places.slots(of: $0.property), values: $0.values) }
    let permission = places.slots(of: rule.permission?.from ?? [])
    let status = places.slots(of: rule.status?.from ?? [])
    var telling = conditions.flatMap(\.slots) + permission + status
    let fields = rule.fields.sorted { $0.key.rawValue < $1.key.rawValue }.map { field, source in
      let slots = places.slots(of: source.from)
      if !source.values.isEmpty { telling += slots }
      return (field: field, slots: slots, source: source)
    }
    return Rule(
      rule: rule, conditions: conditions, permission: permission, status: status, fields: fields, telling: telling)
  }

  /// What can be said of a name before any value is looked at.
  package func plan(_ name: [UInt8]) -> NamePlan {
    let normal = NormalName(name)
    let looks = UsualSpelling.looksLikePermission(normal)
    let text = normal.bytes.dropFirst().dropLast()
    func matching(_ rules: [Rule], patternsTakePermissions: Bool) -> [Int] {
      rules.indices.filter { index in
        let rule = rules[index].rule
        if rule.names(name) { return true }
        return (patternsTakePermissions || !looks) && rule.patterns.contains { $0.matches(text) }
      }
    }
    let first = matching(rules, patternsTakePermissions: true)
    let last = matching(otherwise, patternsTakePermissions: false)
    let usesUsual = mapping.usualSpellings && UsualSpelling.concerns(normal)
    var slots: [Int] = first.flatMap { rules[$0].telling } + last.flatMap { otherwise[$0].telling }
    if usesUsual || !first.isEmpty {
      slots += permission
      for field in Mapping.TellingField.allCases { slots += telling[field] ?? [] }
    }
    return NamePlan(
      name: name, normal: normal, first: first, otherwise: last, usesUsual: usesUsual, looksLikePermission: looks,
      slots: Array(Set(slots)).sorted())
  }

  /// What becomes of an event.
  /// - Parameter value: the text in a slot, nil where it is absent. Only slots of the plan are asked for.
  package func decide(_ plan: NamePlan, value: (Int) -> [UInt8]?) -> Decision {
    for index in plan.first where applies(rules[index], value) { return decision(rules[index], plan, value) }
    if plan.usesUsual {
      let reading = usual(plan, value)
      switch reading.meaning {
      case .event(let kind):
        return finished(
          Decision(
            outcome: .event(kind), permission: reading.permission ?? [],
            status: reading.status.map { Array($0.name.utf8) } ?? []))
      case .nothing(let reason): return Decision(outcome: .nothing(reason))
      case .unknown: break
      }
    }
    for index in plan.otherwise where applies(otherwise[index], value) {
      return decision(otherwise[index], plan, value)
    }
    return Decision(outcome: .unmapped(nil))
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

  private func usual(_ plan: NamePlan, _ value: (Int) -> [UInt8]?) -> UsualSpelling {
    var properties = TellingProperties()
    properties.permission = Self.first(permission, value)
    properties.permissionHint = Self.first(telling[.permission_hint] ?? [], value)
    properties.status = Self.first(telling[.status] ?? [], value)
    properties.result = Self.first(telling[.result] ?? [], value)
    properties.source = Self.first(telling[.source] ?? [], value)
    properties.screen = Self.first(telling[.screen] ?? [], value)
    properties.button = Self.first(telling[.button] ?? [], value)
    return UsualSpelling(name: plan.normal, properties: properties)
  }

  private func decision(_ rule: Rule, _ plan: NamePlan, _ value: (Int) -> [UInt8]?) -> Decision {
    guard case .event(let kind) = rule.rule.result else { return Decision(outcome: .nothing("ignored by a rule")) }
    var decision = Decision(outcome: .event(kind))
    if !kind.isEngagement {
      // What the rule leaves open is read as usual.
      let reading = usual(plan, value)
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

  /// The value of a source: translated where it says how.
  private static func translated(_ source: ValueSource, _ found: [UInt8]?) -> [UInt8]? {
    if let found {
      if source.values.isEmpty { return found }
      if let text = source.values[NormalName(found)] { return Array(text.utf8) }
    }
    return source.otherwise.map { Array($0.utf8) }
  }

  /// An event of a permission without a permission is nothing that can be stored.
  private func finished(_ decision: Decision) -> Decision {
    guard case .event(let kind) = decision.outcome else { return decision }
    if kind.isEngagement {
      var copy = decision
      copy.permission = []
      copy.status = []
      return copy
    }
    return decision.permission.isEmpty ? Decision(outcome: .unmapped("it names no permission")) : decision
  }
}
