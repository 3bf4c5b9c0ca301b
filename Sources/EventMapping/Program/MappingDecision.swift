// What a mapping makes of an event, found once for each combination of name and telling values and kept.

import PermissionEvents

/// What becomes of an event.
package struct MappingDecision: Sendable {
  package enum Outcome: Equatable, Sendable {
    case event(EventKind)
    /// It is understood, and nothing is stored of it.
    case nothing(String)
    /// Nobody knows what it means; the reason, if there is a particular one.
    case unmapped(String?)
  }

  /// Where a field's value is.
  package struct Field: Sendable {
    package var slots: [Int]
    /// The value if no slot has one.
    package var otherwise: [UInt8]?
  }

  package var outcome: Outcome
  /// Empty if there is none.
  package var permission: [UInt8] = []
  package var status: [UInt8] = []
  /// Fields that a rule says where to find; the others are as the mapping says for all events.
  package var fields: [(field: StringField, value: Field)] = []

  package init(outcome: Outcome, permission: [UInt8] = [], status: [UInt8] = []) {
    (self.outcome, self.permission, self.status) = (outcome, permission, status)
  }

  /// True if it names a permission outside the taxonomy.
  package var hasUnknownPermission: Bool {
    !permission.isEmpty && !PermissionCode.taxonomy.contains { $0.utf8.elementsEqual(permission) }
  }

  /// What became of the event without a word of its own: one of a few texts.
  package var shortLabel: String {
    switch outcome {
    case .event(let kind): kind.name
    case .nothing: "not stored"
    case .unmapped: "not mapped"
    }
  }

  /// A few words on what became of the event, for tables.
  package var label: String {
    switch outcome {
    case .event(let kind):
      let permission = self.permission.isEmpty ? "" : " " + String(decoding: self.permission, as: UTF8.self)
      let status = self.status.isEmpty ? "" : " (" + String(decoding: self.status, as: UTF8.self) + ")"
      return kind.name + permission + status
    case .nothing(let reason): return "not stored: " + reason
    case .unmapped(let reason): return "not mapped" + (reason.map { ": " + $0 } ?? "")
    }
  }
}

/// What a name alone says: which rules may be for it and which values decide.
package struct NamePlan: Sendable {
  package let name: [UInt8]
  let normal: NormalName
  /// Whether the name is that of a kind, in any spelling.
  package var isKind: Bool { EventReading.kind(named: normal) != nil }
  /// Rules to look at, by their place in the mapping's lists.
  let first: [Int]
  let otherwise: [Int]
  let usesUsual: Bool
  package let looksLikePermission: Bool
  /// The slots whose values decide; with none of them there is one decision for the name.
  package let slots: [Int]
  /// Whether members that nobody listed decide too, if their keys tell of an answer.
  package let readsOthers: Bool
  /// Those among them that tables show beside the name, with their properties' names.
  package let answers: [(slot: Int, name: String)]
}
