// The fields of the canonical form, in one numbering for all parsers, and the closed lists of their values.

import Buffers
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

  static func index(of name: some Sequence<UInt8>) -> Int? { names.firstIndex { $0.utf8.elementsEqual(name) } }

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

/// A field and one of its values, as a key for results about values of closed lists.
struct FieldAndValue: Hashable {
  var field: Int
  var value: [UInt8]
}

// MARK: A value as a parser found it, and what counts as one

/// A field's value. The memory is the parser's, and valid until its next record.
struct FieldValue: BitwiseCopyable {
  enum Kind: UInt8 {
    case absent
    case string
    /// A number, as it is spelled.
    case number
    case boolean
    case object
    case array
  }

  var kind: Kind
  /// Whether a time is a moment independently of the file's zone: it has its own zone and is not a text. It is next to
  /// the kind, so that it takes no space.
  var isInstant = false
  var text: PaddedBytes
  var bytes: UnsafeRawBufferPointer { text.bytes }

  static var absent: FieldValue { FieldValue(kind: .absent, text: .none) }

  /// A number of a table that lines of JSON cannot have, such as NaN: no field takes it.
  var isNoNumber: Bool { kind == .number && !(bytes.last.map { $0 &- 48 <= 9 } ?? false) }

  /// An empty string is an absent value.
  var isAbsent: Bool { kind == .absent || (kind == .string && text.isEmpty) }

  // MARK: Values of vendors, who write the absence of one in several ways

  private static let absences: [[UInt8]] = ["null", "undefined", "(not set)", "(null)", "<null>"].map { Array($0.utf8) }

  var standsForNothing: Bool {
    guard let first = bytes.first, first == 0x6E || first == 0x75 || first == 0x28 || first == 0x3C, bytes.count <= 9
    else { return false }
    return Self.absences.contains { $0.elementsEqual(bytes) }
  }

  /// The value as text; nil if it is not a text or too long, because an app's own property may be anything.
  func asText(maximum: Int) -> FieldValue? {
    guard kind == .string || kind == .number || kind == .boolean else { return nil }
    guard !text.isEmpty, text.count <= maximum, !standsForNothing else { return nil }
    return FieldValue(kind: .string, text: text)
  }
}

/// A text in memory of its own, for values that outlive a record.
final class OwnedText: Sendable {
  private let memory: PaddedBuffer

  init(_ text: [UInt8]) { memory = PaddedBuffer(text) }

  var value: FieldValue { memory.bytes.isEmpty ? .absent : FieldValue(kind: .string, text: memory.bytes) }
}
