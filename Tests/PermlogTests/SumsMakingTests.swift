// How the rows of a shard are read, and what is left of the reading.

import Foundation
import PermissionEvents
import Synchronization
import Testing

@testable import Folding
@testable import PermissionAnalysis
@testable import Permlog

@Suite struct SumsMakingTests {
  private let maker: ShardMaker

  init() throws { maker = try ShardMaker() }

  @Test func aShardIsReadInTheFormThatIsNamed() throws {
    let none = try maker.directory.write("none.ndjson", "{\"foo\":1}\n")
    let bad = try maker.directory.write("bad.ndjson", "bad\n\"bad\"\n{\"foo\":1}\n")
    let questions = [try ShardMaker.report()]
    let shard = try SumsShard(1, of: 2, job: "x")
    func made(_ path: String, _ change: (inout IngestOptions) -> Void) throws -> MadeSums {
      var options = IngestOptions()
      change(&options)
      return try SumsBundle.make(
        questions, of: [FilePath(path)], shard: shard, options: options, scratch: maker.directory.path)
    }
    let error = failure { _ = try made(none) { _ in } }
    #expect(error?.code == .usage && error?.argument == .format)
    let yaml = VendorMappings.yaml("amplitude") ?? ""
    let mapping = MappingSource.yaml(Array(yaml.utf8), name: "m.yaml")
    #expect(failure { _ = try made(none) { $0.mappings = [mapping, mapping] } }?.code == .usage)
    let forms: [(inout IngestOptions) -> Void] =
      ([.ndjson] + ["amplitude", "mixpanel", "segment", "ga4", "posthog"].map { .vendor($0) }).map { format in
        { $0.format = format }
      }
      + [{ $0.mappings = [mapping] }]
    for (number, form) in forms.enumerated() {
      let one = try made(none, form)
      #expect(one.sums?.totals.lines == 1 && one.sums?.totals.events == 0, "\(number)")
      let three = try made(bad, form)
      #expect(three.sums?.totals.lines == 3 && three.sums?.totals.events == 0, "\(number)")
      #expect((three.sums?.totals.rejected ?? 0) >= 2, "\(number)")
    }
    // Cells without a heading.
    #expect(try made(bad) { $0.format = .vendor("snowplow") }.sums?.totals.rejected == 3)
  }

  @Test func whatDecidesHowRowsAreReadIsOneWord() throws {
    let yaml = "name: mine\nextends: amplitude\nevents: []\n"
    func options(_ change: (inout IngestOptions) -> Void) throws -> String {
      var options = IngestOptions()
      options.now = ShardMaker.now
      change(&options)
      return try options.withMappingsRead().reading()
    }
    let changes: [(inout IngestOptions) -> Void] = [
      { _ in }, { $0.format = .ndjson }, { $0.identity = .account }, { $0.projectTimeZone = "Europe/Berlin" },
      { $0.inputTimeZone = "Europe/Berlin" }, { $0.inputTimeZone = "Europe/Rome" }, { $0.keepsBlanksOfIDs = true },
      { $0.allowsCustomPermissions = true }, { $0.allowsFutureTimes = true }, { $0.keepsPartialFiles = true },
      { $0.userKey = UserKey([UInt8](repeating: 7, count: 32)) },
      { $0.userKey = UserKey([UInt8](repeating: 8, count: 32)) }, { $0.now = ShardMaker.now + 1 },
    ]
    let words = try changes.map(options)
    #expect(Set(words).count == changes.count)
    #expect(words.allSatisfy { $0.utf8.count == 16 })
    #expect(try changes.map(options) == words)
    // What comes after rows are read has no part in it; nor have names of files.
    let mapping = try MappingSource.file(maker.directory.write("m.yaml", VendorMappings.yaml("amplitude") ?? yaml))
    let copy = try MappingSource.file(maker.directory.write("n.yaml", VendorMappings.yaml("amplitude") ?? yaml))
    #expect(try options { $0.rejectsFile = "r" } == words[0])
    #expect(try options { $0.mappings = [mapping] } == options { $0.mappings = [copy] })
    #expect(try options { $0.mappings = [mapping] } != words[0])
  }

  @Test func rejectedRowsTravelWithTheirReasons() throws {
    let bad = FilePath(try maker.directory.write("bad.ndjson", "{bad\n" + Sample.line("u", "no_such_event") + "{bad\n"))
    let good = FilePath(try maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown") + "{bad\n"))
    let questions = [try ShardMaker.report()]
    let refused = try SumsBundle.make(questions, of: [bad], scratch: maker.directory.path)
    #expect(refused.sums == nil && refused.ingest.refusal != nil)
    // A shard in which nothing is understood is counted all the same.
    let shard = try maker.make(questions, bad, SumsShard(1, of: 2, job: "x"))
    #expect(shard.totals.rejected == 3 && shard.totals.lines == 3 && shard.totals.isAllRefused)
    #expect(failure { try shard.requireUnderstood() }?.code == .dataRefused)
    let total = try maker.sum([shard, maker.make(questions, good, SumsShard(2, of: 2, job: "x"))])
    try total.requireUnderstood()
    #expect(total.totals.rejected == 4 && total.totals.lines == 5)
    #expect(total.totals.reasons.values.reduce(0, +) == 4 && total.totals.reasons.count == 2)
    #expect(total.totals.refusal(isStrict: true, limit: nil) == .strict(rejected: 4))
    let limit = try #require(RejectionLimit("79%"))
    #expect(total.totals.refusal(isStrict: false, limit: limit) == .tooManyRejected(4, unread: 0, limit: limit))
    #expect(total.totals.refusal(isStrict: false, limit: RejectionLimit("80%")) == nil)
    var options = IngestOptions()
    options.isStrict = true
    #expect(failure { _ = try maker.make(questions, good, SumsShard(1, of: 2, job: "x"), options) }?.code == .usage)
    #expect(try SumsBundle.make(questions, of: [good], options: options, scratch: maker.directory.path).sums == nil)
  }

  @Test func nothingOfTheScratchLogStays() throws {
    let scratch = maker.directory.file("scratch")
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
    let path = FilePath(try maker.directory.write("a.ndjson", Sample.line("u", "prompt_shown")))
    let questions = [try ShardMaker.report()]
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
      _ = try SumsBundle.make(questions, of: [path], scratch: maker.directory.file("no/such"))
    }
    #expect(error?.code == .inputOutput && error?.argument == .scratch)
    #expect(failure { _ = try SumsBundle.make(questions + questions, of: [path], scratch: scratch) }?.code == .usage)
    #expect(failure { _ = try SumsBundle.make([], of: [path], scratch: scratch) }?.code == .usage)
  }
}
