// A mapping: what the records of an export look like and which of its events mean what. Presets and a user's own files
// are the same thing.

import PermissionEvents

package struct Mapping: Sendable {
  /// Lists of properties besides those of `StringField`.
  package enum TellingField: String, CaseIterable, Sendable {
    case permission_hint, status, result, flag, source, screen, button
  }

  /// `amplitude`, or the name of a file.
  package var name: String
  /// What event ids that are made of a key belong to: the vendor, or the name that the mapping gives itself. Not the
  /// file's name, or a mapping that is moved would make all events anew.
  package var scope: String
  /// The preset that it builds on.
  package var base: String?
  package var record: RecordDescription?
  /// Properties by field, the first that is there counts.
  package var fields: [StringField: [PropertyReference]] = [:]
  package var telling: [TellingField: [PropertyReference]] = [:]
  /// Looked at before everything else, in order.
  package var rules: [MappingRule] = []
  /// Whether names in the usual spellings are understood without a rule.
  package var usualSpellings = true
  /// Looked at where neither a rule nor the usual spellings knew an event: first the rules that name it, then the
  /// patterns, which do not take events that look like permission events.
  package var otherwise: [MappingRule] = []

  /// This mapping on top of the preset that it names.
  func extending(_ preset: Mapping) -> Mapping {
    var result = self
    if result.record == nil { result.record = preset.record }
    for (field, list) in preset.fields { result.fields[field, default: []] += list }
    for (field, list) in preset.telling { result.telling[field, default: []] += list }
    result.rules += preset.rules
    result.otherwise += preset.otherwise
    return result
  }
}
