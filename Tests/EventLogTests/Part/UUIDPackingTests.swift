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
      var packedWords = [UInt8](repeating: 0xAA, count: UUIDPacking.wordsLength(rows: rows) + 2)
      var packedBits = [UInt8](repeating: 0xAA, count: UUIDPacking.bitsLength(rows: rows) + 1)
      packedWords.withUnsafeMutableBytes { out in
        if let base = out.baseAddress { UUIDPacking.packWords(words, rows: rows, into: base) }
      }
      packedBits.withUnsafeMutableBytes { out in
        if let base = out.baseAddress { UUIDPacking.packBits(words, rows: rows, into: base) }
      }
      #expect(packedWords.last == 0xAA && packedBits.last == 0xAA, "no more is written than was said")
      packedWords.withUnsafeBytes { bytes in
        packedBits.withUnsafeBytes { bits in
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
