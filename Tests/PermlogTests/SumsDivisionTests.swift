// Users divided among shards in any way, with their lines in any order, and the shards added up in any order and grouping: the
// same bytes, and every form of every answer is that of one log with all events.

import Foundation
import ReportOracle
import Testing

@testable import Folding
@testable import PermissionAnalysis
@testable import PermissionEvents
@testable import Permlog

@Suite struct SumsDivisionTests {
  /// A question, and its answer in every form.
  private struct Case {
    var question: Question
    /// From one log.
    var whole: (PermissionLog) throws -> [[UInt8]]
    var answer: (AnySums) throws -> [[UInt8]]
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let reports: [@Sendable (inout ReportRequest) throws -> Void] = [
    { _ in }, { $0.properties = [.variant] }, { $0.properties = [.platform, .osVersion] },
    {
      $0.conditions = [try ExposureCondition(.country, .isNoneOf, [Array("DE".utf8), []])]
      $0.permission = "notifications"
    },
    { ($0.from, $0.to) = (CivilDate(20_520), CivilDate(20_548)) },
  ]

  private static let comparisons: [@Sendable (inout ComparisonRequest) -> Void] = [
    { $0.property = .locale },
    {
      $0.adjust = [.locale]
      $0.metric = .skipRate
      $0.contaminated = .exclude
    },
    {
      $0.comparedProperty = .appVersion
      ($0.control, $0.treatments) = ("1.9", ["1.10"])
    },
  ]

