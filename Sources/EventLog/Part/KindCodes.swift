// Kinds have the codes of their part. Whoever reads several parts translates them: known kinds to the codes of
// `EventKind`, unknown ones to the codes after those, in the order of their names.

import PermissionEvents

/// For the codes of one part the codes that all parts share.
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
