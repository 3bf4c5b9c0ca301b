// The content of a log, its verification, and the removal of old events.

import EventImport
import EventLog
import PermissionEvents
import SystemCalls

extension PermissionLog {
  /// The content of the log, read from its footers alone: events, parts, values of its fields, and the keys that it
  /// needs.
  public func information() throws(PermlogError) -> LogInformation {
    try translating { try directory.information() }
  }

  /// Notes how far live events reach, for `info` and reports: a server calls it when that has changed. The log must exist. It is no
  /// commit, and needs no lock.
  public func note(_ status: LiveStatus) throws(PermlogError) { try translating { try directory.write(status) } }

  /// Reads every byte of the log and checks it. Damage is returned, not thrown.
  /// - Throws: if there is no log, or if the system refuses to read.
  public func verify() throws(PermlogError) -> Verification {
    try translating { try directory.verify() }
  }

  /// Makes or renews a copy of the log's last commit in another directory; another process may write to the log meanwhile. The copy
  /// is a log. Files that it has already are not copied again.
  /// - Parameter place: a directory that is empty or not there, or an earlier copy of this log.
  /// - Throws: `usage` if it is the log itself; `notFound` if it has anything else.
  @discardableResult
  public func backUp(to place: String) throws(PermlogError) -> Backup {
    guard !place.isEmpty else { throw .usage("the directory of the copy must have a name") }
    func isSame(_ a: String, _ b: String) -> Bool {
      guard let a = realpath(a, nil) else { return false }
      defer { free(a) }
      guard let b = realpath(b, nil) else { return false }
      defer { free(b) }
      return strcmp(a, b) == 0
    }
    // The directory, or the nearest one above it that is there.
    var above = place
    while true {
      guard !isSame(path, above) else {
        throw .usage("\(place) is the log itself, or in its directory: name another directory for its copy")
      }
      guard above != "/", above != "." else { break }
      var next = above
      while next.last == "/" { next.removeLast() }
      let real = realpath(next, nil).map { text in
        defer { free(text) }
        return String(bounded: FilePath(text).bytes)
      }
      let parts = (real ?? next).split(separator: "/", omittingEmptySubsequences: false).dropLast()
      above = parts.isEmpty ? "." : parts.count == 1 && parts[0].isEmpty ? "/" : parts.joined(separator: "/")
    }
    return try translating {
      do { return try directory.backUp(to: LogDirectory(path: place, files: files)) } catch var error as LogError
        where error.explanation.remedy == .nameEmptyDirectory
      {
        error.explanation.remedy = nil
        error.explanation.addition = ". Name an empty directory, or one that is not there yet."
        throw error
      }
    }
  }

  /// Takes the newest ingest with new events back: its events and links go, and what it replaced returns. The log must
  /// not have been changed since by an erasure, an expiry, a readmission or `compact`.
  /// - Returns: what was taken back; nil if there is nothing that can be.
  @discardableResult
  public func undo() throws(PermlogError) -> UndoneIngest? { try writing { try $0.undo() } }

  /// The ingest that `undo` would take back; nil if there is none.
  public func undoableIngest() throws(PermlogError) -> IngestRecord? {
    let information = try information()
    return information.ingests.first { $0.number == information.undoableIngest }
  }

  /// Sets the rule for how long the log keeps events, and applies it. From then on each ingest and each `compact` applies it,
  /// once a day (UTC).
  /// - Parameter rule: nil ends the rule; what is gone stays out.
  /// - Returns: what was removed; nil if the rule ended, or if the log keeps no older events already.
  /// What `keep` would do, but for the numbers of events (`previewExpiry` has those).
  public func previewRetention(_ rule: RetentionSpan) throws(PermlogError) -> AppliedRetention {
    try translating { try LogSnapshot(directory).preview(rule, at: clock()) }
  }

  @discardableResult
  public func keep(_ rule: RetentionSpan?) throws(PermlogError) -> AppliedRetention? {
    try writing { writer in
      try writer.setRetention(rule)
      return try writer.applyRetention()
    }
  }

