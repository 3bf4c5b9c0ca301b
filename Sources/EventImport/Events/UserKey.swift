// The key under which user ids are replaced, so that the log can recognise a person without knowing who it is.

import Buffers
import KeyedHashes
import PermissionEvents

/// A secret key; the same key gives the same pseudonyms, in every ingest and on every machine. After a log was rekeyed it is
/// several keys: each later one hashes the pseudonyms of the one before.
public struct UserKey: Sendable {
  /// Fewer bytes than this could be guessed.
  public static let minimumBytes = SecretBytes.lengths.lowerBound
  public static let maximumBytes = SecretBytes.lengths.upperBound
  private static let label = Array("permlog: check of a key of users, 1".utf8)
  private static let renewalLabel = Array("permlog: check of keys of users, 1".utf8)
  private let key: HashKey
  /// In the order in which the log got them.
  private var later: [HashKey] = []

  /// - Parameter bytes: all bytes of a key file, its last line end included.
  /// - Returns: nil if they are not a key (see `SecretBytes`).
  public init?(_ bytes: [UInt8]) {
    guard SecretBytes.fault(of: bytes) == nil else { return nil }
    key = HashKey(bytes)
  }

  /// The keys of a log that gets another one.
  public func renewed(by next: UserKey) -> UserKey {
    var keys = self
    keys.later += [next.key] + next.later
    return keys
  }

  /// Whether it is, or contains, the (first) key of another.
  package func contains(_ other: UserKey) -> Bool { ([key] + later).contains { $0.bytes == other.key.bytes } }

  /// How many keys it is.
  public var count: Int { 1 + later.count }

  var isRenewed: Bool { !later.isEmpty }

  /// The first 128 bits of HMAC-SHA-256 (RFC 2104), 122 of them in a UUID of version 8 (RFC 9562, section 5.8): it packs
  /// into 16 bytes as every other UUID does.
  func identifier(of text: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    Self.identifier(key.hash(of: text))
  }

  /// The same for an event's id. The hashed text is never a user's id, so that an id used for both does not reveal it.
  func identifier(ofEvent id: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    var text = Self.eventLabel
    text.append(contentsOf: id)
    return text.withUnsafeBytes { identifier(of: $0) }
  }

  private static let eventLabel = Array("permlog: id of an event\0".utf8)

  /// The id that is stored instead of an event's id. An id that a program made by a hash stays, unless there are later keys.
  package func hidden(eventID id: [UInt8]) -> EventBatch.Identifier? {
    guard !IdentifierText.isPseudonym(id) else { return nil }
    return renewed(event: id.withUnsafeBytes { identifier(ofEvent: $0) }, isDaily: false)
  }

  // MARK: Later keys

  /// The id of an event under the later keys, given that under the first. Whoever has the first key alone can no longer test
  /// whether an event is of a certain user: ids that are made of an event's content have the user's in them, too. Ids of events
  /// that many rows of a day make have no user in them, and stay.
  @inline(__always)
  func renewed(event id: EventBatch.Identifier, isDaily: Bool) -> EventBatch.Identifier {
    later.isEmpty || isDaily ? id : later.reduce(id) { Self.renewed(event: $0, by: $1) }
  }

  private static func renewed(event id: EventBatch.Identifier, by key: HashKey) -> EventBatch.Identifier {
    withUnsafeTemporaryAllocation(byteCount: eventRenewalLabel.count + 16, alignment: 8) { text in
      text.copyBytes(from: eventRenewalLabel)
      text.storeBytes(of: id.high.bigEndian, toByteOffset: eventRenewalLabel.count, as: UInt64.self)
      text.storeBytes(of: id.low.bigEndian, toByteOffset: eventRenewalLabel.count + 8, as: UInt64.self)
      return identifier(key.hash(of: UnsafeRawBufferPointer(text)))
    }
  }

  /// With the id in 16 bytes it is less than a block of SHA-256.
  private static let eventRenewalLabel = Array("permlog: event renewed\0".utf8)

  /// A pseudonym under the key that follows those that made it.
  private static func renewed(user id: EventBatch.Identifier, by key: HashKey) -> EventBatch.Identifier {
    let text = text(of: id)
    return text.withUnsafeBytes { identifier(key.hash(of: $0)) }
  }

  private static func identifier(_ hash: UInt128) -> EventBatch.Identifier {
    DerivedEventID.identifier(high: UInt64(truncatingIfNeeded: hash >> 64), low: UInt64(truncatingIfNeeded: hash))
  }

  private static func text(of id: EventBatch.Identifier) -> [UInt8] {
    var text: [UInt8] = []
    IdentifierText.writeUUID(form: id.form, high: id.high, low: id.low, into: &text)
    return text
  }

  /// The id under which a log has a user, given that under the first key. Users who were erased before a later key came are kept
  /// out under the id that they had then.
  /// - Parameter isKeptOut: of an id under a key that is not the last.
  func stored(_ first: EventBatch.Identifier, unless isKeptOut: ([UInt8]) -> Bool) -> EventBatch.Identifier {
    var id = first
    for key in later {
      if isKeptOut(Self.text(of: id)) { return id }
      id = Self.renewed(user: id, by: key)
    }
    return id
  }

