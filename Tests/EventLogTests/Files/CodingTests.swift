// Numbers in bytes, and the checksum, whose values are part of the format.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct CodingTests {
  @Test func numbersComeBack() {
    let seed: UInt64 = 81
    var generator = SeededGenerator(seed: seed)
    let values: [UInt64] =
      [0, 1, 127, 128, 255, 256, 16_383, 16_384, .max, .max - 1, 1 << 63]
      + (0..<1000).map { _ in generator.next() >> UInt64.random(in: 0..<64, using: &generator) }
    var writer = ByteWriter()
    for value in values {
      writer.varint(value)
      writer.u64(value)
      writer.u32(UInt32(truncatingIfNeeded: value))
      writer.u16(UInt16(truncatingIfNeeded: value))
      writer.u8(UInt8(truncatingIfNeeded: value))
      writer.text(Array("\(value)".utf8))
    }
    writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for value in values {
        #expect(reader.varint() == value && reader.u64() == value, "seed \(seed)")
        #expect(reader.u32() == UInt32(truncatingIfNeeded: value) && reader.u16() == UInt16(truncatingIfNeeded: value))
        #expect(reader.u8() == UInt8(truncatingIfNeeded: value))
        #expect(reader.text(maximum: 20) == Array("\(value)".utf8))
      }
      #expect(reader.remaining == 0 && reader.u8() == nil && reader.varint() == nil)
    }
  }

  @Test func whatIsTooLongOrCutIsNil() {
    func read<T>(_ bytes: [UInt8], _ body: (inout ByteReader) -> T) -> T {
      bytes.withUnsafeBytes {
        var reader = ByteReader($0)
        return body(&reader)
      }
    }
    #expect(read([0x80]) { $0.varint() } == nil)
    #expect(read([UInt8](repeating: 0xFF, count: 11)) { $0.varint() } == nil)
    #expect(read([1, 2, 3]) { $0.u32() } == nil)
    #expect(read([3, 65, 66]) { $0.text(maximum: 10) } == nil)
    #expect(read([3, 65, 66, 67]) { $0.text(maximum: 2) } == nil)
    #expect(read([UInt8](repeating: 0xFF, count: 9) + [1, 0]) { $0.count() } == nil)
    #expect(read([4, 0, 0, 0]) { $0.count(unit: 1) } == nil)
    #expect(read([1, 0, 0, 0]) { $0.count(unit: 4) } == nil)
    #expect(read([]) { $0.u8() } == nil)
  }

  /// Values computed apart, with Python's xxhash.
  @Test func theChecksumIsFixed() {
    #expect(
      Checksum.of(Array("abc".utf8), seed: Checksum.seed(part: 7, block: 3, stream: 0xFFFF)) == 0x7262_3CB3_C6BB_2970)
    #expect(Checksum.of([], seed: 0) == 0x2D06_8005_38D3_94C2)
    #expect(Checksum.seed(part: 7, block: 3, stream: 0xFFFF) == 0x5384_5411_7B09_9B6C)
    let tail = Checksum.seed(part: 1, block: .max, stream: PartFormat.tailStream)
    #expect(Checksum.of(Array("permlog".utf8), seed: tail) == 0xAF73_D484_653F_EEA4)
  }
}
