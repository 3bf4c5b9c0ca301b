// Valid files to begin from, written to the directory that PERMLOG_FUZZ_SEEDS names.

import EventMapping
import Foundation
import PermissionAnalysis
import PermissionEvents

@testable import Folding
@testable import Permlog

@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard let directory = ProcessInfo.processInfo.environment["PERMLOG_FUZZ_SEEDS"] else { return 0 }
  func write(_ name: String, _ kind: UInt8, _ bytes: [UInt8]) {
    guard FileManager.default.createFile(atPath: directory + "/" + name, contents: Data([kind] + bytes)) else {
      fatalError("the seeds cannot be written")
    }
  }
  write("plan", 0, plan.encoded)
  write("looks", 1, looks.encoded)
  let fixtures = "Tests/PermlogTests/Fixtures"
  for name in (try? FileManager.default.contentsOfDirectory(atPath: fixtures)) ?? [] where name.hasSuffix(".sums") {
    guard let data = FileManager.default.contents(atPath: fixtures + "/" + name) else { continue }
    let text = content(data, isReport: name.hasPrefix("report"))
    // What is refused would teach the fuzzer nothing.
    guard let bundle = try? SumsBundle(signed(text), name: name) else { continue }
    for answer in bundle.answers {
      write(name, answer.question.kind == .report ? 2 : 3, text)
      write(name + ".question", 7, answer.question.encoded)
    }
  }
  for name in Presets.names { write(name, 4, Array((Presets.text(name) ?? "").utf8)) }
  for name in ["UTC", "Europe/Berlin", "America/New_York", "Africa/Casablanca", "right/UTC", "Etc/GMT+12"] {
    guard let data = FileManager.default.contents(atPath: "/usr/share/zoneinfo/" + name) else { continue }
    write(name.replacingOccurrences(of: "/", with: "-"), 5, Array(data))
  }
  let content: [String: any Sendable] = ["Camera": "Scan it", "modes": ["location"], "n": 5, "d": ["b": true]]
  for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
    guard let data = try? PropertyListSerialization.data(fromPropertyList: content, format: format, options: 0) else {
      continue
    }
    write("plist-\(format.rawValue)", 6, Array(data))
  }
  write("shards.sums", 3, shards(someTotals))
  for (number, totals) in totalsAtTheLimit.enumerated() { write("limit-\(number).sums", 3, shards(totals)) }
  for zone in ["UTC", "Europe/Berlin", "Pacific/Apia"] {
    var (flow, audit) = (FlowRequest(), AuditRequest())
    flow.scope.timeZone = zone
    flow.scope.asOf = .time(1_775_001_600_000)
    flow.steps = ["camera", "notifications"]
    audit.scope = flow.scope
    for question in [try? Question(flow), try? Question(audit)].compactMap({ $0 }) {
      write("\(question.kind)-" + question.checksum, 7, question.encoded)
    }
  }
  write(
    "code", 8,
    Array("#if os(iOS)\nAVCaptureDevice.requestAccess(for: .video) { _ in \"\\(x(/a/))\" }\n#endif // c".utf8))
  write(
    "messages", 8,
    Array("[store requestAuthorizationToShareTypes:nil readTypes:t completion:^{}];\n#ifdef X\n'\"'".utf8))
  for (kind, name) in [(9, "App.xcodeproj/project.pbxproj"), (10, "App.xcconfig"), (11, "InfoPlist.xcstrings")] {
    write("app-\(kind)", UInt8(kind), Array((SampleApp.files[name] ?? "").utf8))
  }
  write("strings", 6, Array("/* a */ \"k\" = \"\\U00e4\\n\"; b = { c = (d, <0f>); };".utf8))
  return 0
}

/// Sums of some shards, of two questions that nobody was counted for, without their checksum.
private func shards(_ totals: SumsTotals) -> [UInt8] {
  var (flow, audit) = (FlowRequest(), AuditRequest())
  flow.scope.asOf = .time(1_775_001_600_000)
  audit.scope = flow.scope
  let job = SumsJob(
    name: "april", shards: 8, claimed: ShardSet(1).union(ShardSet(2)).union(ShardSet(7)), reading: "00ff",
    totals: totals)
  do {
    let questions = [try Question(flow, now: 1_775_001_600_000), try Question(audit, now: 1_775_001_600_000)]
    let bundle = try SumsBundle(job, answers: questions.map { ($0, AnySums($0.kind)) })
    return bundle.encoded.dropLast(SumsText.checksumLength)
  } catch { fatalError("the sums of some shards cannot be made: \(error)") }
}

private let someTotals: SumsTotals = {
  var totals = SumsTotals()
  (totals.lines, totals.events, totals.users, totals.rejected) = (40, 20, 5, 9)
  (totals.newest, totals.duplicates, totals.conflicts) = (1_775_001_600_000, 11, 2)
  totals.reasons = ["a reason": 4, "b": 5]
  return totals
}()

/// As large as can be: with lines that are known, and as many of each as there may be; without, and of everything the most.
private let totalsAtTheLimit: [SumsTotals] = {
  let limit = CheckedSum.limit
  var events = SumsTotals()
  (events.lines, events.events, events.users, events.newest) = (limit, limit, limit, 1_775_001_600_000)
  (events.duplicates, events.conflicts) = (0, 0)
  var rejected = SumsTotals()
  (rejected.lines, rejected.rejected, rejected.duplicates, rejected.conflicts) = (limit, limit, 0, 0)
  rejected.reasons = ["a": limit]
  var unknown = events
  (unknown.lines, unknown.duplicates, unknown.conflicts) = (nil, limit, limit)
  (unknown.rejected, unknown.erased) = (limit, limit)
  return [events, rejected, unknown]
}()

/// Sums without their checksum; of a report's one permission with few rows, since what is large is changed slowly.
private func content(_ sums: Data, isReport: Bool) -> [UInt8] {
  let lines = sums.split(separator: 0x0A).dropLast()
  func isRow(_ line: Data) -> Bool { line.first == 0x3D }
  func permission(_ line: Data) -> Data { line.prefix { $0 != 0x20 } }
  let counts = Dictionary(grouping: lines.filter(isRow), by: permission).mapValues(\.count)
  let fewest = counts.filter { $0.value > 10 }.min { $0.value < $1.value }?.key
  let kept = lines.filter { !isReport || !isRow($0) || permission($0) == fewest }
  return Array(kept.joined(separator: [0x0A])) + [0x0A]
}

private let plan: SavedPlan = {
  var plan = SavedPlan(
    permission: "notifications", variants: ["A", "B"], split: [0.7, 1], plannedUsers: 3120, effect: 0.05, baseline: 0.4,
    power: 0.8, savedAt: 1_772_445_600_123)
  plan.experiment = "copy"
  plan.timeZone = "Europe/Berlin"
  plan.adjust = [.country, .platform]
  plan.guardrails = [GuardrailQuestion(metric: .dropOffRate, margin: 0.01)]
  return plan
}()

private let looks: LookRecord = {
  var day = RecordedDay(day: 20_000, aUsers: 100, aEvents: 40, bUsers: 110, bEvents: 60)
  (day.time, day.z) = (0.25, 1.5)
  let counts = LookRecord.Day(counts: day, recordedAt: 1_772_445_600_123)
  let decision = LookRecord.Decision(decision: .bWins, decidedOn: 20_000, recordedAt: 1_772_445_600_123)
  return LookRecord(
    plan: "0123456789abcdef",
    arms: [.init(variant: "B", firstDay: 19_990, exponent: 1.5, days: [counts], decisions: [decision])])
}()
