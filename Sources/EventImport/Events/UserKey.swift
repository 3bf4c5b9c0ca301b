// The key under which user ids are replaced, so that the log can recognise a person without knowing who it is.

import Buffers
import KeyedHashes
import PermissionEvents

/// A secret key; the same key gives the same pseudonyms, in every ingest and on every machine.
public struct UserKey: Sendable {
  /// Fewer bytes than this could be guessed.
  public static let minimumBytes = SecretBytes.lengths.lowerBound
  public static let maximumBytes = SecretBytes.lengths.upperBound
  private static let label = Array("permlog: check of a key of users, 1".utf8)
  private let key: HashKey

  /// - Parameter bytes: all bytes of a key file, its last line end included.
  /// - Returns: nil if they are not a key (see `SecretBytes`).
  public init?(_ bytes: [UInt8]) {
    guard SecretBytes.fault(of: bytes) == nil else { return nil }
    key = HashKey(bytes)
  }

  /// The first 128 bits of HMAC-SHA-256 (RFC 2104), 122 of them in a UUID of version 8 (RFC 9562, section 5.8): it packs
  /// into 16 bytes as every other UUID does.
  func identifier(of text: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    let hash = key.hash(of: text)
    return DerivedEventID.identifier(
      high: UInt64(truncatingIfNeeded: hash >> 64), low: UInt64(truncatingIfNeeded: hash))
  }

  /// The same for an event's id. The hashed text is never a user's id, so that an id used for both does not reveal it.
  func identifier(ofEvent id: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    var text = Self.eventLabel
    text.append(contentsOf: id)
    return text.withUnsafeBytes { identifier(of: $0) }
  }

  private static let eventLabel = Array("permlog: id of an event\0".utf8)

  /// The id that is stored instead of an event's id. An id that a program made by a hash stays.
  package func hidden(eventID id: [UInt8]) -> EventBatch.Identifier? {
    IdentifierText.isPseudonym(id) ? nil : id.withUnsafeBytes { identifier(ofEvent: $0) }
  }

  /// Distinguishes this key from others without revealing it: 8 bytes of HKDF-SHA-256 (RFC 5869), independent of the
  /// use of the key for ids.
  package var check: UInt64 {
    key.derivedBytes(for: Self.label, count: 8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The id that is stored instead of a user's id.
  package func pseudonym(of user: [UInt8]) -> [UInt8] {
    let id = user.withUnsafeBytes { identifier(of: $0) }
    var text: [UInt8] = []
    IdentifierText.writeUUID(form: id.form, high: id.high, low: id.low, into: &text)
    return text
  }
}

/// A thread's memory of pseudonyms: exports have many events of one user close together, and a keyed hash takes a
/// microsecond. A direct-mapped cache.
final class UserPseudonyms {
  private struct Known {
    var user: [UInt8] = []
    var identifier: EventBatch.Identifier?
  }

  private static let slotBits: UInt64 = 12
  /// Longer ids are not kept, so that the memory has a bound.
  private static let longest = 64

  private let key: UserKey
  private var slots = [Known](repeating: Known(), count: 1 << Int(slotBits))
  private var text = PaddedBuffer(capacity: 36)

  init(key: UserKey) { self.key = key }

  func identifier(of bytes: UnsafeRawBufferPointer) -> EventBatch.Identifier { key.identifier(of: bytes) }

  /// The pseudonym as text; valid until the next one is requested.
  func pseudonym(of user: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let index = Int(truncatingIfNeeded: UserHash.text(user) >> (64 - Self.slotBits))
    let identifier: EventBatch.Identifier
    if let known = slots[index].identifier, slots[index].user.elementsEqual(user) {
      identifier = known
    } else {
      identifier = key.identifier(of: user)
      if user.count <= Self.longest { slots[index] = Known(user: Array(user), identifier: identifier) }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    IdentifierText.writeUUID(form: identifier.form, high: identifier.high, low: identifier.low, into: &bytes)
    text.removeAll()
    text.append(bytes)
    return text.bytes.bytes
  }
}
