// The list of fields: what is given in one way is what is given in another.

import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import Permlog

@Suite struct RequestFieldTests {
  private static let names = ["camera", "a b", "100%", "é&=+", "#?", "x,y", "👍🏽", "photo_library"]

  /// Texts that a field takes, drawn from a seed.
  private static func texts(_ field: FieldDescription, _ numbers: inout SplitMix64) -> [String] {
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &numbers) ?? items[0] }
    func one() -> String {
      switch (field.argument, field.values) {
      case (.steps, _): return "camera, photo_library"
      case (.split, _) where field.shape == .values: return "copy=2:1.5"
      case (.split, _): return "2:1.5"
      case (.guardrails, _): return "drop_off_rate:1.5"
      case (.thresholds, _): return "cold_ask=2.5"
      case (.from, .text): return "copy=2026-04-05"
      case (_, .text), (_, .pair): return pick(names)
      case (_, .number): return "7"
      case (_, .duration): return pick(["0", "250ms", "1.5h", "3d", "40s"])
      case (_, .moment): return pick(["2026-04-05", "2026-04-05T12:00:00.001Z"])
      case (_, .date): return "2026-04-05"
      case (_, .week): return "2026-W14"
      case (_, .zone): return pick(["UTC", "Europe/Berlin"])
      case (_, .file): return pick(["a b/Info.plist", "ü"])
      case (_, .condition): return pick(["country=DE,AT", "surface=a\\,b&c", "app_version>=3.10", "country="])
      case (_, .names): return pick(names)
      case (_, .choice(let names)): return pick(names)
      }
    }
    switch field.shape {
    case .value: return [one()]
    case .values: return [one()]
    case .operands: return ["A&B", "b c", "d"]
    }
  }

  private static func roundTrip<Request: FieldedRequest>(_ type: Request.Type, seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    for _ in 0..<40 {
      var given: GivenFields = [:]
      for field in Request.fields.map(\.description) where field.values != .file && Bool.random(using: &numbers) {
        given[field.argument] = texts(field, &numbers)
      }
      for case .not(let one, let others) in Request.rules where given[one] != nil {
        for other in others { given[other] = nil }
      }
      for case .only(let one, let other) in Request.rules where given[other] == nil { given[one] = nil }
      // A week has the name that weeks have.
      if given[.week] != nil, given[.weekStart] == ["sunday"] { given[.week] = ["2026-03-29"] }
      if given[.week] != nil, given[.weekStart] == ["saturday"] { given[.week] = ["2026-03-28"] }
      var request = Request()
      try request.apply(given)
      let copy = try Request(query: request.query)
      #expect(copy.query == request.query && copy.given == request.given, "seed \(seed): \(given)")
      var again = Request()
      try again.apply(request.given)
      #expect(again.query == request.query, "seed \(seed): \(given)")
      // Every field that was given is there again, unless it is what a request has anyway, or stands for others.
      let nothing = Request()
      for field in Request.fields where given[field.argument] != nil && request.given[field.argument] == nil {
        let isUsual = field.texts(request) == field.texts(nothing)
        #expect(isUsual || field.argument == .week, "seed \(seed): \(field.argument)")
      }
    }
  }

  @Test(arguments: 0..<12 as Range<UInt64>) func aQueryIsTheRequest(seed: UInt64) throws {
    try Self.roundTrip(ReportRequest.self, seed: seed)
    try Self.roundTrip(ComparisonRequest.self, seed: seed)
    try Self.roundTrip(FlowRequest.self, seed: seed)
    try Self.roundTrip(AuditRequest.self, seed: seed)
    try Self.roundTrip(ExperimentsRequest.self, seed: seed)
    try Self.roundTrip(JourneyRequest.self, seed: seed)
    try Self.roundTrip(PlanRequest.self, seed: seed)
  }

  @Test func numbersOfAQueryAreExact() throws {
    for number in [0.07, 1.0 / 3, 1e-12, 0.1 + 0.2, 0.999_999_999_999] {
      var request = ComparisonRequest(control: "A", treatments: ["B"])
      request.minimumEffect = number
      request.split = [number, 1e300]
      request.guardrails = [GuardrailQuestion(metric: .dropOffRate, margin: number)]
      let read = try ComparisonRequest(query: request.query)
      #expect(read.split == request.split, "\(request.query)")
      #expect(abs(read.minimumEffect - number) <= number.ulp && read.guardrails.count == 1, "\(request.query)")
    }
    #expect(failure { _ = try AuditRequest(query: "info_plist=/etc/passwd") }?.argument == .infoPlist)
  }

  @Test func aQuerySaysWhatIsAsked() throws {
    let request = try ReportRequest(
      query: "by=country&by=platform&where=app_version%3E%3D3.2&week=2026-W14&permission=a+b")
    #expect(request.properties == [.country, .platform] && request.permission == "a b")
    #expect(request.conditions == [try ExposureCondition(parsing: "app_version>=3.2")])
    #expect(request.from == CivilDate(year: 2026, month: 3, day: 30))
    #expect(try ReportRequest(query: "") == ReportRequest())
    #expect(ReportRequest().query == "")
    #expect(
      request.query
        == "from=2026-03-30&to=2026-04-06&where=app_version%3E%3D3.2&permission=a%20b&by=country&by=platform")
  }

  @Test func whatIsNoQueryIsRefusedByTheFieldsName() throws {
    for (query, argument) in [
      ("by=foo", .properties), ("by_limit=0&by=country", .valueLimit), ("as_of=tomorrow", .asOf),
      ("permission=a&permission=b", .permission), ("where=x", .conditions), ("at_once=1y", .atOnce),
      ("week=2026-60", .week),
    ] as [(String, PermlogError.Argument)] {
      let error = failure { _ = try ReportRequest(query: query) }
      #expect(error?.code == .usage && error?.argument == argument, "\(query): \(error?.message ?? "-")")
    }
    for query in [
      "steps=camera", "nothing=1", "info_plist=/etc/passwd", "permission=%", "permission=%4", "permission=%GG",
      "permission=%FF", "by%FF=1", "week=2026-W14&from=2026-01-01", "by_limit=3",
    ] {
      #expect(failure { _ = try ReportRequest(query: query) }?.code == .usage, "\(query)")
    }
    let both = failure { _ = try ReportRequest(query: "week=2026-W14&from=2026-01-01") }
    #expect(both?.message == "`week` cannot be combined with `from`")
    let all = failure { _ = try ReportRequest(query: "week=2026-W14&from=2026-01-01&to=2026-02-01") }
    #expect(all?.message == "`week` cannot be combined with `from` and `to`")
    #expect(failure { _ = try ReportRequest(query: "by_limit=3") }?.message == "`by_limit` goes with `by`")
  }

  @Test func anEmptyTextIsNoValue() throws {
    func expectFields<Request: FieldedRequest>(_ type: Request.Type) {
      for field in Request.fields.map(\.description) where field.shape != .operands {
        let error = failure {
          var request = Request()
          try request.apply([field.argument: [""]])
        }
        #expect(error?.message == "the value is empty", "\(field.name): \(error?.message ?? "-")")
        #expect(error?.code == .usage && error?.argument == field.argument, "\(field.name)")
      }
    }
    expectFields(ReportRequest.self)
    expectFields(ComparisonRequest.self)
    expectFields(FlowRequest.self)
    expectFields(AuditRequest.self)
    expectFields(ExperimentsRequest.self)
    expectFields(JourneyRequest.self)
    expectFields(PlanRequest.self)
    #expect(failure { _ = try ReportRequest(query: "by=country&by=") }?.argument == .properties)
  }

  /// The list of one kind is a list: every name once, and every key of a question in one field.
  @Test func namesAreThereOnce() throws {
    for kind in RequestKind.all {
      let names = kind.fields.map(\.name)
      #expect(Set(names).count == names.count, "\(kind.name)")
      for field in kind.fields {
        let (words, others) = (
          field.help.split(separator: "`", omittingEmptySubsequences: false), Set(names + ["plan", "journeys"])
        )
        #expect(words.count % 2 == 1 && field.help.hasSuffix("."), "\(kind.name) \(field.name)")
        for (place, word) in words.enumerated() where place % 2 == 1 {
          #expect(others.contains(String(word)), "\(kind.name) \(field.name) names \(word)")
        }
      }
    }
    for kind in Question.Kind.allCases {
      let keys = kind.request.countedKeys
      #expect(Set(keys).count == keys.count, "\(kind)")
    }
    // Which keys there are is written in the schema, too.
    let schema = try #require(
      try JSONSerialization.jsonObject(
        with: Data(
          contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/schemas/question-1.json"))) as? [String: Any])
    let keys = try #require(schema["required"] as? [String])
    let all = try #require(schema["properties"] as? [String: Any]).keys
    #expect(Set(keys) == Set(QuestionKey.allCases.filter { !$0.isOptional }.map(\.rawValue) + ["schema"]))
    #expect(Set(all) == Set(QuestionKey.allCases.map(\.rawValue) + ["schema"]))
  }
}

extension CountedRequest {
  fileprivate static var countedKeys: [QuestionKey] { fields.compactMap { $0.counted?.key } }
}
