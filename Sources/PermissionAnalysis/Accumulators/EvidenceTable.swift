// Which users brought evidence, counted under the codes of one walk.

import Buffers

/// Counts of `EvidenceSums`, by permission code for what belongs to a permission.
struct EvidenceTable: ~Copyable {
  private(set) var activity: Int64 = 0
  private(set) var featureUsed: Int64 = 0
  private(set) var settingsOpened: Int64 = 0
  private(set) var installed: Int64 = 0
  /// By permission code: enabling, revoking, enabled after a denial, screens, explanations, answers, unexposed.
  private let counts: Buffer<Int64>
  private static let stride = 7

  init(permissions: Int) { counts = Buffer(repeating: 0, count: permissions * Self.stride) }

  @inline(__always)
  mutating func addUser(isActive: Bool, usesFeatures: Bool) {
    activity &+= isActive ? 1 : 0
    featureUsed &+= usesFeatures ? 1 : 0
  }

  @inline(__always)
  mutating func addSettingsOpened(_ isThere: Bool) { settingsOpened &+= isThere ? 1 : 0 }

  @inline(__always)
  mutating func addInstalled() { installed &+= 1 }

  /// A user's events of one permission.
  @inline(__always)
  func add(_ events: some JourneyEvents, permission: UInt32) {
    let place = Int(permission) * Self.stride
    counts[place] &+= events.contains(.enablingEvidence) ? 1 : 0
    counts[place + 1] &+= events.contains(.revokingEvidence) ? 1 : 0
    counts[place + 3] &+= events.contains(.screens) || events.contains(.unseenPrompts) ? 1 : 0
    counts[place + 4] &+= events.contains(.explanations) ? 1 : 0
    counts[place + 5] &+= events.contains(.decisions) ? 1 : 0
  }

  /// An answer that only the status tells.
  @inline(__always)
  func addAnsweredByStatus(_ isThere: Bool, permission: UInt32) {
    counts[Int(permission) * Self.stride + 5] &+= isThere ? 1 : 0
  }

  /// A journey with answers and no screen.
  func addUnexposed(permission: UInt32) { counts[Int(permission) * Self.stride + 6] &+= 1 }

  @inline(__always)
  func addEnabledAfterDenial(_ isThere: Bool, permission: UInt32) {
    counts[Int(permission) * Self.stride + 2] &+= isThere ? 1 : 0
  }

  /// - Parameter permissions: names by code.
  func sums(permissions: [[UInt8]]) -> EvidenceSums {
    var sums = EvidenceSums()
    sums.set([], .activity, activity)
    sums.set([], .featureUsed, featureUsed)
    sums.set([], .settingsOpened, settingsOpened)
    sums.set([], .installed, installed)
    for (code, name) in permissions.enumerated().dropFirst() {
      let places: [EvidencePlace] = [
        .enabling, .revoking, .enabledAfterDenial, .screens, .explanations, .answers, .unexposed,
      ]
      for (offset, place) in places.enumerated() { sums.set(name, place, counts[code * Self.stride + offset]) }
    }
    return sums
  }
}
