// The data of one user for a fold: spans of the log's batch, valid during the call.

public import PermissionEvents

/// One user's history, in two lanes that are each in the log's order (time, kind, event id): the events of permissions (and
/// installs, which have a kind of their own and belong to no permission), and engagement. A lane may be empty.
///
/// Events are numbered from 0 in their lane. Codes are those of the `HistoryContexts` of the walk. Questions of this
/// package read some events differently from how they are stored (calls that return at once). A custom fold sees them
/// as stored.
public struct UserHistory: ~Copyable, ~Escapable {
  /// Number of events in the lane of permissions.
  public let eventCount: Int
  /// Number of events in the lane of engagement.
  public let engagementCount: Int
  // The lanes as pointers, for the inner loops of this package's own folds.
  @usableFromInline package let unsafeTimes: UnsafePointer<Milliseconds>
  @usableFromInline package let unsafeCodes: UnsafePointer<UInt32>
  @usableFromInline package let unsafeEngagement: UnsafePointer<UInt64>
  /// The lane of permissions as stored.
  @usableFromInline package let unsafeStoredTimes: UnsafePointer<Milliseconds>
  @usableFromInline package let unsafeStoredCodes: UnsafePointer<UInt32>
  /// For each event the number of the stored one; nil if events are read as stored.
  @usableFromInline let unsafeNumbers: UnsafePointer<UInt32>?
  @usableFromInline let unsafeProperties: UnsafePointer<UInt32>?
  // The batch itself, for rare lookups.
  @usableFromInline let batch: UnsafePointer<HistoryBatch>
  @usableFromInline let number: Int
  @usableFromInline let firstEvent: Int
  @usableFromInline let firstEngagement: Int

  /// - Parameter batch: valid as long as the history.
  @inlinable
  @inline(__always)
  @_lifetime(immortal)
  init(_ batch: UnsafePointer<HistoryBatch>, number: Int, firstEvent: Int, firstEngagement: Int) {
    eventCount = Int(truncatingIfNeeded: batch.pointee.permissionCounts[number])
    engagementCount = Int(truncatingIfNeeded: batch.pointee.engagementCounts[number])
    unsafeStoredTimes = batch.pointee.times + firstEvent
    unsafeStoredCodes = batch.pointee.codes + firstEvent
    if let reading = batch.pointee.reading {
      (unsafeTimes, unsafeCodes) = (reading.times + firstEvent, reading.codes + firstEvent)
      unsafeNumbers = reading.numbers + firstEvent
    } else {
      (unsafeTimes, unsafeCodes, unsafeNumbers) = (unsafeStoredTimes, unsafeStoredCodes, nil)
    }
    unsafeEngagement = batch.pointee.engagement + firstEngagement
    unsafeProperties = batch.pointee.properties.map { $0 + firstEvent }
    self.batch = batch
    self.number = number
    self.firstEvent = firstEvent
    self.firstEngagement = firstEngagement
  }

  /// The same history under other codes.
  /// - Parameter codes: of each event; valid as long as the history, which the other one must outlive.
  @_lifetime(immortal)
  package init(_ other: borrowing UserHistory, codes: UnsafePointer<UInt32>) {
    (eventCount, engagementCount) = (other.eventCount, other.engagementCount)
    (unsafeTimes, unsafeCodes, unsafeNumbers) = (other.unsafeTimes, codes, other.unsafeNumbers)
    (unsafeStoredTimes, unsafeStoredCodes) = (other.unsafeStoredTimes, other.unsafeStoredCodes)
    (unsafeEngagement, unsafeProperties) = (other.unsafeEngagement, other.unsafeProperties)
    (batch, number) = (other.batch, other.number)
    (firstEvent, firstEngagement) = (other.firstEvent, other.firstEngagement)
  }

  /// UTC milliseconds of each event of a permission.
  @inlinable public var times: Span<Milliseconds> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(Span(_unsafeStart: unsafeTimes, count: eventCount), borrowing: self) }
  }

  /// Kind, status and context of each event of a permission; see `HistoryBatch.codes`.
  @inlinable public var codes: Span<UInt32> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(Span(_unsafeStart: unsafeCodes, count: eventCount), borrowing: self) }
  }

  /// UTC milliseconds of each engagement, doubled; plus 1 for `app_active`, plus 0 for `feature_used`.
  @inlinable public var engagement: Span<UInt64> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(Span(_unsafeStart: unsafeEngagement, count: engagementCount), borrowing: self) }
  }
}

extension UserHistory {
  @inlinable public func time(_ event: Int) -> Milliseconds { times[event] }

  @inlinable public func kind(_ event: Int) -> EventKind {
    EventKind(rawValue: UInt8(truncatingIfNeeded: codes[event] & 15)) ?? .appActive
  }

