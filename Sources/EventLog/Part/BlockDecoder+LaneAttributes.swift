// The attributes of every event of both lanes, for a fold that looks at them all.

import Buffers
import PermissionEvents

extension BlockDecoder {
  /// `lanes` and `attributeChanges` must be loaded.
  func decodeLaneAttributes() throws {
    rowAttributes.resizeDiscarding(to: rows)
    // Each row is written to the lane of engagement, and stays if it is one: there is room for one more.
    engagementAttributes.resizeDiscarding(to: rows + 1)
    engagementRows.resizeDiscarding(to: rows + 1)
    // A hot loop. Nothing branches on what the rows are: number 0 is no change.
    let (kinds, changes) = (kinds.unsafeAddress, attributeChanges.unsafeAddress)
    let (ofRows, ofEngagement) = (rowAttributes.unsafeAddress, engagementAttributes.unsafeAddress)
    let (engagementRows, rowCounts) = (engagementRows.unsafeAddress, rowCounts.unsafeAddress)
    let engagement = KindCodes.engagement
    var (row, change, count) = (0, 0, 0)
    for user in 0..<users {
      let first = row
      let end = row &+ Int(rowCounts[user])
      var current: UInt32 = 0
      while row < end {
        let byte = kinds[row]
        if byte & RowFlag.attributes != 0 {
          current = changes[change]
          change &+= 1
        }
        ofRows[row] = current
        ofEngagement[count] = current
        engagementRows[count] = UInt32(truncatingIfNeeded: row &- first)
        count &+= Int(engagement &>> UInt32(byte & 15) & 1)
        row &+= 1
      }
    }
    selectPermissions(rowAttributes, into: &permissionAttributes)
    if !kindCodes.isInOrder { try sortEngagementAttributes() }
  }

  /// Brings them into the order that the lane of engagement was brought into.
  private func sortEngagementAttributes() throws {
    try load(.history)
    for user in 0..<users {
      let first = Int(firstRows[user])
      let lane = Int(firstEngagements[user])..<Int(firstEngagements[user + 1])
      func key(_ place: Int) -> (Int64, UInt8) {
        let row = first + Int(engagementRows[place])
        return (times[row], kinds[row] & 1)
      }
      for i in lane.dropFirst() {
        var j = i
        while j > lane.lowerBound, key(j) < key(j - 1) {
          swap(&engagementRows[j], &engagementRows[j - 1])
          swap(&engagementAttributes[j], &engagementAttributes[j - 1])
          j -= 1
        }
      }
    }
  }

  /// The attributes of events of permissions from a user on, and of engagement; valid until the next block is opened.
  /// `laneAttributes` must be loaded.
  func laneAttributes(from user: Int) -> (permissions: AttributeColumn, engagement: UnsafePointer<UInt32>) {
    (
      AttributeColumn(values: permissionAttributes.unsafeAddress + Int(firstPermissions[user])),
      UnsafePointer(engagementAttributes.unsafeAddress + Int(firstEngagements[user]))
    )
  }
}
