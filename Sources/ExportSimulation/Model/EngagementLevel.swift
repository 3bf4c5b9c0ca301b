// The latent engagement: how keen a user is. It drives visits, staying, the use of features, granting and skipping alike,
// so that those who grant come back more often although granting has no effect on coming back.

/// One of `count` equally frequent levels. A latent with finitely many levels makes every expectation a finite sum.
struct EngagementLevel: Sendable {
  static let count = 32

  /// The user is still there on the next day.
  let staying: Double
  /// The user opens the app on a day after the first, by day of the week from Monday.
  let visiting: [Double]
  /// Another feature is used in the same visit.
  let usingMore: Double
  let grantFactor: Double
  let skipFactor: Double

  /// Most features used in one visit.
  static let mostFeatures = 9
  private static let weekday = [0.97, 0.95, 0.94, 0.96, 1.00, 1.08, 1.06]

  private init(_ keenness: Double) {
    staying = 1 - 0.15 + 0.142 * keenness
    visiting = Self.weekday.map { $0 * (0.10 + 0.58 * keenness * keenness) }
    usingMore = 0.45 + 0.30 * keenness
    grantFactor = 0.85 + 0.30 * keenness
    skipFactor = 1.25 - 0.50 * keenness
  }

  static let all = (0..<count).map { EngagementLevel((Double($0) + 0.5) / Double(count)) }

  /// Features used in a visit, on average.
  var meanFeatures: Double {
    var power = 1.0
    var sum = 0.0
    for _ in 0..<Self.mostFeatures {
      power *= usingMore
      sum += power
    }
    return sum
  }
}
