// A mapping compiled for reading records: every path is a slot, and every decision is made here once.

import PermissionEvents

package final class MappingProgram: Sendable {
  package let mapping: Mapping
  package let record: RecordDescription
  package let places: ValuePaths
  package let names: [EventName<Int>]
  package let user: [(slot: Int, without: [UInt8])]
  package let identities: [RecordDescription.Identity]
  package let time: [Int]
  package let id: EventID<Int>?
  /// For logs with ids made by the previous rule.
  package let formerID: EventID<Int>?
  /// Slots of the row's number, and of what counts; nil if rows have none.
  package let number: (from: [Int], within: [[Int]])?
  package let links: [Link]
  package let session: [Int]
  /// Slots of the string fields, permission left out, by `StringField.rawValue`.
  package let fields: [[Int]]
  let permission: [Int]
  let telling: [Mapping.TellingField: [Int]]
  package let firstKeys: Set<String>
  /// The objects of properties below the root as names, the longest first, with their index in the list.
  let containerNames: [(index: Int, name: String)]
  let rules: [Rule]
  let otherwise: [Rule]
  /// The names of both lists of rules.
  let ruleNames: NameMatcher
  let otherwiseNames: NameMatcher
  /// How experiments' own tools say who got which variant.
  let experimentRows: [ExperimentRow]
  /// Properties that are read on every row, and the slots of their names.
  package let sticky: [(property: StickyProperty, slots: [Int])]
  /// The slots of both. A column may be read for them and for another field.
  package let stickySlots: Set<Int>
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
    /// Slots with values that decide the result of the rule.
    var telling: [Int]
  }

  /// - Parameter prefersAccount: the user is the account before the device.
  package init(_ mapping: Mapping, prefersAccount: Bool, sticky named: [StickyProperty] = []) throws(MappingError) {
    guard let record = mapping.record else { throw MappingError("\(mapping.name): it has no record section") }
    self.mapping = mapping
    self.record = record
    var places = ValuePaths(containers: record.properties, ignored: record.ignored)
    names = record.event.map { $0.map { places.slots(of: $0)[0] } }
    identities = prefersAccount && !record.account.isEmpty ? record.account : record.user
    user = identities.flatMap { identity in
      places.slots(of: identity.from).map { ($0, Array((identity.without ?? "").utf8)) }
    }
    time = places.slots(of: record.time)
    id = record.id.map { $0.map { places.slotsAnywhere(of: [$0]) } }
    formerID = (record.formerID ?? record.id).map { $0.map { places.slots(of: $0) } }
    number = record.number.map { (places.slotsAnywhere(of: $0.from), $0.within.map { places.slotsAnywhere(of: [$0]) }) }
    links = record.links.map { link in
      Link(
        events: link.events.map { Array($0.utf8) }, from: places.slots(of: link.from),
        with: places.slots(of: link.with), unless: places.slots(of: link.unless))
    }
    session = places.slots(of: record.session)
    fields = StringField.allCases.map { places.slotsAnywhere(of: mapping.fields[$0] ?? []) }
    permission = fields[StringField.permission.rawValue]
    var telling: [Mapping.TellingField: [Int]] = [:]
    for field in Mapping.TellingField.allCases { telling[field] = places.slotsAnywhere(of: mapping.telling(of: field)) }
    self.telling = telling
    rules = mapping.rules.map { Self.compile($0, &places) }
    otherwise = mapping.otherwise.map { Self.compile($0, &places) }
    ruleNames = NameMatcher(mapping.rules)
    otherwiseNames = NameMatcher(mapping.otherwise)
    let unstored = mapping.unstoredOfAssignments
    experimentRows =
      mapping.usualSpellings && !mapping.isCanonical && unstored == nil ? ExperimentRow.all(&places) : []
    if let unstored, let experiment = named.first(where: \.isExperiment) {
      throw MappingError(
        "\(mapping.name): fields has \(unstored.name): [], so assignments to \(experiment.name) cannot be stored. Ask for no experiment, or change the mapping"
      )
    }
    var sticky: [(property: StickyProperty, slots: [Int])] = []
    // The caller's property of a permission takes the place of the mapping's.
    for property in named + mapping.sticky
    where !sticky.contains(where: {
      $0.property == property || property.permission != nil && $0.property.permission == property.permission
    }) {
      let references = property.references
      sticky.append((property, places.slotsAnywhere(of: references) + Self.userSlots(references, &places)))
    }
    self.sticky = sticky
    stickySlots = Set(experimentRows.flatMap(\.slots) + sticky.flatMap(\.slots))
    translations = mapping.translations.mapValues { Translations($0, &places) }
    self.places = places
    firstKeys = Set(places.paths.compactMap(\.keys.first))
    containerNames = places.containers.enumerated().map { ($0.offset, ValuePaths.normal($0.element)) }
      .filter { !$0.1.isEmpty }.sorted { $0.1.utf8.count > $1.1.utf8.count }
    guard places.count <= 1000 else {
      throw MappingError(
        "\(mapping.name): it reads more than 1,000 columns and paths")
    }
  }

  /// Objects with the properties of a user, in which sticky properties are looked for and nothing else is.
  private static let userObjects = [
    ["user_properties"], ["userProperties"], ["context", "traits"], ["traits"], ["properties", "$set"],
  ]

  private static func userSlots(_ references: [PropertyReference], _ places: inout ValuePaths) -> [Int] {
    userObjects.flatMap { object in
      references.flatMap { reference -> [Int] in
        guard case .name(let name) = reference else { return [] }
        return places.slots(of: .pointer(object + [name]))
      }
    }
  }

  private static func compile(_ rule: MappingRule, _ places: inout ValuePaths) -> Rule {
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

// MARK: Gives a number, its slot, to every path in a record that a mapping reads. A parser fills the slots, and a
// program reads them; neither knows the other.

package struct ValuePaths: Sendable {
  /// Keys from the root to a slot. Several ways may lead to one slot: the spellings of a name.
  package private(set) var paths: [(keys: [String], slot: Int)] = []
  /// The paths by slot, for messages.
  package private(set) var names: [String] = []
  private var slots: [[String]: Int] = [:]
  /// Objects in which properties are looked for.
  let containers: [[String]]
  /// Properties by the letters of their names: their slots by container, and the one for a value that is found elsewhere.
  private(set) var listed: [String: (inside: [Int], beside: Int?)] = [:]
  /// Paths of several keys, by one normal name made of them, as in a flattened table.
  private(set) var flattened: [String: [String]] = [:]
  /// The same for paths of one key.
  private(set) var single: [String: [String]] = [:]

  /// No value is looked for there.
  private let ignored: [PropertyReference]

  /// - Parameter containers: objects in which properties are looked for.
  init(containers: [PropertyReference], ignored: [PropertyReference] = []) {
    self.containers = containers.isEmpty ? [[]] : containers.map(\.keys)
    self.ignored = ignored
    for keys in self.containers { flatten(keys) }
  }

  private mutating func flatten(_ keys: [String]) {
    for count in keys.indices.dropFirst().map({ $0 + 1 }) {
      let name = Self.normal(keys.prefix(count))
      if flattened[name] == nil { flattened[name] = Array(keys.prefix(count)) }
    }
  }

  package var count: Int { names.count }

  /// The slots where a value may be found, in order of preference.
  mutating func slots(of reference: PropertyReference) -> [Int] {
    switch reference {
    case .pointer(let keys):
      flatten(keys)
      if keys.count == 1, single[Self.normal(keys)] == nil { single[Self.normal(keys)] = keys }
      return [slot(keys, name: reference.text, variants: [keys], isNamed: true)]
    case .name(let name):
      return containers.map { container in
        slot(container + [name], name: name, variants: PropertySpelling.variants(of: name).map { container + [$0] })
      }
    }
  }

  mutating func slots(of references: [PropertyReference]) -> [Int] { references.flatMap { slots(of: $0) } }

  /// The same, followed by the slots for values of these properties outside the objects: elsewhere in the record, or
  /// under a name with both parts.
  mutating func slotsAnywhere(of references: [PropertyReference]) -> [Int] {
    var result = slots(of: references)
    for case .name(let name) in references {
      let letters = NormalName(name).letters
      if letters.isEmpty { continue }
      if listed[letters] == nil {
        var beside: Int?
        if !containers.contains([]) {
          beside = names.count
          names.append(name)
        }
        listed[letters] = (slots(of: .name(name)), beside)
      }
      if let beside = listed[letters]?.beside, !result.contains(beside) { result.append(beside) }
    }
    return result
  }

  /// A path is ignored with all in it, a name wherever it is.
  func isIgnored(_ keys: [String]) -> Bool {
    ignored.contains { reference in
      switch reference {
      case .pointer(let path): keys.starts(with: path)
      case .name(let name): keys.contains { NormalName($0).letters == NormalName(name).letters }
      }
    }
  }

  static func normal(_ keys: some Sequence<String>) -> String {
    keys.map { NormalName($0).text }.filter { !$0.isEmpty }.joined(separator: "_")
  }

  /// - Parameter isNamed: the mapping names this path itself, so that it is read in what is ignored, too.
  private mutating func slot(_ key: [String], name: String, variants: [[String]], isNamed: Bool = false) -> Int {
    // A pointer to a path that is also a property's first spelling shares its slot.
    let slot = slots[key] ?? names.count
    if slot == names.count { names.append(name) }
    for variant in variants where slots[variant] == nil && (isNamed || !isIgnored(variant)) {
      slots[variant] = slot
      paths.append((variant, slot))
    }
    return slot
  }
}

/// The spellings in which a property named `message_variant` turns up.
enum PropertySpelling {
  /// All usual spellings of a name, itself first. A name that is not in lower case with underscores has only one spelling.
  static func variants(of name: String) -> [String] {
    let isPlain = name.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 0x5F }
    guard isPlain, !name.isEmpty else { return [name] }
    let words = name.split(separator: "_").map(String.init)
    guard let first = words.first else { return [name] }
    func capital(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
    let capitals = words.map(capital)
    var result = [
      name, first + capitals.dropFirst().joined(), capitals.joined(), capitals.joined(separator: " "),
      words.joined(separator: " "), capital(words.joined(separator: " ")), words.joined(separator: "-"),
      name.uppercased(), words.joined(), capitals.joined(separator: "_"),
    ]
    var seen = Set<String>()
    result.removeAll { !seen.insert($0).inserted }
    return result
  }
}

// MARK: The mapping of canonical rows with an event that is not a kind: their names are read like a vendor's, and their
// other columns are the properties.

extension MappingProgram {
  /// Reads names of canonical rows. Only its decisions are used: ids and times of such rows are read as canonical.
  package static let canonical: MappingProgram? = try? MappingProgram(.canonical, prefersAccount: false)
}

extension Mapping {
  fileprivate static var canonical: Mapping {
    func own(_ name: String) -> PropertyReference { .pointer([name]) }
    func names(_ texts: String) -> [PropertyReference] { wordList(texts).map { .name($0) } }
    var record = RecordDescription()
    record.event = [.from(own("event"))]
    record.user = [.init(from: own("user_id"))]
    record.time = [own("timestamp")]
    var mapping = Mapping(name: "canonical")
    mapping.isCanonical = true
    mapping.record = record
    mapping.fields[.permission] = [own("permission")]
    mapping.fields[.feature] = [own("feature")]
    mapping.telling[.status] = [own("status")]
    mapping.telling[.permission_hint] = names(
      "permission_type permission_name permissions type kind resource capability channel")
    mapping.telling[.source] = names("source from")
    mapping.telling[.button] = names("button button_name button_text button_label cta element")
    mapping.telling[.screen] = names("screen screen_name")
    mapping.otherwise = [
      rule(
        "*did_become_active app_became_active application_became_active app_active active app_open app_opened opened_app "
          + "application_open application_opened app_launch app_launched application_launched app_foreground app_foregrounded "
          + "application_foregrounded app_will_enter_foreground app_entered_foreground session_start session_started "
          + "start_session user_engagement", .appActive),
      rule("app_install application_installed first_open", .appInstalled),
      rule("feature_use used_feature use_feature", .featureUsed),
    ]
    return mapping
  }

  private static func rule(_ patterns: String, _ kind: EventKind) -> MappingRule {
    var rule = MappingRule(result: .event(kind), line: 0)
    rule.patterns = wordList(patterns).map { Glob(name: $0) }
    return rule
  }
}
