// The result of a fold: integers under names, which add up and travel.

/// Sums of a fold over some users. Sums of disjoint users add up to the sums of all, in any order; so do those of threads,
/// of logs and of machines.
///
/// Sums hold integers alone, under names: codes of a log mean nothing in another one.
public protocol FoldSums: Sendable {
  /// The fold and the version of what it counts, like `report 1`. Sums of another name do not add up with these.
  static var name: String { get }

  /// Sums of no users.
  init()

  /// The sums as tables: what is written to a file, and added up. Of the same users they are always the same. What is in none of
  /// them is lost as soon as sums of two threads are added, unless `add` is written too.
  var tables: [SumTable] { get }

  /// Reads back what `tables` gave. Tables may come from a file that anybody wrote.
  init(tables: [SumTable]) throws(SumsError)

  /// Adds the sums of other users. There is no need to write it unless it can be done faster than by way of tables.
  mutating func add(_ other: Self) throws(SumsError)
}

extension FoldSums {
  public mutating func add(_ other: Self) throws(SumsError) {
    self = try Self(tables: SumTable.sum(tables, other.tables))
  }
}

/// What is wrong with sums that do not add up or cannot be read.
public struct SumsError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The bytes are not what was written.
    case damaged
    /// Written by a newer version.
    case newerFormat
    /// Sums of another fold, or of another version of it.
    case otherFold
    /// Sums of another question: other windows, another moment, another zone.
    case otherQuestion
    /// Sums that are no other shard of the same job: another job, other ways of reading, a shard that came before.
    case otherJob
    /// A sum is larger than 2^62.
    case overflow
    /// The users divide into more groups than there is memory for.
    case tooManyGroups
  }

  public let code: Code
  /// What is wrong, and where.
  public let sentence: String

  public init(_ code: Code, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  public var description: String { sentence }
}

/// Adds counts that may come from a file. All sums stay between -2^62 and 2^62, so that a sum and a difference of two of
/// them never overflow.
public enum CheckedSum {
  public static let limit: Int64 = 1 << 62

  @inlinable
  public static func add(_ a: Int64, _ b: Int64) throws(SumsError) -> Int64 {
    let (sum, isOver) = a.addingReportingOverflow(b)
    guard !isOver, sum <= limit, sum >= -limit else { throw SumsError(.overflow, "a sum is larger than 2^62") }
    return sum
  }
}
