// The hash of a user id is part of the log's format: its values can never change.

import LogTestSupport
import Testing

@testable import PermissionEvents

@Suite struct UserHashTests {
  @Test func mixIsInvertedOnRandomWords() {
    let seed: UInt64 = 41
    var generator = SeededGenerator(seed: seed)
    let corners: [UInt64] = [0, 1, .max, 1 << 63, 1 << 31, 0x5555_5555_5555_5555]
    for word in corners + (0..<10_000).map({ _ in generator.next() }) {
      #expect(UserHash.unmix(UserHash.mix(word)) == word, "seed \(seed)")
      #expect(UserHash.mix(UserHash.unmix(word)) == word, "seed \(seed)")
    }
  }

  @Test func hashAndLowWordGiveBackTheHighWord() {
    let seed: UInt64 = 42
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10_000 {
      let (high, low) = (generator.next(), generator.next())
      #expect(UserHash.highWord(hash: UserHash.uuid(high: high, low: low), low: low) == high, "seed \(seed)")
    }
  }

  /// UUIDs: SplitMix64's finaliser, computed apart in Python. Texts: XXH3 with 64 bits; the hash of the
  /// empty text is the one in the reference implementation's own self-test.
  @Test(arguments: [
    ("00000000-0000-0000-0000-000000000001", 0x7AB4_0E09_0F36_3A7D),
    ("0123abcd-4567-89ef-8123-456789abcdef", 0x4141_825D_3B8E_FBFA),
    ("0123ABCD-4567-89EF-8123-456789ABCDEF", 0x4141_825D_3B8E_FBFA),
    ("", 0x2D06_8005_38D3_94C2),
    ("alice", 0x4DA1_0DD6_1A01_16B0),
    ("0123abcd-4567-89EF-8123-456789abcdef", 0x67DF_38CA_639B_BCDB),
  ])
  func valuesAreFixed(id: String, hash: UInt64) {
    #expect(Array(id.utf8).withUnsafeBytes(UserHash.of) == hash)
  }
}
