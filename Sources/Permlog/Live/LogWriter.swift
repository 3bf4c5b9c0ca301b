// The writer of a log for a program that gets events all the time, as a server does: appends from many tasks become one commit.

import EventImport
import EventLog
import PermissionEvents
import Threads

/// Appends bytes to a log from any number of tasks.
///
/// Appends that wait at the same time are committed together: a commit waits for the disk about four times (five if events have numbers), whatever is in it. Each
/// append returns after its events are on the disk, or throws, and then nothing of it is in the log. Copies of events that the log
/// has are left out, however they came: in an append, or in a file.
///
/// The writer holds the log's lock from its first append until `release()` or `close()`; other writers are refused as `busy`
/// meanwhile. It remembers in memory which events the log has, so that an append reads only what may be a copy, and after a
/// `release()` only what others wrote.
///
/// For example:
///
/// ```swift
/// let writer = LogWriter(try PermissionLog(path))
/// let result = try await writer.append(body)
/// print(result.read.events, "events; of the whole commit", result.commit.new, "are new")
/// try await writer.close()
/// ```
public actor LogWriter {
  /// What bounds its memory.
  public struct Limits: Sendable {
    /// Bytes that may wait for a commit; an append above it throws `limit`. One append alone may be larger.
    public var waitingBytes = 64 << 20
    /// Bytes for remembering the events of the log, twelve bits for each. A larger log needs more time for an append.
    public var rememberedBytes = 64 << 20
    /// How long a commit waits for more appends: those of tasks that run at the same time come one after another.
    public var gathering: Duration = .milliseconds(2)

    public init() {}
  }

  public nonisolated let log: PermissionLog
  private nonisolated let limits: Limits
  /// The options of the log: its key, and the key of its erased users.
  private nonisolated let options: IngestOptions
  /// Commits block, and must not hold a thread of the system's pool.
  private let thread = ThreadExecutor()
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private let known: KnownEvents
  private var writer: EventLogWriter?
  private var waiting: [Append] = []
  /// Bytes of appends that have not returned.
  private let waitingBytes = Mutex(0)
  private var nextNumber = 0
  private var isCommitScheduled = false
  private var isClosed = false
  private var record = LiveRecord()
  private var listeners: [Int: AsyncStream<String>.Continuation] = [:]

  /// Opens nothing yet: the first append makes the log if there is none.
  /// - Parameters:
  ///   - options: for each append that names none. All appends have its keys.
  ///   - limits: what bounds its memory.
  public init(_ log: PermissionLog, options: IngestOptions = IngestOptions(), limits: Limits = Limits()) {
    (self.log, self.options, self.limits) = (log, options, limits)
    known = KnownEvents(memory: limits.rememberedBytes)
  }

  // MARK: Appending

  /// Appends the bytes of a file in any form that `ingest` reads, compressed or not, and returns when they are on the disk.
  ///
  /// If the task is cancelled before its commit has begun, nothing is stored, and it throws `stopped`. Later it has no effect.
  /// - Parameters:
  ///   - bytes: an array, or another collection; one that holds its bytes together is not copied.
  ///   - name: names them in reasons and errors.
  ///   - options: how they are read; nil for the writer's. What concerns the whole log (keys, replacing) is the writer's.
  ///   - onReject: called with each refused line, in their order.
  ///   - onUnread: called with each line whose name looks like a permission event and is not mapped. Both may be called again
  ///     from the beginning if another append of the same commit turns out to be damaged.
  /// - Throws: if nothing of the bytes was stored: `dataRefused` if they are of no known form, or hold no event that is understood
  ///   (unless `options.acceptsNothing`), `limit` if too much waits already, `busy` if another process writes to the log.
  public nonisolated func append(
    _ bytes: some Collection<UInt8> & Sendable, name: String = "bytes", options: IngestOptions? = nil,
    onReject: (@Sendable (RejectedLine) -> Void)? = nil, onUnread: (@Sendable (UnreadLine) -> Void)? = nil
  ) async throws(PermlogError) -> AppendResult {
    var options = options ?? self.options
    try check(options)
    (options.userKey, options.erasureKey) = (self.options.userKey, self.options.erasureKey)
    let size = bytes.count
    // Before the actor is entered: while it commits, appends wait in front of it.
    let before = waitingBytes.withLock { waiting in
      defer { if waiting == 0 || waiting + size <= limits.waitingBytes { waiting += size } }
      return waiting
    }
    guard before == 0 || before + size <= limits.waitingBytes else {
      throw PermlogError(
        .limit, "\(before) bytes wait to be committed to \(log.path), as many as may wait. Append these again later.")
    }
    defer { waitingBytes.withLock { $0 -= size } }
    let source: any BytesInMemory = (bytes as? [UInt8]) ?? GatheredBytes(bytes)
    return try await wait { number, continuation in
      Append(
        number: number, bytes: source, size: size, name: name, options: options, onReject: onReject,
        onUnread: onUnread, continuation: continuation)
    }.get()
  }

  private func wait(
    _ append: (Int, CheckedContinuation<Result<AppendResult, PermlogError>, Never>) -> Append
  ) async -> Result<AppendResult, PermlogError> {
    guard !isClosed else { return .failure(.usage("the writer is closed")) }
    let number = nextNumber
    nextNumber += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { return continuation.resume(returning: .failure(Self.cancelled)) }
        waiting.append(append(number, continuation))
        scheduleCommit()
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
  }

  /// What is the same for all appends of a log cannot differ between them.
  private nonisolated func check(_ options: IngestOptions) throws(PermlogError) {
    if options.replacesEvents || options.needsNewLog || options.rejectsFile != nil || options.skipsBadFiles {
      throw .usage(
        "an append cannot replace events, need a new log, write a file of rejected lines or leave out files; use ingest"
      )
    }
    if options.userKey?.check != self.options.userKey?.check, options.userKey != nil {
      throw PermlogError(.key, "an append has the key of its writer, and no other")
    }
  }

  private static let cancelled = PermlogError(
    .stopped, "the append was cancelled before it was committed; nothing of it is stored", cause: CancellationError())

  private func cancel(_ number: Int) {
    guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: place).continuation.resume(returning: .failure(Self.cancelled))
  }

  private func scheduleCommit() {
    guard !isCommitScheduled else { return }
    isCommitScheduled = true
    Task {
      try? await Task.sleep(for: limits.gathering)
      commitWaiting()
    }
  }

  // MARK: Committing

  private func commitWaiting() {
    isCommitScheduled = false
    let group = waiting
    waiting = []
    guard !group.isEmpty else { return }
    let results = commit(group)
    for (append, result) in zip(group, results) { append.continuation.resume(returning: result) }
  }

  /// Commits some appends as one.
  private func commit(_ group: [Append]) -> [Result<AppendResult, PermlogError>] {
    var results = [Result<AppendResult, PermlogError>?](repeating: nil, count: group.count)
    do {
      // Each round of the loop is without one more append.
      while results.contains(where: { $0 == nil }) {
        let writer = try open()
        let round = AppendRound(writer: writer, log: log, options: options)
        let open = group.indices.filter { results[$0] == nil }
        try round.begin(known)
        if let (place, error) = try round.read(open.map { ($0, group[$0]) }) {
          results[place] = .failure(error)
          if round.hasFinishedRound { discardWriter() }
          continue
        }
        let now = log.clock()
        let due = record.isDue(at: now) ? record.made(at: now, history: writer.history) : nil
        try round.commit(due)
        if due != nil { record = LiveRecord() }
        record.add(round, at: now)
        let commit = AppendResult.Commit(
          new: writer.counts.new, duplicates: writer.counts.duplicates,
          leftOut: writer.counts.erased + writer.counts.expired + writer.counts.surplus,
          appends: open.count, fingerprint: writer.fingerprint, newest: writer.newestTime)
        for place in open { results[place] = round.result(of: place, commit) }
        listeners.values.forEach { $0.yield(commit.fingerprint) }
      }
    } catch {
      // It is not known what was written: the next append opens the log anew.
      discardWriter()
      let failure = PermlogError(error)
      for place in results.indices where results[place] == nil { results[place] = .failure(failure) }
    }
    return results.map { $0 ?? .failure(Self.cancelled) }
  }

  private func open() throws -> EventLogWriter {
    if let writer { return writer }
    let opened = try log.writer(mayCreate: true)
    writer = opened
    return opened
  }

  private func discardWriter() {
    writer?.close()
    writer = nil
  }

  // MARK: Giving the log to others

  /// Lets other writers have the log: commits what waits, and gives the lock back until the next append.
  public func release() throws(PermlogError) {
    commitWaiting()
    discardWriter()
  }

  /// Does something while no append is committed and the lock is free, as an erasure needs it; appends wait meanwhile.
  /// - Parameter body: works on the log by its path, and may block.
  public func exclusively<Value: Sendable>(
    _ body: @Sendable (PermissionLog) throws(PermlogError) -> Value
  ) throws(PermlogError) -> Value {
    try release()
    return try body(log)
  }

  /// Commits what waits, and gives the lock back for good. Later appends throw.
  public func close() throws(PermlogError) {
    isClosed = true
    defer {
      listeners.values.forEach { $0.finish() }
      listeners = [:]
    }
    commitWaiting()
    defer { discardWriter() }
    guard !record.isEmpty else { return }
    try translating {
      let writer = try open()
      guard let rest = record.made(at: log.clock(), history: writer.history) else { return }
      try writer.commit((rest, []), isUndoable: false)
      record = LiveRecord()
    }
  }

  // MARK: Being told

  /// The fingerprint of the log after each commit of this writer (``PermissionLog/fingerprint()``); it ends when the writer is closed.
  /// Who reads slowly gets the newest one.
  public func commits() -> AsyncStream<String> {
    let number = nextNumber
    nextNumber += 1
    let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
    guard !isClosed else {
      continuation.finish()
      return stream
    }
    listeners[number] = continuation
    continuation.onTermination = { _ in Task { await self.forget(number) } }
    return stream
  }

  private func forget(_ number: Int) { listeners[number] = nil }
}

