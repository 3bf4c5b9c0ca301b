// The key under which user ids are replaced, so that the log knows who is the same person and not who it is.

import Crypto
import PermissionEvents

/// A secret key; the same key gives the same pseudonyms, in every ingest and on every machine.
public struct UserKey: Sendable {
  /// Fewer bytes than this could be guessed.
  public static let minimumBytes = 16
  public static let maximumBytes = 4096
  private let key: SymmetricKey

  /// - Parameter bytes: all bytes of a key file, its last line end included.
  /// - Returns: nil where there are too few or too many.
  public init?(_ bytes: [UInt8]) {
    guard (Self.minimumBytes...Self.maximumBytes).contains(bytes.count) else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// The first 128 bits of HMAC-SHA-256 (RFC 2104), 122 of them in a UUID of version 8 (RFC 9562, section 5.8): it packs
  /// into 16 bytes as every other UUID does.
  func identifier(of text: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
    var words: (UInt64, UInt64) = (0, 0)
    for (i, byte) in code.prefix(16).enumerated() {
      if i < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
    }
    return DerivedEventID.identifier(high: words.0, low: words.1)
  }

  /// The id that is stored in place of a user's.
  package func pseudonym(of user: [UInt8]) -> [UInt8] {
    let id = user.withUnsafeBytes { identifier(of: $0) }
    var text: [UInt8] = []
    IdentifierText.writeUUID(form: id.form, high: id.high, low: id.low, into: &text)
    return text
  }
}
