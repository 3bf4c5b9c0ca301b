// The lines of a job: shards as ranges, totals, reasons, and what of them adds up.

import PermissionEvents
import Testing

@testable import Folding

@Suite struct ShardSetTests {
  private func set(_ numbers: [Int]) -> ShardSet { numbers.reduce(ShardSet()) { $0.union(ShardSet($1)) } }

  /// The numbers one by one: what ranges must agree with.
  private func numbers(_ set: ShardSet) -> [Int] { set.ranges.flatMap { Array($0) } }

  @Test func rangesAgreeWithSetsOfNumbers() {
    let seed: UInt64 = 41
    var random = SeededNumbers(state: seed)
    for _ in 0..<500 {
      let a = Set((0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 1...20, using: &random) })
      let b = Set((0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 1...20, using: &random) })
      let (left, right) = (set(a.shuffled(using: &random)), set(Array(b)))
      #expect(numbers(left) == a.sorted(), "seed \(seed)")
      #expect(left.count == a.count && left.isEmpty == a.isEmpty, "seed \(seed)")
      #expect(numbers(left.union(right)) == a.union(b).sorted(), "seed \(seed)")
      #expect(numbers(left.intersection(right)) == a.intersection(b).sorted(), "seed \(seed)")
      #expect(numbers(left.missing(of: 20)) == Set(1...20).subtracting(a).sorted(), "seed \(seed)")
      for (range, next) in zip(left.union(right).ranges, left.union(right).ranges.dropFirst()) {
        #expect(range.upperBound + 1 < next.lowerBound, "seed \(seed): ranges that touch are one")
      }
    }
  }

  @Test func textNamesAsFewRangesAsCanBe() {
    #expect(set([3, 1, 2, 7]).text == "1-3,7")
    #expect(ShardSet.all(of: 2).text == "1-2")
    #expect(ShardSet(4).text == "4")
    #expect(ShardSet(4).missing(of: 5).text == "1-3,5")
    #expect(set([3, 1, 2, 7]).phrase == "shards 1-3, 7" && ShardSet(4).phrase == "shard 4")
    let many = set(stride(from: 1, through: 59, by: 2).map { $0 })
    #expect(many.shortText.hasSuffix("37, 39 and 10 more") && many.shortText.hasPrefix("1, 3, 5, "))
  }
}

@Suite struct SumsJobTests {
  private static func signed(_ text: String) -> [UInt8] {
    var file = SumsText()
    file.add(text)
    file.endWithChecksum()
    return file.bytes
  }

  private static let lines = [
    "job april", "shards 8", "claimed 1-3,7", "read 00ff", "lines 30", "events 20", "users 5",
    "newest 2026-03-31T23:59:59.000Z", "rejected 6", "duplicates 4", "conflicts 1", "erased 0",
    "unmapped 0",
    "reason 2 a%20reason", "reason 3 b",
  ]

  private static func job(_ lines: [String]) throws(SumsError) -> SumsJob? {
    var reader = try SumsReader(signed((["permlog-sums 2"] + lines).joined(separator: "\n") + "\n"))
    let job = try reader.job()
    guard try reader.nextAnswer() == nil else { throw SumsError(.damaged, "there is an answer") }
    return job
  }

