// One user's events as the fold goes over them: by week and kind for activity, by day for engagement.

import Folding
import PermissionEvents

extension ReportFold {
  /// A user's history up to as_of.
  struct User {
    let times: UnsafePointer<Milliseconds>
    let codes: UnsafePointer<UInt32>
    /// As they are stored, for what counts events.
    let storedTimes: UnsafePointer<Milliseconds>
    let storedCodes: UnsafePointer<UInt32>
    let isReadAsStored: Bool
    let engagement: UnsafePointer<UInt64>
    var permissionCount: Int
    var engagementCount: Int

    @inline(__always)
    init(_ user: borrowing UserHistory, asOf: Milliseconds) {
      times = user.unsafeTimes
      codes = user.unsafeCodes
      (storedTimes, storedCodes, isReadAsStored) = (user.unsafeStoredTimes, user.unsafeStoredCodes, user.isReadAsStored)
      engagement = user.unsafeEngagement
      permissionCount = user.eventCount
      engagementCount = user.engagementCount
      while permissionCount > 0, storedTimes[permissionCount - 1] > asOf { permissionCount -= 1 }
      while engagementCount > 0, engagementTime(engagementCount - 1) > asOf { engagementCount -= 1 }
    }

    @inline(__always) func engagementTime(_ i: Int) -> Milliseconds { Milliseconds(engagement[i] >> 1) }
  }

  /// Days of engagement, and how much of it there was.
  @inline(__always)
  mutating func addEngagement(of user: User) {
    let count = user.engagementCount
    guard count > 0 else { return engagement.removeAll() }
    // In locals: what `self` holds would be read again for every event.
    var days = dayCursor
    let zone = question.zone
    let (from, to) = (from, to)
    let first = days.day(of: user.engagementTime(0), in: zone)
    let last = days.day(of: user.engagementTime(count - 1), in: zone)
    var writer = engagement.begin(first: first, last: last, events: count)
    let table = activity.engagementCounts(from: first, to: last)
    days.forEachOffset(of: count, in: zone, time: user.engagementTime) { moments, offset in
      guard let (counts, firstDay) = table else {
        for i in moments { addElsewhere(user.engagementTime(i), offset, isActive: user.engagement[i] & 1, &writer) }
        return
      }
      for i in moments {
        let word = user.engagement[i]
        let time = Milliseconds(truncatingIfNeeded: word >> 1)
        let isActive = Int(truncatingIfNeeded: word & 1)
        let day = DayCursor.day(ofLocal: time &+ offset)
        counts[Int(truncatingIfNeeded: day &- firstDay) &* 2 &+ isActive] &+= time >= from && time < to ? 1 : 0
        writer.add(day: day, isFeature: 1 &- isActive)
      }
    }
    dayCursor = days
    engagement.end(writer)
  }

  private mutating func addElsewhere(
    _ time: Milliseconds, _ offset: Milliseconds, isActive: UInt64, _ writer: inout UserEngagement.Writer
  ) {
    let day = DayCursor.day(ofLocal: time &+ offset)
    let kind = isActive == 1 ? KindCode.appActive : KindCode.featureUsed
    if isInside(time) { activity.addElsewhere(permission: 0, kind: Int(kind), week: DayCursor.week(of: day)) }
    writer.add(day: day, isFeature: isActive == 1 ? 0 : 1)
  }

  /// How many events of permissions there were; `body` is called with each one's number, kind and permission.
  @inline(__always)
  mutating func addActivity(of user: User, _ body: (Int, Int, UInt32) -> Void) {
    var days = dayCursor
    let zone = question.zone
    let (from, to) = (from, to)
    let count = user.permissionCount
    let first = DayCursor.week(of: days.day(of: user.storedTimes[0], in: zone))
    let last = DayCursor.week(of: days.day(of: user.storedTimes[count - 1], in: zone))
    let table = activity.eventCounts(from: first, to: last)
    let permissionOfContext = permissionOfContext.unsafeAddress
    let permissions = permissionCount
    days.forEachOffset(of: count, in: zone, time: { user.storedTimes[$0] }) { moments, offset in
      for i in moments {
        let time = user.storedTimes[i]
        let code = user.storedCodes[i]
        let kind = Int(code & 15)
        let permission = permissionOfContext[Int(code >> HistoryBatch.contextShift)]
        body(i, kind, permission)
        let week = DayCursor.week(ofLocal: time &+ offset)
        let isCounted = time >= from && time < to
        if let (counts, firstWeek) = table {
          let place = ActivityTable.place(
            permission: Int(permission), kind: kind, week: week &- firstWeek, permissions: permissions)
          counts[place] &+= isCounted ? 1 : 0
        } else if isCounted {
          activity.addElsewhere(permission: Int(permission), kind: kind, week: week)
        }
      }
    }
    dayCursor = days
  }
}
