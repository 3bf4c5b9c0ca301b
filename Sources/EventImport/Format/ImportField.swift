// The fields of the canonical form, in one numbering for all parsers.

import PermissionEvents

/// A field by number: the string fields keep the numbers of `StringField`, then come the others.
enum ImportField {
  static let stringCount = StringField.allCases.count
  static let eventID = 10
  static let userID = 11
  static let timestamp = 12
  static let event = 13
  static let status = 14
  static let count = 15

  static let names: [String] = StringField.names + ["event_id", "user_id", "timestamp", "event", "status"]
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
