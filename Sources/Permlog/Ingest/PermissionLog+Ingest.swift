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
    try translating { try ingest(source, options, RejectKeeper(options, onReject), onProgress) }
  }

  private func ingest(
    _ source: ImportSource, _ options: IngestOptions, _ rejected: RejectKeeper,
    _ onProgress: (@Sendable (IngestProgress) -> Void)?
  ) throws -> IngestResult {
    let start = SystemClock.steadySeconds
    var report: (@Sendable (ImportProgress) -> Void)?
    if let onProgress { report = { onProgress(IngestProgress($0)) } }
    let session = try ImportSession(
      source, options: try options.importOptions(threads: threads, clock: clock), onReject: { try rejected.add($0) },
      onProgress: report)
    let erasureKey = try options.erasureKey?.key(besides: path)
    let protected = options.protectedFiles(source, session.files, log: path)
    for path in options.laterFiles {
      try PermlogError.naming(.output) { () throws(PermlogError) in try protected.checkOutput(path) }
    }
    try rejected.open(besides: protected)
    let writer = try rejected.keeping { try self.writer(mayCreate: true) }
    defer { writer.close() }
    try rejected.keeping {
      if options.needsNewLog { try writer.requireNewLog() }
      try writer.unlock(erasureKey)
      writer.replaces = options.replacesEvents
      try writer.admit(UserNaming(options.userKey), force: options.allowsMixedUsers)
      var isDone = false
      while !isDone {
        let round = writer.beginRound()
        isDone = try session.run(into: round, eventIDs: writer.eventIDs)
        onProgress?(.writing)
        if isDone {
          try writer.finish(round, isLast: true, reading: session.tally, sessions: session.sessions)
        } else {
          try writer.finish(round)
        }
      }
      // Before the commit: if the refused lines cannot be kept, nothing is stored.
      try rejected.close()
    }
    let refusal = IngestRefusal(session.counts, options)
    if refusal == nil { try writer.commit() }
    var stored = writer.counts
    stored.refusedLinks += session.counts.refusedLinks
    // Which repeats are made depends on the threads; all of them are copies.
    stored.duplicates += session.counts.repeats
    var carried = session.carried
    if refusal == nil, !options.rows.states.isEmpty { carried.mixed = try mixedStates() }
    return IngestResult(
      read: session.counts, stored: stored, contradictions: writer.contradictions, rejections: rejected.summary,
      names: session.eventNames, carried: carried,
      oneSidedAnswers: session.answerCounts.filter(\.isOneSided), skippedFiles: session.skippedFiles,
      convertedFiles: session.convertedFiles, partialFiles: session.partialFiles(areKept: refusal == nil),
      refusal: refusal, newest: writer.newestTime, seconds: SystemClock.steadySeconds - start)
  }
}

extension PermissionLog {
  /// Permissions with states of more than one property: their changes mean nothing.
  private func mixedStates() throws -> [(permission: String, properties: [String])] {
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
