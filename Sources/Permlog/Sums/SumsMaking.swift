// Answers questions for some users: from exports, through a temporary log, or from a log.

import CUnfinishedFiles
import EventImport
import EventLog
import EventMapping
import Folding
public import PermissionEvents
import ReportRendering
import SystemCalls

/// One shard of a job. The caller must send all events of a user to one shard, and to no other.
public struct SumsShard: Sendable, Hashable {
  public let number: Int
  public let count: Int
  /// Name of the job: sums of different jobs cannot be added.
  public let job: String

  /// - Throws: `usage` for a number that is not from 1 to `count`, more than 16,777,216 shards, and a name that is empty, `-` or longer
  ///   than 200 bytes.
  public init(_ number: Int, of count: Int, job: String) throws(PermlogError) {
    guard (1...ShardSet.mostShards).contains(count), (1...count).contains(number) else {
      throw .usage(
        "shard \(number) of \(count) is not possible: shards are numbered from 1, and there are at most \(ShardSet.mostShards)"
      )
    }
    guard SumsJob.isName(job) else {
      throw .usage("the name of a job must have 1 to \(SumsJob.longestName) bytes, and not be -")
    }
    (self.number, self.count, self.job) = (number, count, job)
  }
}

/// Sums of exports, and the result of reading them.
public struct MadeSums: Sendable {
  /// Nil if the rows were refused; `ingest.refusal` has the reason.
  public var sums: SumsBundle?
  public var ingest: IngestResult
  /// A directory of scratch files that could not be removed.
  public var leftDirectory: String?
}

extension SumsBundle {
  /// Reads exports into a temporary log, asks it, and removes it. Events may come in any order.
  ///
  /// Without a shard, rows are refused as in an ingest. With a shard they are only counted: whether too many were
  /// rejected is decided when the shards are added up. A shard needs a `format` or exactly one mapping, because every
  /// shard must be read in the same way, whatever its rows look like.
  /// - Parameters:
  ///   - questions: each once. The limit of timestamps depends on the latest of their clocks.
  ///   - files: files, directories (every file below) and `-` for standard input. They may have no rows.
  ///   - shard: nil if these are all users.
  ///   - options: how rows are read.
  ///   - without: users whose events are not counted. The key is that of the options.
  ///   - scratch: a directory for the log.
  ///   - threads: at least 1; nil for one per core.
  ///   - onReject: called with every refused line, as in an ingest.
  ///   - onProgress: called with the progress, as in an ingest.
  public static func make(
    _ questions: [Question], of files: [FilePath], shard: SumsShard? = nil, options: IngestOptions = IngestOptions(),
    without: WithoutUsers = WithoutUsers(), scratch: String, threads: Int? = nil,
    onReject: (@Sendable (RejectedLine) throws -> Void)? = nil,
    onProgress: (@Sendable (IngestProgress) -> Void)? = nil
  ) throws(PermlogError) -> MadeSums {
    try checkQuestions(questions)
    var options = try options.withMappingsRead()
    if options.isStrict || options.rejectionLimit != nil, shard != nil {
      throw .usage(
        "how many rows may be rejected cannot be decided for one shard; it is decided when the shards are added up")
    }
    if shard != nil {
      guard options.format != .auto || options.mappings.count == 1 else { throw .usage(Self.unnamedForm, .format) }
      options.isFormFixed = true
    }
    let now = questions.map(\.now).max() ?? SystemClock.now
    options.now = now
    let reading = try translating { try options.reading() }
    let directory = try ScratchDirectory(in: scratch)
    var log = try PermissionLog(directory.path, threads: threads)
    log.files = SystemFileSystem(isScratch: true)
    log.clock = { now }
    var made = MadeSums(
      sums: nil, ingest: try log.ingest(files, options: options, onReject: onReject, onProgress: onProgress))
    let (ingest, threads) = (made.ingest, log.threads)
    if let shard, shard.count > 1, ingest.stored.links + ingest.stored.refusedLinks > 0 {
      throw PermlogError(
        .dataRefused,
        "\(counted(ingest.stored.links + ingest.stored.refusedLinks, "row says", "rows say")) that two ids are one "
          + "user, but the ids may be in different shards. Ingest all rows into one log and make the sums of that "
          + "log", .leaveLinksOut)
    }
    if ingest.refusal == nil {
      made.sums = try translating {
        let snapshot = try log.asked(without)
        var totals = SumsTotals(ingest, snapshot, users: try snapshot.userCount(threads: threads))
        if shard != nil { totals.sketch = try snapshot.userSketch(threads: threads) }
        return try answer(questions, SumsJob(shard, reading: reading, totals: totals), snapshot, threads: threads)
      }
    } else if shard != nil {
      // A shard in which nothing was understood counts as a shard without events; it has no log.
      var totals = SumsTotals(ingest, nil, users: 0)
      totals.sketch = UserSketch()
      let ids = try without.ids()
      totals.leftOutUsers = ids.isEmpty ? nil : 0
      let job = SumsJob(
        shard, reading: reading, without: ids.isEmpty ? nil : try translating { try log.checksum(of: without) },
        totals: totals)
      made.sums = try SumsBundle(job, answers: questions.map { ($0, AnySums($0.kind)) })
    }
    if !directory.remove() { made.leftDirectory = directory.path }
    return made
  }