  private static func some() throws -> SumsJob { try #require(try job(lines)) }

  @Test func whatIsWrittenIsReadBack() throws {
    let job = try Self.some()
    #expect(job.name == "april" && job.shards == 8 && job.claimed.text == "1-3,7" && job.reading == "00ff")
    #expect(job.totals.lines == 30 && job.totals.events == 20 && job.totals.users == 5 && job.totals.rejected == 6)
    #expect(job.totals.newest == 1_775_001_599_000 && job.totals.duplicates == 4 && job.totals.conflicts == 1)
    #expect(job.totals.reasons == ["a reason": 2, "b": 3])
    #expect(SumsWriter(job).finish() == Self.signed((["permlog-sums 2"] + Self.lines).joined(separator: "\n") + "\n"))
    var unknown = job
    (unknown.name, unknown.shards, unknown.claimed) = (nil, 1, ShardSet(1))
    (unknown.totals.lines, unknown.totals.duplicates, unknown.totals.conflicts) = (nil, nil, nil)
    (unknown.totals.events, unknown.totals.users, unknown.totals.newest) = (0, 0, nil)
    (unknown.totals.rejected, unknown.totals.erased, unknown.totals.unmapped) = (nil, nil, nil)
    unknown.totals.reasons = [:]
    var reader = try SumsReader(SumsWriter(unknown).finish())
    #expect(try reader.job() == unknown)
  }

  @Test(arguments: [
    ("job april", "job "), ("job april", "job -"), ("job april", "job a b"), ("shards 8", "shards 0"),
    ("shards 8", "shards 6"), ("shards 8", "shards 08"), ("shards 8", "shards 99999999"), ("shards 8", "shards -8"),
    ("claimed 1-3,7", "claimed 1-3,4"), ("claimed 1-3,7", "claimed 7,1-3"), ("claimed 1-3,7", "claimed 1-3,3"),
    ("claimed 1-3,7", "claimed 3-1"), ("claimed 1-3,7", "claimed 2-2"), ("claimed 1-3,7", "claimed "),
    ("claimed 1-3,7", "claimed 0-3"), ("claimed 1-3,7", "claimed 1-9"), ("claimed 1-3,7", "claimed 1-3,7,"),
    ("read 00ff", "read "), ("lines 30", "lines 030"), ("lines 30", "lines"), ("lines 30", "lines -1"),
    ("events 20", "events -"), ("events 20", "events 4"), ("events 20", "events 0"), ("users 5", "users x"),
    ("newest 2026-03-31T23:59:59.000Z", "newest -"), ("newest 2026-03-31T23:59:59.000Z", "newest 2026-03-31T23:59:59Z"),
    ("newest 2026-03-31T23:59:59.000Z", "newest 1970-01-01T00:00:00.000Z"), ("rejected 6", "rejected 4"),
    ("duplicates 4", "duplicates 0"), ("duplicates 4", "duplicates -"), ("conflicts 1", "conflicts 5"),
    ("reason 2 a%20reason", "reason 0 a%20reason"), ("reason 2 a%20reason", "reason 2 c"),
    ("reason 2 a%20reason", "reason 2 b"), ("reason 2 a%20reason", "reason 2 a reason"),
    ("reason 2 a%20reason", "reason 9223372036854775807 a"), ("erased 0", "erased 0\nerased 0"),
    ("lines 30", "lines 29"), ("erased 0", "erased 1"), ("erased 0", "erased 4611686018427387904"),
    ("lines 30", "lines 5"), ("events 20", "events 4611686018427387904"), ("duplicates 4", "duplicates 5"),
    ("unmapped 0", "unmapped 1"), ("unmapped 0", "unmapped"), ("rejected 6", "rejected -"), ("erased 0", ""),
  ]) func whatIsNotWrittenSoIsRefused(old: String, new: String) throws {
    let lines = Self.lines.map { $0 == old ? new : $0 }
    #expect(lines != Self.lines)
    #expect("\(new)") { try Self.job(lines) } throws: { ($0 as? SumsError)?.code == .damaged }
  }

  @Test func shardsAddUpInAnyOrder() throws {
    let seed: UInt64 = 7
    var random = SeededNumbers(state: seed)
    let parts = try (1...8).map { number in
      var part = try Self.some()
      part.claimed = ShardSet(number)
      part.totals.newest = number == 3 ? nil : Int64(1_770_000_000_000 + Int.random(in: 0...99, using: &random))
      part.totals.reasons = ["a": 1, number % 2 == 0 ? "b" : "c": Int64(number)]
      return part
    }
    func sum(_ parts: [SumsJob]) throws -> SumsJob {
      var sum = parts[0]
      for part in parts.dropFirst() { try sum.add(part) }
      return sum
    }
    let whole = try sum(parts)
    #expect(whole.missing.isEmpty && whole.claimed.text == "1-8" && whole.totals.events == 160)
    #expect(whole.totals.reasons == ["a": 8, "b": 20, "c": 16])
    #expect(whole.totals.newest == parts.compactMap(\.totals.newest).max())
    for _ in 0..<50 {
      let shuffled = parts.shuffled(using: &random)
      let cut = Int.random(in: 1...7, using: &random)
      #expect(
        try sum([sum(Array(shuffled[..<cut])), sum(Array(shuffled[cut...]))]) == whole, "seed \(seed)")
    }
  }

  @Test func whatIsUnknownStaysSo() throws {
    var (known, unknown) = (try Self.some(), try Self.some())
    (known.claimed, unknown.claimed) = (ShardSet(1), ShardSet(2))
    (unknown.totals.lines, unknown.totals.duplicates, unknown.totals.conflicts) = (nil, nil, nil)
    (unknown.totals.rejected, unknown.totals.erased, unknown.totals.unmapped) = (nil, nil, nil)
    try known.add(unknown)
    #expect(known.totals.lines == nil && known.totals.duplicates == nil && known.totals.conflicts == nil)
    #expect(known.totals.rejected == nil && known.totals.erased == nil && known.totals.unmapped == nil)
    #expect(known.totals.events == 40 && !known.totals.isAllRefused)
  }

  /// As large as can be: adding them up would overflow.
  @Test func totalsAtTheLimitAreLookedAt() {
    let limit = CheckedSum.limit
    var totals = SumsTotals()
    (totals.events, totals.duplicates, totals.erased, totals.rejected) = (limit, limit, limit, limit)
    #expect(!totals.isAllRefused && totals.fitLines)
    totals.lines = limit
    #expect(!totals.isAllRefused && !totals.fitLines)
    (totals.events, totals.duplicates, totals.erased) = (0, 0, 0)
    #expect(totals.isAllRefused && totals.fitLines)
  }

  @Test func whatDiffersIsNamed() throws {
    let job = try Self.some()
    func refusal(_ change: (inout SumsJob) -> Void) -> String? {
      var (sum, other) = (job, job)
      other.claimed = ShardSet(8)
      change(&other)
      do throws(SumsError) { try sum.add(other) } catch { return error.sentence }
      return nil
    }
    #expect(refusal { _ in } == nil)
    #expect(refusal { $0.name = "may" }?.hasPrefix("the job is `may`, but `april` in the sums before. Only") == true)
    #expect(refusal { $0.shards = 9 }?.hasPrefix("the number of shards is 9, but 8 in the sums before. Only") == true)
    #expect(refusal { $0.reading = "11" }?.contains("read differently") == true)
    #expect(refusal { $0.claimed = ShardSet(3) } == "shard 3 of 8 is in the sums before too. Name each shard once.")
    #expect(
      refusal { $0.claimed = ShardSet(3).union(ShardSet(7)) }
        == "shards 3, 7 of 8 are in the sums before too. Name each shard once.")
    #expect(refusal { $0.totals.events = CheckedSum.limit } == "a sum is larger than 2^62")
    #expect(refusal { $0.totals.reasons["b"] = CheckedSum.limit } == "a sum is larger than 2^62")
  }
}
