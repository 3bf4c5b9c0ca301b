// A history of the oracle in a log of this process, and the oracle's questions as the folds are asked them.

import EventLog
import Folding
import Foundation
import LogTestSupport
import PermissionEvents
import ReportOracle
import Testing

@testable import PermissionAnalysis

/// A log in memory with the events of a history.
struct OracleLog {
  let snapshot: LogSnapshot

  /// - Parameter parts: ingests that the events are divided among, one after the other.
  init(_ events: [OracleEvent], parts: Int) throws {
    // Of several ingests the first copy of an event stays, and the oracle knows one ingest.
    let events = leastFirst(events)
    let directory = LogDirectory(path: "/log", files: MemoryFileSystem())
    for part in 0..<parts {
      let piece = events[events.count * part / parts..<events.count * (part + 1) / parts]
      try directory.ingest(piece.map(TestEvent.init))
    }
    snapshot = try LogSnapshot(directory)
  }

  /// The sums of all users, counted range by range of the users' hashes.
  func fold<F: Fold & ~Copyable>(
    _ selection: HistorySelection, ranges: Int, threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    var sums = F.Sums()
    for part in try parts(selection, ranges: ranges, threads: threads, make) { try sums.add(part) }
    return sums
  }

  /// The sums of each range of the users' hashes.
  func parts<F: Fold & ~Copyable>(
    _ selection: HistorySelection, ranges: Int, threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> [F.Sums] {
    let width = UInt64.max / UInt64(ranges)
    return try (0..<UInt64(ranges)).map { range in
      let last = range == UInt64(ranges) - 1 ? UInt64.max : (range + 1) * width - 1
      return try snapshot.fold(selection, within: range * width...last, threads: threads, make)
    }
  }

  /// The sums of all users, through their tables, the same however the users are divided.
  func sums<F: Fold & ~Copyable>(
    _ selection: HistorySelection, _ seed: UInt64, _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    let one = try fold(selection, ranges: 1, threads: 1, make)
    let several = try fold(selection, ranges: 2 + Int(seed % 6), threads: 1 + Int(seed % 2), make)
    #expect(one.tables == several.tables, "seed \(seed): one range of hashes and several differ")
    return try F.Sums(tables: several.tables)
  }

  /// The sums of all users by the reading that the log calls for, and how fast prompts were answered.
  func read<F: Fold & ~Copyable>(
    _ windows: AnalysisWindows, _ selection: HistorySelection, _ seed: UInt64,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> (sums: F.Sums, calls: CallSums) {
    let calls = try sums(CallFold.selection, seed) { CallFold(windows, contexts: $0) }
    let reading = CallReading(calls)
    let selection = reading.selection(selection)
    let counted = try sums(selection, seed) { try ReadFold(reading, windows, selection, contexts: $0, make) }
    return (counted, calls)
  }

  /// The time of the oldest event.
  var oldest: Milliseconds { snapshot.timeRange?.lowerBound ?? 0 }

  /// The moment that a question without one looks from.
  var newest: Milliseconds { snapshot.timeRange?.upperBound ?? 0 }
}

extension TestEvent {
  init(_ event: OracleEvent) {
    var values: [StringField: String] = [:]
    values[.permission] = event.permission
    for name in oracleProperties { values[StringField(oracleName: name)] = event.property(name) }
    self.init(
      user: event.userID, id: event.eventID, time: Milliseconds(event.timestamp),
      kind: EventKind.allCases.first { $0.name == event.event } ?? .appInstalled,
      status: AuthorizationStatus.allCases.first { $0.name == event.status } ?? .none, values: values)
  }
}

extension StringField {
  init(oracleName: String) { self = StringField.allCases.first { $0.name == oracleName } ?? .variant }
}

extension ZoneTable {
  /// From Foundation's tables, over the seasons of the generator and three years on each side.
  init(_ zone: TimeZone) {
    func offset(_ date: Date) -> Milliseconds { Milliseconds(zone.secondsFromGMT(for: date)) * 1000 }
    let (start, end) = (Date(timeIntervalSince1970: 1_483_228_800), Date(timeIntervalSince1970: 1_861_920_000))
    var transitions: [Transition] = []
    var date = start
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next < end {
      transitions.append(
        Transition(at: Milliseconds((next.timeIntervalSince1970 * 1000).rounded()), offset: offset(next)))
      date = next
    }
    self.init(
      name: zone.identifier == "GMT" ? "UTC" : zone.identifier, initialOffset: offset(start), transitions: transitions)
  }
}

extension AnalysisWindows {
  init(asOf: Int?, response: Int, followUp: Int, _ log: OracleLog) {
    self.init(asOf: asOf.map { Milliseconds($0) } ?? log.newest)
    self.response = Milliseconds(response)
    self.followUp = Milliseconds(followUp)
  }
}

extension ReportQuestion {
  init(_ options: OracleOptions, _ log: OracleLog) {
    var windows = AnalysisWindows(
      asOf: options.asOf, response: options.responseWindow, followUp: options.followUp, log)
    windows.atOnce = Milliseconds(options.atOnce)
    self.init(windows: windows, zone: ZoneTable(options.timeZone))
    let days = [options.from, options.to].map { $0.flatMap { CivilDate(parsing: $0)?.dayNumber } }
    from = days[0].map { zone.firstMoment(of: $0) }
    to = days[1].map { zone.firstMoment(of: $0) }
    if let week = options.week.flatMap({ CalendarWeek(parsing: $0) }) {
      from = zone.firstMoment(of: week.firstDay)
      to = zone.firstMoment(of: week.firstDay + 7)
    }
    permission = options.permission
    properties = [options.by, options.by2].compactMap { $0.map { StringField(oracleName: $0) } }
    conditions = options.conditions.compactMap { try? ExposureCondition(parsing: $0.text) }
    if let limit = options.byLimit { rows.values = limit }
    logStart = options.logStart.map { Milliseconds($0) } ?? log.oldest
  }
}

extension ComparisonQuestion {
  init(_ options: OracleComparisonOptions, _ log: OracleLog) {
    var windows = AnalysisWindows(
      asOf: options.asOf, response: options.responseWindow, followUp: options.followUp, log)
    windows.atOnce = Milliseconds(options.atOnce)
    self.init(
      windows: windows, zone: ZoneTable(options.timeZone), permission: options.permission, variants: options.variants,
      experiment: options.experiment)
    metric = ComparisonMetric(rawValue: options.metric) ?? .grantRate
    screen = MessageScreen(rawValue: options.screen) ?? .permission
    policy = ContaminationPolicy(rawValue: options.policy) ?? .first
    by = options.by.map { StringField(oracleName: $0) }
    conditions = options.conditions.compactMap { try? ExposureCondition(parsing: $0.text) }
  }
}
