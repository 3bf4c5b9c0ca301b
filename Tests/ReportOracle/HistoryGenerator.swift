// Random histories that are made to hit the edges of the contract, from a seeded generator.

import Foundation

/// Histories of a few users that sit on the edges: gaps of exactly a window and a millisecond beside it, days without
/// an hour, events of one millisecond, copies with the same and with other content, ids that look alike.
///
/// The same seed and number of users give the same history everywhere.
public struct HistoryGenerator: Sendable {
  public let seed: UInt64
  /// Whether most logs have requests that return at once, answers without screens, and the like.
  public let hasCalls: Bool
  /// Whether there are three times as many users again who are denied and see Settings prompts.
  public let hasSettingsPrompts: Bool

  public init(seed: UInt64, hasCalls: Bool = false, hasSettingsPrompts: Bool = false) {
    (self.seed, self.hasCalls, self.hasSettingsPrompts) = (seed, hasCalls, hasSettingsPrompts)
  }

  /// - Parameter users: how many users there are; some have one event only, some no screen.
  /// - Returns: events in the order of ingestion (mixed), duplicates among them, at least one of them at the newest
  ///   moment of the season.
  public func history(users: Int) -> [OracleEvent] {
    var writer = HistoryWriter(seed: seed, hasCalls: hasCalls)
    for number in 0..<max(0, users) {
      writer.writeUser(number)
      guard hasSettingsPrompts else { continue }
      for other in 0..<3 { writer.writeDenied("denied-\(number)-\(other)") }
    }
    return writer.finished()
  }

  /// Options to look at a history with: zones, moments that sit on edges of its journeys, weeks, dates, breakdowns.
  ///
  /// - Parameter variation: 0 is the plain report; other numbers are other choices.
  public func options(for events: [OracleEvent], variation: Int) -> OracleOptions {
    var options = OracleOptions()
    if variation == 0 { return options }
    var random = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: variation) &* 0x1234_5678_9ABC_DEF1)
    let zone = random.pick(["UTC", "America/New_York", "Pacific/Chatham", "Asia/Kolkata"], or: "UTC")
    options.timeZone = TimeZone(identifier: zone) ?? .gmt
    let calendar = OracleCalendar(options.timeZone)
    options.responseWindow = random.pick([1_800_000, 1_800_000, 1_800_000, 60_000, 86_400_000], or: 1_800_000)
    options.followUp = random.pick([28, 28, 28, 7, 1, 40], or: 28) * millisecondsPerDay
    let times = events.map(\.timestamp)
    let anyTime = random.pick(times, or: 0)
    if random.once(in: 2) {
      let edges = [0, options.responseWindow, options.followUp, 7 * millisecondsPerDay, 28 * millisecondsPerDay]
      let startOfLaterDay = calendar.firstMoment(ofDay: calendar.day(of: anyTime) + random.pick([2, 8, 28, 31], or: 2))
      let edge = random.pick(edges.map { anyTime + $0 } + [startOfLaterDay], or: anyTime)
      options.asOf = edge + random.pick([0, 0, -1, 1], or: 0)
    }
    if random.once(in: 2) {
      // So that 28 days before some journey lie on the edge of the log's start.
      options.logStart =
        anyTime + random.pick([-28, -28, 0, -60], or: 0) * millisecondsPerDay + random.pick([0, -1, 1], or: 0)
    }
    if random.once(in: 4) { options.week = calendar.week(of: anyTime).name }
    if options.week == nil, random.once(in: 3) {
      let day = calendar.day(of: anyTime)
      options.from = dateName(day)
      if random.once(in: 2) { options.to = dateName(day + random.pick([1, 7, 10, 30], or: 7)) }
    }
    if random.once(in: 4) { options.permission = events.compactMap(\.permission).randomElement(using: &random) }
    if random.once(in: 3) { options.by = random.pick(oracleProperties, or: "variant") }
    // Few, so that most histories have more values.
    if options.by != nil, variation % 3 > 0 { options.byLimit = variation % 3 }
    if let by = options.by, random.once(in: 2) {
      options.by2 = random.pick(oracleProperties.filter { $0 != by }, or: "country")
    }
    if random.once(in: 3) { options.conditions = .random(of: events, using: &random) }
    if hasCalls { options.atOnce = random.pick([250, 250, 250, 250, 0, 1, 1000], or: 250) }
    return options
  }
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers for the same seed everywhere.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// One of these; the last argument if the list is empty.
  mutating func pick<Element>(_ list: [Element], or fallback: Element) -> Element {
    list.randomElement(using: &self) ?? fallback
  }

  /// True once in `times`.
  mutating func once(in times: Int) -> Bool { Int.random(in: 0..<max(1, times), using: &self) == 0 }
}
