// The counts that looks at a comparison are made of.

/// The counters of an arm from `ArmCounter.granted` on: of journeys that have their say on a metric.
struct SettledCounts: Sendable, Equatable {
  private var lanes = SIMD8<Int64>.zero

  static let counters = ArmCounter.allCases.dropFirst(ArmCounter.granted.rawValue)
  static let count = SIMD8<Int64>.scalarCount
  /// Of all counters.
  static let places = 0..<count

  /// The place of a counter; those of the outcomes are the outcomes' own numbers.
  @inline(__always)
  static func place(of counter: ArmCounter) -> Int { counter.rawValue - ArmCounter.granted.rawValue }

  subscript(_ place: Int) -> Int64 {
    get { lanes[place] }
    set { lanes[place] = newValue }
  }

  subscript(_ counter: ArmCounter) -> Int64 { lanes[Self.place(of: counter)] }

  static func += (a: inout Self, b: Self) { a.lanes &+= b.lanes }
  static func -= (a: inout Self, b: Self) { a.lanes &-= b.lanes }

  /// True if all of them are in a range.
  func areAll(in range: ClosedRange<Int64>) -> Bool { range.contains(lanes.min()) && range.contains(lanes.max()) }

  /// Successes and trials of a metric.
  func tally(_ metric: ComparisonMetric) -> Comparison.Tally {
    func tally(_ successes: ArmCounter, of trials: ArmCounter...) -> Comparison.Tally {
      Comparison.Tally(trials: Int(trials.reduce(0) { $0 + self[$1] }), successes: Int(self[successes]))
    }
    return switch metric {
    case .grantRate: tally(.granted, of: .granted, .denied, .skipped, .droppedOff)
    case .denyRate: tally(.denied, of: .granted, .denied, .skipped, .droppedOff)
    case .skipRate: tally(.skipped, of: .granted, .denied, .skipped, .droppedOff)
    case .dropOffRate: tally(.droppedOff, of: .granted, .denied, .skipped, .droppedOff)
    case .promptGrantRate: tally(.granted, of: .granted, .denied)
    case .grantedByDay28: tally(.followUpGranted, of: .followUpEligible)
    case .retentionDay7: tally(.retained, of: .retentionEligible)
    }
  }
}
