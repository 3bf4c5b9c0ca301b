// Sums of disjoint users add up to those of all, byte for byte: ranges of the hash space, logs with codes of their own, files in
// any order. And a file that anybody wrote is refused, or has figures.

import Foundation
@testable import Permlog
import ReportOracle
import Testing

@testable import Folding
@testable import PermissionAnalysis

@Suite struct SumsTests {
  private static let seeds: [UInt64] = [3, 8, 21, 34]
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func log(
    _ name: String, _ events: [OracleEvent], where isOwn: (OracleEvent) -> Bool = { _ in true }
  ) throws -> PermissionLog {
    let log = try PermissionLog(directory.file(name), threads: 2)
    var options = IngestOptions()
    options.allowsFutureTimes = true
    // Two ingests, so that parts are merged; the same two whoever the users are, since of copies the first ingest's stays.
    for half in [events.prefix(events.count / 2), events.dropFirst(events.count / 2)].map({ $0.filter(isOwn) }) {
      try log.ingest(bytes: Array(half.map { ndjsonLine($0) + "\n" }.joined().utf8), options: options)
    }
    return log
  }

  private func report(_ events: [OracleEvent], _ seed: UInt64) -> ReportRequest {
    var request = ReportRequest()
    request.scope.asOf = .time(Int64(events.map(\.timestamp).max() ?? 0))
    request.scope.timeZone = seed % 2 == 0 ? "America/New_York" : "Pacific/Chatham"
    request.properties = [[.variant], [.platform, .variant], [.feature], [], [.feature, .locale]][Int(seed % 5)]
    request.logStart = .time(Int64(events.map(\.timestamp).min() ?? 0))
    return request
  }

  private func comparison(_ events: [OracleEvent], _ seed: UInt64) -> ComparisonRequest {
    let variants = Array(Set(events.compactMap(\.variant))).sorted()
    var request = ComparisonRequest(control: variants[0], treatments: Array(variants.dropFirst().prefix(2)))
    request.scope = report(events, seed).scope
    request.permission = "notifications"
    request.property = [.locale, .platform, nil][Int(seed % 3)]
    if seed == 21 {
      request.comparedProperty = .appVersion
      (request.control, request.treatments) = ("1.9", ["1.10", "2.0"])
    }
    return request
  }

  /// The hash space in a number of ranges.
  private func ranges(_ count: UInt64) -> [ClosedRange<UInt64>] {
    let width = UInt64.max / count
    return (0..<count).map { $0 * width...($0 == count - 1 ? .max : ($0 + 1) * width - 1) }
  }

  private func total<S: FoldSums>(_ files: [SumsFile<S>]) throws -> SumsFile<S> {
    var random = SplitMix64(seed: UInt64(files.count))
    var files = files.map { $0.encoded() }.shuffled(using: &random)
    var total = try SumsFile<S>(files.removeLast())
    for file in files { try total.add(try SumsFile<S>(file)) }
    return total
  }

