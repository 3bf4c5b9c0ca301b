// The fields of the canonical form, in one numbering for all parsers.

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

/// A field's value as a parser found it. The memory is the parser's; 16 bytes behind the value are readable.
struct FieldValue {
  enum Kind: UInt8 {
    /// Not there, or null.
    case absent
    case string
    /// A number, as it is spelled.
    case number
    case boolean
    case object
    case array
  }

  var kind: Kind
  var bytes: UnsafeRawBufferPointer

  static var absent: FieldValue { FieldValue(kind: .absent, bytes: UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// An empty string is an absent value.
  var isAbsent: Bool { kind == .absent || (kind == .string && bytes.isEmpty) }
}
