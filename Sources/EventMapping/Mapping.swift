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
  /// What event ids that are made of a key belong to: the vendor, or the name that the mapping gives itself. Not the
  /// file's name, or a mapping that is moved would make all events anew.
  package var scope: String
  /// The preset that it builds on.
  package var base: String?
  package var record: RecordDescription?
  /// Properties by field, the first that is there counts.
  package var fields: [StringField: [PropertyReference]] = [:]
  package var telling: [TellingField: [PropertyReference]] = [:]
  /// Tables by the name of the field whose values they translate.
  package var translations: [String: [Translation]] = [:]
  /// Looked at before everything else, in order.
  package var rules: [MappingRule] = []
  /// Whether names in the usual spellings are understood without a rule.
  package var usualSpellings = true
  /// Whether it reads the names of canonical rows, whose permission is in a column of its own.
  var isCanonical = false
  /// Looked at if neither a rule nor the usual spellings knew an event: first the rules that name it, then the
  /// patterns, which do not take events that look like permission events.
  package var otherwise: [MappingRule] = []

  /// Properties that tell of an answer under these names in every export, whatever a mapping lists: one that is not looked at
  /// might say the contrary of the name.
  package static let usualTelling: [TellingField: [String]] = [
    .status: [
      "status", "state", "authorization_status", "permission_status", "permission_state", "new_status", "att_status",
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

  /// The places that are looked at for a field: the mapping's own, then the usual ones.
  func telling(of field: TellingField) -> [PropertyReference] {
    var result = telling[field] ?? []
    guard usualSpellings else { return result }
    for name in Self.usualTelling[field] ?? [] where !result.contains(.name(name)) { result.append(.name(name)) }
    return result
  }

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
    for (text, line) in named where PermissionWords.permission(value: text.utf8) == nil {
      throw MappingError(
        file, line: line,
        "there is no permission \(text); take one of \(PermissionCode.taxonomy.joined(separator: ", "))",
        .allowCustomPermissions)
    }
  }
}

/// A mapping that cannot be read or understood.
package struct MappingError: Error, Equatable {
  package var explanation: ErrorExplanation

  package init(_ finding: String, _ remedy: Remedy? = nil) { explanation = ErrorExplanation(finding, remedy) }

  init(_ name: String, line: Int, _ text: String, _ remedy: Remedy? = nil) {
    self.init("\(name), line \(line): \(text)", remedy)
  }

  /// One sentence with file, line and remedy.
  package var message: String { explanation.text }
}
