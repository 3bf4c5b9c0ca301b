// A column that this program does not know: kept by its name, so that it goes through merges, and out of an export, as it
// came.

import PermissionEvents

/// A field of events with a stream of its own: one code a row.
struct PartColumn: Hashable, Sendable {
  var name: [UInt8]
  var stream: UInt8
  /// By code; code 0 is the absent value.
  var values: [[UInt8]]

  /// Streams below are those of `BlockStream`.
  static let firstStream: UInt8 = 16
  /// Most such columns of a part, and of a log that is merged.
  static let maximumCount = 64
}

/// Names of kinds and fields: they become keys and headings of exports, so that nothing has to be escaped.
enum VocabularyName {
  static let maximumLength = 64
  /// Keys of an exported event that are no string fields.
  private static let reserved = ["event_id", "user_id", "timestamp", "event", "status"].map { Array($0.utf8) }

  /// Small letters, digits and underscores, a letter first.
  static func isValid(_ name: [UInt8]) -> Bool {
    guard let first = name.first, first >= 97, first <= 122, name.count <= maximumLength else { return false }
    return name.allSatisfy { $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || $0 == 0x5F }
  }

  static func isValidColumn(_ name: [UInt8]) -> Bool { isValid(name) && !reserved.contains(name) }
}

extension StringField {
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { (Array($0.name.utf8), $0) })

  static func named(_ name: [UInt8]) -> StringField? { byName[name] }

  /// The stream that has the field's codes, or those of the combination that it is part of.
  var stream: BlockStream {
    switch self {
    case .permission, .variant, .experiment, .surface: .contexts
    case .feature: .features
    case .appVersion, .osVersion, .platform, .locale, .country: .attributes
    }
  }
}