  @Test(arguments: seeds) func anyDivisionOfTheUsersGivesTheSameReport(seed: UInt64) throws {
    let events = HistoryGenerator(seed: seed).history(users: 80)
    let log = try log("log", events)
    let request = report(events, seed)
    let question = try Question(request)
    let whole: SumsFile<SumsOf.Report> = try log.file(of: question)
    #expect(whole.sums.tables.prefix(3).allSatisfy { !$0.rows.isEmpty }, "seed \(seed)")
    let pages = [ReportFormat.json, .text, .html, .csv, .markdown].map { try? log.report(request).render(as: $0) }
    for count in [1, 2, 7, 64] as [UInt64] {
      let total: SumsFile<SumsOf.Report> = try total(ranges(count).map { try log.file(of: question, within: $0) })
      #expect(total.encoded() == whole.encoded(), "seed \(seed), \(count) ranges")
      let report = try Report(total.sums.any, of: question, as: request, threads: 2)
      #expect(
        [ReportFormat.json, .text, .html, .csv, .markdown].map { report.render(as: $0) } == pages, "seed \(seed)")
    }
  }

  @Test(arguments: seeds) func anyDivisionOfTheUsersGivesTheSameComparison(seed: UInt64) throws {
    let events = HistoryGenerator(seed: seed).history(users: 80)
    let log = try log("log", events)
    let request = comparison(events, seed)
    let question = try Question(request)
    let whole: SumsFile<SumsOf.Compare> = try log.file(of: question)
    let page = try log.compare(request).render(as: .json)
    for count in [1, 2, 7, 64] as [UInt64] {
      let total: SumsFile<SumsOf.Compare> = try total(ranges(count).map { try log.file(of: question, within: $0) })
      #expect(total.encoded() == whole.encoded(), "seed \(seed), \(count) ranges")
      #expect(
        try ComparisonSet(total.sums.any, of: question, as: request).render(as: .json) == page, "seed \(seed)")
    }
  }

  @Test(arguments: seeds) func logsOfDifferentUsersAddUp(seed: UInt64) throws {
    let events = HistoryGenerator(seed: seed).history(users: 80)
    let whole = try log("whole", events)
    let names = Array(Set(events.map(\.userID))).sorted()
    let logs = try (0..<5).map { number in
      // Another order of users and values: codes differ from log to log.
      return try log("log-\(number)", events) { (names.firstIndex(of: $0.userID) ?? 0) % 5 == number }
    }
    let request = report(events, seed)
    let question = try Question(request)
    let sums: SumsFile<SumsOf.Report> = try total(logs.map { try $0.file(of: question) })
    let all: SumsFile<SumsOf.Report> = try whole.file(of: question)
    #expect(sums.encoded() == all.encoded(), "seed \(seed)")
    let report = try Report(sums.sums.any, of: question)
    #expect(try report.render(as: .json) == whole.report(request).render(as: .json), "seed \(seed)")
    let compared = try Question(comparison(events, seed))
    let counts: SumsFile<SumsOf.Compare> = try total(logs.map { try $0.file(of: compared) })
    let users: SumsFile<SumsOf.Compare> = try whole.file(of: compared)
    #expect(counts.encoded() == users.encoded(), "seed \(seed)")
  }

  @Test func metricAndPolicyAreChosenAfterwards() throws {
    let log = try Sample.log(in: directory)
    var request = ComparisonRequest(control: "A", treatments: ["B"])
    request.permission = "notifications"
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    let question = try Question(request)
    let sums = try log.sums(of: question)
    for metric in MessageScreen.permission.metrics {
      request.metric = metric
      request.contaminated = .exclude
      request.minimumEffect = 0.02
      #expect(
        try ComparisonSet(sums, of: question, as: request).render(as: .json) == log.compare(request).render(as: .json))
    }
  }

  @Test func otherQuestionsAreRefusedByName() throws {
    let log = try Sample.log(in: directory)
    var request = ReportRequest()
    #expect(failure { _ = try Question(request) }?.argument == .asOf)
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    let question = try Question(request)
    let sums = try log.sums(of: question)
    request.scope.followUp = 7 * 86_400_000
    let refused = failure { _ = try Report(sums, of: question, as: request) }
    #expect(refused?.code == .usage && refused?.argument == .followUp)
    #expect(refused?.message.contains("the follow-up 28d, not with 7d") == true, "\(refused?.message ?? "")")
    var comparison = ComparisonRequest(control: "A", treatments: ["B"])
    comparison.scope = request.scope
    #expect(failure { _ = try Question(comparison) }?.argument == .permission)
    #expect(failure { _ = try ComparisonSet(sums, of: question) }?.argument == .sums)
  }

  /// Sums of the sample exports as this version's first build wrote them: names, order and numbers stay as they are.
  /// `PERMLOG_WRITE_FIXTURES=1` makes them anew, after a change that is wanted and has a new version.
  @Test func sumsThatWereWrittenOnceAreRead() throws {
    let log = try Sample.log(in: directory)
    var report = ReportRequest()
    report.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    report.scope.timeZone = "UTC"
    report.properties = [.variant]
    // Sums do not know the log's oldest event.
    report.logStart = .startOf(CivilDate(year: 2026, month: 1, day: 1))
    var comparison = ComparisonRequest(control: "A", treatments: ["B"])
    comparison.scope = report.scope
    comparison.permission = "notifications"
    comparison.property = .locale
    let fixtures = Sample.root + "/Tests/PermlogTests/Fixtures/"
    // The clock of the fixtures.
    let now = Int64(1_775_001_600_000)
    let (asked, compared) = (try Question(report, now: now), try Question(comparison, now: now))
    let written = [
      ("report-7.sums", try SumsBundle.make([asked], of: log).encoded),
      ("comparison-10.sums", try SumsBundle.make([compared], of: log).encoded),
    ]
    for (name, bytes) in written {
      if ProcessInfo.processInfo.environment["PERMLOG_WRITE_FIXTURES"] != nil {
        try Data(bytes).write(to: URL(fileURLWithPath: fixtures + name))
      }
      #expect(try Sample.bytes(fixtures + name) == bytes, "\(name)")
    }
    let read = try SumsBundle(Sample.bytes(fixtures + "report-7.sums"), name: "report-7.sums").answers[0]
    #expect(try Report(read.sums, of: read.question).render(as: .json) == log.report(report).render(as: .json))
  }

  /// Each table has to be there, and no other may be.
  @Test func sumsHaveTheTablesThatTheyAskFor() throws {
    func expectSumsOfNobody<S: FoldSums>(_: S.Type) throws {
      let tables = S().tables
      #expect(throws: Never.self) { try S(tables: tables) }
      for (place, table) in tables.enumerated() {
        var fewer = tables
        fewer.remove(at: place)
        #expect(throws: SumsError(.otherFold, "there is no table \(table.name)")) { try S(tables: fewer) }
      }
      let other = SumTable("others", keys: [], columns: ["x"])
      #expect(throws: SumsError(.otherFold, "there is a table others that these sums do not have")) {
        try S(tables: tables + [other])
      }
    }
    try expectSumsOfNobody(ReportSums.self)
    try expectSumsOfNobody(ComparisonSums.self)
    try expectSumsOfNobody(FlowSums.self)
    try expectSumsOfNobody(AuditSums.self)
  }

  @Test func conditionsWithLineFeedsAreLikeOthers() throws {
    let log = try Sample.log(in: directory)
    let condition = try ExposureCondition(.surface, .isNoneOf, [Array("a\nquestion by x\r\n% ,\\".utf8)])
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    request.conditions = [condition, condition]
    let question = try Question(request)
    let bundle = try SumsBundle.make([question], of: log)
    let read = try SumsBundle(bundle.encoded, name: "x").answers[0]
    #expect(read.question == question)
    // No log has such a surface.
    #expect(failure { _ = try Report(read.sums, of: read.question) }?.argument == .conditions)
    var sums = try #require(read.sums.counted as? ReportSums)
    for value in condition.values { sums.known.insert(.surface, value) }
    // The same condition twice is the condition.
    request.conditions = [condition]
    #expect(try Report(.report(sums), of: read.question, as: request).conditions == [condition])
    #expect(try Report(.report(sums), of: read.question).conditions == [condition, condition])
  }

  @Test func timingOfOtherJourneysThanTheGroupsIsRefused() throws {
    let log = try Sample.log(in: directory)
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    // Journeys before count in trends, and have no timing.
    request.from = CivilDate(year: 2026, month: 3, day: 2)
    let question = try Question(request)
    let file: SumsFile<SumsOf.Report> = try log.file(of: question)
    _ = try Report(file.sums.any, of: question)
    var more = file.sums
    let names = more.timing.keys.map(\.permission)
    let permission = try #require(names.sorted { $0.lexicographicallyPrecedes($1) }.first)
    let unknown = TimingScale.allCases.map {
      ReportSums.TimingKey(permission: permission, scale: $0, number: $0.classes.count - 1)
    }
    for key in unknown { more.timing[key, default: [0, 0]][0] += 1 }
    var fewer = file.sums
    fewer.timing = fewer.timing.filter { $0.key.permission != permission }
    var granted = file.sums
    for key in unknown { granted.timing[key] = (granted.timing[key] ?? [0, 0]).map { $0 + 1 } }
    for sums in [more, fewer, granted] {
      let written = try SumsFile<SumsOf.Report>(SumsFile(question: file.question, sums: sums).encoded())
      let refused = failure { _ = try Report(written.sums.any, of: question) }
      #expect(refused?.message.contains("table timing does not have the same journeys as table groups") == true)
      #expect((refused?.cause as? SumsError)?.code == .damaged)
    }
    request.properties = [.platform]
    let broken = try Question(request)
    var split = try log.sums(of: broken)
    _ = try Report(split, of: broken)
    split = try AnySums(.report, tables: split.tables.dropLast(4) + file.sums.tables.suffix(4))
    #expect(failure { _ = try Report(split, of: broken) }?.message.contains("a breakdown cannot have any") == true)
  }

  @Test func sumsThatGrowTooLargeAreRefused() throws {
    let log = try Sample.log(in: directory)
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    let question = try Question(request)
    var sums = try log.sums(of: question)
    var doublings = 0
    let refused = failure {
      while doublings < 80 {
        do throws(SumsError) { try sums.add(sums) } catch { throw PermlogError(.dataRefused, error.sentence) }
        doublings += 1
        if doublings % 4 == 0 { _ = try Report(sums, of: question).render(as: .json) }
      }
    }
    #expect(refused?.code == .dataRefused && doublings > 20)
  }

  @Test func sumsOfOtherMessagesAreRefused() throws {
    let log = try Sample.log(in: directory)
    var request = ComparisonRequest(control: "A", treatments: ["B"])
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    request.permission = "notifications"
    let question = try Question(request)
    let whole: SumsFile<SumsOf.Compare> = try log.file(of: question)
    let text = String(decoding: whole.encoded(), as: UTF8.self)
    let changes = [
      ("=A 0:1\n=B 0:2\n", "=A 0:2\n=B 0:1\n"), ("=A 0:1\n=B 0:2\n", "=A 0:1\n"), ("=B 0:2\n", "=B 0:2\n=C 0:3\n"),
    ]
    for (old, new) in changes {
      #expect(text.contains(old))
      var lines = text.replacing(old, with: new).split(separator: "\n").dropLast()
      if !new.contains("=B") { lines.removeAll { $0.contains("=B ") } }
      var changed = SumsText()
      for line in lines { changed.line(String(line)) }
      changed.endWithChecksum()
      let bytes = changed.bytes
      #expect(failure { _ = try ComparisonSet(try Self.file(bytes).sums.any, of: question) } != nil)
    }
  }

  private static func file(_ bytes: [UInt8]) throws(PermlogError) -> SumsFile<SumsOf.Compare> {
    do { return try SumsFile(bytes) } catch { throw PermlogError(.damaged, error.sentence) }
  }

  @Test func figuresOfAnybodysSumsNeverTrap() throws {
    let log = try Sample.log(in: directory)
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    var comparison = ComparisonRequest(control: "A", treatments: ["B"])
    comparison.scope = request.scope
    comparison.permission = "notifications"
    let seed: UInt64 = 12
    var numbers = SplitMix64(seed: seed)
    let (question, compared) = (try Question(request), try Question(comparison))
    let (counts, users): (SumsFile<SumsOf.Report>, SumsFile<SumsOf.Compare>) =
      (try log.file(of: question), try log.file(of: compared))
    let (reports, comparisons) = (counts.encoded(), users.encoded())
    var read = 0
    for _ in 0..<100 {
      if let file = try? SumsFile<SumsOf.Report>(Self.changed(reports, &numbers)) {
        read += 1
        _ = (try? Report(file.sums.any, of: question))?.render(as: .html)
      }
      if let file = try? SumsFile<SumsOf.Compare>(Self.changed(comparisons, &numbers)) {
        read += 1
        _ = (try? ComparisonSet(file.sums.any, of: compared))?.render(as: .json)
      }
    }
    #expect(read > 20, "seed \(seed): only \(read) were read at all")
  }

  /// A few numbers replaced by others, with the right checksum.
  private static func changed(_ bytes: [UInt8], _ numbers: inout SplitMix64) -> [UInt8] {
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropLast().map(String.init)
    let values = ["1", "2", "1000000", "1099511627776", "1099511627777", "4611686018427387904", "-1"]
    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
      let row = Int.random(in: 10..<lines.count, using: &numbers)
      var cells = lines[row].split(separator: " ").map(String.init)
      guard let cell = cells.indices.filter({ cells[$0].contains(":") }).randomElement(using: &numbers) else {
        continue
      }
      let column = cells[cell].prefix { $0 != ":" }
      cells[cell] = "\(column):\(values.randomElement(using: &numbers) ?? "1")"
      lines[row] = cells.joined(separator: " ")
    }
    var text = SumsText()
    for line in lines { text.line(line) }
    text.endWithChecksum()
    return text.bytes
  }
}

