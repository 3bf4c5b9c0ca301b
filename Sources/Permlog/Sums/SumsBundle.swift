// The answers to several questions about the same users: what `permlog sums` writes and adds up.

import EventImport
public import Folding
public import PermissionEvents
import ReportRendering
import SystemCalls

/// Sums of several questions over some shards of a job, or over all users at once.
public struct SumsBundle: Sendable {
  /// The shards and the job of these sums, and the counts of the rows that were read.
  public private(set) var job: SumsJob
  /// By ascending checksum of the question; each question once.
  public private(set) var answers: [(question: Question, sums: AnySums)]
  /// The files that were added up.
  private var sources: [SumsJob.Source]

  public var totals: SumsTotals { job.totals }

  /// - Parameters:
  ///   - answers: in any order, at least one.
  ///   - name: the name of these sums, for sentences.
  /// - Throws: `usage` if a question occurs twice, or if there are more questions than a file may have.
  public init(
    _ job: SumsJob, answers: [(question: Question, sums: AnySums)], name: String = "these sums"
  ) throws(PermlogError) {
    self.job = job
    self.answers = answers.sorted { Self.precedes($0.question, $1.question) }
    sources = [SumsJob.Source(name, job)]
    guard answers.count <= SumsFormat.mostAnswers else {
      throw .usage("sums answer at most \(SumsFormat.mostAnswers) questions, but \(answers.count) are asked")
    }
    for (answer, next) in zip(self.answers, self.answers.dropFirst())
    where answer.question.encoded == next.question.encoded {
      throw .usage("the \(next.question.kind.rawValue) \(next.question.checksum) is asked twice; ask it once")
    }
  }

