// Lines that say which shards of which job sums count, and what was read for them.

import PermissionEvents

extension SumsReader {
  mutating func readJob() throws(SumsError) -> SumsJob? {
    guard take("job ") else { return nil }
    let name = try text()
    guard takeLineEnd(), name == "-" || SumsJob.isName(name) else { throw damaged("the job") }
    let shards = try count("shards")
    guard (1...Int64(ShardSet.mostShards)).contains(shards) else { throw damaged("the number of shards") }
    let claimed = try claimed(of: Int(shards))
    guard name != "-" || shards == 1 else { throw damaged("the number of shards of no job") }
    guard take("read ") else { throw damaged("how rows were read") }
    let reading = try text()
    guard takeLineEnd(), !reading.isEmpty else { throw damaged("how rows were read") }
    return SumsJob(
      name: name == "-" ? nil : name, shards: Int(shards), claimed: claimed, reading: reading, totals: try totals())
  }

  private mutating func claimed(of shards: Int) throws(SumsError) -> ShardSet {
    guard take("claimed ") else { throw damaged("the shards") }
    var ranges: [ClosedRange<Int>] = []
    repeat {
      guard let low = number(), low >= 1, low <= shards else { throw damaged("the shards") }
      var high = low
      if bytes[position] == 0x2D {
        position += 1
        guard let number = number(), number > low, number <= shards else { throw damaged("the shards") }
        high = number
      }
      ranges.append(Int(low)...Int(high))
    } while takeComma()
    guard takeLineEnd(), let claimed = ShardSet(ranges: ranges, of: shards) else { throw damaged("the shards") }
    return claimed
  }

  private mutating func takeComma() -> Bool {
    guard bytes[position] == 0x2C else { return false }
    position += 1
    return true
  }

  private mutating func totals() throws(SumsError) -> SumsTotals {
    var totals = SumsTotals()
    totals.lines = try knownCount("lines")
    totals.events = try count("events")
    totals.users = try count("users")
    totals.newest = try newest()
    totals.rejected = try knownCount("rejected")
    totals.duplicates = try knownCount("duplicates")
    totals.conflicts = try knownCount("conflicts")
    totals.erased = try knownCount("erased")
    totals.unmapped = try knownCount("unmapped")
    guard totals.users <= totals.events, (totals.events == 0) == (totals.newest == nil),
      (totals.duplicates == nil) == (totals.conflicts == nil), totals.conflicts ?? 0 <= totals.duplicates ?? 0,
      totals.fitLines
    else { throw damaged("what totals say of each other") }
    try reasons(&totals)
    return totals
  }

  private mutating func reasons(_ totals: inout SumsTotals) throws(SumsError) {
    var sum: Int64 = 0
    var last: [UInt8]?
    while position < end, take("reason ") {
      guard let count = number(), count > 0, takeBlank() else { throw damaged("a reason") }
      let reason = try word()
      guard takeLineEnd(), last.map({ $0.lexicographicallyPrecedes(reason) }) ?? true,
        let text = String(validating: reason, as: UTF8.self), totals.reasons.updateValue(count, forKey: text) == nil
      else { throw damaged("a reason") }
      sum = try CheckedSum.add(sum, count)
      last = reason
    }
    guard sum <= totals.rejected ?? 0 else { throw damaged("the number of rejected lines by reason") }
  }

  /// A count from 0 to 2^62 in a line of its own.
  private mutating func count(_ name: String) throws(SumsError) -> Int64 {
    guard take(name), takeBlank(), let count = number(), count >= 0, takeLineEnd() else {
      throw damaged("the line \(name)")
    }
    return count
  }

  /// The same, or `-` for what is not known.
  private mutating func knownCount(_ name: String) throws(SumsError) -> Int64? {
    take("\(name) -\n") ? unknown() : try count(name)
  }

  private mutating func unknown() -> Int64? {
    lineNumber += 1
    return nil
  }

  private mutating func newest() throws(SumsError) -> Milliseconds? {
    guard take("newest ") else { throw damaged("the line newest") }
    let text = try word()
    guard takeLineEnd() else { throw damaged("the line newest") }
    if text == [0x2D] { return nil }
    guard let time = text.withUnsafeBytes({ Timestamp.parse(rfc3339: $0) }),
      (Timestamp.earliest...Timestamp.latest).contains(time), Array(Timestamp.text(time).utf8) == text
    else { throw damaged("the line newest") }
    return time
  }
}

extension SumsText {
  mutating func add(_ job: SumsJob) {
    line("job", words: [job.name ?? "-"])
    line("shards \(job.shards)")
    line("claimed \(job.claimed.text)")
    line("read", words: [job.reading])
    let totals = job.totals
    func known(_ count: Int64?) -> String { count.map { "\($0)" } ?? "-" }
    line("lines \(known(totals.lines))")
    line("events \(totals.events)")
    line("users \(totals.users)")
    line("newest \(totals.newest.map { Timestamp.text($0) } ?? "-")")
    line("rejected \(known(totals.rejected))")
    line("duplicates \(known(totals.duplicates))")
    line("conflicts \(known(totals.conflicts))")
    line("erased \(known(totals.erased))")
    line("unmapped \(known(totals.unmapped))")
    for (reason, count) in totals.reasons.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      line("reason", words: ["\(count)", reason])
    }
  }
}
