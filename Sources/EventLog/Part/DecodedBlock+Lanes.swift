// The history of a block as an analysis wants it: events of permissions and engagement apart.

import PermissionEvents

extension DecodedBlock {
  func decodeLanes() throws {
    if kindCodes.areOfFirstRelease {
      // Kinds from `feature_used` on are engagement: they carry into the bit above where the distance to 16 is added.
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
    let (firstPermissions, firstEngagements) = (firstPermissions.pointer, firstEngagements.pointer)
    for user in 0..<users {
      permissionCounts.pointer[user] = firstPermissions[user + 1] - firstPermissions[user]
      engagementCounts.pointer[user] = firstEngagements[user + 1] - firstEngagements[user]
    }
  }

  /// - Parameter engagement: for a kind 1 if it is of the class of engagement, and 1 if it goes to the lane of engagement.
  @inline(__always)
  private func decodeLanes(engagement isEngagement: (UInt32) -> (ofClass: UInt32, inLane: UInt32)) throws {
    permissionCounts.reserve(users)
    firstPermissions.reserve(users + 1)
    engagementCounts.reserve(users)
    firstEngagements.reserve(users + 1)
    // Each row is written to both lanes, and stays in one: there is room for one more.
    permissionTimes.reserve(rows + 1)
    permissionCodes.reserve(rows + 1)
    permissionRows.reserve(rows + 1)
    engagement.reserve(rows + 1)
    let kinds = kinds.pointer
    let contexts = contexts.pointer
    let statuses = statusBytes.pointer
    let firstRows = firstRows.pointer
    let (firstPermissions, firstEngagements) = (firstPermissions.pointer, firstEngagements.pointer)
    let (times, codes) = (permissionTimes.pointer, permissionCodes.pointer)
    let (rowNumbers, engagement) = (permissionRows.pointer, engagement.pointer)
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

  /// The selected attributes of events of permissions from a user on; valid until the next block is opened.
  /// `attributeChanges` and `lanes` must be loaded.
  func attributeColumn(from user: Int) -> AttributeColumn {
    AttributeColumn(
      .init(
        flags: kinds.pointer, flag: RowFlag.attributes, firstRows: firstRows.pointer + user,
        firstChanges: firstAttributeChanges.pointer + user,
        rows: permissionRows.pointer + Int(firstPermissions.pointer[user])),
      values: attributeChanges.pointer)
  }

  /// Values of the rows to values of the events of permissions.
  func selectPermissions(_ rows: GrowingBuffer<UInt32>, into out: GrowingBuffer<UInt32>) {
    out.reserve(Int(firstPermissions.pointer[users]))
    for user in 0..<users {
      let first = rows.pointer + Int(firstRows.pointer[user])
      for i in Int(firstPermissions.pointer[user])..<Int(firstPermissions.pointer[user + 1]) {
        out.pointer[i] = first[Int(permissionRows.pointer[i])]
      }
    }
  }
}
