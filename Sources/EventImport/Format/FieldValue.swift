// A value as a parser found it, and what counts as one.

import Buffers

/// A field's value. The memory is the parser's, and valid until its next record.
struct FieldValue: BitwiseCopyable {
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
  /// A time that is a moment whatever is said of the file's times: it came with its zone, and as no text. Beside the kind, so that
  /// it takes no room.
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

  /// True for texts that say that there is no value.
  var standsForNothing: Bool {
    guard let first = bytes.first, first == 0x6E || first == 0x75 || first == 0x28 || first == 0x3C, bytes.count <= 9
    else { return false }
    return Self.absences.contains { $0.elementsEqual(bytes) }
  }

  /// The value as text; nil if it is none or too long to be kept: a property of the app's own making may be anything.
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
