// Tables that several sums have: names of the question, what evidence there is, and what came on which day.

import Folding
package import PermissionEvents

package struct NameKey: SumKey {
  var property = StringField.permission
  var name: [UInt8] = []

  package init() {}
  init(_ property: StringField, _ name: [UInt8]) { (self.property, self.name) = (property, name) }

  package mutating func visit(_ parts: inout KeyParts) {
    parts.property("property", &property)
    parts.name("name", &name)
  }
}

extension KeyParts {
  mutating func property(_ name: String, _ value: inout StringField) {
    part(name, &value, { Array($0.name.utf8) }) { part in
      StringField.allCases.first { part?.elementsEqual($0.name.utf8) ?? false }
    }
  }
}

/// Names that the question asks for and that an event of some log has: one log refuses names that it does not have;
/// with several logs, all must be read first. Adding sums joins the names.
package typealias NameSums = CountTable<NameKey, Mark>

extension CountTable where Key == NameKey, Row == Mark {
  package init() { self.init("names", columns: ["known"], isOfNobody: true) }

  package mutating func insert(_ property: StringField, _ name: [UInt8]) { rows[NameKey(property, name)] = Mark() }

  package func has(_ property: StringField, _ name: [UInt8]) -> Bool { rows[NameKey(property, name)] != nil }

  package func names(_ property: StringField) -> [String] {
    let names = rows.keys.filter { $0.property == property }.map(\.name)
    return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(bounded: $0) }
  }
}

struct EvidenceKey: SumKey {
  /// Empty for what belongs to none.
  var permission: [UInt8] = []

  mutating func visit(_ parts: inout KeyParts) { parts.nameOrNone("permission", &permission) }
}

/// Users with each kind of evidence, and denied journeys that were found on later: counts, so sums of any division
/// of the users add up to the same.
typealias EvidenceSums = CountTable<EvidenceKey, [Int64]>

/// The counts, in the order of the columns.
enum EvidenceColumn: Int, CaseIterable {
  // Users with an event of no permission in particular.
  case activity, featureUsed, settingsOpened
  // Of one permission.
  case enabling, revoking, enabledAfterDenial
  // Of no permission again. A comparison, of which no figure needs it, does not look for it.
  case installed
  // Of one permission: its screens, explanations alone, answers of yes or no, and journeys with answers but no screen.
  case screens, explanations, answers, unexposed

  static let count = unexposed.rawValue + 1
}

extension CountTable where Key == EvidenceKey, Row == [Int64] {
  init() {
    self.init(
      "evidence", columns: EvidenceColumn.allCases.map { CounterNames.snakeCase("\($0)") }, bound: CheckedSum.limit)
  }

  /// - Parameter permission: empty for what belongs to none.
  mutating func set(_ permission: [UInt8], _ place: EvidenceColumn, _ count: Int64) {
    guard count > 0 else { return }
    let none = [Int64](repeating: 0, count: EvidenceColumn.count)
    rows[EvidenceKey(permission: permission), default: none][place.rawValue] = count
  }

  /// Journeys with answers and no screen, of all permissions.
  var unexposed: Int64 { rows.values.reduce(0) { CheckedSum.bounded($0, $1[EvidenceColumn.unexposed.rawValue]) } }

  /// What the log does not hold for a permission, in the order of `Evidence`.
  func missing(for permission: [UInt8], _ calls: CallSums) -> [Evidence] {
    let areTogether = calls.areLoggedTogether(permission)
    func has(_ permission: [UInt8], _ place: EvidenceColumn) -> Bool {
      (rows[EvidenceKey(permission: permission)]?[place.rawValue] ?? 0) > 0
    }
    return Evidence.allCases.filter { evidence in
      switch evidence {
      case .activity: !has([], .activity)
      case .featureUsed: !has([], .featureUsed)
      case .settingsOpened: !has([], .settingsOpened)
      case .enabledLater: !has(permission, .enabling) && !has(permission, .enabledAfterDenial)
      case .revoked: !has(permission, .revoking)
      case .appInstalled: !has([], .installed)
      case .promptTimes: areTogether
      case .screens: !has(permission, .screens)
      case .explanation: !has(permission, .explanations)
      case .answers: !has(permission, .answers)
      }
    }
  }
}

/// Counts by name and calendar day: events of each kind or platform, exposures with each version of the app. A log may bring any number
/// of names: above a limit none is counted, whatever the order in which sums are added.
struct DaySums: SumsPart, Equatable {
  private let shape: TableShape
  private(set) var counts: [[UInt8]: [DayNumber: Int64]] = [:]
  private(set) var areTooMany = false
  private var cells = 0

  /// - Parameters:
  ///   - key: the kind of name, like `platform`.
  ///   - column: the name of the count.
  ///   - most: the most pairs of names and days.
  init(_ name: String, key: String, column: String, most: Int) {
    shape = TableShape(name, keys: [key, "day"], columns: .named([column]), most: most)
  }

  /// Versions and days that are kept; an app of a hundred versions over some years has a third of them.
  static let mostVersions = 1 << 17
  static let versions = DaySums("versions", key: "app_version", column: "exposures", most: mostVersions)

  mutating func giveUp() {
    areTooMany = true
    counts = [:]
    cells = 0
  }

  /// Adds a count; sums that come from a file may be too large.
  mutating func add(_ count: Int64, _ name: [UInt8], on day: DayNumber) throws(SumsError) {
    guard !areTooMany, count > 0 else { return }
    let before = counts[name]?[day]
    let sum = try CheckedSum.add(before ?? 0, count)
    if before == nil { cells += 1 }
    guard cells <= shape.most else { return giveUp() }
    counts[name, default: [:]][day] = sum
  }

  mutating func add(_ other: DaySums) throws(SumsError) {
    if other.areTooMany { giveUp() }
    for (name, days) in other.counts {
      for (day, count) in days { try add(count, name, on: day) }
    }
  }

  var all: [DayNumber: Int64] {
    counts.values.reduce(into: [:]) { all, days in
      for (day, count) in days { all[day] = CheckedSum.bounded(all[day] ?? 0, count) }
    }
  }

  /// Too many names are one row without a name.
  var tables: [SumTable] {
    if areTooMany { return [shape.empty.filled([(key: [nil, nil], row: SumTable.Row([1]))])] }
    // In the order of the rows, which are then not sorted one by one.
    let rows = counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { name, days in
      days.sorted { $0.key < $1.key }.map {
        (key: [name, CivilDate($0).bytes] as SumTable.Key, row: SumTable.Row([$1]))
      }
    }
    return [shape.empty.filled(rows)]
  }

  mutating func read(_ tables: [SumTable]) throws(SumsError) {
    let rows = try shape.rows(in: tables)
    // A row without a name is the first.
    if let none = rows.first, none.key == [nil, nil] {
      guard rows.count == 1, none.row[0] == 1 else { throw shape.damaged("says that there are too many, but has some") }
      areTooMany = true
      return
    }
    for (key, row) in rows {
      guard let name = key[0].name, let day = key[1].day else { throw shape.otherKey }
      try add(row[0], name, on: day)
    }
  }
}
