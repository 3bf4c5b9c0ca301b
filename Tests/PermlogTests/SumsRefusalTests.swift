// What is no shard of the same job is refused by name, and so is every damage.

import PermissionEvents
import ReportOracle
import Statistics
import Testing

@testable import Folding
@testable import PermissionAnalysis
@testable import Permlog

@Suite struct SumsRefusalTests {
  private let maker: ShardMaker

  init() throws { maker = try ShardMaker() }

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

  /// A prompt and a person's answer.
  private static let answered =
    Sample.line("u", "prompt_shown") + Sample.line("u", "granted", time: "2026-03-02T10:00:09Z")

  /// The answer came at once: it is counted in both readings.
  @Test func everyCutAndEveryChangedByteIsFound() throws {
    let bytes = try maker.make(
      [ShardMaker.report()],
      FilePath(maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown") + Sample.line("u", "granted"))),
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

  /// Changed by hand, with the right checksum.
  @Test func whatContradictsItselfIsRefused() throws {
    let path = FilePath(
      try maker.directory.write("a.ndjson", Self.answered))
    let two = [try ShardMaker.report(), try ShardMaker.report { $0.properties = [.platform] }]
    let text = Self.text(try maker.make(two, path, SumsShard(2, of: 3, job: "x")))
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
      (Self.signed(text.replacing("report 7", with: "report 6")), .dataRefused),
      (Self.signed(text.replacing("report 7", with: "report 8")), .newerFormat),
      (Self.signed(text.replacing("permlog.question/1", with: "permlog.question/2")), .newerFormat),
      (Self.signed(text.replacing("permlog-sums 3", with: "permlog-sums 5")), .newerFormat),
      (Self.signed(text.replacing("users events", with: "users happenings")), .dataRefused),
    ]
    for (number, (bytes, code)) in wrong.enumerated() {
      #expect("\(number)") { try SumsBundle(bytes, name: "x.sums") } throws: {
        ($0 as? PermlogError)?.code == code && ($0 as? PermlogError)?.message.hasPrefix("x.sums: ") == true
      }
    }
  }

  @Test func whatIsNoOtherShardIsRefusedByName() throws {
    let path = FilePath(try maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let other = FilePath(try maker.directory.write("b.ndjson", Sample.line("v", "prompt_shown")))
    let question = try ShardMaker.report()
    func bundle(
      _ path: FilePath, _ number: Int?, of count: Int = 3, job: String = "x", _ questions: [Question]? = nil,
      _ options: IngestOptions = IngestOptions(), name: String = "b.sums"
    ) throws -> SumsBundle {
      let shard = try number.map { try SumsShard($0, of: count, job: job) }
      return try SumsBundle(maker.make(questions ?? [question], path, shard, options).encoded, name: name)
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
    #expect(refusal(try bundle(other, 2, job: "y")).contains("the job is `y`, but `x`"))
    #expect(
      refusal(try bundle(other, 2, of: 4))
        == "b.sums: the number of shards is 4, but 3 in the sums before. Only shards of one job can be added: leave out the others."
    )
    let anew = try ShardMaker.report(now: ShardMaker.now + 1)
    #expect(
      refusal(try bundle(other, 2, [anew]))
        == "b.sums: its report \(anew.checksum) differs in now from the one in a.sums. The question was saved again: "
        + "save it once, and copy it to every machine that counts.")
    #expect(refusal(try bundle(other, nil)).contains("the job is none"))
    var options = IngestOptions()
    options.allowsCustomPermissions = true
    #expect(refusal(try bundle(other, 2, nil, options)).contains("read differently"))
    let later = try ShardMaker.report { $0.scope.followUp = 7 * 86_400_000 }
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
    #expect(
      twice?.message
        == "b.sums: it claims to have all users, and so does a.sums. Sums of some users must name their shard and job."
    )
  }

