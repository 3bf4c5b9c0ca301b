// The examples of the documentation, as code that runs. `CatalogueTests` holds each of them to be in this file, line by line.

import Foundation
import Permlog
import Testing

@Suite struct CatalogueExamples {
  private let directory: TemporaryDirectory
  // The names that the examples use.
  private let path: String
  private let file = Sample.files[0]
  private let exports: [String]
  private let mapping: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("permlog-data")
    exports = Sample.files + [directory.file("more")]
    mapping = try directory.write("mine.yaml", "extends: amplitude\n")
    try FileManager.default.createDirectory(atPath: directory.file("more"), withIntermediateDirectories: true)
    try directory.write("more/bad.ndjson", Sample.line("u1", "granted") + "nonsense\n")
  }

  private func filled() throws -> PermissionLog {
    let log = try PermissionLog(path)
    try log.ingest(Sample.files)
    return log
  }

  // MARK: Overview

  @Test func overview() throws {
    let log = try PermissionLog(path)  // a directory, like "permlog-data"
    try log.ingest([file])
    let report = try log.report()
    print(String(decoding: report.render(as: .text), as: UTF8.self))
    #expect(try log.information().events > 0)
  }

  @Test func snapshot() throws {
    let log = try filled()
    let now = try log.snapshot()
    let (report, audit) = (try now.report(), try now.audit())
    print(report, audit)
    #expect(try now.fingerprint() == log.fingerprint())
  }

  @Test func answerState() throws {
    let log = try filled()
    let request = ReportRequest()
    var kept: [String: Report] = [:]
    for _ in 0..<2 {
      let now = try log.snapshot()
      let key = try request.query + "\n" + now.state(for: request.scope).text
      let report = try kept[key] ?? now.report(request)
      kept[key] = report
    }
    #expect(kept.count == 1)
  }

  @Test func writer() async throws {
    let body = try Sample.bytes(file)
    let writer = LogWriter(try PermissionLog(path))
    let result = try await writer.append(body)
    print(result.read.events, "events; of the whole commit", result.commit.new, "are new")
    try await writer.close()
    #expect(result.commit.new > 0)
  }

  @Test func errors() throws {
    let log = try PermissionLog(path)
    do {
      print(try log.information().events, "events")
    } catch {
      switch error.remedy {
      case .makeLog(let path): print("Nothing was imported into \(path) yet.")
      default: print(error.message)
      }
    }
    #expect(failure { _ = try log.information() }?.remedy == .makeLog(path: path))
  }

  @Test func aBusyLog() throws {
    try PermissionLog(path).ingest(bytes: [])
    do {
      try PermissionLog(path).compact()
    } catch {
      if error.code == .busy { print("Another process writes; later, then.") }
    }
    #expect(try PermissionLog(path).information().parts.isEmpty)
  }

  // MARK: Read your first export

  @Test func firstExport() throws {
    let log = try PermissionLog(path)
    let result = try log.ingest(exports)
    print(result.stored.new, "new events,", result.stored.duplicates, "copies")
    #expect(result.read.files == 4)
  }

  @Test func oneExport() throws {
    let log = try PermissionLog(path)
    let result = try log.ingest([file])
    print(result.stored.new, "new events")
    #expect(result.stored.new > 0)
  }

  @Test func bytes() throws {
    let log = try PermissionLog(path)
    let line = #"{"user_id":"u1","timestamp":"2026-03-02T10:00:03Z","event":"granted","permission":"camera"}"#
    let result = try log.ingest(bytes: Array(line.utf8), name: "upload 17")
    #expect(result.stored.new == 1)
  }

  @Test func refusedLines() throws {
    let log = try PermissionLog(path)
    let result = try log.ingest(exports, onReject: { line in print("\(line.file):\(line.line): \(line.reason)") })
    for group in result.rejections.groups { print(group.count, group.first.reason) }
    #expect(result.rejections.count == result.read.rejected && result.read.rejected > 0)
  }

  @Test func limits() throws {
    let log = try PermissionLog(path)
    var options = IngestOptions()
    options.rejectionLimit = RejectionLimit("1%")
    let result = try log.ingest(exports, options: options)
    if let refusal = result.refusal { print("nothing was stored: \(refusal.finding)") }
    #expect(result.refusal == nil)
  }

  @Test func mappings() throws {
    var options = IngestOptions()
    options.mappings = [.file(mapping)]
    let check = try MappingCheck(exports, options: options)
    for name in check.names where !name.isStored { print(name.count, name.name, name.outcome) }
    #expect(check.read.events > 0)
  }

  // MARK: Ask for a report

  @Test func reports() throws {
    let log = try filled()
    var request = ReportRequest()
    request.permission = "notifications"
    request.scope.timeZone = "Europe/Berlin"
    request.from = CivilDate(year: 2026, month: 2, day: 2)
    let report = try log.report(request)
    let page = report.render(as: .html)
    #expect(String(decoding: page, as: UTF8.self).contains("Notifications"))
    request.properties = [.platform]
    let rows = try log.report(request).render(as: .csv)
    #expect(String(decoding: rows, as: UTF8.self).contains("ios"))
  }

  @Test func comparisons() throws {
    let log = try filled()
    var request = ComparisonRequest(control: "A", treatments: ["B"])
    request.permission = "notifications"
    request.guardrails = [GuardrailQuestion(metric: .dropOffRate, margin: 0.01)]
    let comparison = try log.compare(request)
    print(String(decoding: comparison.render(as: .markdown), as: UTF8.self))
  }

  @Test func plans() throws {
    let log = try filled()
    var request = PlanRequest()
    request.permission = "notifications"
    request.given = .effect(0.02)
    let plan = try log.plan(request)
    print(String(decoding: plan.render(as: .text), as: UTF8.self))
    #expect(plan.permission == "notifications")
  }

  @Test func planFiles() throws {
    let log = try filled()
    let planPath = directory.file("plan.json")
    var request = PlanRequest()
    request.permission = "notifications"
    request.messages = ["A", "B"]
    request.isToSave = true
    let planned = try PlanFile(saving: log.plan(request).saved(), to: planPath)
    let file = try PlanFile(planPath)
    let comparison = try log.compare(ComparisonRequest(file.plan), as: file, isRecorded: true)
    #expect(comparison.plan == planned.plan)
    #expect(try file.record()?.arms.map(\.variant) == ["B"])
  }

  @Test func experiments() throws {
    let log = try filled()
    var request = ExperimentsRequest()
    request.permission = "notifications"
    let list = try log.experiments(request)
    #expect(list.experiments.map(\.experiment) == ["notification_copy_v1"])
    #expect(list.experiments.first?.comparison?.pairs.first?.b.variant == "B")
  }

  @Test func flows() throws {
    let log = try filled()
    try log.ingest(bytes: Array(Sample.line("u1", "granted", permission: "tracking").utf8))
    var request = FlowRequest()
    request.steps = ["notifications", "photo_library", "tracking"]
    let completed = try log.flow(request).all.declared?.completed
    #expect(completed != nil)
  }

  @Test func auditsOfApps() throws {
    let project = Sample.root + "/data/app/Info.plist"
    let folder = Sample.root + "/Sources/PermissionRecorder"
    var request = AuditRequest()
    request.infoPlists = [project]
    request.sources = [folder]
    let report = try request.auditOfApp()
    let missing = report.findings.filter { $0.check == .missingPurpose }
    #expect(missing.isEmpty && !report.hasLog)
  }

  @Test func audits() throws {
    let log = try filled()
    var request = AuditRequest()
    request.thresholds[.coldAsk] = AuditThreshold(percent: "25")
    let errors = try log.audit(request).findings.filter { $0.severity == .error }
    #expect(errors.isEmpty)
  }

  @Test func journeys() throws {
    let log = try filled()
    var request = JourneyRequest()
    request.permission = "notifications"
    request.conditions = [try ExposureCondition(parsing: "country=DE")]
    var rows: [UInt8] = []
    try log.exportJourneys(request) { rows += $0 }
    #expect(String(decoding: rows, as: UTF8.self).contains(#""country":"DE""#))
  }

  @Test func anotherMoment() throws {
    let log = try filled()
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 3, day: 1))
    let then = try log.report(request)
    #expect(try then.render(as: .json) != log.report().render(as: .json))
  }

  // MARK: Write a fold of your own

  @Test func fold() throws {
    let log = try filled()
    let sums = try log.ask { contexts in AskedAgain(contexts: contexts) }
    print(sums.users["asked_again", of: "notifications"], "of", sums.users["denied", of: "notifications"])
    #expect(sums.users["denied", of: "notifications"] > 0)
  }

  @Test func selections() throws {
    let log = try filled()
    let selection = HistorySelection(variants: true, property: .appVersion)
    let sums = try log.ask(selection) { contexts in AskedAgain(contexts: contexts) }
    #expect(sums.tables == (try log.ask { contexts in AskedAgain(contexts: contexts) }).tables)
  }

  @Test func sumsAsFiles() throws {
    let sums = try filled().ask { contexts in AskedAgain(contexts: contexts) }
    let file = SumsFile(question: ["app": "europe"], sums: sums)
    let again = try SumsFile<AskedAgain.Sums>(file.encoded())
    #expect(again.sums.users == sums.users)
  }

  @Test func questionsAsFiles() throws {
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    let question = try Question(request)
    let copy = try Question(question.encoded, name: "copy")  // the same question
    #expect(copy == question)
  }

  @Test func sumsOfTwoLogs() throws {
    let (europe, america) = (try filled(), try PermissionLog(directory.file("america")))
    try america.ingest(bytes: Array(Sample.line("u1", "granted").utf8))
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    let question = try Question(request)
    var total = try europe.sums(of: question)
    try total.add(america.sums(of: question))
    let report = try Report(total, of: question)
    #expect(report.users == (try europe.report(request)).users + 1)
  }
}

/// Of the users who denied a permission: who was shown its prompt again?
struct AskedAgain: Fold {
  struct Sums: FoldSums {
    static let name = "asked-again 1"
    static var layout: SumsLayout<Self> { [.part(\.users)] }
    var users = SumTable("users", keys: ["permission"], columns: ["denied", "asked_again"])
  }

  let contexts: HistoryContexts

  mutating func fold(_ user: borrowing UserHistory, into sums: inout Sums) {
    var denied: Set<String> = []
    var askedAgain: Set<String> = []
    for event in 0..<user.eventCount {
      let permission = contexts.permission(of: user.context(event))
      switch user.kind(event) {
      case .denied: denied.insert(permission)
      case .promptShown where denied.contains(permission): askedAgain.insert(permission)
      default: break
      }
    }
    for permission in denied { sums.users.count("denied", of: permission) }
    for permission in askedAgain { sums.users.count("asked_again", of: permission) }
  }
}
