// Sums of several questions, made shard by shard: added up in any order and grouping they are the same bytes, and whatever is no shard
// of the same job is refused by name.

import Foundation
import PermissionEvents
import ReportOracle
import Synchronization
import Testing

@testable import Folding
@testable import PermissionAnalysis
@testable import Permlog

@Suite struct SumsBundleTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let now: Milliseconds = 1_775_088_000_000

  private func questions(_ events: [OracleEvent]) throws -> [Question] {
    let variants = Array(Set(events.compactMap(\.variant))).sorted()
    var report = ReportRequest()
    report.scope.asOf = .time(Int64(events.map(\.timestamp).max() ?? 0))
    report.scope.timeZone = "America/New_York"
    report.properties = [.platform]
    var comparison = ComparisonRequest(control: variants[0], treatments: [variants[1]])
    comparison.scope = report.scope
    comparison.permission = "notifications"
    var flow = FlowRequest()
    flow.scope = report.scope
    var audit = AuditRequest()
    audit.scope = report.scope
    audit.examples = 3
    let now = Int64(events.map(\.timestamp).max() ?? 0)
    return [
      try Question(report, now: now), try Question(comparison, now: now), try Question(flow, now: now),
      try Question(audit, now: now),
    ]
  }

  private func file(_ events: [OracleEvent], _ name: String) throws -> FilePath {
    FilePath(try directory.write(name, events.map { ndjsonLine($0) + "\n" }.joined()))
  }

  private func make(
    _ questions: [Question], _ path: FilePath, _ shard: SumsShard? = nil, _ options: IngestOptions = IngestOptions()
  ) throws -> SumsBundle {
    var options = options
    // Of a shard the form is named.
    if shard != nil, options.format == .auto, options.mappings.isEmpty { options.format = .ndjson }
    let made = try SumsBundle.make(
      questions, of: [path], shard: shard, options: options, scratch: directory.path, threads: 2)
    #expect(made.leftDirectory == nil)
    return try #require(made.sums)
  }

  /// Shards of users, some of them without any.
  private func shards(_ events: [OracleEvent], _ count: Int, _ questions: [Question]) throws -> [SumsBundle] {
    let users = Array(Set(events.map(\.userID))).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: users.enumerated().map { ($1, $0 % max(1, count - 1)) })
    var random = SplitMix64(seed: UInt64(count))
    return try (0..<count).map { shard in
      let own = events.filter { numbers[$0.userID] == shard }
      let bundle = try make(
        questions, file(own.shuffled(using: &random), "shard-\(shard).ndjson"),
        SumsShard(shard + 1, of: count, job: "tests"))
      return try SumsBundle(bundle.encoded, name: "\(shard + 1).sums")
    }
  }

  private func sum(_ parts: [SumsBundle]) throws -> SumsBundle {
    var sum = parts[0]
    for part in parts.dropFirst() { try sum.add(part) }
    return sum
  }

  @Test(arguments: [5, 13] as [UInt64]) func anyOrderAndGroupingGivesTheSameBytes(seed: UInt64) throws {
    let events = HistoryGenerator(seed: seed).history(users: 60)
    let questions = try questions(events)
    let whole = try make(questions, file(events, "whole.ndjson"))
    try whole.requireWhole()
    var random = SplitMix64(seed: seed)
    for count in [1, 2, 7] {
      let parts = try shards(events, count, questions)
      let bytes = try sum(parts).encoded
      for _ in 0..<5 {
        let shuffled = parts.shuffled(using: &random)
        let cut = Int.random(in: 1...count, using: &random)
        var groups = [try sum(Array(shuffled[..<cut]))]
        if cut < count { groups.append(try sum(Array(shuffled[cut...]))) }
        let read = try groups.map { try SumsBundle($0.encoded, name: "group") }
        #expect(try sum(read).encoded == bytes, "seed \(seed), \(count) shards")
      }
      let total = try SumsBundle(bytes, name: "total")
      try total.requireWhole()
      #expect(total.encoded == bytes, "seed \(seed)")
      #expect(total.totals == whole.totals, "seed \(seed)")
      #expect(total.answers.map(\.question) == whole.answers.map(\.question))
      #expect(total.answers.map(\.sums.tables) == whole.answers.map(\.sums.tables), "seed \(seed), \(count) shards")
    }
  }

  @Test func aLogAndItsExportsGiveTheSameTables() throws {
    let events = HistoryGenerator(seed: 2).history(users: 40)
    let questions = try questions(events)
    let log = try PermissionLog(directory.file("log"), threads: 2)
    var options = IngestOptions()
    options.now = questions[0].now
    let path = try file(events, "all.ndjson")
    try log.ingest([path], options: options)
    let asked = try SumsBundle.make(questions, of: log)
    let read = try make(questions, path)
    #expect(asked.job.reading == "log" && read.job.reading != "log")
    #expect(asked.totals.events == read.totals.events && asked.totals.users == read.totals.users)
    #expect(asked.totals.newest == read.totals.newest && asked.totals.lines == nil)
    // `ahead` of an audit is of the clock, which is another here.
    for (a, b) in zip(asked.answers, read.answers) where a.question.kind != .audit {
      #expect(a.sums.tables == b.sums.tables)
    }
  }

  @Test func everyCutAndEveryChangedByteIsFound() throws {
    let bytes = try make(
      [Self.report()],
      FilePath(directory.write("a.ndjson", Sample.line("u", "prompt_shown") + Sample.line("u", "granted"))),
      SumsShard(2, of: 3, job: "x")
    ).encoded
    #expect(bytes.count < 60_000)
    for end in stride(from: 0, to: bytes.count, by: 7) {
      #expect("cut to \(end)") { try SumsBundle(Array(bytes[..<end]), name: "x.sums") } throws: {
        ($0 as? PermlogError)?.message.contains("x.sums: ") == true
      }
    }
    var random = SplitMix64(seed: 4)
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      #expect("byte \(place)") { try SumsBundle(changed, name: "x.sums") } throws: {
        ($0 as? PermlogError)?.code == .damaged
      }
    }
  }

  private static func report(_ change: (inout ReportRequest) -> Void = { _ in }, now: Milliseconds = now) throws
    -> Question
  {
    var request = ReportRequest()
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    change(&request)
    return try Question(request, now: now)
  }

  /// A text with its right checksum.
  private static func signed(_ text: some StringProtocol) -> [UInt8] {
    var file = SumsText()
    file.add(String(text))
    file.endWithChecksum()
    return file.bytes
  }

  private static func text(_ bundle: SumsBundle) -> String {
    String(decoding: bundle.encoded.dropLast(SumsText.checksumLength), as: UTF8.self)
  }

  /// Changed by hand, with the right checksum.
  @Test func whatContradictsItselfIsRefused() throws {
    let path = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown") + Sample.line("u", "granted")))
    let two = [try Self.report(), try Self.report { $0.properties = [.platform] }]
    let text = Self.text(try make(two, path, SumsShard(2, of: 3, job: "x")))
    #expect(try SumsBundle(Self.signed(text), name: "x").answers.count == 2)
    let lines = text.split(separator: "\n").map(String.init)
    let starts = lines.indices.filter { lines[$0].hasPrefix("question ") }
    func joined(_ lines: some Sequence<String>) -> [UInt8] { Self.signed(lines.joined(separator: "\n") + "\n") }
    let head = lines[..<starts[0]]
    let (first, second) = (lines[starts[0]..<starts[1]], lines[starts[1]...])
    let table = try #require(first.lastIndex { $0.hasPrefix("table ") })
    let wrong: [([UInt8], PermlogError.Code)] = [
      (joined(head), .damaged), (joined(head + second + first), .damaged), (joined(head + first + first), .damaged),
      (joined(lines[..<1] + first), .dataRefused), (joined(head + first[..<table]), .dataRefused),
      (Self.signed(text.replacing("\"now\":\"", with: "\"now\": \"")), .dataRefused),
      (Self.signed(text.replacing("report 4", with: "report 3")), .dataRefused),
      (Self.signed(text.replacing("permlog.question/1", with: "permlog.question/2")), .newerFormat),
      (Self.signed(text.replacing("permlog-sums 2", with: "permlog-sums 3")), .newerFormat),
      (Self.signed(text.replacing("users events", with: "users happenings")), .dataRefused),
    ]
    for (number, (bytes, code)) in wrong.enumerated() {
      #expect("\(number)") { try SumsBundle(bytes, name: "x.sums") } throws: {
        ($0 as? PermlogError)?.code == code && ($0 as? PermlogError)?.message.hasPrefix("x.sums: ") == true
      }
    }
  }

  @Test func whatIsNoOtherShardIsRefusedByName() throws {
    let path = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let other = FilePath(try directory.write("b.ndjson", Sample.line("v", "prompt_shown")))
    let question = try Self.report()
    func bundle(
      _ path: FilePath, _ number: Int?, of count: Int = 3, job: String = "x", _ questions: [Question]? = nil,
      _ options: IngestOptions = IngestOptions(), name: String = "b.sums"
    ) throws -> SumsBundle {
      let shard = try number.map { try SumsShard($0, of: count, job: job) }
      return try SumsBundle(make(questions ?? [question], path, shard, options).encoded, name: name)
    }
    let first = try bundle(path, 1, name: "a.sums")
    func refusal(_ bundle: SumsBundle) -> String {
      let error = failure {
        var sum = first
        try sum.add(bundle)
      }
      #expect(error?.code == .dataRefused)
      return error?.message ?? "nothing was refused"
    }
    var whole = first
    try whole.add(bundle(other, 3))
    #expect(
      failure { try whole.requireWhole() }?.message
        == "shard 2 of 3 of the job x is missing. Name the files of all shards; a shard without users has one too.")
    try whole.add(bundle(other, 2, name: "c.sums"))
    try whole.requireWhole()
    #expect(refusal(try bundle(path, 1)) == "b.sums: shard 1 of 3 is in a.sums too. Name each shard once.")
    #expect(refusal(try bundle(other, 2, job: "y")).contains("the job is `y`, and `x`"))
    #expect(
      refusal(try bundle(other, 2, of: 4))
        == "b.sums: the number of shards is 4, and 3 in those before. Only shards of one job add up: leave out the others."
    )
    let anew = try Self.report(now: Self.now + 1)
    #expect(
      refusal(try bundle(other, 2, [anew]))
        == "b.sums: its report \(anew.checksum) differs in now from the one in a.sums. The question was saved anew: save it once, "
        + "and copy it to all who count.")
    #expect(refusal(try bundle(other, nil)).contains("the job is none"))
    var options = IngestOptions()
    options.allowsCustomPermissions = true
    #expect(refusal(try bundle(other, 2, nil, options)).contains("read in another way"))
    let later = try Self.report { $0.scope.followUp = 7 * 86_400_000 }
    #expect(refusal(try bundle(other, 2, [later])).contains("differs in follow_up_ms"))
    #expect(
      refusal(try bundle(other, 2, [question, later])).contains(
        "it answers the report \(later.checksum), which is not asked"))
    let both = try bundle(path, 1, [question, later], name: "a.sums")
    let error = failure {
      var sum = both
      try sum.add(bundle(other, 2))
    }
    #expect(error?.message.contains("it does not answer the report \(later.checksum)") == true)
    // All users, twice.
    let all = try bundle(path, nil, name: "a.sums")
    let twice = failure {
      var sum = all
      try sum.add(bundle(other, nil))
    }
    #expect(twice?.message == "b.sums: it has all users, and so has a.sums. Only shards of one job add up.")
  }

  /// A file of totals that say more than was read, or of other tables than can come of it.
  @Test func countsThatContradictWhatWasReadAreRefused() throws {
    let path = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown") + Sample.line("u", "granted")))
    let text = Self.text(try make([Self.report()], path, SumsShard(2, of: 3, job: "x")))
    #expect(text.contains("\nlines 2\nevents 2\nusers 1\n") && text.contains("\n- 0:1 1:2"))
    let nobody = text.replacing("events 2\nusers 1\n", with: "events 0\nusers 0\n")
      .replacing(/newest [^\n]*/, with: "newest -")
    let wrong = [
      text.replacing("\nlines 2\n", with: "\nlines 1\n"), text.replacing("\nrejected 0\n", with: "\nrejected 1\n"),
      text.replacing("\nerased 0\n", with: "\nerased 1\n"), text.replacing("\n- 0:1 1:2", with: "\n- 0:1 1:3"),
      text.replacing("\n- 0:1 1:2", with: "\n- 0:2 1:2"), text.replacing("2026-W", with: "2027-W"), nobody,
    ]
    for (number, wrong) in wrong.enumerated() {
      #expect(wrong != text, "\(number)")
      #expect("\(number)") { try SumsBundle(Self.signed(wrong), name: "x.sums") } throws: {
        ($0 as? PermlogError)?.code == .damaged
      }
    }
    #expect(
      failure { _ = try SumsBundle(Self.signed(nobody), name: "x") }?.message.contains("there were no events") == true)
  }

  @Test func otherFilesAreNamed() throws {
    let question = try Self.report()
    for (bytes, sentence) in [
      ([0x1F, 0x8B, 8, 0], "x: it is packed. Unpack it."), ([0x28, 0xB5, 0x2F, 0xFD], "x: it is packed. Unpack it."),
      (question.encoded, "x: it is a question, and not the sums that answer it. Make sums with it, and name these."),
    ] as [([UInt8], String)] {
      #expect(failure { _ = try SumsBundle(bytes, name: "x") }?.message == sentence)
    }
  }

  @Test func whatIsWrittenCanBeRead() throws {
    let path = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let bundle = try make([Self.report()], path)
    let bytes = bundle.encoded
    #expect(try bundle.file(most: bytes.count) == bytes && bundle.file() == bytes)
    #expect(failure { _ = try bundle.file(most: bytes.count - 1) }?.code == .limit)
    let many = [Question](repeating: try Self.report(), count: SumsFormat.mostAnswers + 1)
    let error = failure { _ = try SumsBundle.make(many, of: [path], scratch: directory.path) }
    #expect(error?.code == .usage && error?.message.contains("10000 questions at most") == true)
  }

  /// Every other second of very many shards: sentences name the first ones.
  @Test func ofManyMissingShardsTheFirstAreNamed() throws {
    let path = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let text = Self.text(try make([Self.report()], path, SumsShard(1, of: 1_000_000, job: "x")))
    let claimed = "claimed " + stride(from: 1, through: 999_999, by: 2).map(String.init).joined(separator: ",")
    let bundle = try SumsBundle(Self.signed(text.replacing("claimed 1", with: claimed)), name: "x")
    #expect(bundle.job.missing.count == 500_000)
    let message = failure { try bundle.requireWhole() }?.message ?? ""
    #expect(
      message.hasPrefix("shards 2, 4, 6, ")
        && message.contains(" 38, 40 and 499980 more of 1000000 of the job x are missing"))
  }

  @Test func aShardIsReadInTheFormThatIsNamed() throws {
    let none = try directory.write("none.ndjson", "{\"foo\":1}\n")
    let bad = try directory.write("bad.ndjson", "bad\n\"bad\"\n{\"foo\":1}\n")
    let questions = [try Self.report()]
    let shard = try SumsShard(1, of: 2, job: "x")
    func made(_ path: String, _ change: (inout IngestOptions) -> Void) throws -> MadeSums {
      var options = IngestOptions()
      change(&options)
      return try SumsBundle.make(
        questions, of: [FilePath(path)], shard: shard, options: options, scratch: directory.path)
    }
    let error = failure { _ = try made(none) { _ in } }
    #expect(error?.code == .usage && error?.argument == .format)
    let yaml = VendorMappings.yaml("amplitude") ?? ""
    let mapping = MappingSource.yaml(Array(yaml.utf8), name: "m.yaml")
    #expect(failure { _ = try made(none) { $0.mappings = [mapping, mapping] } }?.code == .usage)
    let forms: [(inout IngestOptions) -> Void] =
      [.ndjson, .amplitude, .mixpanel, .segment, .ga4, .posthog].map { format in { $0.format = format } }
      + [{ $0.mappings = [mapping] }]
    for (number, form) in forms.enumerated() {
      let one = try made(none, form)
      #expect(one.sums?.totals.lines == 1 && one.sums?.totals.events == 0, "\(number)")
      let three = try made(bad, form)
      #expect(three.sums?.totals.lines == 3 && three.sums?.totals.events == 0, "\(number)")
      #expect((three.sums?.totals.rejected ?? 0) >= 2, "\(number)")
    }
    // Cells without a heading.
    #expect(try made(bad) { $0.format = .snowplow }.sums?.totals.rejected == 3)
  }

  @Test func whatDecidesHowRowsAreReadIsOneWord() throws {
    let yaml = "name: mine\nextends: amplitude\nevents: []\n"
    func options(_ change: (inout IngestOptions) -> Void) throws -> String {
      var options = IngestOptions()
      options.now = Self.now
      change(&options)
      return try options.withMappingsRead().reading()
    }
    let changes: [(inout IngestOptions) -> Void] = [
      { _ in }, { $0.format = .ndjson }, { $0.identity = .account }, { $0.projectTimeZone = "Europe/Berlin" },
      { $0.inputTimeZone = "Europe/Berlin" }, { $0.inputTimeZone = "Europe/Rome" }, { $0.keepsBlanksOfIDs = true },
      { $0.allowsCustomPermissions = true }, { $0.allowsFutureTimes = true }, { $0.keepsPartialFiles = true },
      { $0.userKey = UserKey([UInt8](repeating: 7, count: 32)) },
      { $0.userKey = UserKey([UInt8](repeating: 8, count: 32)) }, { $0.now = Self.now + 1 },
    ]
    let words = try changes.map(options)
    #expect(Set(words).count == changes.count)
    #expect(words.allSatisfy { $0.utf8.count == 16 })
    #expect(try changes.map(options) == words)
    // What comes after rows are read has no part in it; nor have names of files.
    let mapping = try MappingSource.file(directory.write("m.yaml", VendorMappings.yaml("amplitude") ?? yaml))
    let copy = try MappingSource.file(directory.write("n.yaml", VendorMappings.yaml("amplitude") ?? yaml))
    #expect(try options { $0.rejectsFile = "r" } == words[0])
    #expect(try options { $0.mappings = [mapping] } == options { $0.mappings = [copy] })
    #expect(try options { $0.mappings = [mapping] } != words[0])
  }

  @Test func noEventsAreTheIdentity() throws {
    let empty = FilePath(try directory.write("none.ndjson", ""))
    let some = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let questions = [try Self.report()]
    let none = try make(questions, empty, SumsShard(1, of: 2, job: "x"))
    #expect(none.totals.events == 0 && none.totals.users == 0 && none.totals.newest == nil && none.totals.lines == 0)
    let one = try make(questions, some, SumsShard(2, of: 2, job: "x"))
    #expect(try sum([none, one]).encoded == sum([one, none]).encoded)
    #expect(try sum([none, one]).answers[0].sums.tables == one.answers[0].sums.tables)
    try none.requireUnderstood()
  }

  @Test func rejectedRowsTravelWithTheirReasons() throws {
    let bad = FilePath(try directory.write("bad.ndjson", "{bad\n" + Sample.line("u", "no_such_event") + "{bad\n"))
    let good = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown") + "{bad\n"))
    let questions = [try Self.report()]
    let refused = try SumsBundle.make(questions, of: [bad], scratch: directory.path)
    #expect(refused.sums == nil && refused.ingest.refusal != nil)
    // A shard in which nothing is understood is counted all the same.
    let shard = try make(questions, bad, SumsShard(1, of: 2, job: "x"))
    #expect(shard.totals.rejected == 3 && shard.totals.lines == 3 && shard.totals.isAllRefused)
    #expect(failure { try shard.requireUnderstood() }?.code == .dataRefused)
    let total = try sum([shard, make(questions, good, SumsShard(2, of: 2, job: "x"))])
    try total.requireUnderstood()
    #expect(total.totals.rejected == 4 && total.totals.lines == 5)
    #expect(total.totals.reasons.values.reduce(0, +) == 4 && total.totals.reasons.count == 2)
    #expect(total.totals.refusal(isStrict: true, limit: nil) == .strict(rejected: 4))
    let limit = try #require(RejectionLimit("79%"))
    #expect(total.totals.refusal(isStrict: false, limit: limit) == .tooManyRejected(4, limit: limit))
    #expect(total.totals.refusal(isStrict: false, limit: RejectionLimit("80%")) == nil)
    var options = IngestOptions()
    options.isStrict = true
    #expect(failure { _ = try make(questions, good, SumsShard(1, of: 2, job: "x"), options) }?.code == .usage)
    #expect(try SumsBundle.make(questions, of: [good], options: options, scratch: directory.path).sums == nil)
  }

  @Test func nothingOfTheScratchLogStays() throws {
    let scratch = directory.file("scratch")
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
    let path = FilePath(try directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let questions = [try Self.report()]
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: scratch) }
    let seen = Mutex<[String]>([])
    let made = try SumsBundle.make(
      questions, of: [path], scratch: scratch,
      onProgress: { _ in
        if let names = try? FileManager.default.contentsOfDirectory(atPath: scratch) { seen.withLock { $0 += names } }
      })
    #expect(made.sums != nil && made.leftDirectory == nil)
    #expect(seen.withLock { $0 }.allSatisfy { $0.hasPrefix("permlog-scratch-") } && !seen.withLock { $0 }.isEmpty)
    #expect(try names().isEmpty)
    // After errors, too.
    #expect(
      failure { _ = try SumsBundle.make(questions, of: [FilePath("/nowhere")], scratch: scratch) }?.code == .notFound)
    #expect(try names().isEmpty)
    let error = failure {
      _ = try SumsBundle.make(questions, of: [path], scratch: directory.file("no/such"))
    }
    #expect(error?.code == .inputOutput && error?.argument == .scratch)
    #expect(failure { _ = try SumsBundle.make(questions + questions, of: [path], scratch: scratch) }?.code == .usage)
    #expect(failure { _ = try SumsBundle.make([], of: [path], scratch: scratch) }?.code == .usage)
  }

  @Test func shardsThatCannotBeAreRefused() {
    for (number, count, job) in [
      (0, 1, "x"), (2, 1, "x"), (1, 0, "x"), (1, ShardSet.mostShards + 1, "x"), (1, 1, ""), (1, 1, "-"),
      (1, 1, String(repeating: "x", count: 201)),
    ] {
      #expect(failure { _ = try SumsShard(number, of: count, job: job) }?.code == .usage, "\(number)/\(count) \(job)")
    }
  }
}
