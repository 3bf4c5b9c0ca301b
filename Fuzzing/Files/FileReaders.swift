// The readers of small files under libFuzzer: plans, records of looks, sums and the figures made of them, mappings, zones, property lists. The
// first byte of an input says which; the checksums of sums are made right, or the fuzzer would never get past them.
//
// Invariants: no trap, no hang, no memory over the limit; what is accepted is written again as something that is read alike.

import EventMapping
import Foundation
import PermissionAnalysis
import PermissionEvents
import PropertyLists
import ReportRendering

@testable import Folding
@testable import Permlog

/// What the first byte of an input means.
private enum Kind: UInt8, CaseIterable { case plan, looks, report, comparison, mapping, zone, propertyList }

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first, let kind = Kind(rawValue: first % UInt8(Kind.allCases.count)) else { return 0 }
  let input = Array(bytes.dropFirst())
  switch kind {
  case .plan: readPlan(input)
  case .looks: readLooks(input)
  case .report: readReport(input)
  case .comparison: readComparison(input)
  case .mapping: _ = try? Mapping(yaml: input, name: "m")
  case .zone: readZone(input)
  case .propertyList: readPropertyList(input)
  }
  return 0
}

private func readPlan(_ input: [UInt8]) {
  guard let plan = try? SavedPlan(input, name: "plan") else { return }
  guard let again = try? SavedPlan(plan.encoded, name: "plan") else { fatalError("a plan that was read is refused") }
  precondition(again == plan)
  _ = ComparisonRequest(plan)
}

private func readLooks(_ input: [UInt8]) {
  guard let record = try? LookRecord(input, name: "looks") else { return }
  precondition((try? LookRecord(record.encoded, name: "looks")) == record)
}

func signed(_ input: [UInt8]) -> [UInt8] { input + SumsText.checksumLine(of: input[...]) }

private func readReport(_ input: [UInt8]) {
  let bytes = signed(input)
  guard let file = try? SumsFile<ReportSums>(bytes) else { return }
  precondition(file.encoded() == bytes)
  var request = ReportRequest()
  request.scope = scope
  request.properties = [.variant]
  if let report = try? Report(file, request) { _ = report.render(as: .json) }
  // The same with rows that are made one by one, in the forms that look at them in different ways.
  var question = ReportQuestion(windows: AnalysisWindows(asOf: 1_775_001_600_000))
  question.properties = [.variant]
  question.room.rows = 0
  question.valueLimit = 2
  guard let report = try? Report(file.sums, question, threads: 1) else { return }
  _ = ReportJSON.render(report, threads: 1)
  _ = ReportDocument.render(report, .text)
  _ = report.significantDrops
}

private func readComparison(_ input: [UInt8]) {
  let bytes = signed(input)
  guard let file = try? SumsFile<ComparisonSums>(bytes) else { return }
  precondition(file.encoded() == bytes)
  var request = ComparisonRequest(control: "A", treatments: ["B"])
  request.scope = scope
  request.permission = "notifications"
  request.property = .locale
  if let set = try? ComparisonSet(file, request) { _ = set.render(as: .json) }
}

/// That of the sums that the tests keep.
private let scope: QuestionScope = {
  var scope = QuestionScope()
  scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
  scope.timeZone = "UTC"
  return scope
}()

private func readZone(_ input: [UInt8]) {
  guard let zone = ZoneFile(input) else { return }
  let table = zone.table("Zone", over: Timestamp.earliest...Timestamp.latest)
  for day in [DayNumber(0), 14_000, 20_000, 47_000] {
    precondition(table.firstMoment(of: day) < table.firstMoment(of: day + 1))
  }
}

/// Whatever is read is also looked at as usage sentences.
private func readPropertyList(_ input: [UInt8]) {
  guard let pairs = try? PropertyList(input).dictionary else { return }
  var app = AppPurposes(file: "Info.plist")
  for (key, value) in pairs { app.sentences["NS\(key)UsageDescription"] = .init(value.text, in: app.file) }
  app.translations = [.init("en-GB", app.sentences), .init("de")]
  precondition(PurposeCheck.candidates([app], asked: ["camera"]).count >= 5)
}