  /// A file of totals that say more than was read, or of other tables than can come of it.
  @Test func countsThatContradictWhatWasReadAreRefused() throws {
    let path = FilePath(
      try maker.directory.write("a.ndjson", Self.answered))
    let text = Self.text(try maker.make([ShardMaker.report()], path, SumsShard(2, of: 3, job: "x")))
    #expect(text.contains("\nlines 2\nevents 2\nusers 1\nsketch ") && text.contains("\n- 0:1 1:2"))
    let nobody = text.replacing("events 2\nusers 1\n", with: "events 0\nusers 0\n")
      .replacing(/newest [^\n]*/, with: "newest -")
      .replacing(/sketch [^\n]*/, with: "sketch " + String(repeating: "0", count: 2048))
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

  /// Found when a file is read, and not when figures are made of it.
  @Test func tablesOfAnotherQuestionAreRefused() throws {
    let lines = ["A", "B"].map {
      #"{"user_id":"\#($0)","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera","variant":"\#($0)"}"#
    }
    let path = FilePath(try maker.directory.write("a.ndjson", lines.joined(separator: "\n")))
    var request = ComparisonRequest(control: "A", treatments: ["B"])
    request.permission = "camera"
    request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
    let comparison = Self.text(try maker.make([Question(request, now: ShardMaker.now)], path))
    let report = Self.text(try maker.make([ShardMaker.report()], path))
    // Rows of the arms, but for what is counted of all users.
    let nobody = comparison.split(separator: "\n").filter { !$0.hasPrefix("=") || $0.contains("=variant =") }
    let evidence =
      nobody.flatMap { $0.hasPrefix("columns activity ") ? [$0, "- 0:1"] : [$0] }.joined(separator: "\n") + "\n"
    #expect(evidence.contains("\n- 0:1\n"), "\(nobody)")
    let wrong: [(String, PermlogError.Code)] = [
      (comparison.replacing("=B", with: "=X"), .dataRefused), (evidence, .damaged),
      // Weeks that begin on another day than the question's.
      (report.replacing("=2026-W10", with: "=2026-03-01"), .damaged),
      (report.replacing(/\n=camera =(install|active_days|feature_used) [^\n]*/, with: ""), .damaged),
    ]
    for (number, (text, code)) in wrong.enumerated() {
      #expect(text != comparison && text != report, "\(number)")
      let error = failure { _ = try SumsBundle(Self.signed(text), name: "x.sums") }
      #expect(error?.code == code && error?.message.hasPrefix("x.sums: ") == true, "\(number): \(error?.message ?? "")")
    }
  }

  /// Sums of another version are not mended by another question.
  @Test func whatToDoAboutSumsOfOtherVersions() throws {
    let path = FilePath(try maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let text = Self.text(try maker.make([ShardMaker.report()], path))
    for (fold, advice) in [
      ("report 6", "Make the sums again with this version of permlog."), ("report 8", "Update permlog."),
    ] {
      let error = failure { _ = try SumsBundle(Self.signed(text.replacing("report 7", with: fold)), name: "x") }
      #expect(error?.message == "x: fold: it asks for the sums \(fold), but this version counts report 7. \(advice)")
    }
  }

  @Test func otherFilesAreNamed() throws {
    let question = try ShardMaker.report()
    for (bytes, sentence) in [
      ([0x1F, 0x8B, 8, 0], "x: it is compressed. Decompress it."),
      ([0x28, 0xB5, 0x2F, 0xFD], "x: it is compressed. Decompress it."),
      (question.encoded, "x: it is a question, not the sums that answer it. Make sums with it, and name those."),
    ] as [([UInt8], String)] {
      #expect(failure { _ = try SumsBundle(bytes, name: "x") }?.message == sentence)
    }
  }

  /// Every other second of very many shards: sentences name the first ones.
  @Test func ofManyMissingShardsTheFirstAreNamed() throws {
    let path = FilePath(try maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let text = Self.text(try maker.make([ShardMaker.report()], path, SumsShard(1, of: 1_000_000, job: "x")))
    let claimed = "claimed " + stride(from: 1, through: 999_999, by: 2).map(String.init).joined(separator: ",")
    let bundle = try SumsBundle(Self.signed(text.replacing("claimed 1", with: claimed)), name: "x")
    #expect(bundle.job.missing.count == 500_000)
    let message = failure { try bundle.requireWhole() }?.message ?? ""
    #expect(
      message.hasPrefix("shards 2, 4, 6, ")
        && message.contains(" 38, 40 and 499980 more of 1000000 of the job x are missing"))
  }

  @Test func shardsThatCannotBeAreRefused() {
    for (number, count, job) in [
      (0, 1, "x"), (2, 1, "x"), (1, 0, "x"), (1, ShardSet.mostShards + 1, "x"), (1, 1, ""), (1, 1, "-"),
      (1, 1, String(repeating: "x", count: 201)),
    ] {
      #expect(failure { _ = try SumsShard(number, of: count, job: job) }?.code == .usage, "\(number)/\(count) \(job)")
    }
  }

  /// A closure of the caller stops; a formula refuses counts.
  @Test func countsThatAFormulaRefusesAreNoStopOfTheCaller() {
    let error = PermlogError(StatisticsError.noVariance as any Error)
    #expect(error.code == .dataRefused && error.cause as? StatisticsError == .noVariance)
    #expect(error.message == "no figure can be computed from these counts: The observations do not vary.")
    #expect(PermlogError(CancellationError()).code == .stopped)
  }
}
