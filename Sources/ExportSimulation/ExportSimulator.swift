// A simulated export: users in the order in which they join, block after block, each block's lines in the order in which a
// server would have received them. Memory holds one block.

import PermissionEvents

/// The counts of a written export.
public struct SimulationSummary: Equatable, Sendable {
  public var users = 0
  /// Distinct events.
  public var events = 0
  /// Lines that repeat an event.
  public var copies = 0

  public var lines: Int { events + copies }
}

package enum ExportSimulator {
  /// Users per block. An export with at most this many users is entirely in the order of arrival.
  static let usersPerBlock = 8192

  /// Writes a simulated export.
  /// - Parameter sink: gets the export's bytes in pieces that end at a line's end.
  /// - Throws: what `sink` throws.
  package static func write(
    _ options: SimulationOptions, as format: SimulatedFormat,
    to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> SimulationSummary {
    let words = LineWords(options, format)
    let template = LineTemplate(format.template, words)
    let calendar = JoinCalendar(options)
    let start = options.firstDay * millisecondsPerDay
    let block = EventBlock()
    var simulation = UserSimulation(options)
    var order = ArrivalOrder()
    var users: [SimulatedUser] = []
    var summary = SimulationSummary()
    var out = LineBuffer(sink: sink)

    func writeBlock(_ out: inout LineBuffer) throws {
      try order.forEach(block, since: start) { [users] event in
        try out.reserve()
        template.write(event, users[Int(event.user)], into: &out)
      }
      summary.users += users.count
      block.removeAll()
      users.removeAll(keepingCapacity: true)
    }

    for byte in format.heading.utf8 { out.byte(byte) }
    for day in 0..<options.days {
      for number in calendar.users(on: day) {
        let slot = UInt32(truncatingIfNeeded: users.count)
        let count = block.count
        users.append(simulation.simulate(number: number, slot: slot, joins: day, into: block))
        let events = Int(simulation.serial - simulation.assigning.copies)
        summary.events += events
        summary.copies += block.count - count - events
        if users.count == usersPerBlock || block.count >= ArrivalOrder.mostEvents { try writeBlock(&out) }
      }
    }
    try writeBlock(&out)
    try out.flush()
    return summary
  }
}

// MARK: The options of a simulation

/// The size, dates and seed of a simulated population. Equal options give equal bytes on every platform.
package struct SimulationOptions: Sendable {
  /// Users who install the app, 1 to a thousand million.
  package var users: Int
  package var seed: UInt64
  /// Length of the export in weeks, 1 to 520.
  package var weeks: Int
  /// The first day, UTC.
  package var firstDay: DayNumber
  package var population: SimulatedPopulation
  /// Percent of the users, 0 to 80, who had decided before the export begins; for the everyday population.
  package var decidedBefore: Int
  /// Variants are events of their own, and no screen carries them; for the everyday population.
  package var assignments: Bool
  /// Settings prompts have two messages, of experiments of their own; for the everyday population without assignments.
  package var settingsMessages: Bool

  package static let longestUsers = 1_000_000_000
  package static let longestWeeks = 520
  /// With more, fewer than 1 in 100 answers could be people's: prompts that are logged with their answers look like that.
  package static let mostDecidedBefore = 80

  package init(
    users: Int, seed: UInt64, weeks: Int, firstDay: DayNumber, population: SimulatedPopulation = .everyday,
    decidedBefore: Int = 0, assignments: Bool = false, settingsMessages: Bool = false
  ) {
    self.users = max(1, min(users, Self.longestUsers))
    self.seed = seed
    self.weeks = max(1, min(weeks, Self.longestWeeks))
    self.firstDay = firstDay
    self.population = population
    self.decidedBefore = population == .everyday ? max(0, min(decidedBefore, Self.mostDecidedBefore)) : 0
    self.assignments = population == .everyday && assignments
    self.settingsMessages = population == .everyday && !assignments && settingsMessages
  }

  /// How many users before a number had decided. The number decides, so that the count is exact.
  func decided(before number: Int) -> Int { number * decidedBefore / 100 }
  /// How many of some users had decided.
  func decided(_ users: Range<Int>) -> Int { decided(before: users.upperBound) - decided(before: users.lowerBound) }

  var days: Int { weeks * 7 }
  /// The moment at which the export ends; no event is as late.
  package var end: Milliseconds { (firstDay + Int64(days)) * millisecondsPerDay }
}

/// How many users install the app on each day: more at the weekend, and more in some weeks than in others. The options
/// fix these numbers, so only the users' behaviour is random.
struct JoinCalendar {
  /// The number of users who joined before each day, and the number of all users at the end. A user's number is the
  /// index in the order of joining.
  private let before: [Int]

  private static let weekday = [96, 94, 93, 97, 103, 112, 105]

  init(_ options: SimulationOptions) {
    var sum = 0
    let weights = (0..<options.days).map { offset in
      let day = options.firstDay + Int64(offset)
      // A week's campaigns: 82 to 118 % of the usual.
      let week = UInt64(bitPattern: CalendarWeek(day: day).index)
      let campaign = 82 + Int(UserHash.mix(options.seed ^ UserHash.mix(week)) % 37)
      sum += Self.weekday[weekdayIndex(day)] * campaign
      return sum
    }
    // At most 10⁹ users times 4.8·10⁷ of weight.
    before = [0] + weights.map { options.users * $0 / max(1, sum) }
  }

  /// Numbers of the users who join on a day, counted from the first.
  func users(on day: Int) -> Range<Int> { before[day]..<before[day + 1] }
}

/// 0 for Monday to 6 for Sunday.
@inline(__always)
func weekdayIndex(_ day: DayNumber) -> Int { Int(day - CalendarWeek(day: day).firstDay) }

// MARK: Seeded random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Each output is a mix of a counter
// The same seed and stream give the same numbers on every platform.

struct RandomSource {
  private var state: UInt64

  /// A source for one purpose: `stream` separates, for example, one user's numbers from another's.
  init(seed: UInt64, stream: UInt64) {
    state = UserHash.mix(seed &+ Self.step) ^ UserHash.mix(stream &* 0xD1B5_4A32_D192_ED03 &+ 0x632B_E59B_D9B4_E019)
  }

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  @inline(__always)
  mutating func next() -> UInt64 {
    state &+= Self.step
    return UserHash.mix(state)
  }

  /// Uniform in [0, 1), in steps of 2⁻⁵³.
  @inline(__always)
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  @inline(__always)
  mutating func chance(_ p: Double) -> Bool { uniform() < p }

  /// Uniform in 0 ..< `bound`; 0 if `bound` is below 1.
  @inline(__always)
  mutating func below(_ bound: Int) -> Int {
    guard bound > 0 else { return 0 }
    return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  mutating func exponential(mean: Double) -> Double { -ElementaryFunctions.log(1 - uniform()) * mean }
}

/// exp and log from the basic operations of IEEE 754 alone. The C libraries of Linux and macOS differ in the last bit of
/// theirs, and one different bit can move a timestamp: the same seed must give the same bytes everywhere.
enum ElementaryFunctions {
  private static let ln2 = 0.693_147_180_559_945_3

  /// e to the power of `x`, by argument reduction and a Taylor series of 16 terms; for |x| below 700.
  static func exp(_ x: Double) -> Double {
    let k = (x / ln2).rounded()
    let r = x - k * ln2
    var term = 1.0
    var sum = 1.0
    for n in 1...16 {
      term *= r / Double(n)
      sum += term
    }
    return Double(sign: .plus, exponent: Int(k), significand: sum)
  }

  /// Natural logarithm of `x` > 0, by 2·artanh((m − 1) / (m + 1)) of the significand m in [1, 2).
  static func log(_ x: Double) -> Double {
    let m = x.significand
    let s = (m - 1) / (m + 1)
    let square = s * s
    var power = s
    var sum = 0.0
    var odd = 1.0
    while odd < 36 {
      sum += power / odd
      power *= square
      odd += 2
    }
    return 2 * sum + Double(x.exponent) * ln2
  }
}

/// Log-normal draws from a table, so that a draw costs one random number and no exponential.
///
/// exp(σ·x) for x near enough to standard normal: the sum of four uniforms (Irwin–Hall), standardised, within ± 3.46.
struct LogNormalTable {
  /// exp(σ·√3·(i/256 − 2)) for i from 0 to 1024.
  private let values: [Double]

  init(sigma: Double) {
    values = (0...1024).map { ElementaryFunctions.exp(sigma * 3.0.squareRoot() * (Double($0) / 256 - 2)) }
  }

  func draw(median: Double, _ random: inout RandomSource) -> Double {
    let bits = random.next()
    // Four uniforms of 16 bits each. Their sum has 18 bits; the upper ten are the index in the table.
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
    let index = Int(sum >> 8)
    let fraction = Double(sum & 0xFF) / 256
    return median * (values[index] + (values[index + 1] - values[index]) * fraction)
  }
}
