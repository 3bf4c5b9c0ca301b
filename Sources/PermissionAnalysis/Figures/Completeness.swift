// How many of the events that an app numbered have arrived. An event is known to be missing if an earlier and a later number of its
// counter arrived, so the share is of the numbers between the first and the last that arrived: an event that is lost by chance then is
// one of them as often as any other. What is lost after the last number is not known.

import Buffers
import PermissionEvents

/// Numbers between two that arrived.
public struct NumberedEvents: Sendable, Hashable {
  public var numbered: Int64 = 0
  public var arrived: Int64 = 0
  /// The counters that miss some, once for each time that they come to a week or a version.
  package var gaps: Int64 = 0

  package init(numbered: Int64 = 0, arrived: Int64 = 0) {
    (self.numbered, self.arrived) = (numbered, arrived)
    gaps = arrived < numbered ? 1 : 0
  }

  public var missing: Int64 { numbered - arrived }

  /// The share that arrived; nil of none.
  public var share: Double? { numbered > 0 ? Double(arrived) / Double(numbered) : nil }

  static func += (a: inout Self, b: Self) {
    // A counter has less than 2^33 numbers in its gaps and runs, so that no log comes near the limit.
    (a.numbered, a.arrived, a.gaps) = (a.numbered + b.numbered, a.arrived + b.arrived, a.gaps + b.gaps)
  }

  static func - (a: Self, b: Self) -> Self {
    var rest = Self(numbered: a.numbered - b.numbered, arrived: a.arrived - b.arrived)
    rest.gaps = a.gaps - b.gaps
    return rest
  }
}

/// What arrived of the events that apps numbered, by when they were sent and from which version. A gap between two weeks belongs to
/// neither, and counts in the whole alone; so with versions and platforms.
public struct Completeness: Sendable {
  /// Installs, sessions or uploads with numbers up to the moment of the answer.
  public private(set) var counters: Int64 = 0
  /// Of them, those with numbers that cannot be counted: made by chance, or of many phones under one id.
  public private(set) var leftOut: Int64 = 0
  public private(set) var all = NumberedEvents()
  private var weeks: [Int64: NumberedEvents] = [:]
  private var versions: [[UInt8]: NumberedEvents] = [:]
  private var platforms: [[UInt8]: NumberedEvents] = [:]
  /// Of one week and version.
  private(set) var cells: [Cell: NumberedEvents] = [:]

  struct Cell: Hashable, Sendable {
    var week: Int64
    var version: [UInt8]
  }

  let zone: ZoneTable
  /// The quarters of an hour up to the moment of the answer.
  private let end: Int64
  private let sources: [NumberSource]
  /// The version and the platform of a source, each by a number of its own.
  private let versionCodes, platformCodes: [Int64]
  private let versionNames, platformNames: [[UInt8]]
  /// The week that was asked for last, in quarters of an hour.
  private var week: (quarters: Range<Int64>, index: Int64) = (0..<0, 0)

  /// - Parameter sources: that runs name by their index.
  package init(_ sources: [NumberSource], upTo asOf: Milliseconds, zone: ZoneTable) {
    self.zone = zone
    self.sources = sources
    end = floorDivide(asOf, NumberRun.millisecondsPerQuarter)
    var (versions, platforms) = (CodeTable<[UInt8]>([]), CodeTable<[UInt8]>([]))
    versionCodes = sources.map { Int64(versions.code($0.version)) }
    platformCodes = sources.map { Int64(platforms.code($0.platform)) }
    (versionNames, platformNames) = (versions.values, platforms.values)
  }

  /// By week, the earliest first; weeks without numbers are left out.
  public var byWeek: [(week: CalendarWeek, events: NumberedEvents)] {
    weeks.sorted { $0.key < $1.key }.map { (CalendarWeek(index: $0.key), $0.value) }
  }

  /// By version of the app, in bytewise order; nil for events without one.
  public var byVersion: [(version: String?, events: NumberedEvents)] { Self.named(versions) }

