// The checksum that small files name other files, and themselves, by.

import CXXHash

package enum Checksum {
  /// XXH3 of 64 bits without a seed, as 16 hexadecimal digits. It tells accidents, and not malice.
  package static func text(of bytes: [UInt8]) -> String {
    let digits = String(bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
