// Names of a question that some log has: one log refuses those that it does not have, and of several all must have been asked.

import Folding
import PermissionEvents

/// Names that the question asks for and that an event of some log has. Adding up joins them.
package struct NameSums: Sendable {
  struct Key: Hashable, Sendable {
    var property: StringField
    var name: [UInt8]
  }

  private var keys: Set<Key> = []

  private static let empty = SumTable("names", keys: ["property", "name"], columns: ["known"])

  package init() {}

  package mutating func insert(_ property: StringField, _ name: [UInt8]) {
    keys.insert(Key(property: property, name: name))
  }

  package func has(_ property: StringField, _ name: [UInt8]) -> Bool {
    keys.contains(Key(property: property, name: name))
  }

  /// Names of a property, in their bytewise order.
  package func names(_ property: StringField) -> [String] {
    let names = keys.filter { $0.property == property }.map(\.name)
    return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  mutating func add(_ other: NameSums) { keys.formUnion(other.keys) }

  var table: SumTable {
    var table = Self.empty
    for key in keys { table.setRow([Array(key.property.name.utf8), key.name], SumTable.Row([1])) }
    return table
  }

  init(_ tables: [SumTable]) throws(SumsError) {
    for (key, row) in try tables.table(like: Self.empty).orderedRows {
      guard let property = StringField.allCases.first(where: { key[0] == Array($0.name.utf8) }), row[0] == 1 else {
        throw SumsError(.damaged, "table names has a row that is none")
      }
      insert(property, try SumKeys.present(key[1]))
    }
  }
}

/// Sums that say which names their logs have.
protocol NamedSums {
  var known: NameSums { get set }
}

extension NamedSums {
  /// Takes the counts of others, as there are none yet, and keeps its own names.
  mutating func adopt(_ other: Self) {
    let known = known
    self = other
    self.known.add(known)
  }
}
