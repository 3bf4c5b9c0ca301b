// Values with their counts.

/// Observations as values with counts, sorted by value.
public struct Histogram: Sendable, Hashable {
  public struct Bin: Sendable, Hashable {
    public let value: Double
    public let count: Int
  }

  /// Rising values, each with a count above 0.
  public let bins: [Bin]

  /// Pairs of value and count in any order; equal values are joined, empty ones dropped. Throws for a negative count
  /// and for a value that is not a number.
  public init(_ pairs: some Sequence<(value: Double, count: Int)>) throws(StatisticsError) {
    var sorted: [(value: Double, count: Int)] = []
    for pair in pairs where pair.count != 0 {
      guard pair.count > 0 else { throw .negativeCount(pair.count) }
      guard !pair.value.isNaN else { throw .notFinite(name: "value") }
      sorted.append(pair)
    }
    if !zip(sorted, sorted.dropFirst()).allSatisfy({ $0.value < $1.value }) { sorted.sort { $0.value < $1.value } }
    var bins: [Bin] = []
    for pair in sorted {
      if let last = bins.last, last.value == pair.value {
        bins[bins.count - 1] = Bin(value: last.value, count: last.count.clampedSum(pair.count))
      } else {
        bins.append(Bin(value: pair.value, count: pair.count))
      }
    }
    self.bins = bins
  }

  /// The observations one by one.
  public init(observations: [Double]) throws(StatisticsError) {
    try self.init(observations.map { (value: $0, count: 1) })
  }

  public var count: Int { bins.reduce(0) { $0.clampedSum($1.count) } }

  /// Both histograms' counts of each value, by rising value.
  static func merged(_ first: Histogram, _ second: Histogram) -> [(first: Int, second: Int)] {
    var result: [(first: Int, second: Int)] = []
    result.reserveCapacity(first.bins.count + second.bins.count)
    var i = 0
    var j = 0
    while i < first.bins.count || j < second.bins.count {
      if j == second.bins.count || (i < first.bins.count && first.bins[i].value < second.bins[j].value) {
        result.append((first.bins[i].count, 0))
        i += 1
      } else if i == first.bins.count || second.bins[j].value < first.bins[i].value {
        result.append((0, second.bins[j].count))
        j += 1
      } else {
        result.append((first.bins[i].count, second.bins[j].count))
        i += 1
        j += 1
      }
    }
    return result
  }
}