  /// Asks a log.
  /// - Parameters:
  ///   - questions: each once.
  ///   - shard: nil if the log has all users.
  ///   - without: users who are not counted, beside those of the log's own list.
  ///   - onUnknown: called with kinds, permissions and columns of a later version, which are not counted.
  public static func make(
    _ questions: [Question], of log: PermissionLog, shard: SumsShard? = nil, without: WithoutUsers = WithoutUsers(),
    onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> SumsBundle {
    try checkQuestions(questions)
    return try translating {
      let snapshot = try log.asked(without)
      snapshot.tellUnknown(onUnknown)
      var totals = SumsTotals(snapshot, users: try snapshot.userCount(threads: log.threads))
      if shard != nil { totals.sketch = try snapshot.userSketch(threads: log.threads) }
      return try answer(
        questions, SumsJob(shard, reading: SumsJob.ofLog, totals: totals), snapshot, threads: log.threads)
    }
  }

  /// Why the form of a shard's files is not detected from their content.
  package static let unnamedForm =
    "a shard needs a format or exactly one mapping for its files: every shard must be read in the same way, whatever its rows look like"

  /// Before anything is read.
  private static func checkQuestions(_ questions: [Question]) throws(PermlogError) {
    guard !questions.isEmpty else { throw .usage("sums answer a question, but no question is given") }
    let job = SumsJob(reading: SumsJob.ofLog, totals: SumsTotals())
    _ = try SumsBundle(job, answers: questions.map { ($0, AnySums($0.kind)) })
    // Two questions that differ only in the clock could not be told apart later.
    var asked: Set<[UInt8]> = []
    for question in questions
    where !asked.insert(question.encodedWithoutClock).inserted {
      throw .usage(
        "the \(question.kind.rawValue) \(question.checksum) is asked twice, or was saved twice; name it once")
    }
  }

  private static func answer(
    _ questions: [Question], _ job: SumsJob, _ snapshot: LogSnapshot, threads: Int
  ) throws -> SumsBundle {
    var sums = try Question.sums(of: questions, in: snapshot, threads: threads)
    if job.reading != SumsJob.ofLog || job.shards > 1 { for index in sums.indices { sums[index].forgetSessions() } }
    var job = job
    job.without = snapshot.leftOut.ids > 0 ? snapshot.leftOut.checksum : nil
    return try SumsBundle(job, answers: Array(zip(questions, sums)))
  }
}

extension SumsJob {
  fileprivate init(_ shard: SumsShard?, reading: String, without: String? = nil, totals: SumsTotals) {
    self.init(
      name: shard?.job, shards: shard?.count ?? 1, claimed: ShardSet(shard?.number ?? 1), reading: reading,
      without: without, totals: totals)
  }
}

extension SumsTotals {
  /// - Parameter snapshot: the events that are counted; nil if the log has none.
  fileprivate init(_ ingest: IngestResult, _ snapshot: LogSnapshot?, users: Int) {
    self.init()
    let leftOut = snapshot?.leftOut ?? LeftOutUsers()
    lines = Int64(ingest.read.lines)
    events = Int64(ingest.stored.new - leftOut.events)
    self.users = Int64(users)
    leftOutUsers = leftOut.counted.map { Int64($0) }
    newest = snapshot?.timeRange?.upperBound
    rejected = Int64(ingest.read.rejected)
    duplicates = Int64(ingest.stored.duplicates)
    conflicts = Int64(ingest.stored.conflicts)
    erased = Int64(ingest.leftOut + leftOut.events)
    unmapped = Int64(ingest.read.unmapped)
    for group in ingest.rejections.groups { reasons[group.first.group, default: 0] += Int64(group.count) }
    // A row may also give a variant of each flag that is read from it. Lines then are no bound, and are not kept.
    if !fitLines { lines = nil }
  }

