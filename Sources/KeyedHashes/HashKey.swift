// SHA-256 (FIPS 180-4), HMAC (RFC 2104) and HKDF (RFC 5869), by libsodium.

import CSodium

/// A secret key of hashes: the same key gives the same hashes on every machine.
package struct HashKey: Sendable {
  package let bytes: [UInt8]
  /// HMAC's two hashes after the key itself, which every text shares.
  private let begun: crypto_auth_hmacsha256_state

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    var state = crypto_auth_hmacsha256_state()
    crypto_auth_hmacsha256_init(&state, self.bytes, self.bytes.count)
    begun = state
  }

  /// A new key from the system's secure source.
  package init(randomBytes count: Int) {
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    self.init(bytes)
  }

  /// HMAC-SHA-256 of a text, its first 128 bits as a number: the first byte is the highest.
  package func hash(of text: UnsafeRawBufferPointer) -> UInt128 {
    code(of: text).prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// HKDF-SHA-256 without a salt: bytes that tell two keys apart and reveal neither the key nor any hash under it.
  /// - Parameters:
  ///   - purpose: what the bytes are for: HKDF's `info`.
  ///   - count: at most 32.
  package func derivedBytes(for purpose: [UInt8], count: Int) -> [UInt8] {
    let extracted = HashKey([UInt8](repeating: 0, count: 32)).code(of: bytes)
    return Array(HashKey(extracted).code(of: purpose + [1]).prefix(count))
  }

  private func code(of text: [UInt8]) -> [UInt8] { text.withUnsafeBytes { code(of: $0) } }

  private func code(of text: UnsafeRawBufferPointer) -> [UInt8] {
    var state = begun
    // The library takes no text without an address.
    if let start = text.baseAddress {
      crypto_auth_hmacsha256_update(&state, start.assumingMemoryBound(to: UInt8.self), UInt64(text.count))
    }
    var code = [UInt8](repeating: 0, count: 32)
    crypto_auth_hmacsha256_final(&state, &code)
    return code
  }
}

extension HashKey: Equatable {
  /// In the same time wherever two keys of one length differ.
  package static func == (a: HashKey, b: HashKey) -> Bool {
    a.bytes.count == b.bytes.count && sodium_memcmp(a.bytes, b.bytes, a.bytes.count) == 0
  }
}

/// The SHA-256 of bytes: 32 bytes.
package func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var hash = [UInt8](repeating: 0, count: 32)
  crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
  return hash
}
