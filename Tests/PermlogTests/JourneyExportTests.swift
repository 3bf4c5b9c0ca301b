// Journeys as rows: each column against a plain reading of its definition, and the sums over the rows against the report.

import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import Permlog

@Suite struct JourneyExportTests {
  /// Histories a test case; a case prints its seed if it fails, and so does each history.
  private static let histories = 10
  static let seeds = TestSeeds.some(stride(from: UInt64(5000), to: 5240, by: histories).map { $0 })
  private static let zones = ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"]

  /// A condition as it is asked for, and as it is plainly read.
  private static let conditions: [(texts: [String], holds: @Sendable (OracleEvent) -> Bool)] = [
    ([], { _ in true }), (["surface=onboarding,settings"], { ($0.surface ?? "") != "" }),
    (["app_version>=1.10"], { ["1.10", "2.0"].contains($0.appVersion ?? "") }),
    (["country=", "feature!=map"], { ($0.country ?? "") == "" && $0.feature != "map" }),
    (["variant!=A", "platform=ios"], { $0.variant != "A" && $0.platform == "ios" }), ([], { _ in true }),
  ]

  /// A log of a history, in one to three parts.
  private func log(_ events: [OracleEvent], _ seed: UInt64, in directory: TemporaryDirectory) throws -> PermissionLog {
    var log = try PermissionLog(directory.file("log-\(seed)"), threads: 1 + Int(seed % 2))
    log.clock = { 1_800_000_000_000 }
    var options = IngestOptions()
    options.allowsFutureTimes = true
    let parts = 1 + Int(seed / 2 % 3)
    // Of several ingests the first copy of an event stays, and the oracle knows one ingest.
    let events = leastFirst(events)
    for part in 0..<parts {
      let piece = events[events.count * part / parts..<events.count * (part + 1) / parts]
      try log.ingest(bytes: Array(piece.map { ndjsonLine($0) + "\n" }.joined().utf8), options: options)
    }
    return log
  }

  private func options(_ generator: HistoryGenerator, _ events: [OracleEvent], _ seed: UInt64) throws -> OracleOptions {
    var options = generator.options(for: events, variation: Int(seed))
    options.timeZone = try #require(TimeZone(identifier: Self.zones[Int(seed % 4)]))
    (options.by, options.byLimit) = (
      seed % 3 == 0 ? oracleProperties[Int(seed / 3) % oracleProperties.count] : nil, nil
    )
    return options
  }

  private func request(_ options: OracleOptions) -> JourneyRequest {
    var request = JourneyRequest()
    request.scope.timeZone = options.timeZone.identifier == "GMT" ? "UTC" : options.timeZone.identifier
    request.scope.asOf = options.asOf.map { .time(Milliseconds($0)) }
    request.scope.responseWindow = Milliseconds(options.responseWindow)
    request.scope.followUp = Milliseconds(options.followUp)
    request.scope.atOnce = Milliseconds(options.atOnce)
    request.from = options.from.flatMap { CivilDate(parsing: $0) }
    request.to = options.to.flatMap { CivilDate(parsing: $0) }
    if let week = options.week.flatMap({ CalendarWeek(parsing: $0) }) { request.limit(to: week) }
    request.permission = options.permission
    return request
  }

