// A question's file: what is saved is what is read, and anything else is refused by the name of the key, or is another question.

import Foundation
import PermissionEvents
import ReportOracle
import Testing

@testable import Permlog

@Suite struct QuestionFileTests {
  private static let now: Int64 = 1_795_392_000_123
  private static let zones = [
    "UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca", "Asia/Tehran",
  ]
  private static let names = [
    "camera", "a\"\\\n\t\u{1}", "\u{7F}\u{85}\u{2028}\u{FEFF}", "e\u{301}", "é", "👍🏽", " ", "null",
  ]
  private static let conditions = [
    "country=DE,AT", "platform!=ios", "country=", "app_version>=3.10", "surface=a\\,b,\\ ", "os_version<17",
    "feature!=\u{0B}\n\u{2028}",
  ]

  /// A question of a seed: each kind, each option given and not.
  private static func question(seed: UInt64) throws -> Question {
    var numbers = SplitMix64(seed: seed)
    func chance() -> Bool { Bool.random(using: &numbers) }
    var scope = QuestionScope()
    scope.timeZone = zones.randomElement(using: &numbers) ?? "UTC"
    scope.asOf = chance() ? .time(.random(in: 0...4_102_444_800_000, using: &numbers)) : .startOf(.init(17_000))
    scope.responseWindow = .random(in: 0...10_000_000, using: &numbers)
    scope.followUp = chance() ? scope.followUp : .random(in: 0...316_224_000_000, using: &numbers)
    let from = chance() ? CivilDate(DayNumber.random(in: 15_000...16_000, using: &numbers)) : nil
    let to = chance() ? CivilDate(DayNumber.random(in: 16_001...40_000, using: &numbers)) : nil
    let logStart: Moment? = chance() ? (chance() ? .startOf(.init(15_500)) : .time(1_500_000_000_001)) : nil
    let conditions = try (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
      try ExposureCondition(parsing: Self.conditions.randomElement(using: &numbers) ?? "")
    }
    let names = Self.names.shuffled(using: &numbers)
    switch Question.Kind.allCases[Int(seed % 4)] {
    case .report:
      var request = ReportRequest()
      (request.scope, request.from, request.to, request.logStart) = (scope, from, to, logStart)
      request.conditions = conditions
      request.permission = chance() ? names[0] : nil
      request.properties = Array(
        StringField.allCases.dropFirst().shuffled(using: &numbers).prefix(Int.random(in: 0...2, using: &numbers)))
      (request.valueLimit, request.hasCharts) = (7, chance())
      return try Question(request, now: now)
    case .compare:
      var request = ComparisonRequest(control: names[0], treatments: Array(names[1...(chance() ? 1 : 4)]))
      request.scope = scope
      request.permission = names[5]
      request.experiment = chance() ? names[6] : nil
      request.adjust = Array(ComparisonRequest.adjustable.shuffled(using: &numbers).prefix(chance() ? 2 : 0))
      request.conditions = conditions
      request.property = chance() ? .locale : nil
      (request.metric, request.minimumEffect) = (.denyRate, 0.3)
      return try Question(request, now: now)
    case .flow:
      var request = FlowRequest()
      (request.scope, request.from, request.to, request.conditions) = (scope, from, to, conditions)
      request.steps = Array(names.prefix(Int.random(in: 0...8, using: &numbers)))
      request.permission = "mail"
      return try Question(request, now: now)
    case .audit:
      var request = AuditRequest()
      (request.scope, request.from, request.to, request.conditions) = (scope, from, to, conditions)
      request.logStart = logStart
      request.examples = Int.random(in: 0...100, using: &numbers)
      (request.permission, request.infoPlists) = ("mail", ["x"])
      return try Question(request, now: now)
    }
  }

