// Sums of several questions, made shard by shard: added up in any order and grouping they are the same bytes.

import PermissionEvents
import ReportOracle
import Testing

@testable import Folding
@testable import PermissionAnalysis
@testable import Permlog

@Suite struct SumsBundleTests {
  private let maker: ShardMaker

  init() throws { maker = try ShardMaker() }

  @Test(arguments: [5, 13] as [UInt64]) func anyOrderAndGroupingGivesTheSameBytes(seed: UInt64) throws {
    let events = HistoryGenerator(seed: seed).history(users: 60)
    let questions = try maker.questions(events)
    let whole = try maker.make(questions, maker.file(events, "whole.ndjson"))
    try whole.requireWhole()
    var random = SplitMix64(seed: seed)
    for count in [1, 2, 7] {
      let parts = try maker.shards(events, count, questions)
      let bytes = try maker.sum(parts).encoded
      for _ in 0..<5 {
        let shuffled = parts.shuffled(using: &random)
        let cut = Int.random(in: 1...count, using: &random)
        var groups = [try maker.sum(Array(shuffled[..<cut]))]
        if cut < count { groups.append(try maker.sum(Array(shuffled[cut...]))) }
        let read = try groups.map { try SumsBundle($0.encoded, name: "group") }
        #expect(try maker.sum(read).encoded == bytes, "seed \(seed), \(count) shards")
      }
      let total = try SumsBundle(bytes, name: "total")
      try total.requireWhole()
      #expect(total.encoded == bytes, "seed \(seed)")
      // Shards have a sketch of their users.
      var totals = total.totals
      #expect(totals.sketch != nil && whole.totals.sketch == nil)
      totals.sketch = nil
      #expect(totals == whole.totals, "seed \(seed)")
      #expect(total.answers.map(\.question) == whole.answers.map(\.question))
      #expect(total.answers.map(\.sums.tables) == whole.answers.map(\.sums.tables), "seed \(seed), \(count) shards")
    }
  }

  @Test func aLogAndItsExportsGiveTheSameTables() throws {
    let events = HistoryGenerator(seed: 2).history(users: 40)
    let questions = try maker.questions(events)
    let log = try PermissionLog(maker.directory.file("log"), threads: 2)
    var options = IngestOptions()
    options.now = questions[0].now
    let path = try maker.file(events, "all.ndjson")
    try log.ingest([path], options: options)
    let asked = try SumsBundle.make(questions, of: log)
    let read = try maker.make(questions, path)
    #expect(asked.job.reading == "log" && read.job.reading != "log")
    #expect(asked.totals.events == read.totals.events && asked.totals.users == read.totals.users)
    #expect(asked.totals.newest == read.totals.newest && asked.totals.lines == nil)
    // `ahead` of an audit is of the clock, which is another here.
    for (a, b) in zip(asked.answers, read.answers) where a.question.kind != .audit {
      #expect(a.sums.tables == b.sums.tables)
    }
  }

  @Test func noEventsAreTheIdentity() throws {
    let empty = FilePath(try maker.directory.write("none.ndjson", ""))
    let some = FilePath(try maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let questions = [try ShardMaker.report()]
    let none = try maker.make(questions, empty, SumsShard(1, of: 2, job: "x"))
    #expect(none.totals.events == 0 && none.totals.users == 0 && none.totals.newest == nil && none.totals.lines == 0)
    let one = try maker.make(questions, some, SumsShard(2, of: 2, job: "x"))
    #expect(try maker.sum([none, one]).encoded == maker.sum([one, none]).encoded)
    #expect(try maker.sum([none, one]).answers[0].sums.tables == one.answers[0].sums.tables)
    try none.requireUnderstood()
  }

  @Test func whatIsWrittenCanBeRead() throws {
    let path = FilePath(try maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let bundle = try maker.make([ShardMaker.report()], path)
    let bytes = bundle.encoded
    #expect(try bundle.file(most: bytes.count) == bytes && bundle.file() == bytes)
    #expect(failure { _ = try bundle.file(most: bytes.count - 1) }?.code == .limit)
    let many = [Question](repeating: try ShardMaker.report(), count: SumsFormat.mostAnswers + 1)
    let error = failure { _ = try SumsBundle.make(many, of: [path], scratch: maker.directory.path) }
    #expect(error?.code == .usage && error?.message.contains("at most 10000 questions") == true)
  }
}
