// Reads users' histories for the analysis: only the columns that it needs, on all cores, each core its own
// ranges of the hash space.

import Threads
import PermissionEvents

/// A scan over the histories of a snapshot.
package struct HistoryScan: Sendable {
  /// What the codes of the batches mean.
  package let contexts: HistoryContexts
  private let snapshot: LogSnapshot
  private let projections: [HistoryProjection]
  private let selection: HistorySelection

  package init(_ snapshot: LogSnapshot, selection: HistorySelection) throws {
    self.snapshot = snapshot
    self.selection = selection
    var contexts: HistoryContexts
    (contexts, projections) = try HistoryProjection.make(
      snapshot.parts.map(\.footer.dictionary), selection: selection)
    if let times = snapshot.timeRange { contexts.times = times }
    self.contexts = contexts
  }

  /// Hands every user's history to one of some consumers, each of which lives on one thread.
  /// - Parameters:
  ///   - hashes: of the users to hand over.
  ///   - make: called once on each thread.
  ///   - done: called with each consumer, on its thread, when it has all its users.
  package func run<Consumer: HistoryConsumer>(
    within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int, _ make: @escaping @Sendable () throws -> Consumer,
    done: @escaping @Sendable (Consumer) throws -> Void
  ) throws {
    let ranges = HashRanges.divide(snapshot.parts, count: threads <= 1 ? 1 : threads * 48, within: hashes)
    let tasks = Sections(count: ranges.count, threads: max(1, threads))
    try Workers.run(threads: max(1, threads)) { thread in
      let consumer = try make()
      let buffers = Buffers(parts: snapshot.parts.count, selection)
      while let task = tasks.claim(thread) { try scan(ranges[task], into: consumer, buffers) }
      try done(consumer)
    }
  }

  /// What a thread keeps from range to range, so that its memory is touched once.
  private final class Buffers {
    var blocks: [Int: DecodedBlock] = [:]
    let columns: [HistoryAssembly.Columns]
    let assembly: HistoryAssembly

    init(parts: Int, _ selection: HistorySelection) {
      columns = (0..<parts).map { _ in HistoryAssembly.Columns() }
      assembly = HistoryAssembly(selection)
    }

    func block(_ number: Int, _ part: PartReader, _ projection: HistoryProjection) throws -> DecodedBlock {
      if let block = blocks[number] { return block }
      let block = try DecodedBlock(part: part)
      block.contextProjection = projection.contexts
      block.attributeProjection = projection.attributes
      blocks[number] = block
      return block
    }
  }

  /// Hands out tasks so that each thread takes one after the other: the blocks that reach over the end of a range are then
  /// decoded once. Who is done with its own takes the last of whoever has most left.
  private final class Sections: Sendable {
    private let left: Mutex<[Range<Int>]>

    init(count: Int, threads: Int) {
      left = Mutex((0..<threads).map { count * $0 / threads..<count * ($0 + 1) / threads })
    }

    func claim(_ thread: Int) -> Int? {
      left.withLock { left in
        if let next = left[thread].popFirst() { return next }
        return left.indices.max { left[$0].count < left[$1].count }.flatMap { left[$0].popLast() }
      }
    }
  }

  private func scan(
    _ range: ClosedRange<UInt64>, into consumer: any HistoryConsumer, _ buffers: Buffers
  ) throws {
    let overlapping = snapshot.parts.indices.filter { i in
      let blocks = snapshot.parts[i].footer.blocks
      let first = PartCursor.firstBlock(blocks, from: range.lowerBound)
      return first < blocks.count && blocks[first].firstHash <= range.upperBound
    }
    if overlapping.count == 1 {
      try scan(part: overlapping[0], range, into: consumer, buffers)
    } else if !overlapping.isEmpty {
      try merge(overlapping, range, into: consumer, buffers)
    }
  }

  /// One part: its blocks are handed over as they are.
  private func scan(
    part i: Int, _ range: ClosedRange<UInt64>, into consumer: any HistoryConsumer, _ buffers: Buffers
  ) throws {
    let part = snapshot.parts[i]
    let block = try buffers.block(i, part, projections[i])
    var next = PartCursor.firstBlock(part.footer.blocks, from: range.lowerBound)
    while next < part.footer.blocks.count, part.footer.blocks[next].firstHash <= range.upperBound {
      if block.index != next { try block.open(next) }
      next += 1
      try block.load(.lanes)
      var users = 0..<block.users
      if block.entry.firstHash < range.lowerBound || block.entry.lastHash > range.upperBound {
        try block.load(.keys)
        let hashes = UnsafeBufferPointer(start: block.hashes.pointer, count: block.users)
        let first = hashes.firstIndex { $0 >= range.lowerBound } ?? block.users
        let end = hashes.firstIndex { $0 > range.upperBound } ?? block.users
        users = min(first, end)..<end
      }
      guard !users.isEmpty else { continue }
      let first = Int(block.firstPermissions.pointer[users.lowerBound])
      var selected: UnsafePointer<UInt32>?
      if let property = selection.property {
        let columns = buffers.columns[i]
        columns.openings = -1
        try projections[i].load(property, of: block, into: columns)
        selected = UnsafePointer(columns.properties.pointer + first)
      }
      if !selection.attributes.isEmpty { try block.load(.attributeChanges) }
      consumer.consume(
        HistoryBatch(
          userCount: users.count, permissionCounts: block.permissionCounts.pointer + users.lowerBound,
          engagementCounts: block.engagementCounts.pointer + users.lowerBound,
          times: block.permissionTimes.pointer + first, codes: block.permissionCodes.pointer + first,
          engagement: block.engagement.pointer + Int(block.firstEngagements.pointer[users.lowerBound]),
          properties: selected,
          attributes: selection.attributes.isEmpty ? nil : block.attributeColumn(from: users.lowerBound),
          userIDs: selection.userIDs ? try userIDs(of: block, from: users.lowerBound) : nil))
    }
  }

  /// Ids are put together only for the users that are asked for.
  private func userIDs(of block: DecodedBlock, from first: Int) throws -> UserIDColumn {
    try block.load(.keys)
    return UserIDColumn { block.userID(first + $0).bytes }
  }

  /// Several parts: users' histories are put together in batches of their own.
  private func merge(
    _ parts: [Int], _ range: ClosedRange<UInt64>, into consumer: any HistoryConsumer, _ buffers: Buffers
  ) throws {
    let merge = UserMerge(
      try parts.map { number in
        let part = snapshot.parts[number]
        return try PartCursor(part, range: range, block: buffers.block(number, part, projections[number]))
      })
    let output = buffers.assembly
    let columns = parts.map { buffers.columns[$0] }
    var runs: [HistoryAssembly.Run] = []
    while try merge.advance() {
      runs.removeAll(keepingCapacity: true)
      for i in 0..<merge.sourceCount {
        let source = merge.sources[i]
        let cursor = merge.cursors[source]
        if columns[source].openings != cursor.block.openings {
          try load(cursor.block, projections[parts[source]], into: columns[source])
        }
        let run = HistoryAssembly.Run(cursor, columns[source])
        if merge.sourceCount == 1 { output.append(run) } else { runs.append(run) }
      }
      if merge.sourceCount > 1 { try output.append(&runs) { try merge.isIDBefore($0, $1, $2, $3) } }
      if selection.userIDs { output.appendID(merge.cursors[merge.sources[0]].userID.bytes) }
      if output.isFull { output.flush(into: consumer) }
    }
    output.flush(into: consumer)
  }

  /// The history of a block, and the selected values of its events of permissions.
  private func load(
    _ block: DecodedBlock, _ projection: HistoryProjection, into columns: HistoryAssembly.Columns
  ) throws {
    try block.load(.lanes)
    if let property = selection.property { try projection.load(property, of: block, into: columns) }
    if !selection.attributes.isEmpty {
      try block.load(.attributeChanges)
      block.copyAttributes(into: columns.rows)
      block.selectPermissions(columns.rows, into: columns.attributes)
    }
    columns.openings = block.openings
  }
}
