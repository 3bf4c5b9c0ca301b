// Strings in JSON.

package enum JSONText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends text as a JSON string.
  package static func write(_ text: String, into out: inout [UInt8]) {
    let isDone: Bool? = text.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else { return false }
      out.append(0x22)
      out.append(contentsOf: bytes)
      out.append(0x22)
      return true
    }
    if isDone != true { write(text.utf8, into: &out) }
  }

  /// Appends UTF-8 text as a JSON string.
  package static func write(_ text: some Sequence<UInt8>, into out: inout [UInt8]) {
    out.append(0x22)
    for byte in text {
      switch byte {
      case 0x22: out += [0x5C, 0x22]
      case 0x5C: out += [0x5C, 0x5C]
      case 0x0A: out += [0x5C, 0x6E]
      case 0x0D: out += [0x5C, 0x72]
      case 0x09: out += [0x5C, 0x74]
      case 0..<0x20: out += [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: out.append(byte)
      }
    }
    out.append(0x22)
  }
}
