// How times to answer are spread, coarsely enough to be drawn.

import PermissionEvents

/// Counts of times in bins whose edges grow by the square root of two, so that a second and a minute have their room.
public struct TimeDistribution: Sendable, Hashable {
  public struct Bin: Sendable, Hashable {
    /// The bin begins at 1 s × 2^(half/2) and ends half an octave higher.
    public internal(set) var half: Int
    public internal(set) var count: Int

    /// In milliseconds.
    public var start: Double { TimeDistribution.edge(half) }
    public var end: Double { TimeDistribution.edge(half + 1) }
  }

  /// Ascending, without those that are empty.
  public private(set) var bins: [Bin]

  /// The lowest bin also holds everything shorter: nobody reads a screen in 1/16 s.
  public static let lowest = -8

  /// The start of a bin in milliseconds.
  public static func edge(_ half: Int) -> Double {
    var edge = half.isMultiple(of: 2) ? 1000 : 1000 * 2.0.squareRoot()
    let octaves = half >> 1
    for _ in 0..<abs(octaves) { edge = octaves < 0 ? edge / 2 : edge * 2 }
    return edge
  }

  init(_ histogram: TimeHistogram) {
    bins = []
    var half = Self.lowest
    var end = Self.edge(half + 1)
    for (bucket, count) in histogram.bins {
      let middle = TimeBucket.middle(bucket)
      while middle >= end {
        half += 1
        end = Self.edge(half + 1)
      }
      if let last = bins.indices.last, bins[last].half == half {
        bins[last].count += Int(count)
      } else {
        bins.append(Bin(half: half, count: Int(count)))
      }
    }
  }
}
