// Sums of flows of disjoint users add up to those of all, byte for byte; a file that anybody wrote is refused, or has figures.

import Foundation
@testable import Permlog
import ReportOracle
import Testing

@testable import Folding

@Suite struct FlowSumsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func log(_ name: String, _ events: [OracleEvent]) throws -> PermissionLog {
    let log = try PermissionLog(directory.file(name), threads: 2)
    var options = IngestOptions()
    options.allowsFutureTimes = true
    options.allowsCustomPermissions = true
    try log.ingest(bytes: Array(events.map { ndjsonLine($0) + "\n" }.joined().utf8), options: options)
    return log
  }

  private func request(_ events: [OracleEvent]) throws -> FlowRequest {
    var request = FlowRequest()
    request.scope.asOf = .time(Int64(events.map(\.timestamp).max() ?? 0))
    request.scope.timeZone = "Pacific/Chatham"
    request.steps = ["notifications", "camera", "photo_library"]
    request.conditions = [try ExposureCondition(parsing: "country!=AT")]
    return request
  }

  @Test(arguments: [3, 8, 21] as [UInt64]) func anyDivisionOfTheUsersGivesTheSameFlows(seed: UInt64) throws {
    let events = FlowHistoryGenerator(seed: seed).history(users: 90)
    let log = try log("log", events)
    let request = try request(events)
    let question = try Question(request)
    let whole: SumsFile<SumsOf.Flow> = try log.file(of: question)
    #expect(whole.sums.tables.allSatisfy { !$0.rows.isEmpty }, "seed \(seed)")
    let pages = [FlowFormat.json, .text, .html, .csv, .markdown].map { try? log.flow(request).render(as: $0) }
    var random = SplitMix64(seed: seed)
    for count in [2, 7, 64] as [UInt64] {
      let width = UInt64.max / count
      var files = try (0..<count).map { range in
        (try log.file(of: question, within: range * width...(range == count - 1 ? .max : (range + 1) * width - 1))
          as SumsFile<SumsOf.Flow>)
          .encoded()
      }.shuffled(using: &random)
      var total = try SumsFile<SumsOf.Flow>(files.removeLast())
      for file in files { try total.add(try SumsFile<SumsOf.Flow>(file)) }
      #expect(total.encoded() == whole.encoded(), "seed \(seed), \(count) ranges")
      let report = try FlowReport(total.sums.any, of: question)
      #expect(
        [FlowFormat.json, .text, .html, .csv, .markdown].map { report.render(as: $0) } == pages, "seed \(seed)")
    }
  }

  @Test func logsOfDifferentUsersAddUp() throws {
    let events = FlowHistoryGenerator(seed: 34).history(users: 90)
    let request = try request(events)
    let question = try Question(request)
    let whole: SumsFile<SumsOf.Flow> = try log("whole", events).file(of: question)
    let users = Array(Set(events.map(\.userID))).sorted()
    var total: SumsFile<SumsOf.Flow>?
    for number in 0..<4 {
      // Another order of names: codes differ from log to log.
      let own = events.filter { (users.firstIndex(of: $0.userID) ?? 0) % 4 == number }
      let sums: SumsFile<SumsOf.Flow> = try log("log-\(number)", own).file(of: question)
      if total == nil { total = sums } else { try total?.add(sums) }
    }
    #expect(total?.encoded() == whole.encoded())
  }

  @Test func otherStepsAndConditionsAreRefusedByName() throws {
    let events = FlowHistoryGenerator(seed: 5).history(users: 20)
    let log = try log("log", events)
    var request = try request(events)
    let question = try Question(request)
    let sums = try log.sums(of: question)
    request.permission = "camera"
    #expect(try FlowReport(sums, of: question, as: request).permission == "camera")
    request.steps.removeLast()
    #expect(failure { _ = try FlowReport(sums, of: question, as: request) }?.argument == .steps)
    request.steps.append("photo_library")
    request.conditions = []
    #expect(failure { _ = try FlowReport(sums, of: question, as: request) }?.argument == .conditions)
  }

  @Test func impossibleStepsAreRefused() throws {
    let events = FlowHistoryGenerator(seed: 5).history(users: 20)
    let log = try log("log", events)
    var request = FlowRequest()
    request.steps = ["camera", "notifications", "camera"]
    #expect(failure { _ = try log.flow(request) }?.argument == .steps)
    request.steps = ["camera", "homekit"]
    let unknown = failure { _ = try log.flow(request) }
    #expect(unknown?.code == .usage && unknown?.argument == .steps && unknown?.message.contains("It has: ") == true)
    request.steps = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
    #expect(failure { _ = try log.flow(request) }?.message.contains("at most 8") == true)
    // Names that look alike are two.
    request.steps = ["caf\u{E9}", "cafe\u{301}"]
    #expect(failure { _ = try log.flow(request) }?.message.contains("twice") != true)
  }

  @Test func anEmptyLogHasNoFlows() throws {
    let log = try log("log", [])
    let report = try log.flow()
    #expect(report.asOf == nil && report.entries.count == 1 && report.all.flows == 0)
    for format in FlowFormat.allCases { #expect(!report.render(as: format).isEmpty) }
  }

  @Test func figuresOfAnybodysSumsNeverTrap() throws {
    let events = FlowHistoryGenerator(seed: 12).history(users: 60)
    let request = try request(events)
    let question = try Question(request)
    let written: SumsFile<SumsOf.Flow> = try log("log", events).file(of: question)
    let sums = written.encoded()
    var numbers = SplitMix64(seed: 12)
    var read = 0
    for _ in 0..<400 {
      guard let file = try? SumsFile<SumsOf.Flow>(Self.changed(sums, &numbers)) else { continue }
      read += 1
      guard let report = try? FlowReport(file.sums.any, of: question) else { continue }
      for format in FlowFormat.allCases { _ = report.render(as: format) }
    }
    #expect(read > 10, "only \(read) were read at all")
  }

  @Test func sumsThatGrowTooLargeAreRefused() throws {
    let events = FlowHistoryGenerator(seed: 12).history(users: 60)
    let request = try request(events)
    let question = try Question(request)
    var sums = try log("log", events).sums(of: question)
    var doublings = 0
    let refused = failure {
      while doublings < 80 {
        do throws(SumsError) { try sums.add(sums) } catch { throw PermlogError(.limit, error.sentence) }
        doublings += 1
        _ = try FlowReport(sums, of: question, as: request).render(as: .json)
      }
    }
    #expect(refused?.code == .limit && doublings > 20)
  }

  /// A few numbers or words replaced by others, with the right checksum.
  private static func changed(_ bytes: [UInt8], _ numbers: inout SplitMix64) -> [UInt8] {
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropLast().map(String.init)
    let values = ["1", "2", "3", "1000000", "1099511627777", "4611686018427387904", "-1"]
    let words = ["-", "=first", "=later", "=all", "=camera", "=none", "=1", "=4_up", "=2026-W11", "=x", "="]
    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
      let row = Int.random(in: 9..<lines.count, using: &numbers)
      var cells = lines[row].split(separator: " ").map(String.init)
      guard let place = cells.indices.randomElement(using: &numbers) else { continue }
      if cells[place].hasPrefix("=") || cells[place] == "-" {
        cells[place] = words.randomElement(using: &numbers) ?? "-"
      } else if cells[place].contains(":") {
        cells[place] = "\(cells[place].prefix { $0 != ":" }):\(values.randomElement(using: &numbers) ?? "1")"
      }
      lines[row] = cells.joined(separator: " ")
    }
    var text = SumsText()
    for line in lines { text.line(line) }
    text.endWithChecksum()
    return text.bytes
  }
}
