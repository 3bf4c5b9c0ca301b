import KeyedHashes
import Testing

@Suite struct HashKeyTests {
  private func code(_ key: [UInt8], _ text: String) -> UInt128 {
    Array(text.utf8).withUnsafeBytes { HashKey(key).hash(of: $0) }
  }

  /// RFC 4231, cases 1 and 6, and one of Python's `hmac`: the first 128 bits.
  @Test func codes() {
    #expect(code([UInt8](repeating: 0x0B, count: 20), "Hi There") == 0xB034_4C61_D8DB_3853_5CA8_AFCE_AF0B_F12B)
    let longer = [UInt8](repeating: 0xAA, count: 131)
    #expect(
      code(longer, "Test Using Larger Than Block-Size Key - Hash Key First")
        == 0x60E4_3159_1EE0_B67F_0D8A_26AA_CBF5_B77F)
    #expect(
      HashKey(Array("k".utf8)).hash(of: UnsafeRawBufferPointer(start: nil, count: 0)) == code(Array("k".utf8), ""))
  }

  /// RFC 5869, case 3: without a salt and without a purpose.
  @Test func derivedBytes() {
    let key = HashKey([UInt8](repeating: 0x0B, count: 22))
    let first: [UInt8] = [0x8D, 0xA4, 0xE7, 0x75, 0xA5, 0x63, 0xC1, 0x8F, 0x71, 0x5F, 0x80, 0x2A]
    #expect(key.derivedBytes(for: [], count: 12) == first)
    #expect(key.derivedBytes(for: [1], count: 12) != first)
  }

  /// FIPS 180-4's example, and of no bytes.
  @Test func hashes() {
    #expect(sha256(Array("abc".utf8)).prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
    #expect(sha256([]).prefix(4) == [0xE3, 0xB0, 0xC4, 0x42] && sha256([]).count == 32)
  }

  @Test func equality() {
    #expect(HashKey([1, 2]) == HashKey([1, 2]))
    #expect(HashKey([1, 2]) != HashKey([1, 3]) && HashKey([1, 2]) != HashKey([1, 2, 0]))
    let random = HashKey(randomBytes: 32)
    #expect(random.bytes.count == 32 && random != HashKey(randomBytes: 32))
  }
}