// MARK: One append

extension LogWriter {
  /// Bytes that wait for a commit, and whoever waits for the result.
  struct Append {
    let number: Int
    let bytes: any BytesInMemory
    let size: Int
    let name: String
    let options: IngestOptions
    let onReject: (@Sendable (RejectedLine) -> Void)?
    let onUnread: (@Sendable (UnreadLine) -> Void)?
    let continuation: CheckedContinuation<Result<AppendResult, PermlogError>, Never>
  }
}

/// Any collection of bytes as the importer reads it.
private struct GatheredBytes<Base: Collection<UInt8> & Sendable>: BytesInMemory {
  let base: Base

  init(_ base: Base) { self.base = base }

  var startIndex: Base.Index { base.startIndex }
  var endIndex: Base.Index { base.endIndex }
  func index(after i: Base.Index) -> Base.Index { base.index(after: i) }
  func index(_ i: Base.Index, offsetBy distance: Int, limitedBy limit: Base.Index) -> Base.Index? {
    base.index(i, offsetBy: distance, limitedBy: limit)
  }
  func distance(from start: Base.Index, to end: Base.Index) -> Int { base.distance(from: start, to: end) }
  subscript(position: Base.Index) -> UInt8 { base[position] }
  subscript(bounds: Range<Base.Index>) -> Base.SubSequence { base[bounds] }
  func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
    try base.withContiguousStorageIfAvailable(body)
  }
}

/// The outcome of an append.
public struct AppendResult: Sendable {
  /// The lines of these bytes, and what became of them.
  public var read: ImportCounts
  /// Refused lines by reason.
  public var rejections: RejectionSummary
  /// Event names with their outcome; those that look like permission events but were not stored come first.
  public var names: [TalliedEvent]
  /// The commit that these bytes were part of.
  public var commit: Commit

  /// What the appends of one commit added together: which of two copies in one commit is the copy has no answer.
  public struct Commit: Sendable, Hashable {
    /// Events that the log did not have.
    public var new: Int
    /// Copies of events that it had, or that came twice.
    public var duplicates: Int
    /// Events that must not be stored: of erased users, expired, or above the limit of one user.
    public var leftOut: Int
    /// Appends in the commit.
    public var appends: Int
    /// The state of the log after it.
    public var fingerprint: String
    /// The time of the log's newest event; nil without events.
    public var newest: Milliseconds?
  }
}
