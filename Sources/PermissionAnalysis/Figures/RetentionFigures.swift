// Who is back on a calendar day after the exposure, by outcome.

/// Retention on one day. Observations, not effects.
public struct RetentionFigures: Sendable {
  /// Days after the exposure's.
  public let day: Int
  /// Granted, denied, skipped, dropped off.
  public let outcomes: [Share]
  /// Granted minus all others.
  public let difference: Estimate?

  /// - Parameter number: the place of the day among those that are reported.
  init(_ sums: GroupSums, number: Int) {
    day = Int(retentionDays[number])
    let counts = Outcome.base.map { outcome -> (eligible: Int, retained: Int) in
      let base = Counter.retention + outcome.rawValue * Counter.retentionStride + number * 2
      return (sums[place: base], sums[place: base + 1])
    }
    outcomes = counts.map { Share($0.eligible, $0.retained) }
    let others = counts.dropFirst().reduce((0, 0)) { ($0.0 + $1.retained, $0.1 + $1.eligible) }
    difference = .difference((counts[0].retained, counts[0].eligible), others)
  }

  static let figures: [FigureNode<ReportRow>] = [
    .days(
      "retention",
      retentionDays.indices.map { number in
        func outcome(_ name: StaticString, _ place: Int) -> FigureNode<ReportRow> {
          .share(name, count: "retained", "active on that day") { $0.retention[number].outcomes[place] }
        }
        return (
          Int(retentionDays[number]),
          [
            outcome("granted", 0), outcome("denied", 1), outcome("skipped", 2), outcome("dropped_off", 3),
            .estimate(
              "difference", "granted minus all others", .difference,
              over: { $0.retention[number].outcomes.reduce(0) { $0 + $1.eligible } }
            ) { $0.retention[number].difference },
          ]
        )
      })
  ]
}
