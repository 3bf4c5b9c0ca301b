// What one record says of two ids: that they are one install.

/// Two ids of one install, as the log stores them. A batch carries the links of its chunk beside its events.
public struct UserLink: Sendable, Hashable {
  /// The bytewise lesser of the two.
  public let first: [UInt8]
  public let second: [UInt8]

  /// - Returns: nil if both are the same id, which says nothing.
  public init?(_ a: [UInt8], _ b: [UInt8]) {
    if a == b { return nil }
    (first, second) = a.lexicographicallyPrecedes(b) ? (a, b) : (b, a)
  }

  public static func isBefore(_ a: Self, _ b: Self) -> Bool {
    a.first == b.first ? a.second.lexicographicallyPrecedes(b.second) : a.first.lexicographicallyPrecedes(b.first)
  }
}

/// How a log makes and stores the ids of events. Fixed when a log is made: a second rule would store known events again.
public struct EventIDRules: Sendable, Hashable {
  /// Which parts of a vendor's record make an id. 1: as up to 0.2.0. 2: only parts that every copy of the record has.
  public var version: Int
  /// Whether ids that an app wrote are stored as keyed hashes, as the users' ids are.
  public var areKeyed: Bool

  /// The newest version of the rules, which new logs have.
  public static let newest = 2
  /// The rules of a log that names none.
  public static let former = EventIDRules(version: 1, areKeyed: false)

  public init(version: Int = Self.newest, areKeyed: Bool = false) {
    (self.version, self.areKeyed) = (version, areKeyed)
  }
}
