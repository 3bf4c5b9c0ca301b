// One thread's share of writing a round of an ingest: partitions in order, sorted, without copies, to blocks.

import Buffers
import PermissionEvents

/// What an ingest leaves out, whatever the files hold: erased users, and what is older than the log was expired to.
struct Admission: Sendable {
  var erasures: ErasureList?
  var expiredBefore: Milliseconds?

  /// False for an erased user.
  func admits(_ user: IdentifierView) throws -> Bool { try erasures.map { try !$0.contains(user.bytes) } ?? true }

  func admits(_ time: Milliseconds) -> Bool { time >= expiredBefore ?? .min }

  /// Most events of one user that the log holds, those that it has already among them.
  var eventsOfUser = PartFormat.maximumRows
}

/// Encodes groups of partitions. Owned by one thread.
final class IngestWorker {
  private let store: PartitionStore
  private let codes: RoundRecoding
  private let stored: [StoredUsers]
  private let recodings: [PartRecoding]
  private let admission: Admission
  private let writer: PartWriter
  private let partition = SortedPartition()
  private let deduplication = UserDeduplication()
  private let encoder: BlockEncoder
  /// Events before this are late.
  private let reach: Milliseconds
  /// Events after this are ahead of the clock.
  private let now: Milliseconds
  @exclusivity(unchecked) private(set) var counts = IngestCounts()
  @exclusivity(unchecked) private(set) var late = LateTally()
  @exclusivity(unchecked) private(set) var ahead = 0

  init(
    store: PartitionStore, codes: RoundRecoding, existing: [PartReader], recodings: [PartRecoding],
    admission: Admission, reach: Milliseconds?, now: Milliseconds?, writer: PartWriter
  ) throws {
    self.store = store
    self.codes = codes
    stored = try existing.map { try StoredUsers($0) }
    self.recodings = recodings
    self.admission = admission
    self.reach = reach ?? .min
    self.now = now ?? .max
    self.writer = writer
    encoder = try BlockEncoder(writer.dictionary)
  }

  /// Encodes consecutive partitions, which come after those of the call before; the last block ends with them.
  func encode(_ group: Range<Int>) throws {
    for number in group {
      try partition.load(store, partition: number)
      var first = 0
      while first < partition.count {
        let end = partition.endOfUser(first)
        try encodeUser(first, end)
        first = end
      }
    }
    try writer.write(encoder)
  }

  private func encodeUser(_ start: Int, _ end: Int) throws {
    let user = partition.user(partition.events[start])
    guard try admission.admits(user) else {
      counts.erased += end - start
      return
    }
    var first = start
    while first < end, !admission.admits(partition.events[first].time) { first += 1 }
    counts.expired += first - start
    guard first < end else { return }
    deduplication.begin(partition, first, end)
    var held = 0
    for (users, recoding) in zip(stored, recodings) {
      guard let rows = try users.rows(of: user, hash: partition.events[first].userHash) else { continue }
      held += rows.count
      let block = users.block
      try users.forEachEventID(rows, in: deduplication.filter) { row, id in
        let copy = deduplication.find(id, partition, first)
        guard copy != 0 else { return }
        try block.load(.details)
        try block.load(.eventIDs)
        deduplication.drop(copy, first, counts: &counts) { isEqual(partition.events[$0], block.event(row), recoding) }
      }
      if rows.count >= PartFormat.rowsPerBlock { users.forget() }
    }
    deduplication.dropCopies(partition, first, end, counts: &counts) { a, b in
      let (a, b) = (partition.events[a], partition.events[b])
      return a.timeAndKind == b.timeAndKind && a.context == b.context && a.attributes == b.attributes
    }
    let surplus = deduplication.keep(atMost: admission.eventsOfUser - held)
    if surplus > 0 {
      counts.surplus += surplus
      counts.surplusUsers.insert(FileName.digits(partition.events[first].userHash))
    }
    noteLate(first, end)
    noteAhead(first, end)
    // The user's events are in one block, and a block has so many at most.
    if encoder.rows + end - first > admission.eventsOfUser { try writer.write(encoder) }
    append(first, end, user)
    if encoder.rows >= PartFormat.rowsPerBlock { try writer.write(encoder) }
  }

  /// A user's events are in the order of their times.
  private func noteLate(_ first: Int, _ end: Int) {
    var i = first
    while i < end, partition.events[i].time < reach {
      if !deduplication.dropped[i - first] { late.add(partition.events[i]) }
      i += 1
    }
  }

  private func noteAhead(_ first: Int, _ end: Int) {
    var i = end
    while i > first, partition.events[i - 1].time > now {
      i -= 1
      if !deduplication.dropped[i - first] { ahead += 1 }
    }
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
    let dropped = deduplication.dropped.unsafeAddress
    var i = first
    while i < end, dropped[i - first] { i += 1 }
    guard i < end else { return }
    let isText = events[i].userForm == IdentifierForm.text.rawValue
    encoder.begin(
      StoredUser(hash: events[i].userHash, word: isText ? 0 : events[i].userWord, form: events[i].userForm),
      text: user.text)
    let rows = encoder.rows
    // A hot loop.
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
