// The dictionary of a part: string values, and the combinations of them that occur.

import PermissionEvents

/// Values and tuples of a part. Code 0 is the absent value and the empty tuple.
struct PartDictionary: Sendable {
  /// What an event is about, without its feature and status, which have columns of their own.
  struct Context: Hashable, Sendable {
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
  var contexts: [Context]
  var attributes: [AttributeTuple]
  /// Fields that this program does not know.
  var columns: [PartColumn] = []

  func value(_ field: StringField, _ code: UInt32) -> [UInt8] { values[field.rawValue][Int(code)] }

  /// An upper bound of the bytes that it takes.
  var weight: Int {
    (values + columns.map(\.values)).reduce(0) { $0 + $1.reduce(0) { $0 + $1.count + 16 } } + contexts.count * 16
      + attributes.count * 20
  }
}
