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

/// A part that has events already, as one thread looks copies up in it.
final class KnownPart {
  let users: StoredUsers
  let recoding: PartRecoding
  /// Nil for a part of the log whose events stay whatever comes.
  let marks: CopyMarks?
  let isCommitted: Bool
  /// Events after this were ahead of the clock as the part was written.
  let now: Milliseconds
  let dictionary: PartDictionary

  init(_ part: ExistingPart, _ recoding: PartRecoding) throws {
    users = try StoredUsers(part.reader)
    self.recoding = recoding
    marks = part.ledger.map { CopyMarks($0, part: part.reader.id) }
    isCommitted = part.isCommitted
    now = part.now ?? .max
    dictionary = part.reader.footer.dictionary
  }
}

/// Encodes groups of partitions. Owned by one thread.
final class IngestWorker {
  private let store: PartitionStore
  private let joined: JoinedEvents?
  /// Events of the log give way to other readings of their rows.
  let replaces: Bool
  let codes: RoundRecoding
  private let known: [KnownPart]
  /// What is noted of the part that is being written; nil if no round comes after it.
  private let marks: CopyMarks?
  private let admission: Admission
  let writer: PartWriter
  let partition = SortedPartition()
  let deduplication = UserDeduplication()
  private let encoder: BlockEncoder
  /// Events before this are late.
  private let reach: Milliseconds
  /// Events after this are ahead of the clock.
  private let now: Milliseconds
  @exclusivity(unchecked) var counts = IngestCounts()
  @exclusivity(unchecked) var contradictions = Contradictions()
  @exclusivity(unchecked) private(set) var late = LateTally()
  @exclusivity(unchecked) private(set) var ahead = 0
  @exclusivity(unchecked) var replaced = ReplacedCounts()
  /// Rows of the block that is being filled that had equal copies, and how many.
  private var repeated: [(row: Int, copies: Int)] = []
  /// True if rows of earlier rounds gave way before this one.
  private let hasReplaced: Bool

  /// - Parameters:
  ///   - existing: parts of the log and of this ingest, with what notes of copies are made in.
  ///   - ledger: where copies of what is written are noted; nil if no round comes after this one.
  init(
    store: PartitionStore, joined: JoinedEvents?, replaces: Bool, codes: RoundRecoding, existing: [ExistingPart],
    recodings: [PartRecoding],
    ledger: CopyLedger?, admission: Admission, reach: Milliseconds?, now: Milliseconds?, writer: PartWriter
  ) throws {
    self.store = store
    self.joined = joined
    self.replaces = replaces
    self.codes = codes
    known = try zip(existing, recodings).map { try KnownPart($0, $1) }
    hasReplaced = existing.contains { $0.ledger?.hasReplaced == true }
    marks = ledger.map { CopyMarks($0, part: writer.id) }
    self.admission = admission
    self.reach = reach ?? .min
    self.now = now ?? .max
    self.writer = writer
    encoder = try BlockEncoder(writer.dictionary)
  }

  /// Encodes consecutive partitions, which come after those of the call before; the last block ends with them.
  func encode(_ group: Range<Int>) throws {
    for number in group {
      try partition.load(store, partition: number, joined: joined)
      var first = 0
      while first < partition.count {
        let end = partition.endOfUser(first)
        try encodeUser(first, end)
        first = end
      }
    }
    try writeBlock()
    // Another thread may have the next group, and rows of the same block with it.
    for part in known { try part.marks?.flush() }
  }

  private func writeBlock() throws {
    let rows = encoder.rows
    guard let block = try writer.write(encoder), let marks, !repeated.isEmpty else { return }
    try marks.begin(block: block, rows: rows)
    for (row, copies) in repeated { marks.add(copies: copies, row) }
    try marks.flush()
    repeated.removeAll(keepingCapacity: true)
  }

