// The facts of a file of sums beside its answers: the job and its shards, how the rows were read, and their number.

public import PermissionEvents

/// The shards that sums count, and the totals of the input for them.
public struct SumsJob: Sendable, Hashable {
  /// The name of the job of the shards, or nil for sums of all users at once.
  public var name: String?
  /// Shards of the job, from 1.
  public var shards: Int
  /// The shards that are counted.
  public var claimed: ShardSet
  /// Checksum of everything that decides how rows are read, or `log`.
  public var reading: String
  /// Checksum of the list of users who are left out; nil if there is none.
  public var without: String?
  public var totals: SumsTotals

  /// Bytes of the longest name.
  public static let longestName = 200
  /// `reading` of sums of a log.
  public static let ofLog = "log"

  public init(
    name: String?, shards: Int, claimed: ShardSet, reading: String, without: String? = nil, totals: SumsTotals
  ) {
    (self.name, self.shards, self.claimed, self.without) = (name, shards, claimed, without)
    (self.reading, self.totals) = (reading, totals)
  }

  /// All users at once.
  public init(reading: String, without: String? = nil, totals: SumsTotals) {
    self.init(name: nil, shards: 1, claimed: ShardSet(1), reading: reading, without: without, totals: totals)
  }

  /// Whether a job can have the name: 1 to 200 bytes, not the `-` that means no name.
  public static func isName(_ name: String) -> Bool {
    name != "-" && (1...longestName).contains(name.utf8.count)
  }

  /// The shards that are not counted yet.
  public var missing: ShardSet { claimed.missing(of: shards) }

  /// The sums of one file that were added, for sentences and for the look for users in common.
  public struct Source: Sendable {
    public var name: String
    public var shards: ShardSet
    public var users: Int64
    public var sketch: UserSketch?

    public init(_ name: String, _ job: SumsJob) {
      (self.name, shards, users, sketch) = (name, job.claimed, job.totals.users, job.totals.sketch)
    }
  }

  /// The most sums before it that a new shard is compared with.
  private static let comparedSources = 1000

  /// Adds the shards of another file of the same job.
  /// - Parameter sources: the added sums.
  /// - Throws: `otherJob` with what differs, or with the shards or users that are in both.
  public mutating func add(_ other: SumsJob, to sources: [Source] = []) throws(SumsError) {
    func differ(_ what: String, _ own: String, _ others: String) -> SumsError {
      SumsError(
        .otherJob,
        "\(what) is \(others), but \(own) in the sums before. Only shards of one job can be added: leave out the "
          + "others.")
    }
    if !bytesEqual(name, other.name) {
      func text(_ name: String?) -> String { name.map { "`\($0)`" } ?? "none" }
      throw differ("the job", text(name), text(other.name))
    }
    if shards != other.shards { throw differ("the number of shards", "\(shards)", "\(other.shards)") }
    if reading != other.reading {
      throw SumsError(
        .otherJob,
        "the rows were read differently from those before (\(other.reading) and \(reading)): the format, mapping, "
          + "identity, zone, a flag, the key or the limit of timestamps differs. Make all shards with the same options."
      )
    }
    if without != other.without {
      throw SumsError(
        .otherJob,
        "it leaves out \(other.without.map { "the users of the list \($0)" } ?? "no users"), but the sums before "
          + "\(without.map { "those of the list \($0)" } ?? "none"). Make all shards with the same list of users.")
    }
    // Shards last: what differs otherwise is the more telling.
    let sources = sources.isEmpty ? [Source("the sums before", self)] : sources
    for source in sources + [Source("the sums before", self)] {
      let shared = source.shards.intersection(other.claimed)
      guard !shared.isEmpty else { continue }
      throw SumsError(
        .otherJob,
        shards == 1
          ? "it claims to have all users, and so does \(source.name). Sums of some users must name their shard and job."
          : "\(shared.phrase) of \(shards) \(shared.count == 1 ? "is" : "are") in \(source.name) too. Name each shard once."
      )
    }
    try requireOtherUsers(other.totals, than: sources)
    totals = try totals.adding(other.totals)
    claimed = claimed.union(other.claimed)
  }

  private func requireOtherUsers(_ totals: SumsTotals, than sources: [Source]) throws(SumsError) {
    guard let sketch = totals.sketch else { return }
    for source in sources.suffix(Self.comparedSources) {
      guard let own = source.sketch, let shared = UserSketch.shared((source.users, own), (totals.users, sketch)) else {
        continue
      }
      throw SumsError(
        .otherJob,
        "about \(shared) of its \(totals.users) users are in \(source.name) too, and would count twice. All events of a user belong in one shard: "
          + "the number of a shard does not divide a file.")
    }
  }

