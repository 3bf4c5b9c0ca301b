// Which users a shard's sums count, without an id of any: a sketch of HyperLogLog registers (Flajolet et al. 2007), whose
// union shows whether two shards have users in common.

import PermissionEvents

/// For each of 2,048 groups of users, by their hash, the longest run of zeros in a hash. It says how many different users
/// there are, within 2.3 % (one standard error), and of no user whether they are among them.
public struct UserSketch: Sendable, Hashable {
  private static let bits = 11
  static let count = 1 << bits
  /// The largest register: a run of all other bits.
  private static let largest = UInt8(64 - bits + 1)
  private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  private var registers = [UInt8](repeating: 0, count: count)

  public init() {}

  /// - Parameter user: the bytes of the user's id, as the log has it.
  public mutating func add(_ user: [UInt8]) {
    let hash = UserHash.mix(user.withUnsafeBytes { UserHash.text($0) })
    let place = Int(hash >> UInt64(64 - Self.bits))
    let run = UInt8((hash << UInt64(Self.bits) | 1 << UInt64(Self.bits - 1)).leadingZeroBitCount + 1)
    registers[place] = max(registers[place], run)
  }

  public mutating func formUnion(_ other: UserSketch) {
    for place in registers.indices { registers[place] = max(registers[place], other.registers[place]) }
  }

  /// The number of different users, by Ertl's estimator (2017, "New cardinality estimation algorithms for HyperLogLog sketches",
  /// algorithm 6), which needs no correction for few or many.
  public var estimate: Double {
    var counts = [Double](repeating: 0, count: Int(Self.largest) + 1)
    for register in registers { counts[Int(register)] += 1 }
    let m = Double(Self.count)
    var z = m * Self.tau(1 - counts[Int(Self.largest)] / m)
    for k in stride(from: Int(Self.largest) - 1, through: 1, by: -1) { z = 0.5 * (z + counts[k]) }
    z += m * Self.sigma(counts[0] / m)
    return m * m / (2 * 0.693_147_180_559_945_3) / z
  }

  private static func sigma(_ start: Double) -> Double {
    if start == 1 { return .infinity }
    var (x, y, z, last) = (start, 1.0, start, -1.0)
    while z != last {
      x *= x
      last = z
      z += x * y
      y += y
    }
    return z
  }

  private static func tau(_ start: Double) -> Double {
    if start == 0 || start == 1 { return 0 }
    var (x, y, z, last) = (start, 1.0, 1 - start, -1.0)
    while z != last {
      x = x.squareRoot()
      last = z
      y *= 0.5
      z -= (1 - x) * (1 - x) * y
    }
    return z / 3
  }

  /// How many users two shards have in common, if that is more than chance explains: five standard errors of their union, or the same
  /// registers for three users or more. By chance it is said of less than one pair in a million. Nil otherwise.
  static func shared(_ a: (users: Int64, sketch: UserSketch), _ b: (users: Int64, sketch: UserSketch)) -> Int64? {
    guard min(a.users, b.users) >= 3 else { return nil }
    if a.users == b.users, a.sketch == b.sketch { return a.users }
    var union = a.sketch
    union.formUnion(b.sketch)
    let all = union.estimate
    let shared = Double(a.users) + Double(b.users) - all
    let error = 1.04 / Double(count).squareRoot()
    guard shared > max(5, 5 * error * all) else { return nil }
    return min(a.users, b.users, Int64(shared.rounded()))
  }

  // MARK: Text

  /// A letter for each register.
  var text: [UInt8] { registers.map { Self.letters[Int($0)] } }

  /// - Returns: nil if the bytes are no text of a sketch.
  init?(text: [UInt8]) {
    guard text.count == Self.count else { return nil }
    for (place, letter) in text.enumerated() {
      guard let value = Self.letters.firstIndex(of: letter), value <= Int(Self.largest) else { return nil }
      registers[place] = UInt8(value)
    }
  }

  /// Whether this many users can have made it: at least as many as there are registers in use.
  func fits(_ users: Int64) -> Bool { registers.count { $0 > 0 } <= users }
}
