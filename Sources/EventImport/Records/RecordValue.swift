// What counts as a value in an export: vendors write the absence of one in several ways.

import PermissionEvents

enum RecordValue {
  private static let absences: [[UInt8]] = ["null", "undefined", "(not set)", "(null)", "<null>"].map { Array($0.utf8) }

  /// True for texts that say that there is no value.
  static func standsForNothing(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, first == 0x6E || first == 0x75 || first == 0x28 || first == 0x3C, bytes.count <= 9
    else { return false }
    return absences.contains { $0.elementsEqual(bytes) }
  }

  /// A value as text, absent where it is none or too long to be kept: a property of the app's own making may be anything.
  static func text(_ value: FieldValue, maximum: Int) -> FieldValue? {
    switch value.kind {
    case .string, .number, .boolean: break
    case .absent, .object, .array: return nil
    }
    guard !value.bytes.isEmpty, value.bytes.count <= maximum, !standsForNothing(value.bytes) else { return nil }
    return FieldValue(kind: .string, bytes: value.bytes)
  }
}
