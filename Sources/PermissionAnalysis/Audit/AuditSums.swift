// The sums of an audit: everything that is said of a log comes from these.

public import Folding
public import PermissionEvents

/// What an audit counted of some users.
public struct AuditSums: FoldSums {
  public static let name = "audit 1"

  var feed = FeedSums()
  /// What the log's ingests counted; nil if that is not known.
  public var ingests: IngestTally?

  public init() {}

  public mutating func add(_ other: AuditSums) throws(SumsError) { try feed.add(other.feed) }

  public var tables: [SumTable] { feed.tables }

  public init(tables: [SumTable]) throws(SumsError) { feed = try FeedSums(tables: tables) }

  /// Throws if the users could not be counted, or have no room.
  package func check() throws(SumsError) { try feed.check() }

  func candidates(_ question: AuditQuestion) -> [AuditFinding] { feed.candidates(question) }
}
