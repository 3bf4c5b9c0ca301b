// Expected counts: what a report would count on average over all draws.

/// Sums of expectations, by what is counted. Those from `followed` on only take in journeys whose follow-up is over.
struct ExpectedCounts {
  enum Item: Int, CaseIterable {
    case exposed, restricted, granted, denied, skipped, droppedOff, partial
    case explainedBase, explainedGranted, coldBase, coldGranted
    case settingsShown, settingsOpened, settingsEligible, settingsEnabled
    // Follow-up over.
    case followed, grantedByFollowUp
    case followedDenied, deniedEnabled, followedSkipped, skippedEnabled, followedDroppedOff, droppedOffEnabled
    case followedGranted, revoked, followedPartial, upgraded
    // The 28 days of engagement are over.
    case engagedGranted, engagedOther, activeDaysGranted, activeDaysOther, featuresGranted, featuresOther
    // By day of retention and outcome: eligible, retained.
    case retention
  }

  static let retentionDays = [1, 7, 30]
  static let outcomes = 4
  private static let length = Item.retention.rawValue + retentionDays.count * outcomes * 2

  private var values = [Double](repeating: 0, count: length)

  subscript(_ item: Item) -> Double {
    get { values[item.rawValue] }
    set { values[item.rawValue] = newValue }
  }

  /// Journeys of an outcome (granted, denied, skipped, dropped off) that are eligible for a day of retention, and retained.
  subscript(retention day: Int, outcome outcome: Int, retained isRetained: Bool) -> Double {
    get { values[Self.place(day, outcome, isRetained)] }
    set { values[Self.place(day, outcome, isRetained)] = newValue }
  }

  private static func place(_ day: Int, _ outcome: Int, _ isRetained: Bool) -> Int {
    Item.retention.rawValue + (day * outcomes + outcome) * 2 + (isRetained ? 1 : 0)
  }

  mutating func add(_ other: ExpectedCounts) {
    for i in values.indices { values[i] += other.values[i] }
  }

  var base: Double { self[.granted] + self[.denied] + self[.skipped] + self[.droppedOff] }
}
