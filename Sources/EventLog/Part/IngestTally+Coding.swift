// A tally of ingests as a section of a part's footer: varints in a fixed order. Counters are only appended.

import PermissionEvents

extension IngestTally {
  /// The number of its section.
  static let section: UInt64 = 1
  /// Counters of a section of before those of lines and sessions: it has these, or all that are known.
  private static let before = 4

  var encoded: [UInt8] {
    var w = ByteWriter()
    for count in counters + later { w.varint(UInt64(bitPattern: count)) }
    return w.bytes
  }

  /// Nil if the bytes are no tally: too few counters or too many, one too large, or some that contradict each other.
  init?(encoded bytes: [UInt8]) {
    let counters: [Int64]? = bytes.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      var counters: [Int64] = []
      let most = Self.counterNames.count + Self.mostLater
      while r.remaining > 0 {
        guard counters.count < most, let count = r.varint(), count <= UInt64(Self.limit) else { return nil }
        counters.append(Int64(count))
      }
      return counters
    }
    let known = Self.counterNames.count
    guard let counters, counters.count == Self.before || counters.count >= known else { return nil }
    self.init(counters: Array(counters.prefix(known)))
    later = Array(counters.dropFirst(known))
  }
}
