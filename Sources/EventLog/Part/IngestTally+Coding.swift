// A tally of ingests as a section of a part's footer: varints in a fixed order. Counters are only appended.

import PermissionEvents

extension IngestTally {
  /// The number of its section.
  static let section: UInt64 = 1
  private static let known = 4

  var encoded: [UInt8] {
    var w = ByteWriter()
    for count in [new, duplicates, conflicts, ahead] + later { w.varint(UInt64(bitPattern: count)) }
    return w.bytes
  }

  /// Nil if the bytes are no tally: too few counters or too many, one too large, or some that contradict each other.
  init?(encoded bytes: [UInt8]) {
    let counters: [Int64]? = bytes.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      var counters: [Int64] = []
      while r.remaining > 0 {
        guard counters.count < Self.known + Self.mostLater, let count = r.varint(), count <= UInt64(Self.limit) else {
          return nil
        }
        counters.append(Int64(count))
      }
      return counters
    }
    guard let counters, counters.count >= Self.known, counters[2] <= counters[1], counters[3] <= counters[0] else {
      return nil
    }
    self.init(new: counters[0], duplicates: counters[1], conflicts: counters[2], ahead: counters[3])
    later = Array(counters.dropFirst(Self.known))
  }
}
