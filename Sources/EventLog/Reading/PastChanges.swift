// The changes of the past for a reader, in one value.

import PermissionEvents

/// The changes since an earlier reading of the log. Nil means that no such change is known: logs record changes from
/// 0.3.0, and only recorded changes are reported.
public struct PastChanges: Sendable, Hashable {
  /// Events that an ingest added after newer ones had been in the log.
  public struct LateEvents: Sendable, Hashable {
    /// Their number; fewer of them may be from before the requested days.
    public var atMost: Int
    /// The commits of the first and the last, by the clock of the machine that ingested.
    public var committed: ClosedRange<Milliseconds>
    /// Nothing older was added.
    public var oldest: Milliseconds
  }

  /// Users who were erased with all their events.
  public struct Erasure: Sendable, Hashable {
    /// Their number. Whether they saw anything, and what, is not kept.
    public var atMost: Int
    /// The commits of the first and the last, by the clock of the machine that erased.
    public var committed: ClosedRange<Milliseconds>
  }

  /// Of a permission: screens, answers, changes in the settings.
  public var lateEvents: LateEvents?
  /// Use of the app and installs: only figures of retention and of engagement depend on them.
  public var lateActivity: LateEvents?
  public var erasure: Erasure?
  /// Ingests that were taken back: the commits of the first and the last such change.
  public var undone: ClosedRange<Milliseconds>?
  /// Changes of the list of users whom the log leaves out: the commits of the first and the last.
  public var exclusion: ClosedRange<Milliseconds>?
  /// Events before this time were dropped, and the requested interval begins so soon after it that it may have had more events.
  public var expiredBefore: Milliseconds?

  public var isEmpty: Bool {
    lateEvents == nil && lateActivity == nil && erasure == nil && undone == nil && exclusion == nil
      && expiredBefore == nil
  }

  public init() {}
}

extension LogSnapshot {
  /// The known changes of data that readers could see before.
  ///
  /// An event is late if an ingest of an earlier sitting had reached one of the moments, and the event, added
  /// afterwards, is from before that moment. So neither a first ingest of old data nor a daily one in order is late,
  /// nor are files ingested one by one within an hour.
  /// - Parameters:
  ///   - moments: at which a reading could decide, in order: the ends of the days of the looks, up to the day decided.
  ///   - start: the first exposure that is left. A week or less after the time of an expiry, older ones may have been dropped.
  package func changes(before moments: [Milliseconds], since start: Milliseconds?) -> PastChanges {
    var found = PastChanges()
    for kind in PastChange.Kind.allCases {
      let touching = manifest.changes.changes.filter { $0.kind == kind && $0.touches(moments) }
      guard let first = touching.first else { continue }
      let all = touching.dropFirst().reduce(first) { $0.joined($1) }
      switch kind {
      case .latePermission: found.lateEvents = .init(all)
      case .lateActivity: found.lateActivity = .init(all)
      case .erasedUsers: found.erasure = .init(atMost: all.count, committed: all.first...all.last)
      case .undoneIngest: found.undone = all.first...all.last
      case .excludedUsers: found.exclusion = all.first...all.last
      }
    }
    if let limit = manifest.expiredBefore, let start, start < limit + 7 * millisecondsPerDay {
      found.expiredBefore = limit
    }
    return found
  }
}

extension PastChanges.LateEvents {
  init(_ change: PastChange) {
    self.init(atMost: change.count, committed: change.first...change.last, oldest: change.oldest)
  }
}
