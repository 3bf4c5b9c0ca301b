// From the spool into the logs: reads the bodies that are on the disk, commits their events, keeps what was not understood, and then
// forgets the bodies. A crash at any moment repeats the work: what is in the log already is found as copies.

import Foundation
import Logging
import NIOPosix
import Permlog

/// The one reader of the spool.
actor Intake {
  /// Bytes that a body may have when it is unpacked.
  static let unpackedLimit = 64 << 20
  /// Bytes of events that are handed to the logs at once.
  private static let batchSize = 12 << 20

  private let spool: Spool
  private let quarantine: Quarantine
  private var streams: EventStreams
  private let interval: Duration
  private let feed: LiveFeed
  private let metrics: ServerMetrics
  private let logger: Logger
  private var waiters: [UInt64: CheckedContinuation<BodyOutcome?, Never>] = [:]
  /// Outcomes that were there before they were asked for.
  private var early: [UInt64: BodyOutcome] = [:]
  private var answersWaiters = true
  /// Whoever waits longer is told that the body is on the disk.
  private static let patience = Duration.seconds(30)
  private var isBusy = false
  private var turn: [CheckedContinuation<Void, Never>] = []
  private var isEnded = false
  /// The newest error of the log or of the disk; nil if the last reading went well.
  private(set) var failure: String?
  private var lastFailure: String?
  /// Bytes that the last reading found.
  private var newBytes = 0
  /// When the newest body came whose events are in the logs; nil if none came since the start.
  private var newest: Int64?
  private var noted: LiveStatus?

  init(
    spool: Spool, quarantine: Quarantine, streams: EventStreams, interval: Duration, feed: LiveFeed,
    metrics: ServerMetrics, logger: Logger
  ) {
    (self.spool, self.quarantine, self.streams, self.interval) = (spool, quarantine, streams, interval)
    (self.feed, self.metrics, self.logger) = (feed, metrics, logger)
  }

  // MARK: Reading as long as the server lives

  /// Reads whenever something came, until `stop`. A reading is never broken off.
  func run() async {
    var pause = interval
    for await _ in spool.arrivals {
      if isEnded { break }
      let isRead = await readAll()
      // Under load there is no pause: a commit is large then, however soon it comes.
      if isRead, newBytes >= Self.batchSize { continue }
      pause = isRead ? interval : min(max(pause, .seconds(1)) * 2, .seconds(60))
      let end = ContinuousClock.now + pause
      while !isEnded, ContinuousClock.now < end {
        try? await Task.sleep(until: min(end, ContinuousClock.now + .milliseconds(200)))
      }
      if !isRead { spool.wake() }
    }
  }

  /// Lets `run` end.
  func stop() {
    isEnded = true
    spool.endArrivals()
  }

  /// Reads what is left, and gives the logs back. The spool takes nothing any more.
  func finish() async {
    stop()
    _ = await readAll()
    for writer in streams.writers { try? await writer.close() }
    answerWaiters()
  }

  /// Reads the spool once.
  /// - Returns: false if something stays there, because the disk or a log failed.
  @discardableResult
  func readAll() async -> Bool {
    await begin()
    defer { end() }
    return await read()
  }

  private func read() async -> Bool {
    newBytes = 0
    do {
      var group: (names: [String], records: [SpoolRecord], bytes: Int) = ([], [], 0)
      for name in try await spool.sealed() {
        let path = spool.directory + "/" + name
        let content = try SpoolFile(path: path).read()
        if !content.unreadable.isEmpty {
          // A request that was not answered, after a kill: the app has the events still. Or damage on the disk, which nobody can tell apart.
          logger.error("the spool has bytes that cannot be read", metadata: ["bytes": "\(content.unreadable.count)"])
          try await quarantine.keep(unreadable: content.unreadable, of: name)
        }
        group = (group.names + [name], group.records + content.records, group.bytes + Disk.size(path))
        if group.bytes >= Self.batchSize / 2 {
          try await read(group.records, of: group.names)
          newBytes += group.bytes
          group = ([], [], 0)
        }
      }
      try await read(group.records, of: group.names)
      newBytes += group.bytes
      metrics.set(.lag, 0)
      failure = nil
      await noteStatus()
      // Between two readings the log is free for whoever ingests a file, erases a person or compacts.
      for writer in streams.writers { try? await writer.release() }
      return true
    } catch {
      metrics.add(.failedCommits, 1)
      failure = "\(error)"
      await noteStatus()
      if lastFailure != failure { logger.error("bodies stay in the spool", metadata: ["reason": "\(error)"]) }
      lastFailure = failure
      for writer in streams.writers { try? await writer.release() }
      return false
    }
  }

  /// Tells the logs how far live events reach: `permlog info` and reports say it.
  private func noteStatus() async {
    guard let newest else { return }
    let waiting = Int(metrics.value(.spoolBytes))
    let status = LiveStatus(
      received: waiting > 0 ? Self.now : newest, read: newest, waitingBytes: waiting,
      quarantined: Int(metrics.value(.quarantineEntries)))
    guard status != noted else { return }
    // A log that has no event yet has no place for it.
    for log in logs { try? log.note(status) }
    noted = status
  }

  static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  // MARK: Some files

  /// Reads the records of some files, and forgets the files.
  private func read(_ records: [SpoolRecord], of names: [String]) async throws {
    if let first = records.first { metrics.set(.lag, max(0, Double(Self.now - first.head.received) / 1000)) }
    let outcomes = try await read(records)
    for name in names { try await spool.remove(name) }
    newest = records.last?.head.received ?? newest
    let awaited = Set(records.filter { $0.head.isAwaited == true }.map(\.head.id))
    for (id, outcome) in outcomes where awaited.contains(id) {
      if let waiter = waiters.removeValue(forKey: id) {
        waiter.resume(returning: outcome)
      } else if answersWaiters {
        // Its sender asks in a moment.
        early[id] = outcome
        if early.count > 100 { early.removeAll() }
      }
    }
  }

  /// Reads some records and commits their events.
  private func read(_ records: [SpoolRecord]) async throws -> [(UInt64, BodyOutcome)] {
    var held: [SpoolRecord] = []
    var outcomes: [(UInt64, BodyOutcome)] = []
    var i = 0
    let begin = ContinuousClock.now
    while i < records.count {
      let (rest, streams) = (Array(records[i...]), streams)
      // Parsing holds a processor, and must not hold a thread of the pool that serves requests.
      let batches = try await NIOThreadPool.singleton.runIfActive {
        BodyBatches(rest, streams: streams, limit: Self.batchSize)
      }
      i += batches.records
      let read = try await commit(batches)
      held += batches.held + read.held
      outcomes += read.outcomes
    }
    try await quarantine.add(held)
    metrics.observe(.commit, ContinuousClock.now - begin)
    return outcomes
  }

  private func commit(_ batches: BodyBatches) async throws -> (held: [SpoolRecord], outcomes: [(UInt64, BodyOutcome)]) {
    var outcomes = batches.outcomes
    var held: [SpoolRecord] = []
    // All at once, so that those of one log are one commit.
    try await withThrowingTaskGroup(of: (BodyBatch, BatchResult).self) { group in
      for batch in batches.all {
        group.addTask { (batch, try await batch.append()) }
      }
      for try await (batch, result) in group {
        held += batch.held(result)
        batch.note(result, in: &outcomes)
        metrics.add(.events, batch.lines)
        metrics.add(.understood, result.understood)
        metrics.add(.rejected, result.rejected.count)
        metrics.add(.notMapped, result.unread.count)
      }
    }
    // What one commit added is told to each of its appends.
    var commits: [String: Set<AppendResult.Commit>] = [:]
    for batch in batches.all {
      guard let commit = outcomes[batch.firstRecord]?.commit else { continue }
      commits[batch.stream.writer.log.path, default: []].insert(commit)
    }
    for (log, commits) in commits {
      for commit in commits {
        metrics.add(.new, commit.new)
        metrics.add(.copies, commit.duplicates)
        metrics.add(.commits, 1)
        feed.note(commit.new, log: log)
      }
    }
    return (held, outcomes.map { ($0.key, $0.value) })
  }

  // MARK: Outcomes

  /// Waits until a body is in the log.
  /// - Returns: nil if that takes too long, or the server ends before.
  func outcome(of id: UInt64) async -> BodyOutcome? {
    if let outcome = early.removeValue(forKey: id) { return outcome }
    guard answersWaiters else { return nil }
    Task {
      try? await Task.sleep(for: Self.patience)
      waiters.removeValue(forKey: id)?.resume(returning: nil)
    }
    return await withCheckedContinuation { waiters[id] = $0 }
  }

  /// The server is about to end: requests that wait for outcomes would keep it.
  func answerWaiters() {
    answersWaiters = false
    for waiter in waiters.values { waiter.resume(returning: nil) }
    waiters = [:]
  }

  // MARK: One at a time

  /// Waits until no other reading, erasure or requeueing runs.
  private func begin() async {
    while isBusy { await withCheckedContinuation { turn.append($0) } }
    isBusy = true
  }

  private func end() {
    isBusy = false
    if !turn.isEmpty { turn.removeFirst().resume() }
  }

  // MARK: Administration

  /// What an erasure found.
  struct ErasedUsers: Sendable {
    /// Events that were removed from each log, by its path.
    var events: [(log: String, events: Int)] = []
    var quarantined = 0
  }

  /// Erases users from all logs, from what waits and from the quarantine. What comes later of them is left out by the logs.
  func erase(_ users: [String]) async throws -> ErasedUsers {
    await begin()
    defer { end() }
    // What waits goes into the log first, so that it is erased there.
    guard await read() else { throw SettingsError("bodies wait that cannot be read now: \(failure ?? "")") }
    try Disk.synchronizeDirectory(spool.directory)
    var erased = ErasedUsers()
    for stream in streams.oneOfEachLog {
      let options = stream.options
      let events = try await stream.writer.exclusively { log throws(PermlogError) in
        try Self.erase(users, from: log, options)
      }
      erased.events.append((stream.writer.log.path, events))
    }
    for user in users { erased.quarantined += try await quarantine.erase(user) }
    return erased
  }

  private static func erase(
    _ users: [String], from log: PermissionLog, _ options: IngestOptions
  ) throws(PermlogError) -> Int {
    do {
      return try log.erase(users: users.map { Array($0.utf8) }, key: options.userKey, erasureKey: options.erasureKey)
        .events
    } catch {
      // A log that nobody wrote to has nobody.
      guard error.code == .notFound else { throw error }
      return 0
    }
  }

  /// Reads the quarantine again, with the settings of now.
  /// - Returns: entries before and after.
  func requeue(_ streams: EventStreams) async throws -> (before: Int, after: Int) {
    await begin()
    defer { end() }
    self.streams = streams
    var before = 0
    for name in try await quarantine.files() {
      let records = try await quarantine.take(name)
      before += records.count
      do { _ = try await read(records) } catch {
        try await quarantine.putBack(name)
        throw error
      }
      try await quarantine.forget(name)
    }
    newest = newest ?? Self.now
    await noteStatus()
    for writer in streams.writers { try? await writer.release() }
    return (before, Int(metrics.value(.quarantineEntries)))
  }

  /// The settings changed.
  func use(_ streams: EventStreams) { self.streams = streams }

  var logs: [PermissionLog] { streams.writers.map(\.log) }
  var current: EventStreams { streams }
}

/// What became of a body.
struct BodyOutcome: Sendable {
  var lines = 0
  /// Lines that became events.
  var understood = 0
  /// Rejected lines of the body, from 1, with their reasons; at most a hundred.
  var rejected: [(line: Int, reason: String)] = []
  var rejectedCount = 0
  /// Names that look like permission events and are not mapped.
  var notMapped: [String: Int] = [:]
  /// Why nothing of it was read; nil if it was.
  var problem: String?
  var commit: AppendResult.Commit?
}
