// A mapping made ready for reading records: every place is a slot, every decision is made here and asked for once.

import PermissionEvents

package final class MappingProgram: Sendable {
  package let mapping: Mapping
  package let record: RecordDescription
  package let places: ValuePlaces
  package let names: [EventName<Int>]
  package let user: [(slot: Int, without: [UInt8])]
  /// Where the user is looked for.
  package let identities: [RecordDescription.Identity]
  package let time: [Int]
  package let id: EventID<Int>?
  /// Slots of the string fields, permission left out, by `StringField.rawValue`.
  package let fields: [[Int]]
  let permission: [Int]
  let telling: [Mapping.TellingField: [Int]]
  let rules: [Rule]
  let otherwise: [Rule]
  /// By the name of the field.
  let translations: [String: Translations]

  struct Rule: Sendable {
    var rule: MappingRule
    var conditions: [(slots: [Int], values: [NormalName])]
    var permission: [Int]
    var status: [Int]
    var fields: [(field: StringField, slots: [Int], source: ValueSource)]
    /// Slots whose values decide what the rule does.
    var telling: [Int]
  }

  /// - Parameter prefersAccount: the user is the account before the device.
  package init(_ mapping: Mapping, prefersAccount: Bool) throws(MappingError) {
    guard let record = mapping.record else { throw MappingError("\(mapping.name): it has no record section") }
    self.mapping = mapping
    self.record = record
    var places = ValuePlaces(containers: record.properties)
    names = record.event.map { $0.map { places.slots(of: $0)[0] } }
    identities = prefersAccount && !record.account.isEmpty ? record.account : record.user
    user = identities.flatMap { identity in
      places.slots(of: identity.from).map { ($0, Array((identity.without ?? "").utf8)) }
    }
    time = places.slots(of: record.time)
    id = record.id.map { $0.map { places.slots(of: $0) } }
    fields = StringField.allCases.map { places.slots(of: mapping.fields[$0] ?? []) }
    permission = fields[StringField.permission.rawValue]
    var telling: [Mapping.TellingField: [Int]] = [:]
    for field in Mapping.TellingField.allCases { telling[field] = places.slots(of: mapping.telling(of: field)) }
    self.telling = telling
    rules = mapping.rules.map { Self.compile($0, &places) }
    otherwise = mapping.otherwise.map { Self.compile($0, &places) }
    translations = mapping.translations.mapValues { Translations($0, &places) }
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
}
