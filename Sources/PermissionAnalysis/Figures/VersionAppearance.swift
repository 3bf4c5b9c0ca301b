// The day on which a version of the app first appears.

import PermissionEvents

/// A version of the app that more than 1 % of the exposures with a version were with.
public struct VersionAppearance: Sendable, Hashable {
  public let version: String
  /// Of its first exposure, in the zone of the report.
  public let firstDay: DayNumber
  public let exposures: Int

  package init(version: String, firstDay: DayNumber, exposures: Int) {
    (self.version, self.firstDay, self.exposures) = (version, firstDay, exposures)
  }
}

extension DaySums {
  /// By first day, then bytewise; none if there were too many versions to count.
  var appearances: [VersionAppearance] {
    var total: Int64 = 0
    var found: [(name: [UInt8], day: DayNumber, count: Int64)] = []
    for (version, days) in counts {
      let count = days.values.reduce(0, &+)
      guard let first = days.keys.min() else { continue }
      total = total &+ count
      found.append((version, first, count))
    }
    // A hundredth itself is not enough.
    return found.filter { $0.count > total / 100 }.sorted { a, b in
      a.day == b.day ? a.name.lexicographicallyPrecedes(b.name) : a.day < b.day
    }.map {
      VersionAppearance(
        version: String(decoding: $0.name, as: UTF8.self), firstDay: $0.day,
        exposures: Int(truncatingIfNeeded: $0.count))
    }
  }
}
