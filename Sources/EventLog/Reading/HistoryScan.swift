// Reads users' histories for the analysis: only the columns that it needs, on all cores, each core its own
// ranges of the hash space.

import Buffers
import Folding
import PermissionEvents
import Threads

extension LogSnapshot {
  /// The counts of a fold over the users with ids that hash into a range. Disjoint ranges, like disjoint logs, give
  /// sums that add up.
  /// - Parameters:
  ///   - selection: the data that the fold reads.
  ///   - hashes: `UserHash` of the users' ids.
  ///   - make: makes the fold of one thread, for the codes that the snapshot's histories have.
  package func fold<F: Fold & ~Copyable>(
    _ selection: HistorySelection, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    try HistoryScan(self, selection: selection).fold(within: hashes, threads: threads, make)
  }

  /// The counts of several folds of one kind over the same data: histories are read once for all of them.
  /// - Parameters:
  ///   - count: how many.
  ///   - make: as above, by the number of the fold.
  package func folds<F: Fold & ~Copyable>(
    _ count: Int, _ selection: HistorySelection, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int,
    _ make: @escaping @Sendable (Int, HistoryContexts) throws -> F
  ) throws -> [F.Sums] {
    try HistoryScan(self, selection: selection).folds(count, within: hashes, threads: threads, make)
  }
}