@Suite struct TooManyGroupsTests {
  @Test func tooManyGroupsAreALimitWithAWayOut() {
    let error = PermlogError(SumsError(.tooManyGroups, "there are too many groups"))
    #expect(error.code == .limit && error.remedy == .askForLess)
    #expect(
      error.message
        == "there are too many groups. Ask for a shorter interval, for one permission, or by another property.")
  }

  /// No name can be missing from the log of nobody; unless the caller knows that the log has events.
  @Test func sumsOfNobodyAreAnEmptyReport() throws {
    var request = ReportRequest()
    request.scope.asOf = .time(1_775_001_600_000)
    request.permission = "camera"
    let question = try Question(request)
    let report = try Report(AnySums.report(ReportSums()), of: question)
    #expect(report.asOf == nil && report.rows.isEmpty)
    let error = failure { _ = try Report(AnySums.report(ReportSums()), of: question, isOfEmptyLog: false) }
    #expect(error?.message.contains("these sums have no permission camera") == true, "\(String(describing: error))")
  }

  @Test func aLimitOfNoValueIsRefused() throws {
    let directory = try TemporaryDirectory()
    var request = ReportRequest()
    request.properties = [.platform]
    request.valueLimit = 0
    let error = failure { _ = try Sample.log(in: directory).report(request) }
    #expect(error?.code == .usage && error?.argument == .valueLimit)
  }
}
