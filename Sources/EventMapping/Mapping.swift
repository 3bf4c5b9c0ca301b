// A mapping: what the records of an export look like and which of its events mean what. Presets and a user's own files
// are the same thing.

import PermissionEvents

package struct Mapping: Sendable {
  /// Lists of properties besides those of `StringField`.
  package enum TellingField: String, CaseIterable, Sendable {
    case permission_hint, status, result, flag, source, screen, button, scene
  }

  /// `amplitude`, or the name of a file.
  package var name: String
  /// The scope of event ids that are made of a key: the vendor, or the mapping's own name. Not the file's name, because
  /// a moved mapping would then give all events new ids.
  package var scope: String
  /// The preset that it builds on.
  package var base: String?
  package var record: RecordDescription?
  /// Properties by field; the first that is present counts.
  package var fields: [StringField: [PropertyReference]] = [:]
  /// Fields that are not stored, whatever the preset or a rule of it reads: an empty list in the file.
  package var unstored: Set<StringField> = []
  package var telling: [TellingField: [PropertyReference]] = [:]
  /// Tables that translate values, by the name of the field.
  package var translations: [String: [Translation]] = [:]
  /// Properties that are read on every row.
  package var sticky: [StickyProperty] = []
  /// Tried before everything else, in order.
  package var rules: [MappingRule] = []
  /// Whether names in the usual spellings are understood without a rule.
  package var usualSpellings = true
  /// Whether it reads the names of canonical rows, which have the permission in its own column.
  var isCanonical = false
  /// Tried if neither a rule nor the usual spellings know an event: first the rules that name it, then the patterns,
  /// which do not match events that look like permission events.
  package var otherwise: [MappingRule] = []

  /// Properties with an answer under these names in every export, even if a mapping does not list them: an unread one
  /// might contradict the name.
  package static let usualTelling: [TellingField: [String]] = [
    .status: [
      "status", "state", "authorization_status", "permission_status", "permission_state", "new_status",
    ],
    .scene: ["prompt_type", "dialog_type", "step"],
    .result: [
      "result", "outcome", "response", "choice", "answer", "decision", "action", "permission_result", "selection",
      "user_choice", "user_response",
    ],
    .flag: [
      "granted", "allowed", "accepted", "authorized", "enabled", "approved", "opted_in", "is_granted", "is_authorized",
      "is_enabled", "permission_granted", "is_allowed", "was_granted", "has_permission", "denied", "is_denied",
      "declined",
    ],
  ]

  /// The paths that are read for a field: the mapping's own, then the usual ones.
  func telling(of field: TellingField) -> [PropertyReference] {
    var result = telling[field] ?? []
    guard usualSpellings else { return result }
    for name in Self.usualTelling[field] ?? [] where !result.contains(.name(name)) { result.append(.name(name)) }
    return result
  }

  /// All columns and paths that it names.
  var named: [PropertyReference] {
    var all = fields.values.flatMap { $0 } + telling.values.flatMap { $0 }
    all += translations.values.joined().flatMap(\.places)
    for rule in rules + otherwise {
      all += rule.conditions.map(\.property) + (rule.permission?.from ?? []) + (rule.status?.from ?? [])
      all += rule.fields.values.flatMap(\.from)
    }
    guard let record else { return all }
    all += record.event.flatMap(\.places) + (record.user + record.account).map(\.from) + record.time + record.session
    if let number = record.number { all += number.from + number.within }
    return all
  }

  /// This mapping on top of the preset that it names.
  func extending(_ preset: Mapping) -> Mapping {
    var result = self
    if result.record == nil { result.record = preset.record }
    for (field, list) in preset.fields { result.fields[field, default: []] += list }
    for (field, list) in preset.telling { result.telling[field, default: []] += list }
    result.sticky += preset.sticky
    result.rules += preset.rules
    result.otherwise += preset.otherwise
    for field in unstored {
      result.fields[field] = nil
      for index in result.rules.indices { result.rules[index].fields[field] = nil }
      for index in result.otherwise.indices { result.otherwise[index].fields[field] = nil }
    }
    return result
  }

  /// A field without which an assignment to an experiment cannot be stored, if it is not stored.
  var unstoredOfAssignments: StringField? { [.experiment, .variant].first { unstored.contains($0) } }

  /// Checks the permissions that rules and tables write down themselves: one that does not exist would have every event of its
  /// rule rejected.
  /// - Parameter file: the file's name for messages.
  /// - Throws: with the line, if one is outside the taxonomy.
  package func requireKnownPermissions(file: String) throws(MappingError) {
    var named: [(text: String, line: Int)] = []
    for rule in rules + otherwise {
      guard case .event(let kind) = rule.result, kind.needsPermission, let source = rule.permission else { continue }
      let texts = source.values.values.sorted() + [source.otherwise].compactMap { $0 }
      named += texts.map { ($0, rule.line) }
    }
    for table in translations[StringField.permission.name] ?? [] {
      named += table.values.values.sorted().map { ($0, table.line) }
    }
    for property in sticky {
      guard let permission = property.permission, !PermissionCode.taxonomy.contains(permission) else { continue }
      throw MappingError(
        "\(file): states: there is no permission \(permission); use one of \(PermissionCode.taxonomy.joined(separator: ", "))",
        .allowCustomPermissions)
    }
    for (text, line) in named where PermissionWords.permission(value: text.utf8) == nil {
      throw MappingError(
        file, line: line,
        "there is no permission \(text); use one of \(PermissionCode.taxonomy.joined(separator: ", "))",
        .allowCustomPermissions)
    }
  }
}