package struct HistoryScan: Sendable {
  package let contexts: HistoryContexts
  let snapshot: LogSnapshot
  private let projections: [HistoryProjection]
  private let hasPermission: [Bool]
  package let selection: HistorySelection

  package init(_ snapshot: LogSnapshot, selection: HistorySelection) throws {
    self.snapshot = snapshot
    self.selection = selection
    var contexts: HistoryContexts
    (contexts, projections) = try HistoryProjection.make(snapshot.parts.map(\.footer.dictionary), selection: selection)
    if let times = snapshot.timeRange { contexts.times = times }
    self.contexts = contexts
    hasPermission = contexts.contexts.map { $0.permission != 0 }
  }

  /// Any fold, over a range of the hash space, on some threads.
  package func fold<F: Fold & ~Copyable>(
    within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int,
    _ make: @escaping @Sendable (HistoryContexts) throws -> F
  ) throws -> F.Sums {
    try folds(1, within: hashes, threads: threads) { try make($1) }[0]
  }

  /// The only engine: folds of one kind, each of which receives every history.
  package func folds<F: Fold & ~Copyable>(
    _ count: Int, within hashes: ClosedRange<UInt64> = 0...(.max), threads: Int,
    _ make: @escaping @Sendable (Int, HistoryContexts) throws -> F
  ) throws -> [F.Sums] {
    let parts = snapshot.parts
    let threads = MemoryBudget.threads(
      threads, parts, bytesPerRow: BlockDecoder.bytesOfHistoryRow(selection), most: 2 * PartFormat.rowsPerBlock)
    do {
      return try foldOnce(count, within: hashes, threads: threads, make)
    } catch let error as LogError where error.exceedsMemory && threads > 1 {
      // Blocks that no other thread reads meanwhile may fit.
      return try folds(count, within: hashes, threads: 1, make)
    } catch let error as SumsError where error.code == .tooManyGroups && count > 1 {
      // Each fold and each thread has its share of the memory, and a single one has all of it. So their number does not
      // decide what is refused.
      return try (0..<count).map { number in
        try folds(1, within: hashes, threads: threads) { try make(number, $1) }[0]
      }
    } catch let error as SumsError where error.code == .tooManyGroups && threads > 1 {
      return try foldOnce(1, within: hashes, threads: 1, make)
    }
  }

  private func foldOnce<F: Fold & ~Copyable>(
    _ count: Int, within hashes: ClosedRange<UInt64>, threads: Int,
    _ make: @escaping @Sendable (Int, HistoryContexts) throws -> F
  ) throws -> [F.Sums] {
    let sums = Mutex([F.Sums](repeating: F.Sums(), count: count))
    var contexts = contexts
    (contexts.threads, contexts.folds) = (max(1, threads), count)
    let shared = contexts
    try forEachThread(threads, within: hashes) { forEachBatch in
      let folds = try FoldList(count) { try make($0, shared) }
      var counted = [F.Sums](repeating: F.Sums(), count: count)
      try forEachBatch { folds.fold(batch: $0, into: &counted) }
      folds.finish(into: &counted)
      let added = counted
      try sums.withLock { sums in
        for number in sums.indices { try sums[number].add(added[number]) }
      }
    }
    return sums.withLock { $0 }
  }

  /// Divides the users among threads.
  /// - Parameters:
  ///   - hashes: of the users to hand over.
  ///   - body: called once on each thread, with a function that goes over the batches of this thread's users.
  func forEachThread(
    _ threads: Int, within hashes: ClosedRange<UInt64> = 0...(.max),
    _ body: @escaping @Sendable (_ forEachBatch: ((HistoryBatch) -> Void) throws -> Void) throws -> Void
  ) throws {
    let ranges = HashRanges.divide(snapshot.parts, count: threads <= 1 ? 1 : threads * 48, within: hashes)
    let tasks = StealableTasks(count: ranges.count, threads: max(1, threads))
    try Workers.run(threads: max(1, threads)) { thread in
      let memory = ThreadMemory(
        parts: snapshot.parts.count, selection, snapshot.parts.first?.budget ?? snapshot.directory.budget)
      try body { consume in
        while let task = tasks.claim(thread) { try scan(ranges[task], into: consume, memory) }
      }
    }
  }

  /// The memory that a thread keeps from range to range, so that it is touched once.
  final class ThreadMemory {
    /// By part.
    var blocks: [Int: BlockDecoder] = [:]
    let values: [SelectedValues]
    let assembly: HistoryAssembly
    /// Of the selected values of each part; and of the longest assembled history.
    let shares: [MemoryShare]
    let assembled: MemoryShare

    init(parts: Int, _ selection: HistorySelection, _ budget: MemoryBudget) {
      shares = (0..<parts).map { _ in MemoryShare(budget) }
      assembled = MemoryShare(budget)
      values = (0..<parts).map { _ in SelectedValues() }
      assembly = HistoryAssembly(selection)
    }
  }

  private func block(_ part: Int, _ memory: ThreadMemory) throws -> BlockDecoder {
    if let block = memory.blocks[part] { return block }
    let block = try BlockDecoder(part: snapshot.parts[part])
    block.contextProjection = projections[part].contexts
    block.hasPermission = hasPermission
    block.keepsAllKinds = selection.allKinds
    block.attributeProjection = projections[part].attributes
    memory.blocks[part] = block
    return block
  }

  /// Hands out tasks so that each thread takes one after the other: the blocks that reach over the end of a range are then
  /// decoded once. A thread that is done with its own takes the last of the one with most left.
  final class StealableTasks: Sendable {
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

  /// The batches of a range, in the log's order.
  func scan(
    _ range: ClosedRange<UInt64>, into consume: (HistoryBatch) -> Void, _ memory: ThreadMemory
  ) throws {
    let overlapping = snapshot.parts.indices.filter { snapshot.parts[$0].footer.blocks.overlap(range) }
    if overlapping.count == 1 {
      try scan(part: overlapping[0], range, into: consume, memory)
    } else if !overlapping.isEmpty {
      try merge(overlapping, range, into: consume, memory)
    }
  }

  /// One part: its blocks are handed over unchanged, in pieces between users that are hidden.
  private func scan(
    part: Int, _ range: ClosedRange<UInt64>, into consume: (HistoryBatch) -> Void, _ memory: ThreadMemory
  ) throws {
    let blocks = snapshot.parts[part].footer.blocks
    let hidden = snapshot.parts[part].hidden
    let block = try block(part, memory)
    var next = blocks.firstBlock(from: range.lowerBound)
    while next < blocks.count, blocks[next].firstHash <= range.upperBound {
      if block.index != next { try block.open(next) }
      next += 1
      try block.load(.lanes)
      var users = 0..<block.users
      if block.entry.firstHash < range.lowerBound || block.entry.lastHash > range.upperBound {
        try block.load(.keys)
        let first = users.first { block.hashes[$0] >= range.lowerBound } ?? block.users
        let end = users.first { block.hashes[$0] > range.upperBound } ?? block.users
        users = min(first, end)..<end
      }
      guard !users.isEmpty else { continue }
      if let property = selection.property {
        try hold(block, memory.shares[part])
        let values = memory.values[part]
        values.openings = -1
        try projections[part].load(property, of: block, into: values)
      }
      for users in try shown(users, of: block, hidden) {
        try hand(users, of: block, selection.property == nil ? nil : memory.values[part], into: consume)
      }
    }
  }

  /// The users of a block who are not hidden, as the stretches between those who are.
  private func shown(_ users: Range<Int>, of block: BlockDecoder, _ hidden: HiddenUsers) throws -> [Range<Int>] {
    let part = block.part.id
    guard hidden.concerns(part, block.entry.firstHash...block.entry.lastHash) else { return [users] }
    try block.load(.keys)
    var (stretches, start): ([Range<Int>], Int) = ([], users.lowerBound)
    for user in users where hidden.hides(block.userID(user), hash: block.hashes[user], in: part) {
      if start < user { stretches.append(start..<user) }
      start = user + 1
    }
    if start < users.upperBound { stretches.append(start..<users.upperBound) }
    return stretches
  }

  /// Hands over some users of a block whose columns are loaded.
  /// - Parameter values: of the selected property; nil without one.
  private func hand(
    _ users: Range<Int>, of block: BlockDecoder, _ values: SelectedValues?, into consume: (HistoryBatch) -> Void
  ) throws {
    let first = Int(block.firstPermissions[users.lowerBound])
    let selected = values.map { UnsafePointer($0.properties.unsafeAddress + first) }
    var attributes: AttributeColumn?
    var engagementAttributes: UnsafePointer<UInt32>?
    if selection.handsOverAllAttributes {
      try block.load(.laneAttributes)
      (attributes, engagementAttributes) = block.laneAttributes(from: users.lowerBound)
    } else if !selection.attributes.isEmpty {
      try block.load(.attributeChanges)
      attributes = block.attributeColumn(from: users.lowerBound)
    }
    consume(
      HistoryBatch(
        userCount: users.count, permissionCounts: block.permissionCounts.unsafeAddress + users.lowerBound,
        engagementCounts: block.engagementCounts.unsafeAddress + users.lowerBound,
        times: block.permissionTimes.unsafeAddress + first, codes: block.permissionCodes.unsafeAddress + first,
        engagement: block.engagement.unsafeAddress + Int(block.firstEngagements[users.lowerBound]),
        properties: selected, attributes: attributes, engagementAttributes: engagementAttributes,
        userIDs: selection.userIDs ? try userIDs(of: block, from: users.lowerBound) : nil))
  }

  /// Ids are assembled only for the requested users.
  private func userIDs(of block: BlockDecoder, from first: Int) throws -> UserIDColumn {
    try block.load(.keys)
    return UserIDColumn { block.userID(first + $0).bytes }
  }

  /// Several parts: users' histories are assembled in separate batches.
  private func merge(
    _ parts: [Int], _ range: ClosedRange<UInt64>, into consume: (HistoryBatch) -> Void, _ memory: ThreadMemory
  ) throws {
    let merge = UserMerge(try parts.map { try PartCursor(snapshot.parts[$0], range: range, block: block($0, memory)) })
    let output = memory.assembly
    let values = parts.map { memory.values[$0] }
    var slices: [UserSlice] = []
    while try merge.advance() {
      slices.removeAll(keepingCapacity: true)
      for i in 0..<merge.sourceCount {
        let source = merge.sources[i]
        let cursor = merge.cursors[source]
        if values[source].openings != cursor.block.openings {
          try hold(cursor.block, memory.shares[parts[source]])
          try load(cursor.block, projections[parts[source]], into: values[source])
        }
        let slice = UserSlice(cursor, values[source], allAttributes: selection.handsOverAllAttributes)
        if merge.sourceCount == 1 { output.append(slice) } else { slices.append(slice) }
      }
      if merge.sourceCount > 1 {
        // A history of all parts. The histories of one part are never longer than its block.
        let events = slices.reduce(0) { $0 + $1.permissions.count + $1.engagements.count }
        guard memory.assembled.raise(to: events * bytesOfAssembledEvent) else {
          throw LogError.tooMuchMemory(
            snapshot.directory.path, "\(events) events of one user", snapshot.directory.budget)
        }
        try output.append(&slices) { try merge.isIDBefore($0, $1, $2, $3, in: $4) }
      }
      if selection.userIDs { output.appendID(merge.first.userID.bytes) }
      if output.isFull { output.flush(into: consume) }
    }
    output.flush(into: consume)
  }

  /// Of an event of a permission, with its selected values; with the attributes of the other lane.
  private var bytesOfAssembledEvent: Int { selection.handsOverAllAttributes ? 24 : 20 }

  /// Counts the memory of a block's selected values.
  private func hold(_ block: BlockDecoder, _ share: MemoryShare) throws {
    guard selection.property != nil || !selection.attributes.isEmpty else { return }
    guard share.raise(to: block.rows * 12) else {
      throw LogError.tooMuchMemory(block.part.name, "block \(block.entry.number)", block.part.budget)
    }
  }

  /// The history of a block, and the selected values of its events of permissions.
  private func load(_ block: BlockDecoder, _ projection: HistoryProjection, into values: SelectedValues) throws {
    try block.load(.lanes)
    if let property = selection.property { try projection.load(property, of: block, into: values) }
    if selection.handsOverAllAttributes {
      try block.load(.laneAttributes)
    } else if !selection.attributes.isEmpty {
      try block.load(.attributeChanges)
      block.spreadAttributes(block.attributeChanges, into: &values.rows)
      block.selectPermissions(values.rows, into: &values.attributes)
    }
    values.openings = block.openings
  }
}

// MARK: Users' histories made into the pieces of a stream, in the log's order
// A fold cannot give that: sums have no order.

/// Makes something of users' histories, a stretch of users at a time. Each thread has one of its own.
package protocol HistoryPieceMaker: ~Copyable, SendableMetatype {
  associatedtype Piece: Sendable

  /// Takes the users of a batch, who come in the log's order.
  mutating func add(_ batch: HistoryBatch)

  /// The results of the batches since the last call.
  mutating func take() -> Piece
}

extension HistoryScan {
  /// Stretches for each thread that are made before they are handed over, so that memory does not grow with the log.
  private static let stretches = 4

  /// Walks over all users in the log's order. The pieces are the same for any number of threads.
  /// - Parameters:
  ///   - make: makes the maker of one thread, for the codes of this scan.
  ///   - body: takes one piece after the other, on the thread of the caller; false ends the walk.
  package func forEachPiece<Maker: HistoryPieceMaker & ~Copyable>(
    threads: Int, _ make: @escaping @Sendable (HistoryContexts) throws -> Maker, _ body: (Maker.Piece) throws -> Bool
  ) throws {
    let parts = snapshot.parts
    let threads = max(
      1,
      MemoryBudget.threads(
        threads, parts, bytesPerRow: BlockDecoder.bytesOfHistoryRow(selection), most: 2 * PartFormat.rowsPerBlock))
    // About a block of the largest part each.
    let ranges = HashRanges.divide(parts, count: parts.map(\.footer.blocks.count).max() ?? 0)
    let window = threads * Self.stretches
    for start in stride(from: 0, to: ranges.count, by: window) {
      let stretch = Array(ranges[start..<min(ranges.count, start + window)])
      for piece in try piecesThatFit(stretch, threads: threads, make) {
        guard let piece, try body(piece) else { return }
      }
    }
  }

  private func piecesThatFit<Maker: HistoryPieceMaker & ~Copyable>(
    _ ranges: [ClosedRange<UInt64>], threads: Int, _ make: @escaping @Sendable (HistoryContexts) throws -> Maker
  ) throws -> [Maker.Piece?] {
    do {
      return try pieces(ranges, threads: min(threads, ranges.count), make)
    } catch let error as LogError where error.exceedsMemory && threads > 1 {
      // Blocks that no other thread reads meanwhile may fit.
      return try pieces(ranges, threads: 1, make)
    }
  }

  private func pieces<Maker: HistoryPieceMaker & ~Copyable>(
    _ ranges: [ClosedRange<UInt64>], threads: Int, _ make: @escaping @Sendable (HistoryContexts) throws -> Maker
  ) throws -> [Maker.Piece?] {
    let made = Mutex([Maker.Piece?](repeating: nil, count: ranges.count))
    let tasks = StealableTasks(count: ranges.count, threads: threads)
    try Workers.run(threads: threads) { thread in
      var maker = try make(contexts)
      let memory = ThreadMemory(
        parts: snapshot.parts.count, selection, snapshot.parts.first?.budget ?? snapshot.directory.budget)
      while let task = tasks.claim(thread) {
        try scan(ranges[task], into: { maker.add($0) }, memory)
        let piece = maker.take()
        made.withLock { $0[task] = piece }
      }
    }
    return made.withLock { $0 }
  }
}
