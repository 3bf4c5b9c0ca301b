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
