// The checksum of records on disk: CRC-32C (Castagnoli), eight bytes at a time by tables (Kounavis, Berry 2005).

enum CRC32C {
  private static let tables: [[UInt32]] = {
    var first = [UInt32](repeating: 0, count: 256)
    for i in 0..<256 {
      var value = UInt32(i)
      for _ in 0..<8 { value = value & 1 != 0 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
      first[i] = value
    }
    var tables = [first]
    for _ in 1..<8 {
      let last = tables[tables.count - 1]
      tables.append(last.map { $0 >> 8 ^ first[Int($0 & 255)] })
    }
    return tables
  }()
  private static let flat: [UInt32] = tables.flatMap { $0 }

  static func of(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
    var crc = ~start
    flat.withUnsafeBufferPointer { table in
      var i = 0
      while i + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self).littleEndian
        let low = UInt32(truncatingIfNeeded: word) ^ crc
        let high = UInt32(truncatingIfNeeded: word >> 32)
        crc =
          table[7 * 256 + Int(low & 255)] ^ table[6 * 256 + Int(low >> 8 & 255)]
          ^ table[5 * 256 + Int(low >> 16 & 255)] ^ table[4 * 256 + Int(low >> 24)]
          ^ table[3 * 256 + Int(high & 255)] ^ table[2 * 256 + Int(high >> 8 & 255)]
          ^ table[256 + Int(high >> 16 & 255)] ^ table[Int(high >> 24)]
        i += 8
      }
      while i < bytes.count {
        crc = crc >> 8 ^ table[Int((crc ^ UInt32(bytes[i])) & 255)]
        i += 1
      }
    }
    return ~crc
  }
}
