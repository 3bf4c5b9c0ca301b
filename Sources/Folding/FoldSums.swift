// The result of a fold: integers under names, which add up and travel.

/// Sums that add up and are stored as tables: one table, or several that belong together.
public protocol SumsPart: Sendable {
  /// The same tables in the same order, for any counts.
  var tables: [SumTable] { get }

  /// Adds the counts of other users. If it throws, these sums are invalid.
  mutating func add(_ other: Self) throws(SumsError)

  /// Takes what `tables` gave out of a list of tables, which anybody may have written. Nothing was counted before.
  mutating func read(_ tables: [SumTable]) throws(SumsError)
}

/// Sums that are the parts of one list. Only the parts in the list are written, read and added up.
public protocol SumsOfParts: SumsPart {
  /// Sums of no users.
  init()

  /// The parts, in the order of their tables.
  static var layout: SumsLayout<Self> { get }

  /// Reads the tables that `tables` returned, and no others.
  init(tables: [SumTable]) throws(SumsError)

  /// Throws if the sums that were read contradict themselves, as untrusted bytes may. Implementing it is optional.
  func checkCounts() throws(SumsError)

  /// Throws if the sums take more memory than allowed. Called after each addition. Implementing it is optional.
  func checkRoom() throws(SumsError)
}

/// Sums of a fold over some users. Sums of disjoint users add up to the sums of all, in any order; so do those of threads,
/// of logs and of machines.
///
/// Sums have only integers, under names: codes of one log mean nothing in another. Values outside the parts of `layout`
/// are lost when sums of two threads are added, unless `add` is implemented too.
public protocol FoldSums: SumsOfParts {
  /// The fold and the version of its counts, like `report 1`. Sums with another name cannot be added to these.
  static var name: String { get }
}

/// The parts of sums, by the properties that hold them: `[.part(\.totals), .part(\.groups)]`.
public struct SumsLayout<Sums>: ExpressibleByArrayLiteral {
  /// The operations on a part.
  public struct PartOperations {
    @usableFromInline let add: (inout Sums, Sums) throws(SumsError) -> Void
    @usableFromInline let tables: (Sums) -> [SumTable]
    @usableFromInline let read: (inout Sums, [SumTable]) throws(SumsError) -> Void

    @inlinable
    init<Value: SumsPart>(_ path: WritableKeyPath<Sums, Value>) {
      // In place, without a copy of the sums.
      add = { (sums: inout Sums, other: Sums) throws(SumsError) in try sums[keyPath: path].add(other[keyPath: path]) }
      tables = { $0[keyPath: path].tables }
      read = { (sums: inout Sums, tables: [SumTable]) throws(SumsError) in try sums[keyPath: path].read(tables) }
    }

    /// The part that a property holds. Compiled for its type where it is named: tables are added up in tight loops.
    @inlinable
    public static func part<Value: SumsPart>(_ path: WritableKeyPath<Sums, Value>) -> PartOperations {
      PartOperations(path)
    }
  }

  let parts: [PartOperations]

  public init(arrayLiteral parts: PartOperations...) { self.parts = parts }
}

extension SumsOfParts {
  public var tables: [SumTable] { Self.layout.parts.flatMap { $0.tables(self) } }

  public mutating func add(_ other: Self) throws(SumsError) {
    for part in Self.layout.parts { try part.add(&self, other) }
    try checkRoom()
  }

  public mutating func read(_ tables: [SumTable]) throws(SumsError) {
    for part in Self.layout.parts { try part.read(&self, tables) }
    try checkRoom()
    try checkCounts()
  }

  public init(tables: [SumTable]) throws(SumsError) {
    self.init()
    let names = self.tables.map(\.name)
    if let other = tables.first(where: { !names.contains($0.name) }) {
      throw SumsError(.otherFold, "there is a table \(other.name) that these sums do not have")
    }
    try read(tables)
  }

  public func checkCounts() throws(SumsError) {}
  public func checkRoom() throws(SumsError) {}
}

/// The fault of sums that do not add up or cannot be read.
public struct SumsError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The bytes differ from those that were written.
    case damaged
    /// Written by a newer version.
    case newerFormat
    /// Sums of another fold, or of another version of it.
    case otherFold
    /// Sums of another question: other windows, another moment, another zone.
    case otherQuestion
    /// Sums that are not a further shard of the same job: another job, a different reading, a repeated shard.
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
