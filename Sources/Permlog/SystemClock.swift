// The machine's two clocks: what day it is, and how long something took.

import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package enum SystemClock {
  /// Milliseconds since 1970, in whole seconds.
  package static var now: Milliseconds { Milliseconds(time(nil)) * 1000 }

  /// Seconds of a clock that never jumps.
  package static var steadySeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
