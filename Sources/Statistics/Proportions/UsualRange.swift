// Where the share of one week is expected, from the weeks before it.

/// The limits of a p′ chart: of a share, from earlier ones that vary by chance and of themselves.
///
/// On the scale y = asin √((x + ⅜)/(n + ¾)) (F. J. Anscombe, 1948) a share of n trials has the variance 1/(4(n + ½)), so
/// v = n + ½ are weights, whatever the share. ȳ is the weighted mean of the earlier y; s² = max(1, Σ 4v(y − ȳ)²/(m − 1))
/// is how much more than chance they vary (D. B. Laney, 2002). The limits are sin²(ȳ ± (3 s/2) √(1/v + 1/Σv)): those of one
/// share more. A test of two neighbours takes chance alone for the cause of everything.
///
/// ```swift
/// let weeks = try [(41, 100), (38, 96), (44, 104), (40, 99)].map { try BinomialSample(successes: $0, trials: $1) }
/// UsualRange(of: try BinomialSample(successes: 22, trials: 101), after: weeks)?.outside   // .lower
/// ```
public struct UsualRange: Sendable, Hashable {
  public enum Side: String, Sendable { case lower, higher }

  /// Shares of fewer earlier weeks say too little of how much weeks vary.
  public static let leastWeeks = 4
  /// Older ones are not looked at.
  public static let mostWeeks = 12

  /// How many earlier shares it is of.
  public let weeks: Int
  public let low, high: Double
  /// What is expected.
  public let middle: Double
  /// On which side of the limits the share is; nil within them.
  public let outside: Side?

  /// - Parameters:
  ///   - share: with trials.
  ///   - earlier: the newest last; without trials they are left out.
  /// - Returns: nil for too few earlier shares with trials, or for a share without.
  public init?(of share: BinomialSample, after earlier: [BinomialSample]) {
    let known = earlier.filter { $0.trials > 0 }.suffix(Self.mostWeeks)
    guard share.trials > 0, known.count >= Self.leastWeeks else { return nil }
    var (weight, weighted) = (0.0, 0.0)
    for week in known {
      weight += Self.weight(week)
      weighted += Self.weight(week) * Self.angle(week)
    }
    let middle = weighted / weight
    var spread = 0.0
    for week in known {
      let distance = Self.angle(week) - middle
      spread += 4 * Self.weight(week) * distance * distance
    }
    let s = max(1, spread / Double(known.count - 1)).squareRoot()
    let half = 1.5 * s * (1 / Self.weight(share) + 1 / weight).squareRoot()
    let (lowest, highest) = (max(0, middle - half), min(Double.pi / 2, middle + half))
    let angle = Self.angle(share)
    weeks = known.count
    (low, high) = (Self.share(lowest), Self.share(highest))
    self.middle = Self.share(middle)
    outside = angle < lowest ? .lower : angle > highest ? .higher : nil
  }

  private static func weight(_ sample: BinomialSample) -> Double { Double(sample.trials) + 0.5 }

  private static func angle(_ sample: BinomialSample) -> Double {
    Elementary.asin(((Double(sample.successes) + 0.375) / (Double(sample.trials) + 0.75)).squareRoot())
  }

  private static func share(_ angle: Double) -> Double {
    let sine = Elementary.sin(angle)
    return sine * sine
  }
}
