// The fields of the canonical form, in one numbering for all parsers, and the closed lists of their values.

import PermissionEvents

/// A field by number: the string fields keep the numbers of `StringField`, then come the two that have a closed list
/// of values, then the others. Literals, so that the compiler knows them.
enum ImportField {
  static let stringCount = 10
  static let event = 10
  static let status = 11
  /// The fields before this number become codes.
  static let codeCount = 12
  static let eventID = 12
  static let userID = 13
  static let timestamp = 14
  static let count = 15

  static let names: [String] = StringField.names + ["event", "status", "event_id", "user_id", "timestamp"]
  static let required = [userID, timestamp, event]

  static func index(of name: some Sequence<UInt8>) -> Int? {
    names.firstIndex { $0.utf8.elementsEqual(name) }
  }

  static let maximumUserID = 256
  static let maximumEventID = 128
}

/// A closed list of names. Looked up on a cache's miss only, so plainly.
enum ClosedList {
  static let kinds: [[UInt8]] = EventKind.names.map { Array($0.utf8) }
  static let statuses: [[UInt8]] = AuthorizationStatus.names.map { Array($0.utf8) }
  static let permissions: [[UInt8]] = PermissionCode.taxonomy.map { Array($0.utf8) }

  static func index(of name: UnsafeRawBufferPointer, in list: [[UInt8]]) -> Int? {
    list.firstIndex { $0.elementsEqual(name) }
  }
}

/// A field and a value of it, for memories of what was found out about values of closed lists.
struct FieldAndValue: Hashable {
  var field: Int
  var value: [UInt8]
}