  /// The ids that a log may have for a user: under each key, that under all of them last.
  /// - Parameter id: as exports have it, or a pseudonym, of which it is not known how many keys made it.
  package func pseudonyms(of id: [UInt8]) -> [[UInt8]] {
    guard let pseudonym = IdentifierText.isPseudonym(id) ? id.withUnsafeBytes({ IdentifierText.packUUID($0) }) : nil
    else {
      var under = [id.withUnsafeBytes { identifier(of: $0) }]
      for key in later { under.append(Self.renewed(user: under[under.count - 1], by: key)) }
      return under.map(Self.text)
    }
    let given = EventBatch.Identifier(form: pseudonym.form, high: pseudonym.high, low: pseudonym.low)
    // Under the last key; under the one before; and so on.
    return [id]
      + later.indices.reversed().flatMap { first in
        later[first...].reduce(into: [given]) { $0.append(Self.renewed(user: $0[$0.count - 1], by: $1)) }.dropFirst()
          .map(Self.text)
      }
  }

  /// The id of a user of a log that gets this key, given the id that the log had.
  package func renewing(user id: [UInt8]) -> [UInt8] {
    Self.text(of: Self.identifier(id.withUnsafeBytes { key.hash(of: $0) }))
  }

  /// The same of an event.
  package func renewing(event id: EventBatch.Identifier) -> EventBatch.Identifier { Self.renewed(event: id, by: key) }

  /// Distinguishes this key from others without revealing it: 8 bytes of HKDF-SHA-256 (RFC 5869), independent of the
  /// use of the key for ids. For several keys the last one's, for the checks of those before it too.
  package var check: UInt64 {
    func check(_ key: HashKey, _ label: [UInt8]) -> UInt64 {
      key.derivedBytes(for: label, count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    return later.reduce(check(key, Self.label)) { before, key in
      check(key, Self.renewalLabel + withUnsafeBytes(of: before.bigEndian) { Array($0) })
    }
  }

  /// The id that is stored instead of a user's id.
  package func pseudonym(of user: [UInt8]) -> [UInt8] {
    let first = user.withUnsafeBytes { identifier(of: $0) }
    return Self.text(of: stored(first) { _ in false })
  }
}

/// A thread's memory of pseudonyms: exports have many events of one user close together, and a keyed hash takes a
/// microsecond. A direct-mapped cache.
final class UserPseudonyms {
  /// What a user is called.
  struct Names {
    /// Under the first key.
    var first: EventBatch.Identifier
    /// As the log has it.
    var stored: EventBatch.Identifier
  }

  private struct Known {
    var user: [UInt8] = []
    var names: Names?
  }

  private static let slotBits: UInt64 = 12
  /// Longer ids are not kept, so that the memory has a bound.
  private static let longest = 64

  private let key: UserKey
  private let isKeptOut: ([UInt8]) -> Bool
  private var slots = [Known](repeating: Known(), count: 1 << Int(slotBits))
  private var text = PaddedBuffer(capacity: 36)

  /// - Parameter isKeptOut: whether a user was erased under a pseudonym that is not of all keys.
  init(key: UserKey, isKeptOut: @escaping ([UInt8]) -> Bool) { (self.key, self.isKeptOut) = (key, isKeptOut) }

  func identifier(of bytes: UnsafeRawBufferPointer) -> EventBatch.Identifier { key.identifier(of: bytes) }

  /// The hash of what counts events, under all keys: whoever has the first alone cannot look for an install's.
  func counter(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    key.renewed(event: key.identifier(ofEvent: bytes), isDaily: false).high
  }

  func names(of user: UnsafeRawBufferPointer) -> Names {
    let index = Int(truncatingIfNeeded: UserHash.text(user) >> (64 - Self.slotBits))
    if let names = slots[index].names, slots[index].user.elementsEqual(user) { return names }
    let first = key.identifier(of: user)
    let names = Names(first: first, stored: key.isRenewed ? key.stored(first, unless: isKeptOut) : first)
    if user.count <= Self.longest { slots[index] = Known(user: Array(user), names: names) }
    return names
  }

  /// The text of a pseudonym; valid until the next one is requested.
  func text(of id: EventBatch.Identifier) -> UnsafeRawBufferPointer {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    IdentifierText.writeUUID(form: id.form, high: id.high, low: id.low, into: &bytes)
    text.removeAll()
    text.append(bytes)
    return text.bytes.bytes
  }

  /// The id of an event under all keys, given that under the first.
  /// - Parameter kind: nil if it is not known, but not one that many rows of a day make.
  @inline(__always)
  func renewed(event id: EventBatch.Identifier, of kind: EventKind?) -> EventBatch.Identifier {
    guard key.isRenewed else { return id }
    let isDaily = kind.map { DerivedEventID.isDaily(kind: $0.rawValue, form: id.form.rawValue, low: id.low) } ?? false
    return key.renewed(event: id, isDaily: isDaily)
  }
}
