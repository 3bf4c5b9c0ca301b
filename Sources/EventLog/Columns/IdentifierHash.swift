// Hashes of ids for tables in memory. Ids come from outside, and for a hash that is known ids can be made that share one slot:
// 160,000 such events of one user took 18 s. So each hash has a key of its own, which nobody knows.

import CXXHash
import PermissionEvents

/// A hash function of ids, drawn anew each time: what it gives is never stored.
struct IdentifierHash: Sendable {
  private let first = UInt64.random(in: 0...(.max))
  private let second = UInt64.random(in: 0...(.max))

  /// The hash of two words: the halves of a product, as wyhash mixes them.
  @inline(__always)
  func callAsFunction(high: UInt64, low: UInt64) -> UInt64 {
    let product = (high ^ first).multipliedFullWidth(by: low ^ second)
    // Ids that differ in one of the words alone give an arithmetic progression, which one key in twenty puts close together.
    var hash = product.high ^ product.low
    hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
    return hash ^ hash >> 32
  }

  func callAsFunction(_ text: UnsafeRawBufferPointer) -> UInt64 {
    XXH3_64bits_withSeed(text.baseAddress, text.count, first)
  }

  @inline(__always)
  func callAsFunction(_ id: IdentifierView) -> UInt64 {
    id.form == IdentifierForm.text.rawValue ? self(id.text) : self(high: id.high, low: id.low)
  }
}

/// A set of ids as 64 bits: an id without its bit is not in it.
struct IdentifierFilter {
  let hash: IdentifierHash
  private var bits: UInt64

  init(_ hash: IdentifierHash, bits: UInt64 = 0) { (self.hash, self.bits) = (hash, bits) }

  static var all: Self { Self(IdentifierHash(), bits: .max) }

  /// - Parameter hash: an id's, by the filter's own function.
  @inline(__always)
  mutating func insert(_ hash: UInt64) { bits |= 1 << (hash >> 58) }

  @inline(__always)
  func mayHold(_ id: IdentifierView) -> Bool { bits >> (hash(id) >> 58) & 1 != 0 }
}