  private func export(_ log: PermissionLog, _ request: JourneyRequest, _ format: EventFormat) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try log.exportJourneys(request, as: format) { bytes += $0 }
    return bytes
  }

  @Test(arguments: seeds) func everyColumnIsWhatItsDefinitionSays(first: UInt64) throws {
    let directory = try TemporaryDirectory()
    for seed in first..<first + UInt64(Self.histories) {
      let generator = HistoryGenerator(seed: seed, hasCalls: seed % 4 < 3)
      let events = generator.history(users: 4 + Int(seed % 7) * 5)
      let log = try log(events, seed, in: directory)
      let options = try options(generator, events, seed)
      let (texts, holds) = Self.conditions[Int(seed) % Self.conditions.count]
      var request = request(options)
      request.conditions = try texts.map { try ExposureCondition(parsing: $0) }
      let text = try export(log, request, .ndjson)
      let rows = try text.split(separator: 0x0A).map { try OracleJSON(parsing: Data($0)) }
      let expected = oracleJourneyRows(events, options, where: holds)
      let found = differences(.array(expected), .array(sorted(rows)))
      #expect(found.isEmpty, "seed \(seed), \(texts), \(options): \(found.prefix(6))")
      // A user's rows are together, their permissions in the order of their bytes; one thread gives the same.
      #expect(rows == inLogOrder(rows, try users(of: log)), "seed \(seed)")
      var other = try PermissionLog(log.path, threads: 3 - log.threads)
      other.clock = log.clock
      #expect(try export(other, request, .ndjson) == text, "seed \(seed): the threads decide")
      // CSV has the same cells.
      let table = PlainCSV.rows(try export(log, request, .csv))
      #expect(Array(table.dropFirst()) == rows.map(cells), "seed \(seed)")
      if let row = rows.first { #expect(table.first == names(of: row)) }
    }
  }

  @Test(arguments: seeds) func sumsOverTheRowsAreTheCountsOfTheReport(first: UInt64) throws {
    let directory = try TemporaryDirectory()
    for seed in first..<first + UInt64(Self.histories) {
      let generator = HistoryGenerator(seed: seed &+ 77)
      let events = generator.history(users: 8 + Int(seed % 7) * 6)
      let log = try log(events, seed, in: directory)
      let options = try options(generator, events, seed)
      let journeys = request(options)
      var asked = ReportRequest()
      (asked.scope, asked.from, asked.to) = (journeys.scope, journeys.from, journeys.to)
      asked.permission = journeys.permission
      asked.conditions = journeys.conditions
      asked.properties = StringField.allCases.filter { $0.name == options.by }
      let report = try OracleJSON(parsing: Data(try log.report(asked).render(as: .json)))
      let table = PlainCSV.rows(try export(log, journeys, .csv))
      let heading = table.first ?? []
      let rows = table.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(heading, $0)) }
      let expected = sums(ofJourneys: rows, options, like: report)
      guard case .array(let reported)? = report["rows"] else { throw CocoaError(.coderReadCorrupt) }
      let found =
        expected.isEmpty
        ? reported.isEmpty ? [] : ["the report has rows, and there are no journeys"]
        : expected.count != reported.count
          ? ["there are \(reported.count) rows in the report, and \(expected.count) made of journeys"]
          : differences(.array(expected), .array(zip(reported, expected).map { $0.withKeys(of: $1) }))
      #expect(found.isEmpty, "seed \(seed), \(options): \(found.prefix(6))")
    }
  }

  @Test func anEmptyLogHasAHeadingAndNoRows() throws {
    let directory = try TemporaryDirectory()
    let log = try PermissionLog(directory.file("log"))
    try log.ingest(bytes: [])
    #expect(try export(log, JourneyRequest(), .ndjson).isEmpty)
    #expect(PlainCSV.rows(try export(log, JourneyRequest(), .csv)).count == 1)
  }

  @Test func anUnknownPermissionAndAnEmptyIntervalAreRefused() throws {
    let directory = try TemporaryDirectory()
    let log = try Sample.log(in: directory)
    var request = JourneyRequest()
    request.permission = "no_such_thing"
    #expect(failure { _ = try export(log, request, .csv) }?.code == .usage)
    request = JourneyRequest()
    (request.from, request.to) = (CivilDate(parsing: "2026-03-02"), CivilDate(parsing: "2026-03-02"))
    #expect(failure { _ = try export(log, request, .csv) }?.code == .usage)
  }

  @Test func whatTheCallerThrowsEndsTheExport() throws {
    struct Enough: Error {}
    let directory = try TemporaryDirectory()
    let log = try Sample.log(in: directory)
    let error = failure { try log.exportJourneys { _ in throw Enough() } }
    #expect(error?.code == .stopped && error?.cause is Enough)
  }

  // MARK: Reading

  private func bytes(_ value: OracleJSON?) -> [UInt8] {
    if case .string(let text)? = value { Array(text.utf8) } else { [] }
  }

  private func isBefore(_ a: OracleJSON, _ b: OracleJSON) -> Bool {
    let (left, right) = (bytes(a["user_id"]), bytes(b["user_id"]))
    if left != right { return left.lexicographicallyPrecedes(right) }
    return bytes(a["permission"]).lexicographicallyPrecedes(bytes(b["permission"]))
  }

  private func sorted(_ rows: [OracleJSON]) -> [OracleJSON] { rows.sorted(by: isBefore) }

  /// The users of a log in its order, as the export of its events has them.
  private func users(of log: PermissionLog) throws -> [[UInt8]] {
    var text: [UInt8] = []
    try log.export { text += $0 }
    var users: [[UInt8]] = []
    for line in text.split(separator: 0x0A) {
      let user = bytes(try OracleJSON(parsing: Data(line))["user_id"])
      if users.last != user { users.append(user) }
    }
    return users
  }

  private func inLogOrder(_ rows: [OracleJSON], _ users: [[UInt8]]) -> [OracleJSON] {
    let places = Dictionary(uniqueKeysWithValues: zip(users, users.indices))
    return rows.sorted { a, b in
      let (left, right) = (places[bytes(a["user_id"])] ?? -1, places[bytes(b["user_id"])] ?? -1)
      return left != right ? left < right : isBefore(a, b)
    }
  }

  private func names(of row: OracleJSON) -> [String] {
    guard case .object(let members) = row else { return [] }
    return members.map(\.key)
  }

  private func cells(_ row: OracleJSON) -> [String] {
    guard case .object(let members) = row else { return [] }
    return members.map { member in
      switch member.value {
      case .string(let text): text
      case .int(let number): "\(number)"
      case .bool(let flag): "\(flag)"
      default: ""
      }
    }
  }
}

/// RFC 4180, read plainly.
enum PlainCSV {
  static func rows(_ bytes: [UInt8]) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var i = 0
    while i < bytes.count {
      let byte = bytes[i]
      if isQuoted {
        if byte == 0x22, i + 1 < bytes.count, bytes[i + 1] == 0x22 {
          cell.append(byte)
          i += 1
        } else if byte == 0x22 {
          isQuoted = false
        } else {
          cell.append(byte)
        }
      } else {
        switch byte {
        case 0x22: isQuoted = true
        case 0x2C, 0x0A:
          row.append(String(decoding: cell, as: UTF8.self))
          cell = []
          if byte == 0x0A {
            rows.append(row)
            row = []
          }
        case 0x0D: break
        default: cell.append(byte)
        }
      }
      i += 1
    }
    return rows
  }
}
