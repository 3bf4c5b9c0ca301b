// The memory that reading a log may take: one sum over its parts and all threads. A file that is made to harm, or several of
// them together, ask for more and are refused, before the machine runs out of it.

import PermissionEvents
import Threads

/// What may be held of a log at once: footers with their dictionaries, blocks as they are stored, and decoded columns. Memory
/// is counted by what is put into it, and asked for before.
final class MemoryBudget: Sendable {
  /// Of a log. What permlog writes comes nowhere near it, unless one user has many millions of events, or the
  /// dictionaries hold many millions of values.
  static let bytes = 1 << 30

  let total: Int

  private struct State {
    var left: Int
    /// As much again, for one reader at a time: a block of a user with millions of events, in a log that took them, is to
    /// be read as long as nobody else wants as much.
    var reserve: Int
    var reserveHolder: ObjectIdentifier?
  }
  private let state: Mutex<State>

  init(_ total: Int = MemoryBudget.bytes) {
    self.total = total
    state = Mutex(State(left: total, reserve: total))
  }

  /// Bytes that nobody holds, the reserve apart.
  var available: Int { state.withLock { $0.left } }

  /// False, and nothing is taken, if there are not so many left.
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

  /// As many of the threads as can each hold a block of every part, and one at least. What a thread reads does not depend on
  /// how many there are.
  /// - Parameter most: rows of a block at most that are counted. Who can try again on one thread counts larger blocks as
  ///   ordinary ones, since few threads meet one.
  static func threads(_ wanted: Int, _ parts: [PartReader], bytesPerRow: Int, most: Int = PartFormat.maximumRows) -> Int
  {
    guard let budget = parts.first?.budget, wanted > 1 else { return wanted }
    let rows = parts.reduce(0) { sum, part in sum + min(Int(part.footer.blocks.map(\.rows).max() ?? 0), most) }
    return max(1, min(wanted, budget.available / 4 * 3 / max(1, rows * bytesPerRow)))
  }
}

/// What one reader holds of a budget; it gives that back with its end. Owned by one thread.
final class MemoryShare {
  private let budget: MemoryBudget
  private let mayTakeReserve: Bool
  private(set) var bytes = 0
  /// Of the bytes those of the reserve.
  private var ofReserve = 0

  /// - Parameter mayTakeReserve: true for what is held whole or not at all: a block, a list.
  init(_ budget: MemoryBudget, mayTakeReserve: Bool = false) {
    self.budget = budget
    self.mayTakeReserve = mayTakeReserve
  }

  deinit { release() }

  /// Holds so many bytes at least; false if the budget has not so many left.
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
  /// A piece of a log that would not fit beside what is held of it.
  /// - Parameter remedy: nil for what is of no user.
  static func tooMuchMemory(
    _ file: String, _ place: String, _ budget: MemoryBudget, remedy: Remedy? = .divideSharedUser
  ) -> LogError {
    let finding =
      "\(file), \(place): with it, more than \(budget.total >> 20) MiB of the log would be in memory at once (the "
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
