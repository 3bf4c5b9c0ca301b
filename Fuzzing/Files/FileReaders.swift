// The readers of small files under libFuzzer: plans, records of looks, sums and the figures made of them, mappings, zones, property lists,
// questions, and what developers have of an app: code, projects, build settings, catalogs of texts. The first byte of an input says which; the checksums of sums are made right, or the fuzzer would never get past them.
//
// Invariants: no trap, no hang, no memory over the limit; what is accepted is written again as something that is read alike.

import EventMapping
import Foundation
import PermissionAnalysis
import PermissionEvents
import PropertyLists
import ReportRendering
import SourceCode

@testable import Folding
@testable import Permlog

/// What the first byte of an input means.
private enum Kind: UInt8, CaseIterable {
  case plan, looks, report, comparison, mapping, zone, propertyList, question, code, project, settings, catalog
}

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
  case .question: readQuestion(input)
  case .code: readCode(input)
  case .project: readApp(input, as: "App.xcodeproj/project.pbxproj")
  case .settings: readApp(input, as: "App.xcconfig")
  case .catalog: readApp(input, as: "InfoPlist.xcstrings")
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

/// Questions and what anybody counted for them.
private func readSums(_ input: [UInt8], _ body: (Question, AnySums) -> Void) {
  let bytes = signed(input)
  guard let bundle = try? SumsBundle(bytes, name: "sums") else { return }
  precondition(bundle.encoded == bytes)
  // Nothing adds up with itself.
  var twice = bundle
  precondition((try? twice.add(bundle)) == nil)
  try? bundle.requireWhole()
  _ = bundle.json
  _ = bundle.totals.isAllRefused
  try? bundle.requireUnderstood()
  _ = bundle.totals.refusal(isStrict: true, limit: nil)
  _ = bundle.totals.refusal(isStrict: false, limit: RejectionLimit("1%"))
  for answer in bundle.answers { body(answer.question, answer.sums) }
}

/// The result of counts that may be refused, but not as if a caller had stopped the work.
private func answer<Answer>(_ body: () throws -> Answer) -> Answer? {
  do { return try body() } catch let error as PermlogError {
    precondition(error.code != .stopped, error.message)
    return nil
  } catch { fatalError("an error that is no PermlogError: \(error)") }
}

private func readReport(_ input: [UInt8]) {
  readSums(input) { question, sums in
    if let report = answer({ try Report(sums, of: question) }) { _ = report.render(as: .json) }
    guard let sums = sums.counted as? ReportSums else { return }
    // The same with rows that are made one by one, in the forms that look at them in different ways.
    var question = ReportQuestion(windows: AnalysisWindows(asOf: 1_775_001_600_000))
    question.properties = [.variant]
    question.room.rows = 0
    question.rows.values = 2
    guard let report = try? Report(sums, question, threads: 1) else { return }
    _ = ReportJSON.render(report, threads: 1)
    _ = ReportDocument.render(report, .text)
    _ = MailDocument.render(report)
    _ = SlackDocument.render(report)
    _ = report.drops
  }
}

private func readComparison(_ input: [UInt8]) {
  readSums(input) { question, sums in
    if let set = answer({ try ComparisonSet(sums, of: question) }) { _ = set.render(as: .json) }
    if let report = answer({ try FlowReport(sums, of: question) }) { _ = report.render(as: .json) }
    if let report = answer({ try AuditReport(sums, of: question) }) { _ = report.render(as: .json) }
  }
}

/// What is read is written again as it was, and its clocks are those of a zone.
private func readQuestion(_ input: [UInt8]) {
  guard let question = try? Question(input, name: "question") else { return }
  precondition(input == question.encoded || input == question.line)
  guard let again = try? Question(question.encoded, name: "question") else { fatalError("a question is refused") }
  precondition(again == question && again.facts == question.facts)
  for time in stride(from: Timestamp.earliest, to: Timestamp.latest, by: 37 * Int(millisecondsPerDay) / 5) {
    let day = question.zone.day(of: time)
    precondition(question.zone.firstMoment(of: day) <= time && question.zone.lastBegunDay(at: time) >= day)
  }
}

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

/// Calls are on lines of the file, and each asks for something.
private func readCode(_ input: [UInt8]) {
  for language in [SourceLanguage.swift, .objectiveC] {
    let lines = 1 + input.count { $0 == 0x0A }
    for call in AskingCalls(input, language, systems: [.iOS]).calls {
      precondition((1...lines).contains(call.line) && !call.permissions.isEmpty)
    }
  }
}

/// An app, one file of which is the input: that file is refused by name, or the app is audited.
private func readApp(_ input: [UInt8], as name: String) {
  guard FileManager.default.createFile(atPath: SampleApp.folder + "/" + name, contents: Data(input)) else {
    fatalError("the scratch folder cannot be written")
  }
  defer { SampleApp.write(name) }
  var request = AuditRequest()
  request.infoPlists = [SampleApp.folder + "/Info.plist", SampleApp.folder + "/App.xcodeproj"]
  do {
    let report = try request.auditOfApp()
    for format in AuditFormat.allCases { _ = report.render(as: format, listsAll: true) }
  } catch {
    precondition(error.code != .stopped && error.message.contains(SampleApp.folder), error.message)
  }
}

/// The files of an app that is read without a complaint.
enum SampleApp {
  static let folder: String = {
    let folder = NSTemporaryDirectory() + "permlog-fuzz-\(getpid())"
    try? FileManager.default.createDirectory(atPath: folder + "/App.xcodeproj", withIntermediateDirectories: true)
    for (name, text) in files { try? Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
    return folder
  }()

  static func write(_ name: String) {
    try? Data((files[name] ?? "").utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
  }

  static let files = [
    "Info.plist":
      "<plist><dict><key>CFBundleIdentifier</key><string>a</string><key>NSCameraUsageDescription</key><string>$(T)</string></dict></plist>",
    "App.xcodeproj/project.pbxproj": """
    { objects = {
      P = { isa = PBXProject; targets = (T); buildConfigurationList = N; mainGroup = G; };
      G = { isa = PBXGroup; children = (F); };
      N = { isa = XCConfigurationList; buildConfigurations = (); };
      T = { isa = PBXNativeTarget; name = App; productType = "com.apple.product-type.application"; buildConfigurationList = L; };
      L = { isa = XCConfigurationList; buildConfigurations = (R); };
      R = { isa = XCBuildConfiguration; name = Release; baseConfigurationReference = F; buildSettings = {
            INFOPLIST_FILE = Info.plist; GENERATE_INFOPLIST_FILE = YES; SDKROOT = iphoneos;
            INFOPLIST_KEY_NSMotionUsageDescription = "$(inherited) $(T)"; }; };
      F = { isa = PBXFileReference; path = App.xcconfig; sourceTree = "<group>"; };
    }; rootObject = P; }
    """,
    "App.xcconfig": """
    #include? "App.xcconfig"
    T = Scan it // why
    INFOPLIST_KEY_NSContactsUsageDescription[sdk=iphoneos*][config=Release] = $(T:lower) $(inherited)
    """,
    "InfoPlist.xcstrings": """
    {"sourceLanguage": "en", "version": "1.0", "strings": {"NSCameraUsageDescription": {"localizations": {"de":
    {"stringUnit": {"state": "new", "value": ""}}, "fr": {"variations": {"device": {"ipad": {"stringUnit": {"value": "b"}}}}}}},
    "NSMotionUsageDescription": {"shouldTranslate": false}}}
    """,
  ]
}
