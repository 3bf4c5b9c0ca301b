// The dictionary of a part: kinds, string values, and the combinations of values that occur.

import PermissionEvents

/// What the codes of a part's rows mean. Code 0 is the absent value and the empty tuple.
struct PartDictionary: Sendable {
  /// What an event is about, without its feature and status, which have columns of their own.
  struct StoredContext: FieldTuple {
    var permission: UInt32 = 0
    var variant: UInt32 = 0
    var experiment: UInt32 = 0
    var surface: UInt32 = 0
  }

  /// By the code that rows have.
  var kinds: [PartKind]
  /// By field (`StringField.rawValue`) and code.
  var values: [[[UInt8]]]
  /// By code of a permission: true if it is of the taxonomy of the program that wrote it, and no name of somebody's own.
  var isOfTaxonomy: [Bool]
  var contexts: [StoredContext]
  var attributes: [AttributeTuple]
  /// Fields that this program does not know.
  var columns: [PartColumn] = []

  func value(_ field: StringField, _ code: UInt32) -> [UInt8] { values[field.rawValue][Int(code)] }

  /// The value that an event has in a field.
  func value(_ field: StringField, of event: StoredEvent) -> [UInt8] {
    switch field.stream {
    case .contexts: value(field, contexts[Int(event.context)][field])
    case .attributes: value(field, attributes[Int(event.attributes)][field])
    default: value(field, event.feature)
    }
  }

  /// The numbers of values of all fields, of contexts, of attributes, and of values of unknown columns.
  var entryCounts: [Int] {
    [
      values.reduce(0) { $0 + $1.count }, contexts.count, attributes.count,
      columns.reduce(0) { $0 + $1.values.count },
    ]
  }

  /// An upper bound of the bytes that it takes.
  var weight: Int {
    (values + columns.map(\.values)).reduce(0) { $0 + $1.reduce(0) { $0 + $1.count + 16 } } + contexts.count * 16
      + attributes.count * 20
  }
}

extension PartDictionary.StoredContext {
  static let fields: [StringField] = [.permission, .variant, .experiment, .surface]

  init(_ code: (StringField) -> UInt32) {
    self.init(
      permission: code(.permission), variant: code(.variant), experiment: code(.experiment), surface: code(.surface))
  }

  subscript(_ field: StringField) -> UInt32 {
    switch field {
    case .permission: permission
    case .variant: variant
    case .experiment: experiment
    case .surface: surface
    case .feature, .appVersion, .osVersion, .platform, .locale, .country: 0
    }
  }
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

/// A field of events that this program does not know, with a stream of its own: one code a row. It is kept by its name, so
/// that it goes through merges, and out of an export, as it came.
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