  @Test func aQuestionAsksLessOnlyForTheSameMomentAndStart() throws {
    func question(_ change: (inout ReportRequest) throws -> Void = { _ in }) throws -> Question {
      var request = ReportRequest()
      (request.scope.asOf, request.scope.timeZone) = (.startOf(.init(20_000)), "Europe/Berlin")
      try change(&request)
      return try Question(request, now: Self.now - Int64(request.properties.count))
    }
    let plain = try question()
    let more: [(inout ReportRequest) throws -> Void] = [
      { $0.properties = [.locale] }, { $0.permission = "camera" }, { $0.from = CivilDate(19_000) },
      { $0.conditions = [try ExposureCondition(parsing: "country=DE")] },
    ]
    for change in more {
      let other = try question(change)
      #expect(plain.asksLess(than: other) && !other.asksLess(than: plain))
      let both = try question {
        try change(&$0)
        $0.to = CivilDate(20_000)
      }
      #expect(other.asksLess(than: both) && plain.asksLess(than: both) && !both.asksLess(than: other))
    }
    // Of two that differ in these neither is meant.
    let others: [(inout ReportRequest) throws -> Void] = [
      { _ in }, { $0.scope.asOf = .startOf(.init(20_001)) }, { $0.scope.timeZone = "UTC" }, { $0.scope.followUp = 0 },
      { $0.scope.responseWindow = 1 }, { $0.logStart = .startOf(.init(19_000)) },
    ]
    for change in others {
      let other = try question {
        try change(&$0)
        $0.properties = [.locale, .country]
      }
      let alone = try question(change)
      #expect(!plain.asksLess(than: alone) && !alone.asksLess(than: plain))
      #expect(alone.asksLess(than: other))
      #expect(!(try question { $0.properties = [.locale] }).asksLess(than: other))
    }
    for change in others.dropFirst() {
      let other = try question {
        try change(&$0)
        $0.properties = [.locale]
      }
      #expect(!plain.asksLess(than: other))
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>) func whatIsSavedIsRead(seed: UInt64) throws {
    let question = try Self.question(seed: seed)
    let read = try Question(question.line, name: "q")
    #expect(read == question && read.encoded == question.encoded && read.checksum == question.checksum, "seed \(seed)")
    #expect(read.facts == question.facts && read.now == Self.now && read.asOf == question.asOf, "seed \(seed)")
    #expect(read.kind == question.kind && read.timeZone == question.timeZone, "seed \(seed)")
    #expect(!question.encoded.contains(0x0A), "seed \(seed)")
    let object = try JSONSerialization.jsonObject(with: Data(question.encoded)) as? [String: Any]
    #expect(object?["schema"] as? String == "permlog.question/1" && object?.count == 22, "seed \(seed)")
    // What was read asks for the same, byte for byte, and of no file of the machine.
    #expect(throws: Never.self) { try read.request.checkAgreement(with: question) }
  }

  @Test func theZoneOfTheFileIsThatOfTheMachine() throws {
    for name in Self.zones {
      var request = FlowRequest()
      request.scope.timeZone = name
      request.scope.asOf = .time(1_775_001_600_000)
      let read = try Question(Question(request).encoded, name: "q").zone
      let zone = try SystemZones.table(name, over: 1_199_145_600_000...1_780_000_000_000)
      for day in 13_900...20_600 as ClosedRange<DayNumber> {
        #expect(read.firstMoment(of: day) == zone.firstMoment(of: day), "\(name), day \(day)")
      }
    }
  }

  @Test func optionsThatSayTheSameAreTheSameBytes() throws {
    var request = ReportRequest()
    request.scope.timeZone = "Europe/Berlin"
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    let day = try Question(request, now: Self.now)
    request.scope.asOf = .time(1_774_994_400_000)
    request.valueLimit = 3
    request.hasCharts = false
    #expect(try Question(request, now: Self.now) == day)
    #expect(try Question(request, now: Self.now + 1) != day)
    request.scope.responseWindow += 1
    let other = try Question(request, now: Self.now)
    #expect(other != day && other.checksum != day.checksum)
    #expect(day.checksum.utf8.count == 16 && day.facts["as_of"] == "2026-03-31T22:00:00.000Z")
  }

  // MARK: What is refused

  private func members(_ question: Question) throws -> [(key: String, text: String)] {
    // The writer's own form: keys are plain, and the values are found by reading on to the next known key.
    let text = String(decoding: question.encoded, as: UTF8.self)
    let keys = [
      "schema", "kind", "fold", "as_of", "time_zone", "from", "to", "where", "permission", "by", "variants",
      "experiment",
      "property", "adjust", "steps", "log_start", "at_once_ms", "response_window_ms", "follow_up_ms",
      "settings_window_ms",
      "examples",
      "now",
    ]
    var members: [(String, String)] = []
    var rest = text.dropFirst()[...]
    for (key, next) in zip(keys, Array(keys.dropFirst()) + [""]) {
      rest = rest.dropFirst(key.utf8.count + 3)
      let end = next.isEmpty ? rest.index(before: rest.endIndex) : rest.range(of: ",\"\(next)\":")?.lowerBound
      members.append((key, String(rest[..<(try #require(end))])))
      rest = rest[(try #require(end))...].dropFirst(1)
    }
    return members
  }

  private func written(_ members: [(key: String, text: String)]) -> [UInt8] {
    Array("{\(members.map { "\"\($0.key)\":\($0.text)" }.joined(separator: ","))}".utf8)
  }

  @Test(arguments: [0, 1, 2, 3, 12, 13, 14, 15] as [UInt64]) func everyKeyIsNeededOnceAndOfItsType(seed: UInt64) throws
  {
    let question = try Self.question(seed: seed)
    let members = try members(question)
    #expect(written(members) == question.encoded)
    for (place, member) in members.enumerated() {
      var changed = members
      changed.remove(at: place)
      let missing = failure { _ = try Question(written(changed), name: "q") }
      #expect(missing?.code == .usage && missing?.message.contains("q: ") == true, "\(member.key)")
      #expect(
        member.key == "schema" || missing?.message.contains("\(member.key): it is missing") == true,
        "\(member.key): \(missing?.message ?? "")")
      changed = members
      changed.insert(member, at: place)
      #expect(failure { _ = try Question(written(changed), name: "q") }?.code == .usage, "\(member.key) twice")
      changed = members
      changed.swapAt(place, (place + 1) % members.count)
      #expect(failure { _ = try Question(written(changed), name: "q") }?.code == .usage, "\(member.key) elsewhere")
      for value in ["{}", "[]", "true", "-1", "1e9", "\"x\"", "[7]", "[null]", "{\"name\":\"UTC\"}", "\"\"", "null"]
      where value != member.text {
        changed = members
        changed[place].text = value
        guard let other = try? Question(written(changed), name: "q") else { continue }
        #expect(other != question && other.encoded == written(changed), "seed \(seed), \(member.key) \(value)")
      }
      changed = members
      changed.insert(("more", "null"), at: place)
      #expect(
        failure { _ = try Question(written(changed), name: "q") }?.message.contains("does not know this key") == true)
    }
  }

  @Test(arguments: [0, 1, 2, 3] as [UInt64]) func aChangedByteIsRefusedOrAnotherQuestion(seed: UInt64) throws {
    let question = try Self.question(seed: seed)
    let bytes = question.encoded
    var read = 0
    for place in bytes.indices {
      // Two bits of each byte; the four seeds have all eight.
      for bit in [place + Int(seed), place + Int(seed) + 4].map({ $0 % 8 }) {
        var changed = bytes
        changed[place] ^= 1 << bit
        guard let other = try? Question(changed, name: "q") else { continue }
        read += 1
        // A byte that became a line feed at the end would be left out.
        #expect(other != question && other.encoded == changed, "seed \(seed), byte \(place), bit \(bit)")
      }
    }
    #expect(read > 10, "seed \(seed): nothing was read at all")
    for length in bytes.indices { #expect(failure { _ = try Question(Array(bytes[..<length]), name: "q") } != nil) }
  }

  @Test(arguments: [
    #"[]"#, #"[{"at":null,"offset_s":86400}]"#, #"[{"at":null,"offset_s":-86400}]"#,
    #"[{"at":"2020-01-01T00:00:00.000Z","offset_s":0}]"#,
    #"[{"at":null,"offset_s":0},{"at":null,"offset_s":3600}]"#,
    // No change, too soon after another, not in order, too far, not in whole seconds, before all time.
    #"[{"at":null,"offset_s":0},{"at":"2020-01-01T00:00:00.000Z","offset_s":0}]"#,
    #"[{"at":null,"offset_s":0},{"at":"2020-01-01T00:00:00.000Z","offset_s":60},{"at":"2020-01-03T00:00:00.000Z","offset_s":0}]"#,
    #"[{"at":null,"offset_s":0},{"at":"2020-01-09T00:00:00.000Z","offset_s":60},{"at":"2020-01-01T00:00:00.000Z","offset_s":0}]"#,
    #"[{"at":null,"offset_s":-50000},{"at":"2020-01-01T00:00:00.000Z","offset_s":50000}]"#,
    #"[{"at":null,"offset_s":0},{"at":"2020-01-01T00:00:00.001Z","offset_s":60}]"#,
    #"[{"at":null,"offset_s":0},{"at":"0001-01-01T00:00:00.000Z","offset_s":60}]"#,
    #"[{"at":null,"offset_s":0},{"at":"9999-01-01T00:00:00.000Z","offset_s":60}]"#,
  ])
  func clocksThatChangeAsNoZonesDoAreRefused(transitions: String) throws {
    var request = FlowRequest()
    request.scope.timeZone = "Europe/Berlin"
    request.scope.asOf = .time(1_775_001_600_000)
    var members = try members(Question(request, now: Self.now))
    let place = try #require(members.firstIndex { $0.key == "time_zone" })
    members[place].text = "{\"name\":\"Europe/Berlin\",\"transitions\":\(transitions)}"
    let refused = failure { _ = try Question(written(members), name: "q.json") }
    #expect(refused?.code == .usage && refused?.message.hasPrefix("q.json: ") == true, "\(refused?.message ?? "read")")
  }

  @Test func questionsOfOtherVersionsAreRefused() throws {
    let question = try Self.question(seed: 4)
    let text = String(decoding: question.encoded, as: UTF8.self)
    let newer = failure { _ = try Question(Array(text.replacing("question/1", with: "question/2").utf8), name: "q") }
    #expect(newer?.code == .newerFormat)
    let fold = failure { _ = try Question(Array(text.replacing(ReportSums.name, with: "report 99").utf8), name: "q") }
    #expect(fold?.message.contains("report 99") == true && fold?.message.contains(ReportSums.name) == true)
    #expect(failure { _ = try Question(Array("{\"schema\":\"permlog.plan-file/1\"}".utf8), name: "q") }?.code == .usage)
    #expect(failure { _ = try Question(Array((text + "\n\n").utf8), name: "q") }?.code == .usage)
    #expect(failure { _ = try Question([], name: "q") }?.code == .usage)
    #expect(failure { _ = try Question(contentsOf: "/nonexistent/q") }?.code == .notFound)
    #expect(
      failure { _ = try Question([UInt8](repeating: 0x20, count: 1 << 21), name: "q") }?.message.contains("1 MiB")
        == true)
  }

  @Test func whatNoFileCanHoldIsNotSaved() throws {
    var request = FlowRequest()
    #expect(failure { _ = try Question(request) }?.argument == .asOf)
    request.scope.asOf = .time(1_775_001_600_000)
    request.steps = [String(repeating: "x", count: 257)]
    #expect(failure { _ = try Question(request) }?.argument == .steps)
    request.steps = []
    request.conditions = [try ExposureCondition(.surface, .isOneOf, [[0xFF]])]
    #expect(failure { _ = try Question(request) }?.argument == .conditions)
    let value = Array(String(repeating: "y", count: 250).utf8)
    request.conditions = try (0..<6).map { number in
      try ExposureCondition(
        .surface, .isNoneOf,
        (0..<1000).map { value + Array("\(number * 1000 + $0)".utf8) }.map { Array($0.suffix(250)) })
    }
    #expect(failure { _ = try Question(request) }?.message.contains("1024 KiB") == true)
  }
}
