// What a thread knows of the flags that rows carry: nearly every row repeats what an earlier one said.

import PermissionEvents

struct FlagMemory {
  private struct Known {
    var user: UInt64 = 0
    var variant: UInt64 = 0
    var day: Int64 = .min
    /// The earliest row.
    var time: Milliseconds = .max
  }

  let kind = OwnedText(Array(EventKind.assigned.name.utf8))
  let experiments: [OwnedText]
  private var known: [Known]
  private static let slotBits: UInt64 = 12

  init(_ experiments: [[UInt8]]) {
    self.experiments = experiments.map { OwnedText($0) }
    known = experiments.isEmpty ? [] : [Known](repeating: Known(), count: 1 << Int(Self.slotBits))
  }

  /// Whether a row may be the first of its UTC day that gives a user this variant. The log drops copies; this only saves making them.
  mutating func isNews(
    _ flag: Int, _ user: UnsafeRawBufferPointer, _ variant: UnsafeRawBufferPointer, _ time: Milliseconds
  ) -> Bool {
    let hash = UserHash.mix(UserHash.text(user) &+ UInt64(flag))
    let new = Known(
      user: hash, variant: UserHash.text(variant), day: floorDivide(time, millisecondsPerDay), time: time)
    let slot = Int(truncatingIfNeeded: hash >> (64 - Self.slotBits))
    let old = known[slot]
    if old.user == hash, old.variant == new.variant, old.day == new.day, old.time <= time { return false }
    known[slot] = new
    return true
  }
}
