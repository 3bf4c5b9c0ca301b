// A name for one state of a log, to be kept elsewhere. A log that was replaced by an older copy of itself is whole in every part, so
// nothing in its directory can tell.

import Crypto

extension Manifest {
  /// SHA-256 of the manifest, 64 hexadecimal digits. It names every part with its checksum, so that no two states of a log share one.
  package var fingerprint: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = SHA256.hash(data: encode()).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
