// A plan's file: what is saved is what is read, and anything else is refused by the name of the key. Never overwritten.

import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import Permlog

@Suite struct PlanFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A plan in which nothing is as it is by default.
  static func plan(_ variants: [String] = ["A", "B"]) -> SavedPlan {
    var plan = SavedPlan(
      permission: "notifications", variants: variants,
      split: MessageSplit([Double](repeating: 1, count: variants.count)),
      plannedUsers: 3120, effect: 0.05, baseline: 174.0 / 398, power: 0.8, savedAt: 1_772_445_600_123)
    plan.split.parts[0] = 0.7
    plan.experiment = "copy \"v1\""
    plan.metric = .denyRate
    plan.timeZone = "Europe/Berlin"
    plan.atOnce = 100
    plan.responseWindow = 60_001
    plan.followUp = 27 * millisecondsPerDay + 1
    plan.exponent = 2.5
    plan.adjust = [.country, .platform]
    plan.contaminated = .exclude
    plan.minimumEffect = 0.1 + 0.2
    plan.guardrails = [GuardrailQuestion(metric: .dropOffRate, margin: 0.01)]
    return plan
  }

  private func encoded(_ plan: SavedPlan) -> [UInt8] { plan.encoded }

  @Test(arguments: [
    ["A", "B"], ["A", "B", "C"], ["é", "e\u{301}"], ["a\"\\\n\t\u{1}", "\u{7F}\u{85}\u{2028}\u{FEFF}"],
    ["👍🏽", " "], [String(repeating: "x", count: 256), "null"],
  ])
  func whatIsSavedIsRead(variants: [String]) throws {
    let plan = Self.plan(variants)
    let path = directory.file("plan.json")
    let saved = try PlanFile(saving: plan, to: path)
    let read = try PlanFile(path)
    #expect(read.plan == plan && saved.plan == plan && read.checksum == saved.checksum)
    #expect(read.plan.variants.map { Array($0.utf8) } == variants.map { Array($0.utf8) })
    #expect(read.recordPath == directory.file("plan.looks.json"))
    let object = try JSONSerialization.jsonObject(with: Data(try Sample.bytes(path))) as? [String: Any]
    #expect(object?["schema"] as? String == "permlog.plan-file/1" && object?["planned_n"] as? Int == 3120)
    #expect(object?["saved_at"] as? String == "2026-03-02T10:00:00.123Z")
  }

  @Test func aFileThatIsThereStays() throws {
    let path = try directory.write("plan.json", "mine")
    let error = failure { _ = try PlanFile(saving: Self.plan(), to: path) }
    #expect(error?.code == .usage && error?.argument == .save && error?.message.hasPrefix(path) == true)
    #expect(try Sample.bytes(path) == Array("mine".utf8))
    let nowhere = failure { _ = try PlanFile(saving: Self.plan(), to: directory.file("no/plan.json")) }
    #expect(nowhere?.code == .inputOutput && nowhere?.message.contains("no/plan.json") == true)
    #expect(failure { _ = try PlanFile(directory.file("none.json")) }?.code == .notFound)
    // Nothing is left beside it.
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["plan.json"])
  }

  @Test func layoutIsNoChangeOfThePlan() throws {
    let plan = Self.plan()
    let object = try JSONSerialization.jsonObject(with: Data(encoded(plan)))
    let compact = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    let path = directory.file("compact.json")
    try compact.write(to: URL(fileURLWithPath: path))
    let read = try PlanFile(path)
    #expect(read.plan == plan)
    #expect(try read.checksum == PlanFile(saving: plan, to: directory.file("other.json")).checksum)
    var other = plan
    other.savedAt += 1
    #expect(try read.checksum != PlanFile(saving: other, to: directory.file("later.json")).checksum)
  }

  /// A plan of before version 0.4.0 fixes no such time, and is known by the bytes that it had.
  @Test func aPlanOfBeforeLeavesOpenWhatComesAtOnce() throws {
    var plan = Self.plan()
    plan.atOnce = nil
    let bytes = encoded(plan)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("at_once_ms"))
    let read = try SavedPlan(bytes, name: "p.json")
    #expect(read == plan && read.encoded == bytes)
    var request = ComparisonRequest(read)
    request.scope.atOnce = 0
    #expect(throws: Never.self) { try request.checkFixed(by: read) }
    request = ComparisonRequest(Self.plan())
    #expect(request.scope.atOnce == 100)
    request.scope.atOnce = 250
    #expect(failure { try request.checkFixed(by: Self.plan()) }?.argument == .atOnce)
  }

  @Test func everyKeyIsNeededAndOfItsKind() throws {
    let whole = try #require(
      try JSONSerialization.jsonObject(with: Data(encoded(Self.plan()))) as? [String: Any])
    func refusal(_ change: (inout [String: Any]) -> Void) throws -> String {
      var object = whole
      change(&object)
      let bytes = Array(try JSONSerialization.data(withJSONObject: object))
      return failure { _ = try SavedPlan(bytes, name: "p.json") }?.message ?? "read"
    }
    for key in whole.keys {
      // Plans of before leave it open.
      if key != "at_once_ms" { #expect(try refusal { $0[key] = nil }.contains(key)) }
      for message in [
        try refusal { $0[key] = ["x": 1] }, try refusal { $0[key] = [["x"]] },
        try refusal { $0[key] = -1e300 },
      ] {
        #expect(message.hasPrefix("p.json: "), "\(key): \(message)")
        #expect(message.contains(key), "\(key): \(message)")
      }
      if key != "experiment" { #expect(try refusal { $0[key] = NSNull() }.contains(key)) }
    }
    let wrong: [(String, Any)] = [
      ("variants", ["A"]), ("variants", ["A", "A"]), ("variants", ["A", ""]), ("split", [1, 0]), ("split", [1, 1, 1]),
      ("planned_n", 1), ("planned_n", 2.5), ("exponent", 0), ("alpha", 0.1), ("adjust", ["variant"]),
      ("adjust", ["platform", "platform"]), ("metric", "fun"), ("contaminated", "both"), ("minimum_effect", 1),
      ("guardrails", [["metric": "deny_rate"]]), ("guardrails", [["metric": "deny_rate", "margin": 0]]),
      ("settings_window_days", 8), ("saved_at", "yesterday"), ("saved_at", "2026-03-02"), ("colour", "red"),
      ("response_window_ms", -1), ("follow_up_days", 1e9), ("power", 1), ("baseline", 1.5), ("effect", 0),
    ]
    for (key, value) in wrong {
      let message = try refusal { $0[key] = value }
      #expect(message.contains(key) && message.hasPrefix("p.json: "), "\(key): \(message)")
    }
  }

  @Test func otherSchemasAreToldApart() throws {
    func error(_ text: String) -> PermlogError? {
      failure { _ = try SavedPlan(Array(text.utf8), name: "p.json") }
    }
    let later = error(#"{"schema":"permlog.plan-file/2","anything":[]}"#)
    #expect(later?.code == .newerFormat && later?.message.contains("permlog.plan-file/2") == true)
    for text in [
      "", "{", "[]", "null", "{}{}", #"{"schema":"permlog.plan/1"}"#, #"{"schema":1}"#, "{}",
      #"{"schema":"a","schema":"b"}"#,
      String(repeating: "[", count: 1 << 16), "{\"schema\":" + String(repeating: "[", count: 300),
    ] {
      #expect(error(text)?.code == .usage, "\(text.prefix(40))")
      #expect(error(text)?.argument == .plan, "\(text.prefix(40))")
    }
    let twice = String(decoding: encoded(Self.plan()), as: UTF8.self)
      .replacing(#""power": 0.8"#, with: #""power": 0.8, "power": 0.9"#)
    #expect(error(twice)?.message.contains("power: it occurs twice") == true)
  }

  @Test func aDamagedFileIsRefusedOrIsAnotherPlan() throws {
    let whole = encoded(Self.plan())
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    var refused = 0
    for round in 0..<4000 {
      let damaged = Damage.mutate(whole, &random)
      do throws(PermlogError) {
        let plan = try SavedPlan(damaged, name: "p.json")
        // Whatever was read is written and read as the same.
        #expect(try SavedPlan(encoded(plan), name: "q.json") == plan, "seed \(seed), round \(round)")
      } catch {
        refused += 1
        #expect(error.message.hasPrefix("p.json: "), "seed \(seed), round \(round): \(error)")
      }
    }
    for length in 0..<whole.count - 1 {
      #expect(failure { _ = try SavedPlan(Array(whole[..<length]), name: "p.json") } != nil, "\(length) bytes")
    }
    #expect(refused > 2000, "seed \(seed)")
  }
}

/// Files as accidents leave them.
enum Damage {
  static func mutate(_ whole: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = whole
    let place = Int.random(in: 0..<whole.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(place..<min(whole.count, place + Int.random(in: 1...20, using: &random)))
    case 3: bytes.insert(Array("0123456789-.eE\"{}[],: nullt\\u".utf8).randomElement(using: &random) ?? 0, at: place)
    case 4: bytes.insert(contentsOf: whole[place..<min(whole.count, place + 30)], at: place)
    default:
      // A line twice or not at all.
      var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let line = Int.random(in: 0..<lines.count, using: &random)
      if Bool.random(using: &random) { lines.remove(at: line) } else { lines.insert(lines[line], at: line) }
      bytes = Array(lines.joined(separator: [0x0A]))
    }
    return bytes
  }
}
