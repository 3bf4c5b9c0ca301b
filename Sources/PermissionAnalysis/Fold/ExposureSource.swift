// One of the three things that an event carries codes of: its context, its attributes, its feature.

import Buffers
import PermissionEvents

/// What is asked about one of them, by its code.
struct ExposureSource: ~Copyable {
  /// The wanted properties that this source has.
  let fields: [StringField]
  /// By code 1 if all conditions on this source hold; empty without any.
  private var meets = Buffer<UInt8>()
  /// By code that of the combination of the wanted properties' values; empty without any.
  private var combinations = Buffer<UInt32>()
  /// By wanted property its values by code.
  private let valuesOfFields: [[[UInt8]]]
  /// By combination the codes of its values. The combinations of a single property are its values: none are kept.
  private var tuples: [[UInt32]] = []

  /// - Parameters:
  ///   - count: of codes.
  ///   - values: of a property, by their own code.
  ///   - code: of a property's value.
  init(
    _ count: Int, _ fields: [StringField], _ conditions: [ExposureCondition], values: (StringField) -> [[UInt8]],
    code: (StringField, Int) -> UInt32
  ) {
    self.fields = fields
    valuesOfFields = fields.map(values)
    if !conditions.isEmpty { meets.extend(to: count, repeating: 1) }
    for condition in conditions {
      // Each value once: many codes have the same.
      let holds = values(condition.field).map { condition.holds($0) }
      for place in 0..<count where !holds[Int(code(condition.field, place))] { meets[place] = 0 }
    }
    if let field = fields.first, fields.count == 1 {
      for place in 0..<count { combinations.append(code(field, place)) }
    } else if !fields.isEmpty {
      var table = CodeTable<[UInt32]>([fields.map { _ in 0 }])
      for place in 0..<count { combinations.append(table.code(fields.map { code($0, place) })) }
      tuples = table.values
    }
  }

  var isUnconditional: Bool { meets.count == 0 }

  @inline(__always) func holds(_ code: Int) -> Bool { meets.count == 0 || meets[code] != 0 }

  @inline(__always) func combination(_ code: Int) -> UInt32 { combinations.count == 0 ? 0 : combinations[code] }

  /// Number of combinations.
  var count: Int { fields.count == 1 ? valuesOfFields[0].count : tuples.count }

  /// All values of a wanted property.
  func values(_ field: StringField) -> [[UInt8]] { fields.firstIndex(of: field).map { valuesOfFields[$0] } ?? [[]] }

  /// The value of a wanted property in a combination; empty if it has none.
  func value(_ field: StringField, _ combination: Int) -> [UInt8] {
    guard let place = fields.firstIndex(of: field) else { return [] }
    return valuesOfFields[place][fields.count == 1 ? combination : Int(tuples[combination][place])]
  }
}
