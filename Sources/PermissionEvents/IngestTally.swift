// What ingests counted.

/// Counts of ingests.
public struct IngestTally: Sendable, Hashable {
  public var read: Int64 = 0
  public var new: Int64 = 0
  public var duplicates: Int64 = 0
  public var conflicts: Int64 = 0
  public var ahead: Int64 = 0

  public init() {}
}

extension IngestTally {
  public static let names = ["read", "new", "duplicates", "conflicts", "ahead"]

  public var integers: [Int64] { [read, new, duplicates, conflicts, ahead] }

  /// - Parameter integers: in the order of `names`.
  public init(integers: [Int64]) {
    (read, new, duplicates) = (integers[0], integers[1], integers[2])
    (conflicts, ahead) = (integers[3], integers[4])
  }
}