  /// Merges the log's parts. The events stay the same.
  @discardableResult
  public func compact() throws(PermlogError) -> Compaction {
    try writing { writer in
      let retention = try writer.applyRetention()
      let before = writer.size
      let apart = try writer.compact()
      return Compaction(
        before: .init(parts: before.parts, bytes: before.bytes),
        after: .init(parts: writer.size.parts, bytes: writer.size.bytes), apart: apart, retention: retention)
    }
  }

  /// Removes events before a moment from every file of the log, and keeps older events out of later ingests.
  /// - Parameters:
  ///   - moment: the first moment that stays; it must be in the past.
  ///   - timeZone: IANA name of the zone in which a date begins.
  @discardableResult
  public func expire(before moment: Moment, timeZone: String = "UTC") throws(PermlogError) -> Expiry {
    let time = try pastTime(moment, timeZone)
    return try writing { writer in
      let counts = try writer.expire(before: time)
      return Expiry(events: counts.events, parts: counts.parts, before: time, limit: writer.expiredBefore ?? time)
    }
  }

  /// The result that `expire` would have; no file is changed.
  /// - Parameters: as in `expire`.
  public func previewExpiry(before moment: Moment, timeZone: String = "UTC") throws(PermlogError) -> ExpiryPreview {
    let time = try pastTime(moment, timeZone)
    return try translating {
      let snapshot = try LogSnapshot(directory)
      let preview = try snapshot.preview(expiringBefore: time)
      return ExpiryPreview(
        expiry: Expiry(
          events: preview.events, parts: preview.parts, before: time,
          limit: max(time, snapshot.manifest.expiredBefore ?? time)),
        users: preview.users, wholeUsers: preview.wholeUsers)
    }
  }

  private func pastTime(_ moment: Moment, _ timeZone: String) throws(PermlogError) -> Milliseconds {
    let utc = try moment.time(in: .utc)
    let zone = try SystemZones.table(timeZone, over: utc - 3 * millisecondsPerDay...utc + 3 * millisecondsPerDay)
    let time = try moment.time(in: zone)
    if time > clock() {
      throw .usage("\(Timestamp.text(time)) is in the future; all events would be removed. Name a past date", .before)
    }
    return time
  }

  /// Accepts events of any age again: the next ingest that has them stores them.
  /// - Returns: the time before which events were kept out; nil if no events were kept out.
  @discardableResult
  public func readmitExpired() throws(PermlogError) -> Milliseconds? {
    try writing { writer in
      if let rule = writer.retention {
        throw PermlogError.usage(
          "the log has the rule to keep events for \(rule), which would remove them again. End the rule first", .keep)
      }
      return try writer.readmitExpired()
    }
  }
}

/// The result of merging the parts.
public struct Compaction: Sendable, Equatable {
  /// The files of a log.
  public struct Size: Sendable, Equatable {
    public var parts: Int
    public var bytes: Int
  }

  public var before: Size
  public var after: Size
  /// Why parts with too many events of one user were not merged, and what to do; nil if there are no such parts.
  public var apart: ErrorExplanation?
  /// What the log's rule for old events removed before; nil if nothing was due.
  public var retention: AppliedRetention?
}

/// The result of an expiry.
public struct Expiry: Sendable, Equatable {
  /// Events that were removed.
  public var events: Int
  /// Parts that were rewritten or dropped.
  public var parts: Int
  /// The requested time: events before it are gone.
  public var before: Milliseconds
  /// The time before which the log accepts no events. It is later than `before` if the log had already expired later
  /// events.
  public var limit: Milliseconds
}

/// The result that an expiry would have.
public struct ExpiryPreview: Sendable, Equatable {
  public var expiry: Expiry
  /// Users who would lose events.
  public var users: Int
  /// The number of those users who would have no events left.
  public var wholeUsers: Int
}