package struct MappingError: Error, Equatable {
  package var explanation: ErrorExplanation

  package init(_ finding: String, _ remedy: Remedy? = nil) { explanation = ErrorExplanation(finding, remedy) }

  init(_ name: String, line: Int, _ text: String, _ remedy: Remedy? = nil) {
    self.init("\(name), line \(line): \(text)", remedy)
  }

  /// One sentence with file, line and remedy.
  package var message: String { explanation.text }
}

// MARK: One rule of a mapping: the events that it matches, and their result

package struct ValueSource: Sendable {
  package var from: [PropertyReference] = []
  /// Translations, by the normal form of the value; empty if the value does not change.
  package var values: [NormalName: String] = [:]
  /// The value if nothing was found.
  package var otherwise: String?
}

package struct MappingRule: Sendable {
  /// The result for an event.
  package enum Result: Equatable, Sendable {
    case event(EventKind)
    case ignored
  }

  /// Names exactly as in the export.
  package var events: [String] = []
  /// Globs for the normal form of the name.
  package var patterns: [Glob] = []
  /// Values that properties must have, in normal form; an empty list only requires the property to be present.
  package var conditions: [(property: PropertyReference, values: [NormalName])] = []
  package var result: Result
  package var permission: ValueSource?
  package var status: ValueSource?
  /// By `StringField`, permission left out.
  package var fields: [StringField: ValueSource] = [:]
  package var line: Int
}

// MARK: A table for all events of a mapping: what the own words of a column mean, like `1: authorized`

package struct Translation: Sendable {
  /// The paths with values that it translates; all paths of the field if the list is empty.
  var places: [PropertyReference] = []
  /// By the normal form of what the file has.
  var values: [NormalName: String]
  var line: Int
}

extension Mapping {
  /// Checks the results of a field's table.
  /// - Throws: if a status is not one that permlog reads.
  func checkTranslation(_ table: Translation, of field: String) throws(MappingError) {
    guard field == TellingField.status.rawValue else { return }
    for text in table.values.values.sorted() where StatusWords.status(text.utf8) == nil {
      let known = AuthorizationStatus.names.dropFirst().joined(separator: ", ")
      throw MappingError(name, line: table.line, "there is no status \(text); use one of \(known)")
    }
  }
}

extension MappingProgram {
  struct Translations: Sendable {
    private var everywhere: [[NormalName: String]] = []
    private var bySlot: [Int: [NormalName: String]] = [:]

    init(_ tables: [Translation], _ places: inout ValuePaths) {
      for table in tables {
        if table.places.isEmpty { everywhere.append(table.values) }
        for slot in places.slots(of: table.places) {
          bySlot[slot, default: [:]].merge(table.values) { first, _ in first }
        }
      }
    }

    func meaning(_ slot: Int, _ found: [UInt8]) -> [UInt8]? {
      if found == TellingProperties.unreadable { return nil }
      let name = NormalName(found)
      let text = bySlot[slot]?[name] ?? everywhere.lazy.compactMap { $0[name] }.first
      return text.map { Array($0.utf8) }
    }
  }

  /// The value in a slot, translated if a table of the field has it.
  func value(of field: String, _ slot: Int, _ value: (Int) -> [UInt8]?) -> [UInt8]? {
    guard let found = value(slot), let tables = translations[field] else { return value(slot) }
    return tables.meaning(slot, found) ?? found
  }

  /// Slots of the string fields that have a table, permission left out: their values take part in each decision.
  var translatedSlots: [Int] {
    translations.isEmpty
      ? [] : StringField.allCases.dropFirst().flatMap { translations[$0.name] == nil ? [] : fields[$0.rawValue] }
  }

  /// A decision with the string fields that a table translates. A rule has priority.
  func translating(_ decision: MappingDecision, _ value: (Int) -> [UInt8]?) -> MappingDecision {
    guard case .event = decision.outcome, !translations.isEmpty else { return decision }
    var result = decision
    for field in StringField.allCases.dropFirst() {
      guard let tables = translations[field.name], !decision.fields.contains(where: { $0.field == field }),
        let slot = fields[field.rawValue].first(where: { value($0) != nil }), let found = value(slot),
        let meaning = tables.meaning(slot, found)
      else { continue }
      result.fields.append((field, .init(slots: [], otherwise: meaning)))
    }
    return result
  }
}
