// Sums of audits of disjoint users add up to those of all, byte for byte; a file that anybody wrote is refused, or has findings.

import Foundation
@testable import Permlog
import ReportOracle
import Testing

@testable import Folding

@Suite struct AuditSumsTests {
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

  private func request(_ events: [OracleEvent]) throws -> AuditRequest {
    var request = AuditRequest()
    request.scope.asOf = .time(Int64(events.map(\.timestamp).max() ?? 0))
    request.scope.timeZone = "Pacific/Chatham"
    request.conditions = [try ExposureCondition(parsing: "country!=AT")]
    request.logStart = .time(Int64(events.map(\.timestamp).min() ?? 0))
    request.examples = 4
    return request
  }

  @Test(arguments: [3, 8, 21] as [UInt64]) func anyDivisionOfTheUsersGivesTheSameAudit(seed: UInt64) throws {
    let events = AuditHistoryGenerator(seed: seed).history(users: 90)
    let log = try log("log", events)
    let request = try request(events)
    let question = try Question(request)
    let whole: SumsFile<SumsOf.Audit> = try log.file(of: question)
    let report = try log.audit(request)
    #expect(report.findings.count + report.others.count > 30, "seed \(seed)")
    var random = SplitMix64(seed: seed)
    for count in [2, 7, 64] as [UInt64] {
      let width = UInt64.max / count
      var files = try (0..<count).map { range in
        (try log.file(of: question, within: range * width...(range == count - 1 ? .max : (range + 1) * width - 1))
          as SumsFile<SumsOf.Audit>)
          .encoded()
      }.shuffled(using: &random)
      var total = try SumsFile<SumsOf.Audit>(files.removeLast())
      for file in files { try total.add(try SumsFile<SumsOf.Audit>(file)) }
      #expect(total.encoded() == whole.encoded(), "seed \(seed), \(count) ranges")
      let added = try AuditReport(total.sums.any, of: question)
      #expect(added.findings == report.findings && added.others == report.others, "seed \(seed)")
      #expect(added.users == report.users)
    }
  }

  @Test func logsOfDifferentUsersAddUp() throws {
    let events = AuditHistoryGenerator(seed: 34).history(users: 90)
    let request = try request(events)
    let question = try Question(request)
    let whole = try AuditReport(try log("whole", events).sums(of: question), of: question)
    let users = Array(Set(events.map(\.userID))).sorted()
    var total: SumsFile<SumsOf.Audit>?
    for number in 0..<4 {
      // Another order of names: codes differ from log to log.
      let own = events.filter { (users.firstIndex(of: $0.userID) ?? 0) % 4 == number }
      let sums: SumsFile<SumsOf.Audit> = try log("log-\(number)", own).file(of: question)
      if total == nil { total = sums } else { try total?.add(sums) }
    }
    let added = try AuditReport(try #require(total).sums.any, of: question)
    let practice = AuditCheck.allCases.filter { $0.group == .practice }
    func counted(_ report: AuditReport) -> [AuditFinding] {
      (report.findings + report.others).filter { practice.contains($0.check) }
    }
    #expect(counted(added) == counted(whole))
  }

  @Test func whatTheSumsDependOnIsRefusedByName() throws {
    let events = AuditHistoryGenerator(seed: 5).history(users: 60)
    let log = try log("log", events)
    var request = try request(events)
    let question = try Question(request)
    let sums = try log.sums(of: question)
    // What is chosen after counting.
    request.thresholds[.coldAsk] = AuditThreshold(percent: "99.9")
    request.permission = "camera"
    let narrowed = try AuditReport(sums, of: question, as: request)
    #expect((narrowed.findings + narrowed.others).allSatisfy { $0.permission == nil || $0.permission == "camera" })
    #expect(narrowed.thresholds == request.thresholds)
    request.permission = "cammera"
    #expect(failure { _ = try AuditReport(sums, of: question, as: request) }?.message.contains("It has: ") == true)
    request.permission = "camera"
    request.examples = 5
    #expect(failure { _ = try AuditReport(sums, of: question, as: request) }?.argument == .examples)
    request.examples = 4
    request.conditions = []
    #expect(failure { _ = try AuditReport(sums, of: question, as: request) }?.argument == .conditions)
  }

  @Test func impossibleRequestsAreRefused() throws {
    let events = AuditHistoryGenerator(seed: 5).history(users: 20)
    let log = try log("log", events)
    var request = AuditRequest()
    request.examples = 101
    #expect(failure { _ = try log.audit(request) }?.argument == .examples)
    request.examples = 0
    request.thresholds[.oneSidedAnswers] = AuditThreshold(percent: "5")
    let fixed = failure { _ = try log.audit(request) }
    #expect(fixed?.argument == .thresholds && fixed?.message.contains("cold_ask") == true)
    request.thresholds = [:]
    request.permission = "homekit"
    #expect(failure { _ = try log.audit(request) }?.message.contains("It has: ") == true)
    request.permission = nil
    request.conditions = [try ExposureCondition(parsing: "country=ZZ")]
    #expect(failure { _ = try log.audit(request) }?.argument == .conditions)
  }

  @Test func anEmptyLogHasNoFindings() throws {
    let log = try log("log", [])
    let report = try log.audit()
    #expect(report.asOf == nil && report.users == 0)
    #expect(report.findings.allSatisfy { $0.check.group != .practice })
  }

  @Test func findingsOfAnybodysSumsNeverTrap() throws {
    let events = AuditHistoryGenerator(seed: 12).history(users: 60)
    let request = try request(events)
    let question = try Question(request)
    let written: SumsFile<SumsOf.Audit> = try log("log", events).file(of: question)
    let sums = written.encoded()
    var numbers = SplitMix64(seed: 12)
    var read = 0
    for _ in 0..<600 {
      guard let file = try? SumsFile<SumsOf.Audit>(Self.changed(sums, &numbers)) else { continue }
      read += 1
      guard let report = try? AuditReport(file.sums.any, of: question) else { continue }
      for finding in report.findings + report.others {
        if let share = finding.share { #expect((0...1).contains(share.value)) }
        if let cost = finding.cost { #expect((-1...1).contains(cost.value)) }
        #expect(finding.examples.count <= request.examples)
      }
      for format in [AuditFormat.text, .json] { #expect(!report.render(as: format, listsAll: true).isEmpty) }
    }
    #expect(read > 10, "only \(read) were read at all")
  }

  @Test func sumsThatGrowTooLargeAreRefused() throws {
    let events = AuditHistoryGenerator(seed: 12).history(users: 60)
    let request = try request(events)
    let question = try Question(request)
    var sums = try log("log", events).sums(of: question)
    var doublings = 0
    let refused = failure {
      while doublings < 80 {
        do throws(SumsError) { try sums.add(sums) } catch { throw PermlogError(.limit, error.sentence) }
        doublings += 1
        _ = try AuditReport(sums, of: question, as: request)
      }
    }
    // In one part, or all parts together.
    #expect([.limit, .dataRefused].contains(refused?.code) && doublings > 20)
  }

  /// A few numbers or words replaced by others, with the right checksum.
  private static func changed(_ bytes: [UInt8], _ numbers: inout SplitMix64) -> [UInt8] {
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropLast().map(String.init)
    let values = ["1", "2", "3", "1000000", "1099511627777", "4611686018427387904", "-1"]
    let words = ["-", "=yes", "=no", "=cold_ask", "=camera", "=no_activity", "=1", "=u1", "=x", "="]
    let first = lines.firstIndex { $0.hasPrefix("table ") } ?? 0
    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
      let row = Int.random(in: first..<lines.count, using: &numbers)
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
