// How many users brought which evidence: counts, so that the sums of any division of the users add up to the same.

import Folding

/// Users with each kind of evidence, and denied journeys that were found on later.
struct EvidenceSums: Sendable {
  /// Users with an event of no permission in particular, by `columns`.
  enum Place: Int, CaseIterable {
    case activity, featureUsed, settingsOpened
    // Of one permission.
    case enabling, revoking, enabledAfterDenial
    // Of no permission again. A comparison, of which no figure needs it, does not look for it.
    case installed
    // Of one permission: its screens, explanations alone, answers that say yes or no, and journeys with answers and no screen.
    case screens, explanations, answers, unexposed
  }

  /// By permission, nil for what belongs to none: counts by `Place`.
  private(set) var counts: [[UInt8]?: [Int64]] = [:]

  private static let empty = SumTable(
    "evidence", keys: ["permission"], columns: Place.allCases.map { CounterNames.snakeCase("\($0)") })

  init() {}

  mutating func set(_ permission: [UInt8]?, _ place: Place, _ count: Int64) {
    guard count > 0 else { return }
    counts[permission, default: [Int64](repeating: 0, count: Place.allCases.count)][place.rawValue] = count
  }

  mutating func add(_ other: EvidenceSums) throws(SumsError) {
    for (key, theirs) in other.counts { try SumKeys.add(theirs, to: &counts[key]) }
  }

  /// Journeys with answers and no screen, of all permissions.
  var unexposed: Int64 {
    counts.values.reduce(0) { CheckedSum.bounded($0, $1[Place.unexposed.rawValue]) }
  }

  private func has(_ permission: [UInt8]?, _ place: Place) -> Bool { (counts[permission]?[place.rawValue] ?? 0) > 0 }

  /// What the log does not hold for a permission, in the order of `Evidence`.
  /// - Parameter calls: how fast prompts were answered.
  func missing(for permission: [UInt8], _ calls: CallSums) -> [Evidence] {
    let areTogether = calls.areLoggedTogether(permission)
    return Evidence.allCases.filter { evidence in
      if evidence == .promptTimes { return areTogether }
      return switch evidence {
      case .activity: !has(nil, .activity)
      case .featureUsed: !has(nil, .featureUsed)
      case .settingsOpened: !has(nil, .settingsOpened)
      case .enabledLater: !has(permission, .enabling) && !has(permission, .enabledAfterDenial)
      case .revoked: !has(permission, .revoking)
      case .appInstalled: !has(nil, .installed)
      case .promptTimes: false
      case .screens: !has(permission, .screens)
      case .explanation: !has(permission, .explanations)
      case .answers: !has(permission, .answers)
      }
    }
  }
}

extension EvidenceSums {
  var table: SumTable {
    var table = Self.empty
    for (permission, counts) in counts { table.setRow([permission], SumTable.Row(counts)) }
    return table
  }

  init(_ tables: [SumTable]) throws(SumsError) {
    for (key, row) in try tables.table(like: Self.empty).orderedRows {
      let permission = key[0] == nil ? nil : try SumKeys.present(key[0])
      counts[permission] = try SumKeys.counts(row, Place.allCases.count)
    }
  }
}
