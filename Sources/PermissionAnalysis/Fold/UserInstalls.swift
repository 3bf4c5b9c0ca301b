// When one user installed the app. Reused from user to user.

import Buffers
import PermissionEvents

/// Times of installs, in the log's order.
struct UserInstalls: ~Copyable {
  private var times = Buffer<Milliseconds>(capacity: 16)

  var isEmpty: Bool { times.count == 0 }

  mutating func removeAll() { times.removeAll() }

  @inline(__always) mutating func append(_ time: Milliseconds) { times.append(time) }

  /// The latest install at or before a moment; nil if there is none. One of the same millisecond counts.
  @inline(__always)
  func latest(at moment: Milliseconds) -> Milliseconds? {
    // Nearly everybody has one or none.
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? times[low - 1] : nil
  }
}
