// Are people asked too early? The grant rate by when they were asked. Who is asked later is another user, so these are
// observations.

import Statistics

/// Grant rates of one permission, over all weeks of the report, by how early users were asked.
public struct TimingFigures: Sendable {
  public let permission: String
  /// By `TimingPlace`: base, granted.
  private let counts: [Int64]
  /// What the log does not hold.
  private let missing: [Evidence]

  init(_ permission: String, _ sums: ReportSums) {
    let name = Array(permission.utf8)
    self.permission = permission
    counts = TimingScale.allCases.flatMap { scale in
      scale.classes.indices.flatMap { sums.timing[.init(permission: name, scale: scale, number: $0)] ?? [0, 0] }
    }
    missing = sums.evidence.missing(for: name, sums.calls)
  }

  /// Journeys of one class.
  public struct Group: Sendable {
    /// As in JSON.
    public let name: String
    public let base, granted: Int
    /// Granted of the base, with Wilson's 95 % interval; nil without a base.
    public var rate: Estimate? { .rate(granted, base) }
  }

  /// False if the log holds no events that a scale could be read from.
  public func isKnown(_ scale: TimingScale) -> Bool { !missing.contains(scale.evidence) }

  private func group(_ scale: TimingScale, _ number: Int) -> Group {
    let place = 2 * (TimingPlace.first[scale.rawValue] + number)
    return Group(name: "\(scale.classes[number])", base: Int(counts[place]), granted: Int(counts[place + 1]))
  }

  /// All classes of a scale in their order, those of which nothing is known last; nil if the scale is not known.
  public func groups(_ scale: TimingScale) -> [Group]? {
    isKnown(scale) ? scale.classes.indices.map { group(scale, $0) } : nil
  }

  /// The trend of the grant rate along the known classes (Cochran and Armitage).
  package func trend(_ scale: TimingScale) -> CochranArmitage? {
    if missing.contains(.answers) { return nil }
    guard let known = groups(scale)?.dropLast() else { return nil }
    let samples = known.compactMap { try? BinomialSample(successes: $0.granted, trials: $0.base) }
    return samples.count == known.count ? CochranArmitage.trend(samples) : nil
  }

  /// The p-value of no such trend, two-sided; nil below two known classes with a base, if none or all granted, and if the scale is not
  /// known.
  public func trendPValue(_ scale: TimingScale) -> Double? { trend(scale)?.pValue }

  /// All figures, in the order of the JSON.
  public static let figures = FigureTree<TimingFigures>([
    .knowable("by_install", isKnown: { $0.isKnown(.install) }, nodes(.install)),
    .knowable("by_active_days", isKnown: { $0.isKnown(.activeDays) }, nodes(.activeDays)),
    .knowable("by_feature_used", isKnown: { $0.isKnown(.featureUsed) }, nodes(.featureUsed)),
  ])

  private static func nodes(_ scale: TimingScale) -> [FigureNode<TimingFigures>] {
    let classes = scale.classes.indices.map { number -> (name: StaticString, nodes: [FigureNode<TimingFigures>]) in
      let over: FigureNode<TimingFigures>.Count = { $0.group(scale, number).base }
      return (
        scale.classes[number],
        [
          .count("base", "journeys of the base in the class") { over($0) },
          .count("granted", "granted among them", over: over) {
            $0.missing.known(.answers, $0.group(scale, number).granted)
          },
          .estimate("rate", "granted of that base", over: over) {
            $0.missing.known(.answers, $0.group(scale, number).rate)
          },
        ]
      )
    }
    return [
      .classes("classes", classes),
      .number("trend_p", "of no trend along the known classes", .pValue) { $0.trendPValue(scale) },
    ]
  }
}

extension TimingScale {
  /// What it is read from.
  package var evidence: Evidence {
    switch self {
    case .install: .appInstalled
    case .activeDays: .activity
    case .featureUsed: .featureUsed
    }
  }
}