  private func bytesEqual(_ a: String?, _ b: String?) -> Bool {
    a.map { Array($0.utf8) } == b.map { Array($0.utf8) }
  }
}

/// The totals of the input. Nil means unknown, and stays nil after every addition.
public struct SumsTotals: Sendable, Hashable {
  /// Lines, records and rows that are not empty.
  public var lines: Int64?
  /// Events that are counted, without copies.
  public var events: Int64 = 0
  public var users: Int64 = 0
  /// Users with events who are left out, as if they had none; nil without a list of them.
  public var leftOutUsers: Int64?
  /// Of a shard's users; nil for all users at once, and in format 2.
  public var sketch: UserSketch?
  /// The time of the newest event, or nil without events.
  public var newest: Milliseconds?
  /// Lines that were refused.
  public var rejected: Int64? = 0
  /// Copies of existing events.
  public var duplicates: Int64?
  /// Duplicates that differ from the event that was kept.
  public var conflicts: Int64?
  /// Events that were left out: of erased users and of users on a list, expired, or more than are held of one user.
  public var erased: Int64? = 0
  /// Events of exports that the mapping does not know, or leaves out.
  public var unmapped: Int64? = 0
  /// Refused lines by reason. Reasons are of a closed list, and hold no value of a line.
  public var reasons: [String: Int64] = [:]

  public init() {}

  /// Whether there were lines but none was understood: they gave no event, no copy, and no event that was left out.
  public var isAllRefused: Bool { (lines ?? 0) > 0 && events == 0 && duplicates == 0 && erased == 0 }

  /// False if the lines gave more than one result each: a line gives at most one event, or is rejected. True if the
  /// number of lines is unknown.
  package var fitLines: Bool {
    guard var rest = lines else { return true }
    // Each is at most 2^62, so that no difference overflows.
    for count in [rejected ?? 0, events, duplicates ?? 0, erased ?? 0, unmapped ?? 0] {
      guard count <= rest else { return false }
      rest -= count
    }
    return true
  }

  func adding(_ other: SumsTotals) throws(SumsError) -> SumsTotals {
    var sum = self
    sum.lines = try Self.add(lines, other.lines)
    sum.events = try CheckedSum.add(events, other.events)
    sum.users = try CheckedSum.add(users, other.users)
    sum.leftOutUsers = try Self.add(leftOutUsers, other.leftOutUsers)
    if let own = other.sketch { sum.sketch?.formUnion(own) } else { sum.sketch = nil }
    sum.newest = newest.map { max($0, other.newest ?? $0) } ?? other.newest
    sum.rejected = try Self.add(rejected, other.rejected)
    sum.duplicates = try Self.add(duplicates, other.duplicates)
    sum.conflicts = try Self.add(conflicts, other.conflicts)
    sum.erased = try Self.add(erased, other.erased)
    sum.unmapped = try Self.add(unmapped, other.unmapped)
    for (reason, count) in other.reasons { sum.reasons[reason] = try CheckedSum.add(sum.reasons[reason] ?? 0, count) }
    return sum
  }

  private static func add(_ a: Int64?, _ b: Int64?) throws(SumsError) -> Int64? {
    guard let a, let b else { return nil }
    return try CheckedSum.add(a, b)
  }
}

// MARK: Text

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
    var without: String?
    if version == SumsFormat.version {
      guard take("without ") else { throw damaged("the list of users who are left out") }
      without = try text()
      guard takeLineEnd(), without?.isEmpty == false else { throw damaged("the list of users who are left out") }
    }
    return SumsJob(
      name: name == "-" ? nil : name, shards: Int(shards), claimed: claimed, reading: reading,
      without: without, totals: try totals())
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
    if version == SumsFormat.version { totals.leftOutUsers = try count("left_out") }
    if version == SumsFormat.version, take("sketch -\n") {
      lineNumber += 1
    } else if version >= SumsFormat.versionOfSketch {
      guard take("sketch "), let sketch = UserSketch(text: try word()), takeLineEnd(), sketch.fits(totals.users) else {
        throw damaged("the line sketch")
      }
      totals.sketch = sketch
    }
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
        let text = String(boundedExactly: reason), totals.reasons.updateValue(count, forKey: text) == nil
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

  /// The same, or `-` for an unknown number.
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
    if let without = job.without { line("without", words: [without]) }
    let totals = job.totals
    func known(_ count: Int64?) -> String { count.map { "\($0)" } ?? "-" }
    line("lines \(known(totals.lines))")
    line("events \(totals.events)")
    line("users \(totals.users)")
    if job.without != nil { line("left_out \(totals.leftOutUsers ?? 0)") }
    if let sketch = totals.sketch { line("sketch", sketch.text) } else if job.without != nil { line("sketch -") }
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