  /// By platform, in bytewise order; nil for events without one.
  public var byPlatform: [(platform: String?, events: NumberedEvents)] { Self.named(platforms) }

  private static func named(_ all: [[UInt8]: NumberedEvents]) -> [(String?, NumberedEvents)] {
    all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
      ($0.key.isEmpty ? nil : String(bounded: $0.key), $0.value)
    }
  }

  package static func += (a: inout Self, b: Self) {
    a.counters += b.counters
    a.leftOut += b.leftOut
    a.all += b.all
    for (key, events) in b.weeks { a.weeks[key, default: NumberedEvents()] += events }
    for (key, events) in b.versions { a.versions[key, default: NumberedEvents()] += events }
    for (key, events) in b.platforms { a.platforms[key, default: NumberedEvents()] += events }
    for (key, events) in b.cells { a.cells[key, default: NumberedEvents()] += events }
  }

  // MARK: One counter

  /// Adds the runs of one counter, in the order of their times.
  package mutating func add(_ runs: [NumberRun]) {
    guard let first = runs.first, Int64(first.quarter) <= end else { return }
    counters += 1
    guard first.count > 0 else { return leftOut += 1 }
    let known =
      runs.last.map { Int64($0.quarter) <= end } == true ? runs[...] : runs.prefix { Int64($0.quarter) <= end }
    // Mostly an app counts on and on.
    if zip(known, known.dropFirst()).allSatisfy({ CounterLives.goesOn($0, $1) }) { return count(known) }
    guard let lives = CounterLives(known) else { return leftOut += 1 }
    for life in lives.all { count(life[...]) }
  }

  /// - Parameter runs: in the order of their numbers.
  private mutating func count(_ runs: ArraySlice<NumberRun>) {
    guard let first = runs.first else { return }
    var whole = NumberStretch(first, label: 0)
    var week = NumberStretch(first, label: self.week(of: first.quarter))
    var version = NumberStretch(first, label: versionCodes[Int(first.source)])
    var platform = NumberStretch(first, label: platformCodes[Int(first.source)])
    var cell = NumberStretch(first, label: week.label, version.label)
    for run in runs.dropFirst() where run.end > whole.end {
      let (weekOfRun, source) = (self.week(of: run.quarter), Int(run.source))
      let versionOfRun = versionCodes[source]
      _ = whole.take(run, label: 0)
      if let ended = week.take(run, label: weekOfRun) { note(week: ended) }
      if let ended = version.take(run, label: versionOfRun) { note(version: ended) }
      if let ended = platform.take(run, label: platformCodes[source]) { note(platform: ended) }
      if let ended = cell.take(run, label: weekOfRun, versionOfRun) { note(cell: ended) }
    }
    all += whole.events
    note(week: week)
    note(version: version)
    note(platform: platform)
    note(cell: cell)
  }

  private mutating func note(week stretch: NumberStretch) { Self.add(stretch, to: &weeks, stretch.label) }

  private mutating func note(version stretch: NumberStretch) {
    Self.add(stretch, to: &versions, versionNames[Int(stretch.label)])
  }

  private mutating func note(platform stretch: NumberStretch) {
    Self.add(stretch, to: &platforms, platformNames[Int(stretch.label)])
  }

  private mutating func note(cell stretch: NumberStretch) {
    Self.add(stretch, to: &cells, Cell(week: stretch.label, version: versionNames[Int(stretch.second)]))
  }

  private static func add<Key>(_ stretch: NumberStretch, to all: inout [Key: NumberedEvents], _ key: Key) {
    let events = stretch.events
    if events.numbered > 0 { all[key, default: NumberedEvents()] += events }
  }

  private mutating func week(of quarter: UInt32) -> Int64 {
    if week.quarters.contains(Int64(quarter)) { return week.index }
    let found = zone.week(of: zone.day(of: Milliseconds(quarter) * NumberRun.millisecondsPerQuarter))
    func quarters(_ day: DayNumber) -> Int64 {
      // Rounded up: a quarter belongs to the week in which it begins.
      -floorDivide(-zone.firstMoment(of: day), NumberRun.millisecondsPerQuarter)
    }
    week = (quarters(found.firstDay)..<quarters(found.firstDay + 7), found.index)
    return week.index
  }
}

