// Kinds of events have the codes of their part. A row has a code of four bits, and the footer has its name and class.

import PermissionEvents

/// A kind of event in a part.
struct PartKind: Hashable, Sendable {
  /// Empty for a code that no row has.
  var name: [UInt8]
  /// A raw value of `EventKind.Class`, or one of a later version.
  var eventClass: UInt8

  /// Most kinds of a part: a row has four bits for its kind.
  static let maximumCount = 16

  /// Engagement is one class for the coding of contexts, all else the other.
  var isEngagement: Bool { eventClass == EventKind.Class.engagement.rawValue }

  private static let byName = Dictionary(
    uniqueKeysWithValues: EventKind.allCases.map { (Array($0.name.utf8), $0) })

  /// The kind that the program calls so.
  var known: EventKind? { Self.byName[name] }

  /// The program's kinds, by code.
  static let program = EventKind.allCases.map {
    PartKind(name: Array($0.name.utf8), eventClass: $0.eventClass.rawValue)
  }
  /// Those of format 1.
  static let version1 = Array(program.prefix(EventKind.firstRelease))
}

/// For the codes of kinds in one part the codes that all parts share: known kinds have those of `EventKind`, unknown ones
/// the codes after those, in the order of their names.
struct KindCodes: Sendable {
  /// Number of codes in the part.
  let count: Int
  /// By the part's code the shared one.
  let shared: [UInt8]
  /// A bit for each of the part's codes that a row may have.
  let used: UInt32
  /// A bit for each shared code that is of the class of engagement in the part.
  let engagement: UInt32
  /// True if the part's codes are the program's: then no row is touched.
  let isPlain: Bool
  /// True if the order of the part's codes is that of the shared ones.
  let isInOrder: Bool

  /// Shared codes from here on are of kinds that the program does not know.
  static let firstUnknown = UInt8(EventKind.allCases.count)
  /// How many of them there can be at once.
  static let roomForUnknown = PartKind.maximumCount - EventKind.allCases.count

  /// - Parameter unknown: names of all kinds that the program does not know, in order. If there is no room for all of
  ///   them, the last share a code.
  init(_ kinds: [PartKind], unknown: [[UInt8]]) {
    let codes = kinds.map { kind in
      if let known = kind.known { return known.rawValue }
      let number = unknown.firstIndex(of: kind.name) ?? 0
      return Self.firstUnknown + UInt8(min(number, Self.roomForUnknown - 1))
    }
    let named = kinds.indices.filter { !kinds[$0].name.isEmpty }
    let inUse = named.map { codes[$0] }
    count = kinds.count
    shared = codes
    used = named.reduce(0) { $0 | 1 << UInt32($1) }
    engagement = named.filter { kinds[$0].isEngagement }.reduce(0) { $0 | 1 << UInt32(codes[$1]) }
    isPlain = kinds.count <= EventKind.allCases.count && inUse == Array(0..<UInt8(kinds.count))
    isInOrder = zip(inUse, inUse.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// True if all rows are of kinds of the first release: what is engagement is told by one comparison.
  var areOfFirstRelease: Bool { isPlain && count <= EventKind.firstRelease }

  /// Bits of the program's kinds of engagement.
  static let engagement = EventKind.allCases.filter(\.isEngagement).reduce(UInt32(0)) { $0 | 1 << UInt32($1.rawValue) }
}
