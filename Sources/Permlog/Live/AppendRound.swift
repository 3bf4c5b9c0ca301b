// Several appends as one ingest: each is read on its own, so that each has its own counts, and all are committed at once.

import EventImport
import EventLog
import PermissionEvents

/// One attempt to commit some appends.
final class AppendRound {
  private let writer: EventLogWriter
  private let log: PermissionLog
  private let options: IngestOptions
  private var round: IngestRound
  private var sessions: [(number: Int, session: ImportSession, rejected: RejectKeeper)] = []
  private var tally = IngestTally()
  private var sample = SessionSample()
  /// Whether the writer has events that no commit has, so that it has to be opened anew if the commit is given up.
  private(set) var hasFinishedRound = false

  init(writer: EventLogWriter, log: PermissionLog, options: IngestOptions) {
    (self.writer, self.log, self.options) = (writer, log, options)
    round = writer.beginRound()
  }

  func begin(_ known: KnownEvents) throws {
    try writer.beginIngest(known: known)
    try writer.unlock(options.erasureKey?.key(besides: log.path))
    _ = try writer.applyRetention()
    try writer.admit(UserNaming(options.userKey), force: options.allowsMixedUsers)
    round = writer.beginRound()
  }

  /// Reads appends, each with its number.
  /// - Returns: the first that cannot be stored, and why; then the attempt is over. Nil if all were read.
  func read(_ appends: [(number: Int, append: LogWriter.Append)]) throws -> (number: Int, error: PermlogError)? {
    for (number, append) in appends {
      do {
        try read(append, number)
      } catch let error as ImportError {
        return (number, PermlogError(error))
      } catch let error as PermlogError {
        return (number, error)
      }
    }
    return nil
  }

  /// More than a chunk is worth a second thread.
  private static let bytesOfThread = 1 << 18

  private func read(_ append: LogWriter.Append, _ number: Int) throws {
    let rejected = RejectKeeper(append.options, append.onReject)
    let threads = append.size > Self.bytesOfThread ? log.threads : 1
    let session = try ImportSession(
      .bytes(append.bytes, name: append.name),
      options: try append.options.importOptions(threads: threads, clock: log.clock),
      onReject: { try rejected.add($0) }, onUnread: append.onUnread)
    while try !session.run(into: round, eventIDs: writer.eventIDs, isKeptOut: writer.isKeptOut) {
      hasFinishedRound = true
      try writer.finish(round)
      round = writer.beginRound()
    }
    let unread = session.eventNames.unreadPermissionEvents
    if let refusal = IngestRefusal(session.counts, unread: unread, append.options) {
      throw PermlogError(.dataRefused, "\(append.name): \(refusal.finding). Nothing of it is stored.")
    }
    sessions.append((number, session, rejected))
    tally += IngestTally(lines: Int64(session.counts.lines), notUnderstood: Int64(session.counts.notUnderstood))
    sample += session.sessions
  }

  /// Makes what was read part of the log.
  /// - Parameter record: what the log remembers of earlier appends, if it is time.
  func commit(_ record: IngestRecord?) throws {
    try writer.finish(round, isLast: true, reading: tally, sessions: sample)
    try writer.requireProvenKey()
    try writer.commit(record.map { ($0, []) }, isUndoable: false)
  }

  func result(of number: Int, _ commit: AppendResult.Commit) -> Result<AppendResult, PermlogError> {
    guard let (_, session, rejected) = sessions.first(where: { $0.number == number }) else {
      return .failure(PermlogError(.inputOutput, "\(log.path): an append was not read"))
    }
    return .success(
      AppendResult(
        read: session.counts, rejections: rejected.summary, names: session.eventNames, commit: commit))
  }

  /// What the log will remember of these appends.
  var counts: HealthCounts {
    // The users are of all sessions together.
    let users = writer.users
    return sessions.enumerated().reduce(HealthCounts([:])) { sum, one in
      sum + HealthCounts(one.element.session, one.offset == 0 ? users : UserTally())
    }
  }

  var stored: IngestCounts { writer.counts }
  var appends: Int { sessions.count }
}

/// What the log will remember of the appends of an hour: one ingest. It is written with the first commit after the hour, and when the
/// writer is closed. If the process is killed before, the log does not remember these appends; it has their events.
struct LiveRecord {
  private var begin: Milliseconds?
  private var counts = HealthCounts([:])
  private var stored = IngestCounts()
  private var appends = 0

  private static let hour: Milliseconds = 3_600_000
  static let name = "live events"

  var isEmpty: Bool { appends == 0 }

  mutating func add(_ round: AppendRound, at now: Milliseconds) {
    begin = begin ?? now
    counts = counts + round.counts
    stored += round.stored
    appends += round.appends
  }

  /// Whether an hour has ended since the first of them.
  func isDue(at now: Milliseconds) -> Bool { begin.map { now / Self.hour != $0 / Self.hour } ?? false }

  /// - Returns: nil without appends.
  func made(at now: Milliseconds, history: IngestHistory) -> IngestRecord? {
    guard appends > 0 else { return nil }
    var record = IngestRecord(
      time: now, files: appends, names: [Self.name], new: stored.new, duplicates: stored.duplicates,
      measures: counts.stored(with: stored))
    record.findings = IngestHealth.findings(counts, at: now, after: history.ingests)
    return record
  }
}
