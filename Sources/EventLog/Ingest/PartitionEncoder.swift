// One thread's part of closing a run: partitions in order, sorted, without copies, to blocks.

import PermissionEvents

/// Encodes groups of partitions. Owned by one thread.
final class PartitionEncoder {
  private let run: IngestRun
  private let codes: RunCodes
  private let existing: [PartReader]
  private let recodings: [PartRecoding]
  private let admission: Admission
  private let writer: PartWriter
  private let partition = SortedPartition()
  private let deduplication = UserDeduplication()
  private let encoder: BlockEncoder
  @exclusivity(unchecked) private(set) var counts = IngestCounts()

  init(
    run: IngestRun, codes: RunCodes, existing: [PartReader], recodings: [PartRecoding], admission: Admission,
    writer: PartWriter
  ) throws {
    self.run = run
    self.codes = codes
    self.existing = existing
    self.recodings = recodings
    self.admission = admission
    self.writer = writer
    encoder = try BlockEncoder()
  }

  /// Encodes consecutive partitions; the last block ends with them.
  func encode(_ group: Range<Int>) throws {
    let shift = PartitionStore.partitionShift
    let range = UInt64(group.lowerBound) << shift...(UInt64(group.upperBound - 1) << shift | (1 << shift - 1))
    let stored = try existing.map { try PartCursor($0, range: range) }
    for number in group {
      try partition.load(run.store, partition: number)
      var first = 0
      while first < partition.count {
        let end = partition.endOfUser(first)
        try encodeUser(first, end, stored)
        first = end
      }
    }
    try writer.write(encoder)
  }

  private func encodeUser(_ start: Int, _ end: Int, _ stored: [PartCursor]) throws {
    let user = partition.user(partition.events[start])
    guard admission.admits(user) else {
      counts.erased += end - start
      return
    }
    var first = start
    while first < end, !admission.admits(partition.events[first].time) { first += 1 }
    counts.expired += first - start
    guard first < end else { return }
    deduplication.begin(partition, first, end)
    for (cursor, recoding) in zip(stored, recodings) {
      guard try seek(cursor, to: user, hash: partition.events[first].userHash) else { continue }
      try cursor.block.load(.details)
      try cursor.block.load(.eventIDs)
      for row in cursor.rows {
        deduplication.drop(cursor.block.eventID(row), partition, first, counts: &counts) { i in
          isEqual(partition.events[i], cursor.block.event(row), recoding)
        }
      }
    }
    deduplication.dropCopies(partition, first, end, counts: &counts) { a, b in
      let (a, b) = (partition.events[a], partition.events[b])
      return a.timeAndKind == b.timeAndKind && a.context == b.context && a.attributes == b.attributes
    }
    append(first, end, user)
    if encoder.rows >= PartFormat.rowsPerBlock { try writer.write(encoder) }
  }

  /// Moves a cursor to a user; false where its part has no such user.
  private func seek(_ cursor: PartCursor, to user: IdentifierView, hash: UInt64) throws -> Bool {
    while !cursor.isAtEnd, cursor.hash <= hash {
      if cursor.hash == hash {
        let order = IdentifierView.compare(cursor.userID, user)
        if order == 0 { return true }
        if order > 0 { return false }
      }
      try cursor.advance()
    }
    return false
  }

  private func isEqual(_ new: PackedEvent, _ stored: StoredEvent, _ recoding: PartRecoding) -> Bool {
    let context = codes.contexts[Int(new.context)]
    return new.time == stored.time && new.kindCode == stored.kind && context.status == stored.status
      && context.context == recoding.contexts[Int(stored.context)]
      && context.feature == recoding.features[Int(stored.feature)]
      && codes.attributes[Int(new.attributes)] == recoding.attributes[Int(stored.attributes)]
  }

  private func append(_ first: Int, _ end: Int, _ user: IdentifierView) {
    let events = partition.events
    let dropped = deduplication.dropped.pointer
    var i = first
    while i < end, dropped[i - first] { i += 1 }
    guard i < end else { return }
    let isText = events[i].userForm == IdentifierForm.text.rawValue
    encoder.begin(
      StoredUser(hash: events[i].userHash, word: isText ? 0 : events[i].userWord, form: events[i].userForm),
      text: user.text)
    let rows = encoder.rows
    codes.contexts.withUnsafeBufferPointer { contexts in
      codes.attributes.withUnsafeBufferPointer { attributes in
        while i < end {
          if !dropped[i - first] {
            let event = events[i]
            let context = contexts[Int(event.context)]
            let stored = StoredEvent(
              time: event.time, eventHigh: event.eventHigh, eventLow: event.eventLow, context: context.context,
              attributes: attributes[Int(event.attributes)], feature: context.feature, kind: event.kindCode,
              status: context.status, eventForm: event.eventForm)
            encoder.append(
              stored, text: event.eventForm == 0 ? partition.eventID(event).text : .init(start: nil, count: 0))
          }
          i += 1
        }
      }
    }
    counts.new += encoder.rows - rows
    encoder.end()
  }
}
