// The history of a block as an analysis wants it: events of permissions and engagement apart.

import Buffers
import PermissionEvents

extension BlockDecoder {
  func decodeLanes() throws {
    if kindCodes.areOfFirstRelease {
      // Kinds from `feature_used` on are engagement: they carry into the bit above when the distance to 16 is added.
      let distance = UInt32(16 - EventKind.featureUsed.rawValue)
      try decodeLanes { kind in
        let isEngagement = (kind &+ distance) >> 4
        return (isEngagement, isEngagement)
      }
    } else {
      let (ofPart, known) = (kindCodes.engagement, KindCodes.engagement)
      try decodeLanes { kind in (ofPart &>> kind & 1, known &>> kind & 1) }
    }
    if !kindCodes.areOfFirstRelease || dropsContexts { filterLanes() }
    for user in 0..<users {
      permissionCounts[user] = firstPermissions[user + 1] - firstPermissions[user]
      engagementCounts[user] = firstEngagements[user + 1] - firstEngagements[user]
    }
  }

  /// - Parameter engagement: for a kind 1 if it is of the class of engagement, and 1 if it goes to the lane of engagement.
  @inline(__always)
  private func decodeLanes(engagement isEngagement: (UInt32) -> (ofClass: UInt32, inLane: UInt32)) throws {
    permissionCounts.resizeDiscarding(to: users)
    firstPermissions.resizeDiscarding(to: users + 1)
    engagementCounts.resizeDiscarding(to: users)
    firstEngagements.resizeDiscarding(to: users + 1)
    // Each row is written to both lanes, and stays in one: there is room for one more.
    permissionTimes.resizeDiscarding(to: rows + 1)
    permissionCodes.resizeDiscarding(to: rows + 1)
    permissionRows.resizeDiscarding(to: rows + 1)
    engagement.resizeDiscarding(to: rows + 1)
    // A hot loop.
    let (kinds, contexts, statuses) = (kinds.unsafeAddress, contexts.unsafeAddress, statuses.unsafeAddress)
    let firstRows = firstRows.unsafeAddress
    let (firstPermissions, firstEngagements) = (firstPermissions.unsafeAddress, firstEngagements.unsafeAddress)
    let (times, codes) = (permissionTimes.unsafeAddress, permissionCodes.unsafeAddress)
    let (rowNumbers, engagement) = (permissionRows.unsafeAddress, engagement.unsafeAddress)
    var firstRow = 0
    var permissionCount = 0
    var engagementCount = 0
    // The numbers of exceptions and statuses so far, and of the exception that holds for events of permissions.
    var exception: UInt32 = 0
    var holding: UInt32 = 0
    var status: UInt32 = 0
    try forEachTime(
      beginUser: { user in
        firstRow = Int(firstRows[user])
        firstPermissions[user] = UInt32(truncatingIfNeeded: permissionCount)
        firstEngagements[user] = UInt32(truncatingIfNeeded: engagementCount)
        holding = 0
      },
      { row, time in
        // Kinds come in no order that a processor could foresee, so nothing branches on them.
        let byte = UInt32(kinds[row])
        let kind = byte & 15
        let (isOfClass, isInLane) = isEngagement(kind)
        let isException = byte >> 4 & 1
        let hasStatus = byte >> 6 & 1
        exception &+= isException
        holding = isException > isOfClass ? exception : holding
        status &+= hasStatus
        times[permissionCount] = Int64(truncatingIfNeeded: time)
        codes[permissionCount] =
          kind | (UInt32(statuses[Int(status)]) & (0 &- hasStatus)) << HistoryBatch.statusShift
          | contexts[Int(holding)] << HistoryBatch.contextShift
        rowNumbers[permissionCount] = UInt32(truncatingIfNeeded: row &- firstRow)
        engagement[engagementCount] = time << 1 | UInt64(kind & 1)
        permissionCount &+= 1 &- Int(isInLane)
        engagementCount &+= Int(isInLane)
      })
    firstPermissions[users] = UInt32(truncatingIfNeeded: permissionCount)
    firstEngagements[users] = UInt32(truncatingIfNeeded: engagementCount)
  }

  /// Takes out of the lanes what the program does not know, and an install's context, which belongs to no permission;
  /// brings events of one millisecond into the program's order.
  private func filterLanes() {
    let (times, codes) = (permissionTimes.unsafeAddress, permissionCodes.unsafeAddress)
    let (rowNumbers, engagement) = (permissionRows.unsafeAddress, engagement.unsafeAddress)
    let installed = UInt32(EventKind.appInstalled.rawValue)
    var place = 0
    var kept = 0
    for user in 0..<users {
      let start = kept
      while place < Int(firstPermissions[user + 1]) {
        var code = codes[place]
        let kind = code & 15
        if kind == installed { code &= 1 << HistoryBatch.contextShift - 1 }
        if kind <= installed, code >> HistoryBatch.contextShift != HistoryProjection.dropped {
          codes[kept] = code
          times[kept] = times[place]
          rowNumbers[kept] = rowNumbers[place]
          kept += 1
        }
        place += 1
      }
      firstPermissions[user] = UInt32(truncatingIfNeeded: start)
      guard !kindCodes.isInOrder else { continue }
      Self.sort(start..<kept) {
        times[$0] == times[$1] && codes[$0] & 15 < codes[$1] & 15
      } swap: { a, b in
        swap(&codes[a], &codes[b])
        swap(&rowNumbers[a], &rowNumbers[b])
      }
      Self.sort(Int(firstEngagements[user])..<Int(firstEngagements[user + 1])) {
        engagement[$0] < engagement[$1]
      } swap: {
        swap(&engagement[$0], &engagement[$1])
      }
    }
    firstPermissions[users] = UInt32(truncatingIfNeeded: kept)
  }

  /// Sorts events that are nearly in order, as times are, so that none goes far.
  private static func sort(_ range: Range<Int>, isBefore: (Int, Int) -> Bool, swap: (Int, Int) -> Void) {
    for i in range.dropFirst() {
      var j = i
      while j > range.lowerBound, isBefore(j, j - 1) {
        swap(j, j - 1)
        j -= 1
      }
    }
  }

  /// The selected attributes of events of permissions from a user on; valid until the next block is opened.
  /// `attributeChanges` and `lanes` must be loaded.
  func attributeColumn(from user: Int) -> AttributeColumn {
    AttributeColumn(
      .init(
        flags: kinds.unsafeAddress, flag: RowFlag.attributes, firstRows: firstRows.unsafeAddress + user,
        firstChanges: firstAttributeChanges.unsafeAddress + user,
        rows: permissionRows.unsafeAddress + Int(firstPermissions[user])),
      values: attributeChanges.unsafeAddress)
  }

  /// Values of the rows to values of the events of permissions.
  func selectPermissions(_ values: borrowing Buffer<UInt32>, into out: inout Buffer<UInt32>) {
    out.resizeDiscarding(to: Int(firstPermissions[users]))
    for user in 0..<users {
      let first = Int(firstRows[user])
      for i in Int(firstPermissions[user])..<Int(firstPermissions[user + 1]) {
        out[i] = values[first + Int(permissionRows[i])]
      }
    }
  }
}
