// A table for all events of a mapping: what the own words of a column mean, like `1: authorized`.

import PermissionEvents

package struct Translation: Sendable {
  /// Places whose values it translates; every place of the field if the list is empty.
  var places: [PropertyReference] = []
  /// By the normal form of what the file has.
  var values: [NormalName: String]
  var line: Int
}

extension Mapping {
  /// Checks what a field's table translates to.
  /// - Throws: if a status is not one that permlog reads.
  func check(_ table: Translation, of field: String) throws(MappingError) {
    guard field == TellingField.status.rawValue else { return }
    for text in table.values.values.sorted() where StatusWords.status(text.utf8) == nil {
      let known = AuthorizationStatus.names.dropFirst().joined(separator: ", ")
      throw MappingError(name, line: table.line, "there is no status \(text); take one of \(known)")
    }
  }
}

extension MappingProgram {
  /// The tables of one field by slot.
  struct Translations: Sendable {
    private var everywhere: [[NormalName: String]] = []
    private var bySlot: [Int: [NormalName: String]] = [:]

    init(_ tables: [Translation], _ places: inout ValuePlaces) {
      for table in tables {
        if table.places.isEmpty { everywhere.append(table.values) }
        for slot in places.slots(of: table.places) {
          bySlot[slot, default: [:]].merge(table.values) { first, _ in first }
        }
      }
    }

    /// What a value means; nil if no table has it.
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

  /// A decision with the string fields whose values a table translates; what a rule says comes first.
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
