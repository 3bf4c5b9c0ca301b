// UUIDs of one version in 122 bits a row.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct UUIDPackingTests {
  @Test(arguments: [0, 1, 4, 7, 8, 15] as [UInt64])
  func everyRowComesBack(version: UInt64) {
    let seed: UInt64 = 21
    var generator = SeededGenerator(seed: seed)
    for rows in [1, 2, 3, 4, 5, 8, 63, 64, 1000] {
      var words: [UInt64] = []
      for row in 0..<rows {
        // Rows of all zeros and all ones lie beside random ones.
        let fill: (UInt64, UInt64) =
          row % 5 == 0 ? (0, 0) : row % 5 == 1 ? (.max, .max) : (generator.next(), generator.next())
        words.append(fill.0 & ~0xF000 | version << 12)
        words.append(fill.1 & (1 << 62 - 1) | 1 << 63)
      }
      let packed = UUIDPacking.pack(words, rows: rows)
      #expect(packed.words.count == rows * 15 && packed.bits.count == (rows + 3) / 4)
      packed.words.withUnsafeBytes { bytes in
        packed.bits.withUnsafeBytes { bits in
          guard let bytes = bytes.baseAddress, let bits = bits.baseAddress else { return }
          for row in 0..<rows {
            let id = UUIDPacking.unpack(row: row, words: bytes, bits: bits, version: version)
            #expect(id.high == words[row * 2] && id.low == words[row * 2 + 1], "seed \(seed), row \(row) of \(rows)")
          }
        }
      }
    }
  }
}