  @inlinable public func status(_ event: Int) -> AuthorizationStatus {
    AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: codes[event] >> HistoryBatch.statusShift & 15)) ?? .none
  }

  /// Number in `HistoryContexts.contexts` of what an event is about: its permission, and its variant and experiment if
  /// they were selected.
  @inlinable public func context(_ event: Int) -> Int { Int(codes[event] >> HistoryBatch.contextShift) }

  /// Code in `HistoryContexts.properties` of the selected property of an event, or 0 without one.
  @inlinable public func property(_ event: Int) -> Int {
    precondition(event >= 0 && event < eventCount, "there is no such event")
    return unsafeProperties.map { Int($0[stored(event)]) } ?? 0
  }

  /// The number of an event among the stored ones.
  @inlinable
  @inline(__always)
  func stored(_ event: Int) -> Int { unsafeNumbers.map { Int(truncatingIfNeeded: $0[event]) } ?? event }

  /// Whether all events are read as stored.
  @inline(__always) package var isReadAsStored: Bool { unsafeNumbers == nil }

  /// False unless `HistorySelection.attributes` has some.
  @inlinable public var hasAttributes: Bool { batch.pointee.attributes != nil }

  /// Code in `HistoryContexts.attributes` of the selected attributes of an event, or 0 without any.
  @inlinable public func attributes(_ event: Int) -> Int {
    precondition(event >= 0 && event < eventCount, "there is no such event")
    return batch.pointee.attributes.map { Int($0.code(user: number, event: firstEvent + stored(event))) } ?? 0
  }

  /// The same for an engagement, if `HistorySelection.allAttributes` is set; otherwise 0.
  @inlinable public func engagementAttributes(_ i: Int) -> Int {
    precondition(i >= 0 && i < engagementCount, "there is no such event")
    return batch.pointee.engagementAttributes.map { Int($0[firstEngagement + i]) } ?? 0
  }

  /// Calls `body` for the stored events of both lanes in the log's order, with the time and kind of each and the code of its
  /// attributes: 0 without attributes, or if `HistorySelection.allAttributes` is not set.
  @inlinable
  public func forEachEvent(_ body: (_ time: Milliseconds, _ kind: EventKind, _ attributes: Int) -> Void) {
    let hasAttributes = batch.pointee.engagementAttributes != nil
    var (event, use) = (0, 0)
    while event < eventCount || use < engagementCount {
      // No kind is in both lanes, so that ids never decide between them.
      let isUse: Bool
      if use < engagementCount, event < eventCount {
        let (time, useTime) = (unsafeStoredTimes[event], engagementTime(use))
        isUse = useTime == time ? engagementKind(use).rawValue < storedKind(event).rawValue : useTime < time
      } else {
        isUse = use < engagementCount
      }
      if isUse {
        body(engagementTime(use), engagementKind(use), hasAttributes ? engagementAttributes(use) : 0)
        use += 1
      } else {
        body(unsafeStoredTimes[event], storedKind(event), hasAttributes ? storedAttributes(event) : 0)
        event += 1
      }
    }
  }

  @inlinable
  func storedKind(_ event: Int) -> EventKind {
    EventKind(rawValue: UInt8(truncatingIfNeeded: unsafeStoredCodes[event] & 15)) ?? .appActive
  }

  @inlinable
  package func storedAttributes(_ event: Int) -> Int {
    batch.pointee.attributes.map { Int($0.code(user: number, event: firstEvent + event)) } ?? 0
  }

  /// Codes of the attributes of both lanes' events, for the inner loops of this package's own folds; nil unless all were
  /// selected.
  package var unsafeAttributes: (events: UnsafePointer<UInt32>, engagement: UnsafePointer<UInt32>)? {
    guard let events = batch.pointee.attributes?.all, let engagement = batch.pointee.engagementAttributes else {
      return nil
    }
    return (events + firstEvent, engagement + firstEngagement)
  }

  @inlinable public func engagementTime(_ i: Int) -> Milliseconds {
    Milliseconds(truncatingIfNeeded: engagement[i] >> 1)
  }

  /// `feature_used` or `app_active`.
  @inlinable public func engagementKind(_ i: Int) -> EventKind { engagement[i] & 1 == 1 ? .appActive : .featureUsed }

  /// The user's id, if `HistorySelection.userIDs` is set; otherwise empty. It is read only when this property is used.
  public func id() -> [UInt8] { batch.pointee.userIDs?.id(number) ?? [] }
}

extension HistoryBatch {
  /// Calls `body` for each user of the batch.
  package func forEachUser(_ body: (borrowing UserHistory) -> Void) {
    var event = 0
    var engagement = 0
    withUnsafePointer(to: self) { pointer in
      for number in 0..<userCount {
        let user = UserHistory(pointer, number: number, firstEvent: event, firstEngagement: engagement)
        body(user)
        event &+= user.eventCount
        engagement &+= user.engagementCount
      }
    }
  }
}
