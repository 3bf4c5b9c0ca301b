// Who comes back: enabled later after a denial, a skip or no answer.

import Statistics

/// Journeys of one outcome that ended without a grant, and how many were enabled later.
public struct EnabledLater: Sendable {
  /// A point of Kaplan and Meier's curve.
  public struct ByDay: Sendable {
    /// Within so many days since the answer.
    public let day: Int
    /// nil without evidence, as the share is.
    public let atRisk: Int?
    /// The share enabled, with Greenwood's 95 % interval on the log–log scale; nil if nobody is at risk.
    public let value, low, high: Double?

    public var estimate: Estimate? { value.map { Estimate($0, low: low, high: high) } }
  }

  public let share: Share
  /// Enabled in part, of `share.count`; nil without evidence.
  public let partial: Int?
  /// By the days that are reported: 1, 7, 28.
  public let kaplanMeier: [ByDay]
  /// The same by day 1, 2, … 28, if it was asked for; else empty.
  public let curve: [ByDay]
}

/// What became of those who did not grant: a description, since who denies depends on the variant.
public struct ReturnFigures: Sendable {
  /// After a denial, a skip, a drop-off.
  public let enabledLater: [EnabledLater]

  /// - Parameter missing: without evidence, whom nobody saw on again after a denial is unknown. After a skip or no answer the system
  ///   still asks, and its answer is evidence.
  init(_ sums: RowSums, hasCurve: Bool, missing: [Evidence]) {
    enabledLater = (0..<3).map { number in
      EnabledLater(
        sums, returning: number, hasCurve: hasCurve,
        isKnown: !missing.contains(number == 0 ? .enabledLater : .answers) && !missing.contains(.answers)
          && (number < 2 || missing.hasDropOff))
    }
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group("enabled_later", [after("denied", 0), after("skipped", 1), after("dropped_off", 2)])
  ]

  private static func after(_ name: StaticString, _ place: Int) -> FigureNode<ReportRow> {
    @Sendable func later(_ row: ReportRow) -> EnabledLater { row.returns.enabledLater[place] }
    return .group(
      name,
      FigureNode.parts(
        ("eligible", "followed to the end"), ("enabled", "enabled in the follow-up"),
        rate: ("rate", "enabled of the eligible")
      ) { later($0).share } + [
        .count("partial", "enabled in part", over: { later($0).share.count ?? 0 }) { later($0).partial },
        .figure(
          Figure(
            "kaplan_meier", "share enabled within 1, 7 and 28 days", .share, over: nil,
            .curve(days: EnabledLater.days) { later($0).kaplanMeier })),
      ])
  }
}

extension EnabledLater {
  /// The days by which the share is reported.
  static let days = [1, 7, 28]

  fileprivate init(_ sums: RowSums, returning number: Int, hasCurve: Bool, isKnown: Bool) {
    let place = Counter.returning + number * Counter.returningStride
    share = Share(sums[place: place], isKnown ? sums[place: place + 1] : nil)
    partial = isKnown ? sums[place: place + 2] : nil
    guard isKnown else {
      kaplanMeier = Self.days.map { ByDay(day: $0, atRisk: nil, value: nil, low: nil, high: nil) }
      curve = []
      return
    }
    let base = Counter.survival + number * Survival.stride
    let days = Survival.days
    let steps = KaplanMeier.steps(
      events: (0..<days).map { sums[place: base + $0] }, censored: (0..<days).map { sums[place: base + days + $0] },
      beyond: sums[place: base + 2 * days], intervalDays: hasCurve ? nil : Self.days.map { $0 - 1 })
    // Within the first n days 0 ... n - 1: the step of the last of them.
    func point(_ day: Int) -> ByDay {
      let step = steps[day - 1]
      return ByDay(
        day: day, atRisk: step.atRisk, value: step.eventProbability, low: step.interval?.low,
        high: step.interval?.high)
    }
    kaplanMeier = Self.days.map(point)
    curve = hasCurve ? (1...days).map(point) : []
  }
}
