// Ids of users by session, over all that an import read.

import PermissionEvents
import Threads

/// Sessions of a whole import; safe to use from several threads.
final class SessionTally: Sendable {
  private let sum = Mutex(SessionSample())

  func add(_ sample: SessionSample) {
    if sample.count > 0 { sum.withLock { $0 += sample } }
  }

  var sample: SessionSample { sum.withLock { $0 } }
}
