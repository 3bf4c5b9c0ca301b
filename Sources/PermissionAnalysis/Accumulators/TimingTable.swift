// How early users were asked, counted under the codes of one walk.

import Buffers

/// A way to tell how early somebody was asked. Each has classes, the earliest first, and the last is of those of whom it is not
/// known.
public enum TimingScale: Int, CaseIterable, Sendable {
  /// Time since the latest install.
  case install
  /// Days of use in the 27 days before that of the screen.
  case activeDays
  /// Uses of a feature in the 28 days before the screen.
  case featureUsed

  /// Names of the classes, as in JSON.
  public var classes: [StaticString] {
    switch self {
    case .install: ["under_1m", "1m_1h", "1h_1d", "1d_7d", "7d_up", "unknown"]
    case .activeDays: ["0", "1", "2_3", "4_7", "8_up", "unknown"]
    case .featureUsed: ["0", "1_2", "3_9", "10_up", "unknown"]
    }
  }
}

/// Places of the classes of all scales in one list.
enum TimingPlace {
  static let count = 17
  /// The place of each scale's first class.
  static let first = [0, 6, 12]

  @inline(__always) private static func one(_ isReached: Bool) -> Int { isReached ? 1 : 0 }

  /// - Parameter elapsed: milliseconds since the install; below 0 without one.
  @inline(__always)
  static func install(_ elapsed: Int64) -> Int {
    let reached = one(elapsed >= 60_000) + one(elapsed >= 3_600_000) + one(elapsed >= 86_400_000)
    return elapsed < 0 ? 5 : reached + one(elapsed >= 7 * 86_400_000)
  }

  @inline(__always)
  static func activeDays(_ days: Int, isKnown: Bool) -> Int {
    6 + (isKnown ? one(days >= 1) + one(days >= 2) + one(days >= 4) + one(days >= 8) : 5)
  }

  /// Uses from here on are all the same.
  static let mostUses = 10

  @inline(__always)
  static func featureUsed(_ uses: Int, isKnown: Bool) -> Int {
    12 + (isKnown ? one(uses >= 1) + one(uses >= 3) + one(uses >= mostUses) : 4)
  }
}

/// Journeys of the base and those granted, by permission and class. Owned by one thread.
struct TimingTable: ~Copyable {
  /// By permission code the number of its row plus one; 0 without one.
  private let rows: Buffer<Int32>
  /// By row, then by place: base, granted.
  private var counts = Buffer<Int64>()
  static let width = 2 * TimingPlace.count

  init(permissions: Int) { rows = Buffer(repeating: 0, count: permissions) }

  /// Counts a journey in a class of each scale.
  @inline(__always)
  mutating func add(permission: UInt32, isGranted: Bool, _ install: Int, _ activeDays: Int, _ featureUsed: Int) {
    var row = Int(rows[Int(permission)])
    if row == 0 {
      row = counts.count / Self.width + 1
      rows[Int(permission)] = Int32(truncatingIfNeeded: row)
      counts.extend(to: row * Self.width, repeating: 0)
    }
    let base = (row - 1) * Self.width
    let granted: Int64 = isGranted ? 1 : 0
    counts[base + 2 * install] &+= 1
    counts[base + 2 * install + 1] &+= granted
    counts[base + 2 * activeDays] &+= 1
    counts[base + 2 * activeDays + 1] &+= granted
    counts[base + 2 * featureUsed] &+= 1
    counts[base + 2 * featureUsed + 1] &+= granted
  }

  /// The counts of a permission by place, base and granted; nil without a journey.
  func counts(permission: Int) -> [Int64]? {
    let row = Int(rows[permission])
    return row == 0 ? nil : (0..<Self.width).map { counts[(row - 1) * Self.width + $0] }
  }
}
