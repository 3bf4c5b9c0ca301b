// The memory that reading a log may take: one sum over its parts and all threads. A file that is made to harm, or several of
// them together, ask for more and are refused, before the machine runs out of it.

import Threads

/// What may be held of a log at once: footers with their dictionaries, blocks as they are stored, and decoded columns. Memory
/// is counted by what is put into it, and asked for before.
final class MemoryBudget: Sendable {
  /// Of a log. What permlog writes comes nowhere near it, unless one user has many millions of events, or the
  /// dictionaries hold many millions of values.
  static let bytes = 1 << 30

  let total: Int
  private let left: Mutex<Int>

  init(_ total: Int = MemoryBudget.bytes) {
    self.total = total
    left = Mutex(total)
  }

  /// Bytes that nobody holds.
  var available: Int { left.withLock { $0 } }

  /// False, and nothing is taken, if there are not so many left.
  func take(_ bytes: Int) -> Bool {
    left.withLock { left in
      guard bytes <= left else { return false }
      left -= bytes
      return true
    }
  }

  func give(_ bytes: Int) { left.withLock { $0 += bytes } }

  /// As many of the threads as can each hold an ordinary block of every part, and one at least. What a thread reads
  /// does not depend on how many there are.
  static func threads(_ wanted: Int, _ parts: [PartReader], bytesPerRow: Int) -> Int {
    guard let budget = parts.first?.budget, wanted > 1 else { return wanted }
    let rows = parts.reduce(0) { sum, part in
      sum + min(Int(part.footer.blocks.map(\.rows).max() ?? 0), 2 * PartFormat.rowsPerBlock)
    }
    return max(1, min(wanted, budget.available / 4 * 3 / max(1, rows * bytesPerRow)))
  }
}

/// What one reader holds of a budget; it gives that back with its end. Owned by one thread.
final class MemoryShare {
  private let budget: MemoryBudget
  private(set) var bytes = 0

  init(_ budget: MemoryBudget) { self.budget = budget }

  deinit { release() }

  /// Holds so many bytes at least; false if the budget has not so many left.
  func raise(to needed: Int) -> Bool {
    guard needed > bytes else { return true }
    // In pieces, so that other threads are rarely waited for.
    let rounded = (needed + 0xFFFF) & ~0xFFFF
    guard budget.take(rounded - bytes) else { return false }
    bytes = rounded
    return true
  }

  func release() {
    budget.give(bytes)
    bytes = 0
  }
}

extension LogError {
  /// A piece of a log that would not fit beside what is held of it.
  static func tooMuchMemory(_ file: String, _ place: String, _ budget: MemoryBudget) -> LogError {
    var error = LogError(
      .limit,
      "\(file), \(place): with it, more than \(budget.total >> 20) MiB of the log would be in memory at once. Of what permlog "
        + "writes, only a user with many millions of events takes so much, or a dictionary of many millions of values. If the "
        + "log came from elsewhere the file may be made to harm: do not use it.")
    error.exceedsMemory = true
    return error
  }
}
