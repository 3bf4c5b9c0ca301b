// Which shards of a job a file of sums counts.

/// Numbers of shards, from 1, as ascending ranges that do not touch.
public struct ShardSet: Sendable, Hashable {
  public private(set) var ranges: [ClosedRange<Int>] = []

  /// Most shards of a job.
  public static let mostShards = 1 << 24

  public init() {}

  public init(_ shard: Int) { ranges = [shard...shard] }

  /// - Parameter ranges: ascending, from 1; nil if they touch or overlap, or if there are no ranges.
  init?(ranges: [ClosedRange<Int>], of count: Int) {
    guard let first = ranges.first, let last = ranges.last, first.lowerBound >= 1, last.upperBound <= count else {
      return nil
    }
    for (range, next) in zip(ranges, ranges.dropFirst()) where next.lowerBound <= range.upperBound + 1 { return nil }
    self.ranges = ranges
  }

  /// All shards of a job.
  public static func all(of count: Int) -> ShardSet {
    var all = ShardSet()
    if count >= 1 { all.ranges = [1...count] }
    return all
  }

  public var isEmpty: Bool { ranges.isEmpty }
  public var count: Int { ranges.reduce(0) { $0 + $1.count } }

  public func union(_ other: ShardSet) -> ShardSet {
    var union = ShardSet()
    for range in Self.ordered(ranges, other.ranges) {
      guard let last = union.ranges.last, range.lowerBound <= last.upperBound + 1 else {
        union.ranges.append(range)
        continue
      }
      union.ranges[union.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
    }
    return union
  }

  public func intersection(_ other: ShardSet) -> ShardSet {
    var shared = ShardSet()
    var (i, j) = (0, 0)
    while i < ranges.count, j < other.ranges.count {
      let low = max(ranges[i].lowerBound, other.ranges[j].lowerBound)
      let high = min(ranges[i].upperBound, other.ranges[j].upperBound)
      if low <= high { shared.ranges.append(low...high) }
      if ranges[i].upperBound < other.ranges[j].upperBound { i += 1 } else { j += 1 }
    }
    return shared
  }

  /// The shards of a job of `count` shards that are not in the set.
  public func missing(of count: Int) -> ShardSet {
    var missing = ShardSet()
    var next = 1
    for range in ranges {
      if next < range.lowerBound { missing.ranges.append(next...(range.lowerBound - 1)) }
      next = range.upperBound + 1
    }
    if next <= count { missing.ranges.append(next...count) }
    return missing
  }

  private static func ordered(_ a: [ClosedRange<Int>], _ b: [ClosedRange<Int>]) -> [ClosedRange<Int>] {
    (a + b).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Ranges that a sentence names.
  private static let namedRanges = 20

  /// For people: `shards 1-3, 7`, of many ranges the first ones and how many shards the others are.
  public var phrase: String { (count == 1 ? "shard " : "shards ") + shortText }

  /// `1-3, 7`, of many ranges the first ones and how many shards the others are.
  public var shortText: String {
    var named = self
    named.ranges = Array(ranges.prefix(Self.namedRanges))
    let others = ranges.count > Self.namedRanges ? " and \(count - named.count) more" : ""
    return named.text.split(separator: ",").joined(separator: ", ") + others
  }

  /// `1-3,7`.
  public var text: String {
    ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
  }
}
