// Reads exports into the log: all events that are understood in one commit, or nothing.

import EventImport
import EventLog
import PermissionEvents

/// The progress of an ingest.
public enum IngestProgress: Sendable {
  /// Files are being read: the lines so far, and the share of all bytes from 0 to 1; nil if a pipe is among the files.
  case reading(lines: Int, share: Double?)
  /// The events are sorted and written.
  case writing
  /// They become part of the log: from now on an end of the process may leave all of them in it, or none.
  case committing
}

extension PermissionLog {
  /// Reads exports into the log. If there is no log, it is made, with the directories above it. Events that the log
  /// already has are left out. If the ingest is refused, nothing that was made for the log stays. An export without
  /// events makes an empty log.
  /// - Parameters:
  ///   - files: files, directories (every file below) and `-` for standard input.
  ///   - options: how the files are read, and when nothing is stored.
  ///   - onReject: called with every refused line, in the order of the input, by one thread at a time. If it throws,
  ///     the ingest ends with `stopped`.
  ///   - onProgress: called after every piece of the input, perhaps by several threads at once.
  /// - Returns: the counts of lines and events. If `refusal` is not nil, nothing was stored.
  /// - Throws: if a file cannot be read to its end or the log cannot be written. Nothing is stored then.
  @discardableResult
  public func ingest(
    _ files: [String], options: IngestOptions = IngestOptions(),
    onReject: (@Sendable (RejectedLine) throws -> Void)? = nil, onProgress: (@Sendable (IngestProgress) -> Void)? = nil
  ) throws(PermlogError) -> IngestResult {
    try ingest(.paths(files), options, onReject, onProgress)
  }

  /// The same for paths that need not be text.
  @discardableResult
  public func ingest(
    _ files: [FilePath], options: IngestOptions = IngestOptions(),
    onReject: (@Sendable (RejectedLine) throws -> Void)? = nil, onProgress: (@Sendable (IngestProgress) -> Void)? = nil
  ) throws(PermlogError) -> IngestResult {
    try ingest(.files(files), options, onReject, onProgress)
  }

  /// Reads an export in memory into the log: the bytes of a file, compressed or not, in any form that a file can have.
  /// - Parameters:
  ///   - bytes: the content of a file.
  ///   - name: the name of the file in reasons and messages.
  @discardableResult
  public func ingest(
    bytes: [UInt8], name: String = "bytes", options: IngestOptions = IngestOptions(),
    onReject: (@Sendable (RejectedLine) throws -> Void)? = nil, onProgress: (@Sendable (IngestProgress) -> Void)? = nil
  ) throws(PermlogError) -> IngestResult {
    try ingest(.bytes(bytes, name: name), options, onReject, onProgress)
  }

  private func ingest(
    _ source: ImportSource, _ options: IngestOptions, _ onReject: (@Sendable (RejectedLine) throws -> Void)?,
    _ onProgress: (@Sendable (IngestProgress) -> Void)?
  ) throws(PermlogError) -> IngestResult {
    try translating {
      var attempt = try IngestAttempt(
        log: self, source: source, options: options, onReject: onReject, onProgress: onProgress)
      while true {
        do {
          if let result = try attempt.run() { return result }
        } catch let error as ImportError {
          try attempt.leaveOut(because: error)
        }
      }
    }
  }
}

/// One try to read files into a log. It begins again without files that are damaged, if these are to be left out, and if another
/// process changed which files the log has.
private struct IngestAttempt {
  let log: PermissionLog
  let source: ImportSource
  /// What is left of the input.
  var inputs: [InputPath]
  let options: IngestOptions
  let onReject: (@Sendable (RejectedLine) throws -> Void)?
  let onProgress: (@Sendable (IngestProgress) -> Void)?
  /// Files that were left out, with their errors.
  var bad: [ImportError] = []
  /// What the log's rule for old events removed.
  private var retention: AppliedRetention?
  /// What the last try read.
  private var unread: [InputPath] = []
  private let start = SystemClock.steadySeconds