  /// Reads one file. No content can make this trap.
  /// - Parameter name: the name of the file, for sentences.
  /// - Throws: `damaged`, `newerFormat`, or `dataRefused` for sums that do not answer saved questions.
  public init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    if let other = SumsInput.otherContent(bytes) { throw PermlogError(.damaged, "\(name): \(other)") }
    do {
      var reader = try SumsReader(bytes)
      guard let job = try reader.job() else {
        throw SumsError(.otherJob, "it does not say which users it counts: only its own program can read it")
      }
      (self.job, answers, sources) = (job, [], [SumsJob.Source(name, job)])
      while let answer = try reader.nextAnswer() {
        let answer = try Self.read(answer, job.totals, name: name)
        if let last = answers.last, !Self.precedes(last.question, answer.question) {
          throw SumsError(.damaged, "the questions are not in the order in which permlog writes them")
        }
        answers.append(answer)
      }
      if answers.isEmpty { throw SumsError(.damaged, "it answers no question") }
    } catch let error as SumsError {
      throw Self.refusal(error, in: name)
    } catch { throw PermlogError(error) }
  }

  private static func read(
    _ answer: SumsAnswer, _ totals: SumsTotals, name: String
  ) throws -> (question: Question, sums: AnySums) {
    guard case .encoded(let json) = answer.question else {
      throw SumsError(.otherFold, "it answers a question of a custom fold, which only its own program can read")
    }
    let question: Question
    let advice = "Make the sums again with this version of permlog."
    do { question = try Question(json, name: name, (noQuestion: advice, other: advice)) } catch {
      // The question comes from the file, so the file is at fault.
      throw PermlogError(
        error.code == .newerFormat ? .newerFormat : .dataRefused, error.explanation.finding, cause: error.cause)
    }
    let sums = try AnySums(question.kind, tables: answer.tables)
    // The text was checked while it was read. This checks that the sums write the same tables again.
    let tables = sums.tables
    guard tables == answer.tables else {
      throw SumsError(
        .damaged,
        "the tables of the \(question.kind.rawValue) \(question.checksum) are not in the form in which permlog writes them"
      )
    }
    try sums.checkTables(tables, of: question, totals)
    return (question, sums)
  }

  static func precedes(_ a: Question, _ b: Question) -> Bool {
    let (left, right) = (Array(a.checksum.utf8), Array(b.checksum.utf8))
    return left == right
      ? a.encoded.lexicographicallyPrecedes(b.encoded) : left.lexicographicallyPrecedes(right)
  }

  /// The bytes of a file. The same sums always give the same bytes.
  public var encoded: [UInt8] {
    var writer = SumsWriter(job)
    for answer in answers { writer.add(.encoded(answer.question.encoded), answer.sums.tables) }
    return writer.finish()
  }

  /// The bytes of a file that can be read again.
  /// - Throws: `limit` if there are more bytes than can be read.
  public func file() throws(PermlogError) -> [UInt8] { try file(most: SumsInput.mostBytes) }

  func file(most: Int) throws(PermlogError) -> [UInt8] {
    let bytes = encoded
    guard bytes.count <= most else {
      throw PermlogError(
        .limit, "the sums have \(bytes.count) bytes, but files of more than \(most) are not read", .askForLess)
    }
    return bytes
  }

  // MARK: Adding up

  /// Adds other shards of the same job, for the same questions. If it throws, these sums are no longer valid.
  /// - Throws: `dataRefused` for another job, another way of reading, other questions, a shard that is already
  ///   included, and sums that grow too large; `limit` for more groups than there is memory for.
  public mutating func add(_ other: SumsBundle) throws(PermlogError) {
    let name = other.sources.map(\.name).first ?? "these sums"
    try checkQuestions(other, name)
    do throws(SumsError) {
      try job.add(other.job, to: sources)
      for index in answers.indices { try answers[index].sums.add(other.answers[index].sums) }
    } catch { throw Self.refusal(error, in: name) }
    sources += other.sources
  }

  private func checkQuestions(_ other: SumsBundle, _ name: String) throws(PermlogError) {
    let (own, others) = (answers.map(\.question), other.answers.map(\.question))
    guard own.map(\.encoded) != others.map(\.encoded) else { return }
    let first = sources.map(\.name).first ?? "the first"
    let (difference, advice) = Self.difference(own, others)
    throw PermlogError(.dataRefused, "\(name): \(difference) in \(first). \(advice)")
  }

  /// The difference, without the name of the other file, and what to do.
  private static func difference(_ own: [Question], _ others: [Question]) -> (finding: String, advice: String) {
    let advice = "Sums of different questions cannot be added: ask the same of all shards."
    let (ours, theirs) = (Set(own.map(\.encoded)), Set(others.map(\.encoded)))
    guard let extra = others.first(where: { !ours.contains($0.encoded) }) else {
      let missing = own.first { !theirs.contains($0.encoded) }
      return ("it does not answer the \(missing.map(shown) ?? "question") that is answered", advice)
    }
    // The most similar question: usually a single option differs.
    let rest = own.filter { $0.kind == extra.kind && !theirs.contains($0.encoded) }
    let differences = rest.map { question in
      Set(question.facts.keys).union(extra.facts.keys).sorted().filter {
        question.facts[$0].map { Array($0.utf8) } != extra.facts[$0].map { Array($0.utf8) }
      }
    }
    guard let nearest = differences.filter({ !$0.isEmpty }).min(by: { $0.count < $1.count }) else {
      return ("it answers the \(shown(extra)), which is not asked", advice)
    }
    let finding = "its \(shown(extra)) differs in \(nearest.joined(separator: ", ")) from the one"
    guard nearest == ["now"] else { return (finding, advice) }
    return (finding, "The question was saved again: save it once, and copy it to every machine that counts.")
  }

  private static func shown(_ question: Question) -> String { "\(question.kind.rawValue) \(question.checksum)" }

  /// Throws unless every shard of the job is included.
  public func requireWhole() throws(PermlogError) {
    let missing = job.missing
    guard !missing.isEmpty else { return }
    throw PermlogError(
      .dataRefused,
      "\(missing.phrase) of \(job.shards) of the job \(job.name ?? "-") \(missing.count == 1 ? "is" : "are") missing. "
        + "Name the files of all shards; a shard without users has one too.")
  }

  /// The problem of a file's sums, as the library's error.
  static func refusal(_ error: SumsError, in name: String) -> PermlogError {
    let own = PermlogError(error)
    // The other errors have their own advice.
    let advice = error.code == .damaged ? ". Make it again." : error.code == .newerFormat ? ". Update permlog." : ""
    // The question comes from the file, so the file is at fault.
    return PermlogError(
      own.code == .usage ? .dataRefused : own.code, "\(name): \(error.sentence)\(advice)", own.remedy, cause: error)
  }
}

// MARK: Files of sums, read one after the other

extension SumsBundle {
  /// Adds up files of shards of one job. Only the sum and one file are in memory at a time.
  /// - Parameter paths: files, and `-` for standard input, once.
  /// - Throws: as `init(_:name:)` and `add(_:)`; `usage` for no file, `notFound` and `inputOutput` for a file that
  ///   cannot be read.
  public init(paths: [FilePath]) throws(PermlogError) {
    guard let first = paths.first else { throw .usage("no file of sums is named") }
    guard paths.count(where: { $0.isStandardInput }) <= 1 else {
      throw .usage("standard input can be read only once, but is named several times")
    }
    self = try SumsBundle(SumsInput.read(first), name: first.nameInSentences)
    for path in paths.dropFirst() {
      try add(SumsBundle(SumsInput.read(path), name: path.nameInSentences))
    }
  }

  public init(paths: [String]) throws(PermlogError) { try self.init(paths: paths.map { FilePath($0) }) }
}

extension FilePath {
  fileprivate var isStandardInput: Bool { bytes == [0x2D] }
  fileprivate var nameInSentences: String { isStandardInput ? "standard input" : shown }
}

