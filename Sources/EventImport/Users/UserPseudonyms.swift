// A thread's memory of pseudonyms: exports have many events of one user close together, and a keyed hash takes a
// microsecond.

import PermissionEvents

/// Pseudonyms by user id: a direct-mapped cache. Owned by one thread.
final class UserPseudonyms {
  private struct Slot {
    var user: [UInt8] = []
    var identifier: EventBatch.Identifier?
  }

  private static let slotBits: UInt64 = 12
  /// Longer ids are not kept, so that the memory has a bound.
  private static let longest = 64

  private let key: UserKey
  private var slots = [Slot](repeating: Slot(), count: 1 << Int(slotBits))
  private let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)

  init(key: UserKey) {
    self.key = key
    text.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { text.deallocate() }

  func identifier(of bytes: UnsafeRawBufferPointer) -> EventBatch.Identifier { key.identifier(of: bytes) }

  /// The pseudonym as text; valid until the next one is asked for.
  func pseudonym(of user: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let index = Int(truncatingIfNeeded: UserHash.text(user) >> (64 - Self.slotBits))
    let identifier: EventBatch.Identifier
    if let known = slots[index].identifier, slots[index].user.elementsEqual(user) {
      identifier = known
    } else {
      identifier = key.identifier(of: user)
      if user.count <= Self.longest { slots[index] = Slot(user: Array(user), identifier: identifier) }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    IdentifierText.writeUUID(form: identifier.form, high: identifier.high, low: identifier.low, into: &bytes)
    text.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(rebasing: text[..<bytes.count])
  }
}