  /// Moments on the edges of windows, as the oracle's own questions have them.
  private func cases(_ events: [OracleEvent], _ zone: String, seed: UInt64) throws -> [Case] {
    let (first, last) = (Int64(events.map(\.timestamp).min() ?? 0), Int64(events.map(\.timestamp).max() ?? 0))
    let edges = HistoryGenerator(seed: seed).options(for: events, variation: Int(seed) + 2)
    var scope = QuestionScope()
    scope.timeZone = zone
    // Not before half of the events: a message without a screen is refused.
    let middle = Int64(events.map(\.timestamp).sorted()[events.count / 2])
    scope.asOf = .time(edges.asOf.map { max(middle, min(last, Int64($0))) } ?? last)
    scope.responseWindow = Int64(edges.responseWindow)
    let start = Moment.time(first)
    let variants = Set(events.compactMap(\.variant)).sorted()
    var cases = try Self.reports.map { change in
      var request = ReportRequest()
      (request.scope, request.logStart) = (scope, start)
      try change(&request)
      let (question, asked) = (try Question(request, now: last), request)
      return Case(question: question) { log in
        let report = try log.report(asked)
        return ReportFormat.allCases.map { report.render(as: $0) }
      } answer: { sums in
        let report = try Report(sums, of: question, as: asked, threads: 2)
        return ReportFormat.allCases.map { report.render(as: $0) }
      }
    }
    cases += try Self.comparisons.map { change in
      var request = ComparisonRequest(control: variants[0], treatments: [variants[1]])
      (request.scope, request.permission) = (scope, "notifications")
      change(&request)
      let (question, asked) = (try Question(request, now: last), request)
      return Case(question: question) { log in
        let set = try log.compare(asked)
        return ComparisonFormat.allCases.map { set.render(as: $0, isExplained: true) }
      } answer: { sums in
        let set = try ComparisonSet(sums, of: question, as: asked)
        return ComparisonFormat.allCases.map { set.render(as: $0, isExplained: true) }
      }
    }
    let second = events.compactMap(\.permission).filter { $0 != "notifications" }.min()
    cases += try [[], ["notifications", try #require(second)]].map { steps in
      var request = FlowRequest()
      (request.scope, request.steps) = (scope, steps)
      let (question, asked) = (try Question(request, now: last), request)
      return Case(question: question) { log in
        let flows = try log.flow(asked)
        return FlowFormat.allCases.map { flows.render(as: $0) }
      } answer: { sums in
        let flows = try FlowReport(sums, of: question, as: asked)
        return FlowFormat.allCases.map { flows.render(as: $0) }
      }
    }
    var audit = AuditRequest()
    (audit.scope.timeZone, audit.scope.asOf) = (zone, scope.asOf)
    (audit.logStart, audit.examples) = (start, 2)
    let (question, asked) = (try Question(audit, now: last), audit)
    cases.append(
      Case(question: question) { log in
        let findings = try log.audit(asked)
        return AuditFormat.allCases.map { findings.render(as: $0, listsAll: true) }
      } answer: { sums in
        let findings = try AuditReport(sums, of: question, as: asked)
        return AuditFormat.allCases.map { findings.render(as: $0, listsAll: true) }
      })
    return cases
  }

  /// Random histories, with names of permissions of somebody's own: every shard sees them in an order of its own.
  private func history(seed: UInt64, users: Int) -> [OracleEvent] {
    let all = HistoryGenerator(seed: seed).history(users: users).map { event in
      var event = event
      let own = event.userID.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 5
      if event.permission == "camera", own < 3 { event.permission = ["zz own", "own of ours", "aa own"][own] }
      return event
    }
    return all
  }

  private var options: IngestOptions {
    var options = IngestOptions()
    options.allowsCustomPermissions = true
    options.format = .ndjson
    return options
  }

  /// Events by shard. The first has no user who saw message B, and the last no user at all if there are enough.
  private func divide(_ events: [OracleEvent], _ count: Int, _ random: inout SplitMix64) -> [[OracleEvent]] {
    let variants = Set(events.compactMap(\.variant)).sorted()
    let sawB = Set(events.filter { $0.variant == variants[1] }.map(\.userID))
    var shards = [[OracleEvent]](repeating: [], count: count)
    for (user, own) in Dictionary(grouping: events, by: { Array($0.userID.utf8) }).sorted(by: {
      $0.key.lexicographicallyPrecedes($1.key)
    }) {
      let most = count > 2 ? count - 1 : count
      let least = count > 1 && sawB.contains(String(decoding: user, as: UTF8.self)) ? 1 : 0
      shards[Int.random(in: least..<max(least + 1, most), using: &random)] += own
    }
    return shards
  }

  /// Sums of a shard, as the file says them, of its lines in a random order.
  private func make(
    _ events: [OracleEvent], _ shard: (number: Int, of: Int), _ questions: [Question], _ random: inout SplitMix64
  ) throws -> [UInt8] {
    let lines = events.shuffled(using: &random).map { ndjsonLine($0) + "\n" }.joined()
    let path = FilePath(try directory.write("shard.ndjson", lines))
    let made = try SumsBundle.make(
      questions.shuffled(using: &random), of: [path], shard: SumsShard(shard.number, of: shard.of, job: "division"),
      options: options, scratch: directory.path, threads: 1 + Int.random(in: 0...1, using: &random))
    return try #require(made.sums).encoded
  }

  /// Files added up in a random order and grouping, some of them by way of a file.
  private func sum(_ files: [[UInt8]], _ random: inout SplitMix64) throws -> [UInt8] {
    var groups = try files.map { try SumsBundle($0, name: "a shard") }
    while groups.count > 1 {
      groups.shuffle(using: &random)
      let other = groups.removeLast()
      try groups[0].add(other)
      if Int.random(in: 0..<4, using: &random) == 0 { groups[0] = try SumsBundle(groups[0].encoded, name: "a group") }
    }
    try groups[0].requireWhole()
    return groups[0].encoded
  }

  /// So many shards, in so many zones.
  static let divisions: [(seed: UInt64, zone: String, counts: [Int])] = [
    (31, "UTC", [1, 7]), (32, "America/New_York", [2, 7]), (33, "Asia/Kolkata", [64]), (34, "Pacific/Chatham", [2, 7]),
  ]

  @Test(arguments: divisions)
  func everyFormIsThatOfOneLog(_ division: (seed: UInt64, zone: String, counts: [Int])) throws {
    let seed = division.seed
    var random = SplitMix64(seed: seed)
    let events = history(seed: seed, users: 60)
    let cases = try cases(events, division.zone, seed: seed)
    let now = Int64(events.map(\.timestamp).max() ?? 0)
    var log = try PermissionLog(directory.file("log"), threads: 2)
    log.clock = { now }
    try log.ingest(bytes: Array(events.map { ndjsonLine($0) + "\n" }.joined().utf8), options: options)
    let expected = try cases.map { try $0.whole(log) }
    for count in division.counts {
      let shards = divide(events, count, &random)
      let files = try shards.enumerated().map {
        try make($0.element, ($0.offset + 1, count), cases.map(\.question), &random)
      }
      let again = Int.random(in: 0..<count, using: &random)
      #expect(
        try make(shards[again], (again + 1, count), cases.map(\.question), &random) == files[again],
        "seed \(seed): lines in another order")
      let merged = try sum(files, &random)
      for _ in 0..<(count > 7 ? 1 : 3) { #expect(try sum(files, &random) == merged, "seed \(seed), \(count) shards") }
      let bundle = try SumsBundle(merged, name: "all")
      #expect(bundle.answers.count == cases.count)
      for (place, item) in cases.enumerated() {
        let found = try #require(bundle.answers.first { $0.question == item.question })
        let forms = try item.answer(found.sums)
        #expect(forms.count == expected[place].count)
        for (form, one) in zip(forms, expected[place]) where form != one {
          Issue.record("seed \(seed), \(count) shards, question \(place): \(Self.difference(form, one))")
        }
      }
    }
  }

  /// The first lines that differ.
  private static func difference(_ a: [UInt8], _ b: [UInt8]) -> String {
    let lines = [a, b].map {
      String(decoding: $0, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }
    let place = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
    return lines.map { place < $0.count ? String($0[place].prefix(200)) : "the end" }.joined(separator: " / ")
  }

  // MARK: What is refused

  private func shards(seed: UInt64) throws -> [[UInt8]] {
    var random = SplitMix64(seed: seed)
    let events = history(seed: seed, users: 12)
    let questions = try cases(events, "Europe/Berlin", seed: seed).map(\.question)
    return try divide(events, 2, &random).enumerated().map {
      try make($0.element, ($0.offset + 1, 2), [questions[1], questions[5], questions[8], questions[10]], &random)
    }
  }

  @Test func everyFlippedBitAndEveryCutIsFound() throws {
    let seed: UInt64 = 41
    var random = SplitMix64(seed: seed)
    let file = try shards(seed: seed)[1]
    for place in stride(from: 0, to: file.count, by: max(1, file.count / 150)) {
      var changed = file
      changed[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      #expect(
        failure { _ = try SumsBundle(changed, name: "x.sums") }?.message.hasPrefix("x.sums: ") == true, "\(place)")
      let cut = Array(file[..<place])
      #expect(failure { _ = try SumsBundle(cut, name: "x.sums") }?.code == .damaged, "seed \(seed), cut at \(place)")
    }
  }

  /// A number that is too large, in a file with a right checksum, is refused alone or when two such files are added up.
  @Test func numbersThatAreTooLargeAreRefused() throws {
    let seed: UInt64 = 42
    var random = SplitMix64(seed: seed)
    let file = try shards(seed: seed)[1]
    func text(_ file: [UInt8]) -> String { String(decoding: file.dropLast(SumsText.checksumLength), as: UTF8.self) }
    func signed(_ text: String) -> [UInt8] {
      var file = SumsText()
      file.add(text)
      file.endWithChecksum()
      return file.bytes
    }
    #expect(signed(text(file)) == file)
    let lines = text(file).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let totals = lines.indices.filter { row in
      ["lines ", "events ", "users ", "rejected ", "duplicates ", "conflicts "].contains { lines[row].hasPrefix($0) }
    }
    let rows = lines.indices.filter { !lines[$0].hasPrefix("question") && lines[$0].contains(":") }
    #expect(totals.count == 6 && rows.count > 20)
    for value in ["4611686018427387904", "9223372036854775807", "9223372036854775808", "18446744073709551616"] {
      for trial in 0..<12 {
        let row = (trial % 2 == 0 ? totals : rows).randomElement(using: &random) ?? 0
        var cells = lines[row].split(separator: " ").map(String.init)
        let column = cells[cells.count - 1].split(separator: ":").dropLast().first.map { $0 + ":" } ?? ""
        cells[cells.count - 1] = column + value
        var changed = lines
        changed[row] = cells.joined(separator: " ")
        let first = signed(changed.joined(separator: "\n"))
        // The same numbers in another shard.
        let second = signed(text(first).replacing("\nclaimed 2\n", with: "\nclaimed 1\n"))
        let error = failure {
          var sum = try SumsBundle(first, name: "2.sums")
          try sum.add(SumsBundle(second, name: "1.sums"))
        }
        #expect(
          error.map { [.damaged, .dataRefused].contains($0.code) } == true,
          "seed \(seed), \(cells.joined(separator: " ")): \(error?.message ?? "accepted")")
      }
    }
  }

  @Test func newerFormatsAndOthersAreRefused() throws {
    let file = try shards(seed: 43)[0]
    let text = String(decoding: file.dropLast(SumsText.checksumLength), as: UTF8.self)
    var newer = SumsText()
    newer.add(text.replacing("permlog-sums 3\n", with: "permlog-sums 5\n"))
    newer.endWithChecksum()
    #expect(failure { _ = try SumsBundle(newer.bytes, name: "x.sums") }?.code == .newerFormat)
    #expect(failure { _ = try SumsBundle([], name: "x.sums") }?.code == .damaged)
    #expect(failure { _ = try SumsBundle(Array("{}\n".utf8), name: "x.sums") } != nil)
  }
}