  /// A log keeps no rows: counts that its ingests did not record are unknown.
  fileprivate init(_ snapshot: LogSnapshot, users: Int) {
    self.init()
    events = Int64(snapshot.eventCount)
    self.users = Int64(users)
    leftOutUsers = snapshot.leftOut.counted.map { Int64($0) }
    newest = snapshot.timeRange?.upperBound
    let tally = snapshot.ingestTally
    duplicates = tally?.duplicates ?? (snapshot.eventCount == 0 ? 0 : nil)
    conflicts = tally?.conflicts ?? (snapshot.eventCount == 0 ? 0 : nil)
    (rejected, erased, unmapped) = (nil, nil, nil)
  }
}

// MARK: A checksum of how rows are read: sums of shards that were read in different ways cannot be added

extension IngestOptions {
  /// The options with mappings in memory: a file that is read twice could change in between.
  func withMappingsRead() throws(PermlogError) -> IngestOptions {
    var options = self
    for (index, source) in mappings.enumerated() {
      guard case .file(let path) = source else { continue }
      options.mappings[index] = .yaml(try source.text(), name: path)
      options.keptFiles.append(path)
    }
    return options
  }

  /// Increases if this program's own rules turn the same row into another event, or reject it: rules for spellings,
  /// placeholder ids, times.
  private static let readerVersion = 3

  /// A checksum of everything that decides which event a row becomes, and whether the row is accepted. Names of files,
  /// threads, and refusals after the rows were read are not part of it.
  func reading() throws -> String {
    let options = try importOptions(threads: 1)
    var facts = [
      "reader \(Self.readerVersion)", "format \(rows.format.rawValue)", "identity \(rows.identity.rawValue)",
      "keep_ids \(rows.keepsBlanksOfIDs)", "join \(rows.joinsLinkedIDs)",
      "custom_permissions \(rows.allowsCustomPermissions)", "future \(rows.allowsFutureTimes)",
      "partial \(rows.keepsPartialFiles)", "now \(rows.allowsFutureTimes ? "-" : "\(options.now)")",
      "user_key \(rows.userKey.map { "\($0.check)" } ?? "-")",
    ]
    if let name = rows.eventName { facts.append("event_name \(name)") }
    if let time = options.rows.snapshotTime { facts.append("snapshot_time \(Timestamp.text(time))") }
    facts += rows.experiments.sorted().map { "experiment \($0)" }
    facts += rows.states.map { "state \($0.permission)=\($0.property)" }.sorted()
    facts.append("project_zone \(Self.text(options.projectZone))")
    facts.append("input_zone \(Self.text(options.inputZone))")
    for (name, zone) in options.zones.sorted(by: { $0.key < $1.key }) {
      facts.append("zone \(name) \(Self.text(zone))")
    }
    for mapping in mappings { facts.append("mapping \(Checksum.text(of: try mapping.text()))") }
    // How this version reads vendors' events.
    for name in VendorMappings.names {
      facts.append("preset \(name) \(Checksum.text(of: Array((VendorMappings.yaml(name) ?? "").utf8)))")
    }
    return Checksum.text(of: Array(facts.joined(separator: "\n").utf8))
  }

  private static func text(_ zone: ZoneTable?) -> String { zone.map { "\($0.name) \($0.transitionsText)" } ?? "-" }
}

// MARK: The directory of a temporary log

/// A directory of scratch files, `permlog-scratch-` and letters, readable by its owner alone. It is removed with its
/// last owner, and on Linux also if SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGXCPU ends the process. After SIGKILL, a
/// crash or a power cut, the name of a remaining directory shows its purpose.
final class ScratchDirectory {
  static let prefix = "permlog-scratch-"

  let path: String
  private let parent: Int32
  private let name: String
  private let number: Int32

  /// - Parameter base: a directory that can be written to.
  init(in base: String) throws(PermlogError) {
    func failure(_ number: Int32) -> PermlogError {
      PermlogError(
        .inputOutput, "\(base): cannot make a directory in it: \(systemText(number)). Name another directory.",
        argument: .scratch, cause: SystemError(operation: "mkdir", path: base, number: number))
    }
    let parent = open(base, FileLocation.search | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { throw failure(errno) }
    while true {
      let letters = (0..<12).map { _ in UInt8.random(in: 0x61...0x7A) }
      let name = Self.prefix + String(bounded: letters)
      // Before the directory exists: a signal may come at any moment.
      let number = cuf_add_directory(parent, name)
      if mkdirat(parent, name, 0o700) == 0 {
        (self.parent, self.name, self.number) = (parent, name, number)
        path = base.hasSuffix("/") ? base + name : base + "/" + name
        return
      }
      let error = errno
      cuf_remove(number)
      guard error == EEXIST else {
        close(parent)
        throw failure(error)
      }
    }
  }

  /// Removes it with its files.
  /// - Returns: false if something is left.
  @discardableResult
  func remove() -> Bool {
    let files = SystemFileSystem()
    for name in (try? files.list(path)) ?? [] { try? files.remove(path + "/" + name) }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT
  }

  deinit {
    remove()
    cuf_remove(number)
    close(parent)
  }
}
