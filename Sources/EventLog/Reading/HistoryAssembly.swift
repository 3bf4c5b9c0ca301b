// A batch of histories that are put together from several parts.

import PermissionEvents

/// Collects users' histories until there are enough to hand over. Owned by one thread.
final class HistoryAssembly {
  private let permissionCounts = GrowingBuffer<UInt32>(capacity: 8192)
  private let engagementCounts = GrowingBuffer<UInt32>(capacity: 8192)
  private let times = GrowingBuffer<Int64>(capacity: 32_768)
  private let codes = GrowingBuffer<UInt32>(capacity: 32_768)
  private let engagement = GrowingBuffer<UInt64>(capacity: 32_768)
  private let properties = GrowingBuffer<UInt32>(capacity: 32_768)
  private let attributes = GrowingBuffer<UInt32>(capacity: 32_768)
  private let withProperties: Bool
  private let withAttributes: Bool
  private let withIDs: Bool
  private var ids: [[UInt8]] = []
  private var users = 0
  private var permissionCount = 0
  private var engagementCount = 0

  init(_ selection: HistorySelection) {
    withProperties = selection.property != nil
    withAttributes = !selection.attributes.isEmpty
    withIDs = selection.userIDs
  }

  /// The id of the user that was appended last.
  func appendID(_ id: [UInt8]) { ids.append(id) }

  /// The selected values of the events of permissions in the block that a part stands at.
  final class Columns {
    let properties = GrowingBuffer<UInt32>()
    let attributes = GrowingBuffer<UInt32>()
    /// Of each row, before the events of permissions are selected.
    let rows = GrowingBuffer<UInt32>()
    /// Of the block that they were loaded for; -1 for none.
    var openings = -1
  }

  var isFull: Bool { permissionCount + engagementCount >= 16_384 }

  /// What one part has of a user: places in its block's lanes.
  struct Run {
    let times: UnsafePointer<Int64>
    let codes: UnsafePointer<UInt32>
    let engagement: UnsafePointer<UInt64>
    let properties: UnsafePointer<UInt32>
    let attributes: UnsafePointer<UInt32>
    var permissions: Range<Int>
    var engagements: Range<Int>

    @inline(__always)
    init(_ cursor: PartCursor, _ columns: Columns) {
      let block = cursor.block
      times = UnsafePointer(block.permissionTimes.pointer)
      codes = UnsafePointer(block.permissionCodes.pointer)
      engagement = UnsafePointer(block.engagement.pointer)
      properties = UnsafePointer(columns.properties.pointer)
      attributes = UnsafePointer(columns.attributes.pointer)
      let (first, firstEngagement) = (block.firstPermissions.pointer, block.firstEngagements.pointer)
      permissions = Int(first[cursor.user])..<Int(first[cursor.user + 1])
      engagements = Int(firstEngagement[cursor.user])..<Int(firstEngagement[cursor.user + 1])
    }

    /// Time and kind of an event of a permission: all of the log's order but the event id.
    @inline(__always) func key(_ event: Int) -> UInt64 {
      UInt64(bitPattern: times[event]) << 4 | UInt64(codes[event] & 15)
    }
  }

  /// Appends the history of a user whom one part alone has.
  @inline(__always)
  func append(_ run: Run) {
    grow(permissionCount + run.permissions.count, engagementCount + run.engagements.count)
    permissionCounts.pointer[users] = UInt32(truncatingIfNeeded: run.permissions.count)
    engagementCounts.pointer[users] = UInt32(truncatingIfNeeded: run.engagements.count)
    users += 1
    appendPermissions(run, run.permissions)
    appendEngagement(run, run.engagements)
  }

  /// Appends a user's history.
  /// - Parameter isIDBefore: whether an event of one run has an id before that of one of another.
  func append(_ runs: inout [Run], isIDBefore: (Int, Int, Int, Int) throws -> Bool) throws {
    var permissions = 0
    var engagements = 0
    for run in runs {
      permissions += run.permissions.count
      engagements += run.engagements.count
    }
    grow(permissionCount + permissions, engagementCount + engagements)
    permissionCounts.pointer[users] = UInt32(truncatingIfNeeded: permissions)
    engagementCounts.pointer[users] = UInt32(truncatingIfNeeded: engagements)
    users += 1
    try runs.withUnsafeMutableBufferPointer { runs in
      try mergePermissions(runs, permissions, isIDBefore)
      mergeEngagement(runs, engagements)
    }
  }

  private func grow(_ permissions: Int, _ engagements: Int) {
    permissionCounts.grow(users + 1, keeping: users)
    engagementCounts.grow(users + 1, keeping: users)
    times.grow(permissions, keeping: permissionCount)
    codes.grow(permissions, keeping: permissionCount)
    engagement.grow(engagements, keeping: engagementCount)
    if withProperties { properties.grow(permissions, keeping: permissionCount) }
    if withAttributes { attributes.grow(permissions, keeping: permissionCount) }
  }