enum SumsInput {
  /// The kind of content that is not sums, and what to do, if the first bytes show it.
  static func otherContent(_ bytes: [UInt8]) -> String? {
    // gzip, Zstandard, xz, bzip2, ZIP.
    let packed: [[UInt8]] = [
      [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A], [0x42, 0x5A, 0x68], [0x50, 0x4B, 3, 4],
    ]
    if packed.contains(where: bytes.starts) { return "it is compressed. Decompress it." }
    if bytes.starts(with: Array(#"{"schema":"permlog.question/"#.utf8)) {
      return "it is a question, not the sums that answer it. Make sums with it, and name those."
    }
    return nil
  }

  static let mostBytes = 1 << 30
  private static let piece = 1 << 20

  /// All bytes of a file of sums. If the first bytes show that it is not such a file, reading stops there: an endless
  /// stream is not read to its end.
  static func read(_ path: FilePath) throws(PermlogError) -> [UInt8] {
    let name = path.nameInSentences
    let descriptor = path.isStandardInput ? 0 : path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .unreadable(name, "open") }
    defer { if descriptor > 0 { close(descriptor) } }
    var bytes: [UInt8] = []
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      bytes.reserveCapacity(min(Int(status.st_size), mostBytes) + 1)
    }
    let magic = Array("permlog-sums ".utf8)
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let count = buffer.withUnsafeMutableBytes { SystemCalls.read(descriptor, $0) }
      if count < 0 { throw .unreadable(name, "read") }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      // The caller reports what is wrong with these bytes.
      guard bytes.starts(with: magic.prefix(bytes.count)) else { return bytes }
      guard bytes.count <= mostBytes else {
        throw PermlogError(.limit, "\(name): it is larger than 1 GiB, the largest size that is read. Ask for less.")
      }
    }
  }
}

// MARK: An overview of sums as JSON

extension SumsBundle {
  /// An overview of these sums as JSON (docs/schemas/sums-1.json), without the sums themselves.
  public var json: [UInt8] {
    func ranges(_ shards: ShardSet) -> [JSONMembers] {
      shards.ranges.map { ["first": $0.lowerBound, "last": $0.upperBound] }
    }
    return JSONWriter.document(
      [
        "schema": "permlog.sums/1", "job": job.name, "shards": job.shards, "claimed": ranges(job.claimed),
        "missing": ranges(job.missing), "read": job.reading, "without": job.without,
        "totals": [
          "lines": totals.lines.map { Int($0) }, "events": Int(totals.events), "users": Int(totals.users),
          "left_out_users": totals.leftOutUsers.map { Int($0) },
          "newest": totals.newest.map { Timestamp.text($0) }, "rejected": totals.rejected.map { Int($0) },
          "duplicates": totals.duplicates.map { Int($0) }, "conflicts": totals.conflicts.map { Int($0) },
          "erased": totals.erased.map { Int($0) }, "unmapped": totals.unmapped.map { Int($0) },
        ] as JSONMembers,
        "reasons": totals.orderedReasons.map {
          ["reason": $0.reason, "count": Int($0.count)] as JSONMembers
        },
        "questions": answers.map { answer in
          [
            "checksum": answer.question.checksum, "kind": answer.question.kind.rawValue, "fold": answer.sums.name,
            // As it is: its bytes have a checksum.
            "question": String(decoding: answer.question.encoded, as: UTF8.self),
          ] as JSONMembers
        },
      ] as JSONMembers)
  }
}

extension SumsTotals {
  /// Rejected lines by reason, the most frequent first.
  public var orderedReasons: [(reason: String, count: Int64)] {
    reasons.map { (reason: $0.key, count: $0.value) }.sorted { a, b in
      a.count == b.count ? a.reason.utf8.lexicographicallyPrecedes(b.reason.utf8) : a.count > b.count
    }
  }
}

// MARK: Rejected rows of all shards: whether there are too many is decided when the shards are added up

extension SumsTotals {
  /// Why these sums must not be used, if too many rows were rejected.
  /// - Parameters:
  ///   - isStrict: no row may be rejected.
  ///   - limit: at most this many rows may be rejected; nil for any number.
  public func refusal(isStrict: Bool, limit: RejectionLimit?) -> IngestRefusal? {
    let rejected = rejected ?? 0
    if isStrict, rejected > 0 { return .strict(rejected: Int(rejected)) }
    // If the number of lines is unknown, only the rejected lines are known.
    guard let limit, limit.isExceeded(Int(rejected), of: Int(lines ?? rejected)) else { return nil }
    return .tooManyRejected(Int(rejected), unread: 0, limit: limit)
  }
}

extension SumsBundle {
  /// Throws if there were rows but none was understood, as an ingest does.
  public func requireUnderstood() throws(PermlogError) {
    guard totals.isAllRefused, let lines = totals.lines else { return }
    throw PermlogError(
      .dataRefused,
      "\(counted(Int(lines), "line was", "lines were")) read for these sums and none was understood "
        + "(\(grouped(Int(totals.rejected ?? 0))) rejected). Check how the rows are read: the sums have the reasons.")
  }
}