  init(
    log: PermissionLog, source: ImportSource, options: IngestOptions,
    onReject: (@Sendable (RejectedLine) throws -> Void)?, onProgress: (@Sendable (IngestProgress) -> Void)?
  ) throws {
    (self.log, self.source, self.options) = (log, source, options)
    var unreadable: [ImportError] = []
    inputs = try source.inputs(leavingOut: options.skipsBadFiles ? { unreadable.append($0) } : nil)
    bad = unreadable
    (self.onReject, self.onProgress) = (onReject, onProgress)
  }

  /// - Returns: nil if the log remembers other ingests by now: then it has to begin again.
  mutating func run() throws -> IngestResult? {
    let rejected = RejectKeeper(options, onReject)
    var report: (@Sendable (ImportProgress) -> Void)?
    if let onProgress { report = { onProgress(IngestProgress($0)) } }
    let history = log.history
    var known = try KnownFiles(history, options, threads: log.threads)
    unread = known.unread(inputs)
    let session = try ImportSession(
      .inputs(unread), options: try options.importOptions(threads: log.threads, clock: log.clock),
      onReject: { try rejected.add($0) }, onProgress: report)
    let erasureKey = try options.erasureKey?.key(besides: log.path)
    let protected = options.protectedFiles(source, inputs.map(\.path), log: log.path)
    for path in options.laterFiles {
      try PermlogError.naming(.output) { () throws(PermlogError) in try protected.checkOutput(path) }
    }
    try rejected.open(besides: protected)
    let writer = try rejected.keeping { try log.writer(mayCreate: true) }
    defer { writer.close() }
    guard writer.history == history else { return nil }
    try rejected.keeping {
      if options.needsNewLog { try writer.requireNewLog() }
      try writer.unlock(erasureKey)
      retention = try writer.applyRetention() ?? retention
      writer.replaces = options.replacesEvents
      try writer.admit(UserNaming(options.userKey), force: options.allowsMixedUsers)
      var isDone = false
      while !isDone {
        let round = writer.beginRound()
        isDone = try session.run(into: round, eventIDs: writer.eventIDs, isKeptOut: writer.isKeptOut)
        onProgress?(.writing)
        if isDone {
          try writer.finish(round, isLast: true, reading: session.tally, sessions: session.sessions)
        } else {
          try writer.finish(round)
        }
      }
      try writer.requireProvenKey()
      // Before the commit: if the refused lines cannot be kept, nothing is stored.
      try rejected.close()
    }
    let refusal = IngestRefusal(session.counts, unread: session.eventNames.unreadPermissionEvents, options)
    var record: IngestRecord?
    if refusal == nil {
      let made = makeRecord(session, writer)
      let partial = session.partialFiles.map(\.path)
      let skipped = session.skippedWholeFiles
      let files = known.entries(of: unread.filter { !skipped.contains($0.path) }) { name in
        !rejected.mayRead(later: name) && !partial.contains { $0 == name || $0.hasPrefix(name + "!") }
      }
      // A run that read nothing is not worth remembering: an hourly job has many.
      let isWorthIt = session.counts.lines > 0 || !files.isEmpty || !writer.exists
      onProgress?(.committing)
      try writer.commit(isWorthIt ? (made, files) : nil)
      record = made
    }
    return try result(session, writer, rejected, refusal, record, known: inputs.count - unread.count)
  }

  private func makeRecord(_ session: ImportSession, _ writer: EventLogWriter) -> IngestRecord {
    let counts = HealthCounts(session, writer.users)
    let time = log.clock()
    var record = IngestRecord(
      time: time, files: session.counts.files,
      names: options.userKey == nil ? session.files.map(\.shown) : [], new: writer.counts.new,
      duplicates: writer.counts.duplicates, measures: counts.stored(with: writer.counts))
    record.findings =
      session.counts.lines == 0 ? [] : IngestHealth.findings(counts, at: time, after: writer.history.ingests)
    return record
  }

