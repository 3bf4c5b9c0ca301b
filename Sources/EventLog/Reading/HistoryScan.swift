// Reads users' histories for the analysis: only the columns that it needs, on all cores, each core its own
// ranges of the hash space.

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
    (contexts, projections) = try HistoryProjection.make(
      snapshot.parts.map(\.footer.dictionary), selection: selection)
  }

  /// Hands every user's history to one of the consumers, each of which is used by one thread.
  package func run(_ consumers: [any HistoryConsumer & Sendable]) throws {
    guard !snapshot.parts.isEmpty else { return }
    let ranges = HashRanges.divide(snapshot.parts, count: consumers.count == 1 ? 1 : consumers.count * 12)
    let tasks = Workers.Tasks(count: ranges.count)
    try Workers.run(threads: consumers.count) { thread in
      let buffers = Buffers()
      while let task = tasks.claim() { try scan(ranges[task], into: consumers[thread], buffers) }
    }
  }

  /// What a thread keeps from range to range, so that its memory is touched once.
  private final class Buffers {
    var blocks: [Int: DecodedBlock] = [:]
    let columns = HistoryAssembly.Columns()
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
      try merge(overlapping, range, into: consumer)
    }
  }

  /// One part: its blocks are handed over as they are.
  private func scan(
    part i: Int, _ range: ClosedRange<UInt64>, into consumer: any HistoryConsumer, _ buffers: Buffers
  ) throws {
    let part = snapshot.parts[i]
    let block = try buffers.blocks[i] ?? DecodedBlock(part: part)
    buffers.blocks[i] = block
    block.contextProjection = projections[i].contexts
    block.attributeProjection = projections[i].attributes
    var next = PartCursor.firstBlock(part.footer.blocks, from: range.lowerBound)
    while next < part.footer.blocks.count, part.footer.blocks[next].firstHash <= range.upperBound {
      try block.open(next)
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
        let columns = buffers.columns
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
          attributes: selection.attributes.isEmpty ? nil : block.attributeColumn(from: users.lowerBound)))
    }
  }

  /// Several parts: users' histories are put together in batches of their own.
  private func merge(_ parts: [Int], _ range: ClosedRange<UInt64>, into consumer: any HistoryConsumer) throws {
    let cursors = try parts.map { number in
      let cursor = try PartCursor(snapshot.parts[number], range: range, projection: projections[number].contexts)
      cursor.block.attributeProjection = projections[number].attributes
      return cursor
    }
    let output = HistoryAssembly(selection)
    let merge = MergeCursor(cursors)
    let columns = parts.map { _ in HistoryAssembly.Columns() }
    var runs: [HistoryAssembly.Run] = []
    while try merge.advance() {
      for (cursor, source) in zip(merge.current, merge.sources) {
        try load(cursor.block, projections[parts[source]], into: columns[source])
      }
      runs.removeAll(keepingCapacity: true)
      for (cursor, source) in zip(merge.current, merge.sources) {
        runs.append(HistoryAssembly.Run(cursor, columns[source]))
      }
      try output.append(&runs) { try merge.isIDBefore($0, permission: $1, $2, permission: $3) }
      if output.isFull { output.flush(into: consumer) }
    }
    output.flush(into: consumer)
  }

  /// The history of a block, and the selected values of its rows, where that has not been done.
  private func load(
    _ block: DecodedBlock, _ projection: HistoryProjection, into columns: HistoryAssembly.Columns
  ) throws {
    guard columns.block != block.index else { return }
    try block.load(.lanes)
    if let property = selection.property { try projection.load(property, of: block, into: columns) }
    if !selection.attributes.isEmpty {
      try block.load(.attributeChanges)
      block.copyAttributes(into: columns.rows)
      block.selectPermissions(columns.rows, into: columns.attributes)
    }
    columns.block = block.index
  }
}
