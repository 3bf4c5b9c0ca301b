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
  /// For logs whose ids were made by the rule before.
  package let formerID: EventID<Int>?
  package let links: [Link]
  package let session: [Int]
  /// Slots of the string fields, permission left out, by `StringField.rawValue`.
  package let fields: [[Int]]
  let permission: [Int]
  let telling: [Mapping.TellingField: [Int]]
  /// The first keys of all places.
  package let firstKeys: Set<String>
  /// The objects of properties below the root as names, the longest first, with their place in the list.
  let containerNames: [(index: Int, name: String)]
  let rules: [Rule]
  let otherwise: [Rule]
  /// By the name of the field.
  let translations: [String: Translations]

  /// Records that say that two ids are one install.
  package struct Link: Sendable {
    package let events: [[UInt8]]
    package let from: [Int]
    package let with: [Int]
    package let unless: [Int]
  }

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
    id = record.id.map { $0.map { places.slotsAnywhere(of: [$0]) } }
    formerID = (record.formerID ?? record.id).map { $0.map { places.slots(of: $0) } }
    links = record.links.map { link in
      Link(
        events: link.events.map { Array($0.utf8) }, from: places.slots(of: link.from),
        with: places.slots(of: link.with),
        unless: places.slots(of: link.unless))
    }
    session = places.slots(of: record.session)
    fields = StringField.allCases.map { places.slotsAnywhere(of: mapping.fields[$0] ?? []) }
    permission = fields[StringField.permission.rawValue]
    var telling: [Mapping.TellingField: [Int]] = [:]
    for field in Mapping.TellingField.allCases { telling[field] = places.slotsAnywhere(of: mapping.telling(of: field)) }
    self.telling = telling
    rules = mapping.rules.map { Self.compile($0, &places) }
    otherwise = mapping.otherwise.map { Self.compile($0, &places) }
    translations = mapping.translations.mapValues { Translations($0, &places) }
    self.places = places
    firstKeys = Set(places.paths.compactMap(\.keys.first))
    containerNames = places.containers.enumerated().map { ($0.offset, ValuePlaces.normal($0.element)) }
      .filter { !$0.1.isEmpty }.sorted { $0.1.utf8.count > $1.1.utf8.count }
    guard places.count <= 1000 else { throw MappingError("\(mapping.name): it looks at more than 1,000 places") }
  }

  private static func compile(_ rule: MappingRule, _ places: inout ValuePlaces) -> Rule {
    let conditions = rule.conditions.map { (slots: places.slotsAnywhere(of: [$0.property]), values: $0.values) }
    let permission = places.slotsAnywhere(of: rule.permission?.from ?? [])
    let status = places.slotsAnywhere(of: rule.status?.from ?? [])
    var telling = conditions.flatMap(\.slots) + permission + status
    let fields = rule.fields.sorted { $0.key.rawValue < $1.key.rawValue }.map { field, source in
      let slots = places.slotsAnywhere(of: source.from)
      if !source.values.isEmpty { telling += slots }
      return (field: field, slots: slots, source: source)
    }
    return Rule(
      rule: rule, conditions: conditions, permission: permission, status: status, fields: fields, telling: telling)
  }
}