  private func encodeUser(_ start: Int, _ end: Int) throws {
    let user = partition.user(partition.events[start])
    guard try admission.admits(user) else {
      counts.erased += countInput(start..<end)
      return
    }
    var first = start
    while first < end, !admission.admits(partition.events[first].time) { first += 1 }
    counts.expired += countInput(start..<first)
    guard first < end else { return }
    deduplication.begin(partition, first, end)
    var held = 0
    for part in known {
      let users = part.users
      guard let rows = try users.rows(of: user, hash: partition.events[first].userHash) else { continue }
      held += rows.count
      let block = users.block
      if hasReplaced, let marks = part.marks {
        try marks.open(block)
        held -= marks.countReplaced(rows)
      }
      try block.forEachEventID(rows, in: deduplication.filter) { row, id in
        let copy = deduplication.find(id, partition, first)
        guard copy != 0 else { return }
        try users.loadEvents()
        let event = block.event(row, id)
        if part.isCommitted, let marks = part.marks {
          if try dropOrWithdraw(copy, first, event, row, part, marks) { held -= 1 }
        } else if let marks = part.marks {
          if try dropOrReplace(copy, first, event, row, part, marks) { held -= 1 }
        } else {
          deduplication.drop(copy, first, counts: &counts) {
            isEqual(partition.events[$0], event, part.recoding) || noteConflict($0, event, row, part)
          }
        }
      }
      if rows.count >= PartFormat.rowsPerBlock {
        users.forget()
        try part.marks?.forget()
      }
    }
    deduplication.dropCopies(
      counts: &counts, isLess: { isLess(partition.events[first + $0], partition.events[first + $1]) },
      isEqual: { isEqual(partition.events[first + $0], partition.events[first + $1]) })
    if replaces { leaveOutWhatIsNoEvent(first, end) }
    let surplus = deduplication.keep(atMost: admission.eventsOfUser - held)
    if surplus > 0 {
      counts.surplus += surplus
      counts.surplusUsers.insert(FileName.digits(partition.events[first].userHash))
    }
    noteLate(first, end)
    noteAhead(first, end)
    // The user's events are in one block, and a block has so many at most.
    if encoder.rows + end - first > admission.eventsOfUser { try writeBlock() }
    if marks != nil { noteRepeated() }
    append(first, end, user)
    if encoder.rows >= PartFormat.rowsPerBlock { try writeBlock() }
  }

  /// A user's events are in the order of their times.
  private func noteLate(_ first: Int, _ end: Int) {
    var i = first
    while i < end, partition.events[i].time < reach {
      if !deduplication.dropped[i - first] { late.add(partition.events[i].time, kind: partition.events[i].kindCode) }
      i += 1
    }
  }

  /// Events that were read, and not stored before.
  private func countInput(_ range: Range<Int>) -> Int {
    range.count { partition.events[$0].storedRank == nil && partition.events[$0].kindCode != PackedEvent.noEvent }
  }

  private func noteAhead(_ first: Int, _ end: Int) {
    var i = end
    while i > first, partition.events[i - 1].time > now {
      i -= 1
      if !deduplication.dropped[i - first], partition.events[i].storedRank == nil { ahead += 1 }
    }
  }

  /// Notes in which rows those new events will be that had equal copies.
  private func noteRepeated() {
    let count = deduplication.repeated.count
    guard count > 0 else { return }
    var copies: [Int: Int] = [:]
    for i in 0..<count { copies[deduplication.repeated[i].event] = deduplication.repeated[i].copies }
    var row = encoder.rows
    for i in 0..<deduplication.dropped.count where !deduplication.dropped[i] {
      if let copies = copies[i] { repeated.append((row, copies)) }
      row += 1
    }
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
    if joined != nil {
      var stored = 0
      for j in i..<end where !dropped[j - first] && events[j].storedRank != nil { stored += 1 }
      counts.moved += stored
      counts.new -= stored
    }
    // A hot loop.
    codes.contexts.withUnsafeBufferPointer { contexts in
      codes.attributes.withUnsafeBufferPointer { attributes in
        while i < end {
          if !dropped[i - first] {
            let event = events[i]
            encoder.append(
              Self.stored(event, contexts[Int(event.context)], attributes[Int(event.attributes)]),
              text: event.eventForm == 0 ? partition.eventID(event).text : .init(start: nil, count: 0))
          }
          i += 1
        }
      }
    }
    counts.new += encoder.rows - rows
    encoder.end()
  }

  /// An event as the part that is being written has it.
  @inline(__always)
  static func stored(_ event: PackedEvent, _ context: RoundRecoding.Recoded, _ attributes: UInt32)
    -> StoredEvent
  {
    StoredEvent(
      time: event.time, eventHigh: event.eventHigh, eventLow: event.eventLow, context: context.context,
      attributes: attributes, feature: context.feature, kind: event.kindCode, status: context.status,
      eventForm: event.eventForm)
  }
}
