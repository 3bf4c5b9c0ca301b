// The memory that reading a log may take: one sum over its parts and all threads. Malicious files, alone or together,
// that need more are refused before the machine runs out of memory.

import PermissionEvents
import Threads

/// The memory that a log may take at once: footers with their dictionaries, stored blocks, and decoded columns. Memory
/// is counted by its content, and requested before it is used.
final class MemoryBudget: Sendable {
  /// Of a log. What permlog writes comes nowhere near it, unless one user has many millions of events, or the
  /// dictionaries hold many millions of values.
  static let bytes = 1 << 30

  let total: Int

  private struct State {
    var left: Int
    /// The same amount again, for one reader at a time: a block of a user with millions of events, which the log
    /// accepted, can be read unless another reader needs as much.
    var reserve: Int
    var reserveHolder: ObjectIdentifier?
  }
  private let state: Mutex<State>

  init(_ total: Int = MemoryBudget.bytes) {
    self.total = total
    state = Mutex(State(left: total, reserve: total))
  }

  /// The free bytes, without the reserve.
  var available: Int { state.withLock { $0.left } }

  /// False, and nothing is taken, if fewer are left.
  func take(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard bytes <= state.left else { return false }
      state.left -= bytes
      return true
    }
  }

  /// The same of the reserve, which a reader has until it gives it back.
  fileprivate func takeReserve(_ bytes: Int, for reader: MemoryShare) -> Bool {
    state.withLock { state in
      guard state.reserveHolder ?? ObjectIdentifier(reader) == ObjectIdentifier(reader), bytes <= state.reserve else {
        return false
      }
      state.reserve -= bytes
      state.reserveHolder = ObjectIdentifier(reader)
      return true
    }
  }

  func give(_ bytes: Int) { state.withLock { $0.left += bytes } }

  fileprivate func giveReserve(_ bytes: Int) {
    state.withLock { state in
      state.reserve += bytes
      state.reserveHolder = nil
    }
  }

  /// The number of threads that can each hold a block of every part, at least one. The data that a thread reads does
  /// not depend on their number.
  /// - Parameter most: rows of a block at most that are counted. Who can try again on one thread counts larger blocks as
  ///   ordinary ones, since few threads meet one.
  static func threads(_ wanted: Int, _ parts: [PartReader], bytesPerRow: Int, most: Int = PartFormat.maximumRows) -> Int
  {
    guard let budget = parts.first?.budget, wanted > 1 else { return wanted }
    let rows = parts.reduce(0) { sum, part in sum + min(Int(part.footer.blocks.map(\.rows).max() ?? 0), most) }
    return max(1, min(wanted, budget.available / 4 * 3 / max(1, rows * bytesPerRow)))
  }
}

/// The share of one reader in a budget, which it releases at its end. Owned by one thread.
final class MemoryShare {
  private let budget: MemoryBudget
  private let mayTakeReserve: Bool
  private(set) var bytes = 0
  /// The bytes that are from the reserve.
  private var ofReserve = 0

  /// - Parameter mayTakeReserve: true for data that is held completely or not at all: a block, a list.
  init(_ budget: MemoryBudget, mayTakeReserve: Bool = false) {
    self.budget = budget
    self.mayTakeReserve = mayTakeReserve
  }

  deinit { release() }

  /// Raises the share to at least `needed` bytes; false if the budget has too few left.
  func raise(to needed: Int) -> Bool {
    guard needed > bytes else { return true }
    // In pieces, so that other threads are rarely waited for.
    let rounded = (needed + 0xFFFF) & ~0xFFFF
    if !budget.take(rounded - bytes) {
      guard mayTakeReserve, budget.takeReserve(rounded - bytes, for: self) else { return false }
      ofReserve += rounded - bytes
    }
    bytes = rounded
    return true
  }

  func release() {
    budget.give(bytes - ofReserve)
    if ofReserve > 0 { budget.giveReserve(ofReserve) }
    (bytes, ofReserve) = (0, 0)
  }
}

extension LogError {
  /// The error for a piece of a log that does not fit into memory beside the rest.
  /// - Parameter remedy: nil for pieces that belong to no user.
  static func tooMuchMemory(
    _ file: String, _ location: String, _ budget: MemoryBudget, remedy: Remedy? = .divideSharedUser
  ) -> LogError {
    let finding =
      "\(file), \(location): with it, more than \(budget.total >> 20) MiB of the log would be in memory at once (the "
      + "largest block may take as much again). "
    let cause =
      remedy == nil
      ? "permlog writes that much only for many millions of values or erased users; nothing is lost. If the log came "
        + "from another source, the file may be malicious: do not use it."
      : "If the log came from another source, the file may be malicious: do not use it. If it is your own, nothing is "
        + "lost: one user has too many millions of events"
    var error = LogError(.limit, finding + cause, remedy)
    error.exceedsMemory = true
    return error
  }
}
