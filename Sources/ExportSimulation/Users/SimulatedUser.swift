// The fixed facts of a user: ids, engagement, country, device, the messages drawn.

import Buffers
import PermissionEvents

struct SimulatedUser {
  /// The install's id, a random UUID (version 4).
  let idHigh: UInt64
  let idLow: UInt64
  /// From which the ids of the events are mixed.
  let key: UInt64
  let level: Int
  let country: Int
  let firstOS: UInt8
  /// Days after the first of the export on which the user moves to the next system; never if that is past it.
  let osUpdateDay: Int
  /// Days between a release of the app and this user's update.
  let appUpdateLag: Int
  /// One bit a permission: message B.
  let messages: UInt64
  /// How far the device's clock is ahead of the true time. Vendors correct for it.
  let clockSkew: Milliseconds
  /// The user logs in, so that vendors know an account besides the device.
  let hasAccount: Bool

  init(_ random: inout RandomSource) {
    idHigh = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    idLow = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    key = random.next()
    level = random.below(EngagementLevel.count)
    messages = random.next()
    country = Int(AppVocabulary.countryOfPercent[random.below(100)])
    firstOS = AppVocabulary.osOfEighth[random.below(8)]
    osUpdateDay = random.below(400)
    appUpdateLag = Int(min(200, random.exponential(mean: 6)))
    let draw = random.uniform()
    if draw < 0.001 {
      clockSkew = Int64(random.below(60 * 86_400_000)) - 30 * 86_400_000
    } else if draw < 0.02 {
      clockSkew = Int64(random.below(3_600_000)) - 1_800_000
    } else {
      clockSkew = Int64(random.below(4000)) - 2000
    }
    hasAccount = random.chance(0.3)
  }

  /// Index of the system's version on a day of the export.
  func osVersion(on day: Int) -> UInt8 {
    day >= osUpdateDay && Int(firstOS) < AppVocabulary.osVersions.count - 1 ? firstOS + 1 : firstOS
  }

  /// Index of the app's version on a day of the export: the newest at the install, later ones after the user's lag.
  func appVersion(on day: Int, joined: Int, releases: Int) -> UInt8 {
    UInt8(clamping: min(releases - 1, max(joined, day - appUpdateLag) / AppVocabulary.daysPerRelease))
  }

  /// Whether the user has logged in by this event: a user with an account logs in after the first dozen events.
  func hasLoggedIn(_ event: SimulatedEvent) -> Bool { hasAccount && event.serial >= 12 }

  /// The id of an event, a random UUID (version 4).
  @inline(__always)
  func eventID(_ serial: UInt32) -> (high: UInt64, low: UInt64) {
    let high = UserHash.mix(key &+ UInt64(serial) &* 0xA24B_AED4_963E_E407)
    let low = UserHash.mix(high ^ key)
    return (high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

/// One simulated event, small enough that a block of users fits in a few megabytes.
struct SimulatedEvent: BitwiseCopyable {
  var time: Milliseconds
  var received: Milliseconds = 0
  var user: UInt32
  /// The event's index among the user's events. The event's id is a mix of this and the user's key.
  var serial: UInt32
  var kind: EventKind
  var status: AuthorizationStatus
  /// Index of the permission's model; `absent` if the event has no permission.
  var permission: UInt8
  var message: Message
  /// Index of the surface in the app; `absent` if the event has no surface.
  var surface = SimulatedEvent.absent
  /// Index of the feature; `absent` if the event has no feature.
  var feature: UInt8
  var appVersion: UInt8
  var osVersion: UInt8

  static let absent = UInt8.max

  /// The message on the explanation, if the permission has an experiment.
  enum Message: UInt8 { case none, a, b }

  /// Screens, answers and Settings prompts have a surface. Statuses that the app finds out later have none.
  static func hasSurface(_ kind: EventKind) -> Bool {
    switch kind {
    case .explanationShown, .promptShown, .granted, .denied, .skipped, .settingsPromptShown, .settingsOpened: true
    default: false
    }
  }
}

// MARK: The events of a block of users, and the order of their lines: by the time at which the server received them

/// Events in memory that is used again for the next block.
final class EventBlock {
  @exclusivity(unchecked) private var memory = Buffer<SimulatedEvent>(capacity: 1 << 16)

  var count: Int { memory.count }
  subscript(_ index: Int) -> SimulatedEvent { memory[index] }

  func removeAll() { memory.removeAll() }

  @inline(__always)
  func append(_ event: SimulatedEvent) { memory.append(event) }

  /// The batch of events from `first` on reaches the server at `time`.
  func receive(from first: Int, at time: Milliseconds) {
    for i in first..<count { memory.unsafeAddress[i].received = time }
  }

  /// The batch reaches the server a second time, because the device did not learn that the first had arrived.
  /// - Parameter osVersion: the version in the copies, if the device stamps events when it sends them.
  func resend(_ batch: Range<Int>, at time: Milliseconds, osVersion: UInt8?) {
    for i in batch {
      var copy = memory[i]
      copy.received = time
      if let osVersion { copy.osVersion = osVersion }
      append(copy)
    }
  }
}

/// Sorts the events of a block by arrival; events that arrive together stay in the order in which they happened.
struct ArrivalOrder {
  private var keys: [UInt64] = []
  private var spare: [UInt64] = []

  /// Bits of a key for the event's index. The arrival has the rest, enough for 17 years.
  private static let indexBits: UInt64 = 25
  private static let digitBits: UInt64 = 10
  /// A block with this many events is written before it grows further, so that the indices fit.
  static let mostEvents = 1 << 20

  /// Calls `body` with each event, in order.
  /// - Parameter start: no event arrives before this.
  mutating func forEach(
    _ block: EventBlock, since start: Milliseconds, _ body: (SimulatedEvent) throws -> Void
  ) rethrows {
    keys.removeAll(keepingCapacity: true)
    for i in 0..<block.count {
      keys.append(UInt64(clamping: block[i].received - start) << Self.indexBits | UInt64(i))
    }
    if spare.count < keys.count { spare = [UInt64](repeating: 0, count: keys.count * 5 / 4) }
    // A radix sort of the arrival, least significant digit first: stable, and the same on every platform.
    for pass in 0..<4 {
      let shift = Self.indexBits + UInt64(pass) * Self.digitBits
      var starts = [Int](repeating: 0, count: 1 << Self.digitBits)
      for key in keys { starts[Int(key >> shift & 0x3FF)] += 1 }
      var sum = 0
      for digit in starts.indices { (starts[digit], sum) = (sum, sum + starts[digit]) }
      for key in keys {
        let digit = Int(key >> shift & 0x3FF)
        spare[starts[digit]] = key
        starts[digit] += 1
      }
      keys.replaceSubrange(0..., with: spare[..<keys.count])
    }
    for key in keys { try body(block[Int(key & (1 << Self.indexBits - 1))]) }
  }
}
