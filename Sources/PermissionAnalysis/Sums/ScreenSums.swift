// Screens of the messages that are compared, by the experiment that they belong to: two experiments may have messages of one name.

import Folding
import PermissionEvents

/// How many screens there are of each message and experiment, of one permission, up to as_of.
struct ScreenSums: Sendable {
  struct Key: Hashable, Sendable {
    var variant: [UInt8]
    /// Nil for screens of no experiment.
    var experiment: [UInt8]?
  }

  private(set) var counts: [Key: Int64] = [:]

  private static let empty = SumTable("screens", keys: ["variant", "experiment"], columns: ["screens"])

  init() {}

  mutating func add(_ count: Int64, _ key: Key) throws(SumsError) {
    counts[key] = try CheckedSum.add(counts[key] ?? 0, count)
  }

  mutating func add(_ other: ScreenSums) throws(SumsError) {
    for (key, count) in other.counts { try add(count, key) }
  }

  var table: SumTable {
    var table = Self.empty
    for (key, count) in counts { table.setRow([key.variant, key.experiment], SumTable.Row([count])) }
    return table
  }

  /// - Parameter variants: of the arms.
  init(_ tables: [SumTable], _ variants: [[UInt8]?]) throws(SumsError) {
    for (key, row) in try tables.table(like: Self.empty).orderedRows {
      let variant = try SumKeys.present(key[0])
      guard variants.contains(variant) else { throw SumsError(.damaged, "table screens has a message of no arm") }
      let experiment = key[1] == nil ? nil : try SumKeys.present(key[1])
      counts[Key(variant: variant, experiment: experiment)] = try SumKeys.count(row[0])
    }
  }
}

extension ComparisonSums {
  /// Names of the experiments that screens of the messages belong to, in order.
  package var experiments: [String] {
    let names = Set(screens.counts.keys.compactMap(\.experiment))
    return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