  private func result(
    _ session: ImportSession, _ writer: EventLogWriter, _ rejected: RejectKeeper, _ refusal: IngestRefusal?,
    _ record: IngestRecord?, known: Int
  ) throws -> IngestResult {
    var stored = writer.counts
    stored.refusedLinks += session.counts.refusedLinks
    // Which repeats are made depends on the threads; all of them are copies.
    stored.duplicates += session.counts.repeats
    var carried = session.carried
    if refusal == nil, !options.rows.states.isEmpty { carried.mixed = try log.mixedStates() }
    return IngestResult(
      read: session.counts, stored: stored, contradictions: writer.contradictions, rejections: rejected.summary,
      names: session.eventNames, carried: carried,
      oneSidedAnswers: session.answerCounts.filter(\.isOneSided), skippedFiles: session.skippedFiles,
      convertedFiles: session.convertedFiles, partialFiles: session.partialFiles(areKept: refusal == nil),
      damagedHistory: writer.historyDamage, damagedNumbers: writer.numbersDamage,
      badFiles: refusal == nil ? bad.map(Self.leftOut) : bad.map { PermlogError($0) }, knownFiles: known,
      health: record?.findings ?? [], retention: retention,
      refusal: refusal, newest: writer.newestTime, seconds: SystemClock.steadySeconds - start, words: options.words)
  }

  // MARK: Files that are damaged

  private static func leftOut(_ error: ImportError) -> PermlogError {
    var error = error
    error.explanation.outcome?.isLeftOut = true
    return PermlogError(error)
  }

  /// Finds all files that cannot be read, so that the next try is without them.
  /// - Throws: the error if damaged files are not to be left out, or if it is not of a file that was given.
  mutating func leaveOut(because error: ImportError) throws {
    guard options.skipsBadFiles, isOfFile(error), let first = inputs.first(where: { error.isOf($0) }) else {
      throw error
    }
    var found = [error]
    for input in unread where input.path != first.path && input.stamp != nil {
      do {
        let session = try ImportSession(
          .inputs([input]), options: try options.importOptions(threads: log.threads, clock: log.clock))
        while try !session.run(into: DiscardingSink()) {}
      } catch let error as ImportError where isOfFile(error) {
        found.append(error)
      }
    }
    bad += found
    inputs.removeAll { input in found.contains { $0.isOf(input) } }
  }

  private func isOfFile(_ error: ImportError) -> Bool {
    switch error.code {
    case .damaged, .unreadable, .unknownFormat, .badHeader, .notFound: true
    case .usage, .resources: false
    }
  }
}

extension ImportError {
  /// Whether it is of a file, or of a member of an archive.
  fileprivate func isOf(_ input: InputPath) -> Bool {
    // What was read from a pipe is gone.
    input.stamp != nil && (path == input.name || path.hasPrefix(input.name + "!"))
  }
}

extension PermissionLog {
  /// The ingests that the log remembers; none if there is no log, or if it cannot be read: the writer says why.
  fileprivate var history: IngestHistory {
    (try? directory.readHistory()) ?? IngestHistory()
  }
}

extension PermissionLog {
  /// Permissions with states of more than one property: their changes mean nothing.
  fileprivate func mixedStates() throws -> [(permission: String, properties: [String])] {
    let contexts = try HistoryScan(LogSnapshot(directory), selection: HistorySelection(surfaces: true)).contexts
    var properties: [String: Set<String>] = [:]
    for (number, context) in contexts.contexts.enumerated() where context.isState {
      let property = contexts.surface(of: number).dropFirst(StateSurface.prefix.count)
      properties[contexts.permission(of: number), default: []].insert(String(property))
    }
    return properties.filter { $0.value.count > 1 }.map { ($0.key, $0.value.sorted()) }
      .sorted { $0.permission < $1.permission }
  }
}

extension UserNaming {
  init(_ key: UserKey?) { self = key.map { .hashed(check: $0.check) } ?? .plain }
}

extension IngestProgress {
  init(_ progress: ImportProgress) {
    self = .reading(
      lines: progress.counts.lines,
      share: progress.totalBytes.flatMap { $0 > 0 ? min(1, Double(progress.bytesRead) / Double($0)) : nil })
  }
}

extension ImportSession {
  fileprivate var tally: IngestTally {
    IngestTally(lines: Int64(counts.lines), notUnderstood: Int64(counts.notUnderstood))
  }

  /// The errors of files that were read only in part.
  func partialFiles(areKept: Bool) -> [PermlogError] {
    partialFiles.map { error in
      var error = error
      error.explanation.outcome?.isKeptInPart = areKept
      return PermlogError(error)
    }
  }
}