  @inline(__always)
  private func appendPermissions(_ run: Run, _ range: Range<Int>) {
    let (first, count, place) = (range.lowerBound, range.count, permissionCount)
    (times.pointer + place).update(from: run.times + first, count: count)
    (codes.pointer + place).update(from: run.codes + first, count: count)
    if withProperties { (properties.pointer + place).update(from: run.properties + first, count: count) }
    if withAttributes { (attributes.pointer + place).update(from: run.attributes + first, count: count) }
    permissionCount = place + count
  }

  @inline(__always)
  private func appendEngagement(_ run: Run, _ range: Range<Int>) {
    (engagement.pointer + engagementCount).update(from: run.engagement + range.lowerBound, count: range.count)
    engagementCount += range.count
  }

  /// Parts are mostly of different times, so that what comes next from one run is mostly all that comes before the next
  /// event of any other: found by its last event, and copied at once.
  private func mergePermissions(
    _ runs: UnsafeMutableBufferPointer<Run>, _ count: Int, _ isIDBefore: (Int, Int, Int, Int) throws -> Bool
  ) throws {
    let end = permissionCount + count
    while permissionCount < end {
      var best = -1
      var bestKey = UInt64.max
      var nextKey = UInt64.max
      for i in 0..<runs.count where !runs[i].permissions.isEmpty {
        let event = runs[i].permissions.lowerBound
        let key = runs[i].key(event)
        let isFirst =
          try best < 0 || key < bestKey
          || (key == bestKey && isBefore(i, event, best, runs[best].permissions.lowerBound, runs, isIDBefore))
        if isFirst {
          nextKey = best < 0 ? .max : min(nextKey, bestKey)
          best = i
          bestKey = key
        } else {
          nextKey = min(nextKey, key)
        }
      }
      let run = runs[best]
      let first = run.permissions.lowerBound
      let isWhole = run.key(run.permissions.upperBound - 1) < nextKey
      let taken = isWhole ? run.permissions : first..<first + 1
      appendPermissions(run, taken)
      runs[best].permissions = taken.upperBound..<run.permissions.upperBound
    }
  }

  /// Whether an event comes before another of the same time and kind. Where nothing tells apart the events that all runs
  /// have of this time and kind, their order does not matter, and their ids are not read.
  private func isBefore(
    _ a: Int, _ eventA: Int, _ b: Int, _ eventB: Int, _ runs: UnsafeMutableBufferPointer<Run>,
    _ isIDBefore: (Int, Int, Int, Int) throws -> Bool
  ) throws -> Bool {
    try !areAlike(runs[a].key(eventA), code: runs[a].codes[eventA], runs) && isIDBefore(a, eventA, b, eventB)
  }

  /// True where all next events of one time and kind have one code, and nothing else is looked at.
  private func areAlike(_ key: UInt64, code: UInt32, _ runs: UnsafeMutableBufferPointer<Run>) -> Bool {
    guard !withProperties, !withAttributes else { return false }
    return runs.allSatisfy { run in
      run.permissions.prefix { run.key($0) == key }.allSatisfy { run.codes[$0] == code }
    }
  }

  private func mergeEngagement(_ runs: UnsafeMutableBufferPointer<Run>, _ count: Int) {
    let end = engagementCount + count
    while engagementCount < end {
      var best = -1
      var bestKey = UInt64.max
      var nextKey = UInt64.max
      for i in 0..<runs.count where !runs[i].engagements.isEmpty {
        let key = runs[i].engagement[runs[i].engagements.lowerBound]
        if best < 0 || key < bestKey {
          nextKey = best < 0 ? .max : min(nextKey, bestKey)
          best = i
          bestKey = key
        } else {
          nextKey = min(nextKey, key)
        }
      }
      let run = runs[best]
      let first = run.engagements.lowerBound
      let isWhole = run.engagement[run.engagements.upperBound - 1] <= nextKey
      let taken = isWhole ? run.engagements : first..<first + 1
      appendEngagement(run, taken)
      runs[best].engagements = taken.upperBound..<run.engagements.upperBound
    }
  }

  func flush(into consumer: any HistoryConsumer) {
    guard users > 0 else { return }
    consumer.consume(
      HistoryBatch(
        userCount: users, permissionCounts: permissionCounts.pointer, engagementCounts: engagementCounts.pointer,
        times: times.pointer, codes: codes.pointer, engagement: engagement.pointer,
        properties: withProperties ? UnsafePointer(properties.pointer) : nil,
        attributes: withAttributes ? AttributeColumn(values: attributes.pointer) : nil,
        userIDs: withIDs ? UserIDColumn { [ids] in ids[$0] } : nil))
    ids.removeAll(keepingCapacity: true)
    users = 0
    permissionCount = 0
    engagementCount = 0
  }
}