/// Numbers of one counter that have something in common.
private struct NumberStretch {
  let label: Int64
  let second: Int64
  private let first: UInt64
  private(set) var end: UInt64
  private var missing: UInt64 = 0

  init(_ run: NumberRun, from number: UInt64? = nil, label: Int64, _ second: Int64 = 0) {
    (self.label, self.second, first, end) = (label, second, max(run.first, number ?? 0), run.end)
  }

  /// Takes a run that ends later.
  /// - Returns: the stretch so far, if the run begins another.
  mutating func take(_ run: NumberRun, label other: Int64, _ otherSecond: Int64 = 0) -> NumberStretch? {
    if other == label, otherSecond == second {
      if run.first > end { missing += run.first - end }
      end = run.end
      return nil
    }
    let ended = self
    self = NumberStretch(run, from: end, label: other, otherSecond)
    return ended
  }

  /// The numbers between the first and the last.
  var events: NumberedEvents {
    guard end - first > 2 else { return NumberedEvents() }
    let numbered = Int64(clamping: end - first - 2)
    return NumberedEvents(numbered: numbered, arrived: numbered - Int64(clamping: missing))
  }
}

/// The lives of a counter that did not only count on: it began again with a new install, a clock was changed, copies came at other
/// times, or an extension of the app counts under the same id.
private struct CounterLives {
  /// Each in the order of its numbers; in the order in which they began.
  private(set) var all: [[NumberRun]] = []
  /// Runs that were moved to let others in: a bound of the work.
  private var moved = 0

  /// More are no lives of one install.
  private static let most = 16
  private static let mostMoved = 1 << 22
  /// What comes before the first number of a life belongs to it if the gap is not larger.
  private static let everydayGap: UInt64 = 16
  /// No install loses so many events in a row: the numbers are of another counter, or made by chance.
  private static let mostMissing: UInt64 = 100_000

  /// Whether a later run continues a counter.
  static func goesOn(_ run: NumberRun, _ next: NumberRun) -> Bool {
    next.first >= run.end && next.first - run.end <= mostMissing
  }

  /// - Parameter runs: in the order of their times.
  /// - Returns: nil if these are not the numbers of one counter.
  init?(_ runs: ArraySlice<NumberRun>) {
    for run in runs {
      var best: (life: Int, gap: UInt64)?
      // The newest of equals.
      for life in all.indices {
        if let gap = Self.gap(before: run, all[life]), gap <= best?.gap ?? Self.mostMissing { best = (life, gap) }
      }
      guard let best else {
        guard all.count < Self.most else { return nil }
        all.append([run])
        continue
      }
      let place = all[best.life].firstPlace { (run.first, run.end) < ($0.first, $0.end) }
      moved += all[best.life].count - place
      guard moved <= Self.mostMoved else { return nil }
      all[best.life].insert(run, at: place)
    }
  }

  /// How many numbers are missing between a run and the life's number before it; nil if the run cannot be of the life.
  private static func gap(before run: NumberRun, _ life: [NumberRun]) -> UInt64? {
    let place = life.firstPlace { $0.first >= run.first }
    guard place > 0 else {
      guard let first = life.first, !repeats(run, life, from: 0) else { return nil }
      let gap = first.first > run.end ? first.first - run.end : 0
      return gap <= everydayGap ? gap : nil
    }
    guard !repeats(run, life, from: max(0, place - 64)) else { return nil }
    // Runs before it can reach further than the last of them; few do.
    let end = life[max(0, place - 64)..<place].reduce(0) { max($0, $1.end) }
    return run.first > end ? run.first - end : 0
  }

  /// Whether a number of a run is that of another event.
  private static func repeats(_ run: NumberRun, _ life: [NumberRun], from start: Int) -> Bool {
    var i = start
    while i < life.count, life[i].first < run.end {
      if life[i].end > run.first, !life[i].isNear(run) { return true }
      i += 1
    }
    return false
  }
}
