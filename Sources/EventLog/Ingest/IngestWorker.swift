// One thread's share of writing a round of an ingest: partitions in order, sorted, without copies, to blocks.

import Buffers
import PermissionEvents

/// The events that an ingest always leaves out: those of erased users, and those older than the log's expiry.
struct Admission: Sendable {
  var erasures: ErasureList?
  var expiredBefore: Milliseconds?

  func admits(_ user: IdentifierView) throws -> Bool { try erasures.map { try !$0.contains(user.bytes) } ?? true }

  func admits(_ time: Milliseconds) -> Bool { time >= expiredBefore ?? .min }

  /// The most events of one user in the log, including those that it already has.
  var eventsOfUser = PartFormat.maximumRows
}

/// A part that has events already, as one thread looks copies up in it.
final class KnownPart {
  let users: StoredUsers
  let recoding: PartRecoding
  /// Nil for a part of the log with events that always stay.
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
  private let ingest: PartIngest
  let codes: RoundRecoding
  private let known: [KnownPart]
  /// The notes about the part that is being written; nil if no round follows.
  private let marks: CopyMarks?
  let writer: PartWriter
  let partition = SortedPartition()
  let deduplication = UserDeduplication()
  @exclusivity(unchecked) private var encoder: BlockEncoder
  /// Events before this are late.
  private let reach: Milliseconds
  /// Events after this are ahead of the clock.
  private let now: Milliseconds
  @exclusivity(unchecked) var counts = IngestCounts()
  /// Hashes of users who were erased.
  @exclusivity(unchecked) private(set) var erasedUsers: Set<UInt64> = []
  @exclusivity(unchecked) var contradictions = Contradictions()
  @exclusivity(unchecked) private(set) var late = LateTally()
  @exclusivity(unchecked) private(set) var ahead = 0
  @exclusivity(unchecked) private(set) var users = UserTally()
  @exclusivity(unchecked) var replaced = ReplacedCounts()
  /// Rows of the block that is being filled that had equal copies, and how many.
  private var repeated: [(row: Int, copies: Int)] = []
  private let hasReplaced: Bool
  /// Events of all parts that the ingest has already.
  private let rows: Int
  /// Keys of new events and their users for the filter of a writer that stays open.
  @exclusivity(unchecked) private(set) var keys: [UInt64] = []

  /// - Parameter recodings: of the parts that the ingest has already.
  init(_ ingest: PartIngest, _ codes: RoundRecoding, _ recodings: [PartRecoding], _ writer: PartWriter) throws {
    self.ingest = ingest
    self.codes = codes
    known = try zip(ingest.existing, recodings).map { try KnownPart($0, $1) }
    rows = ingest.existing.reduce(0) { $0 + Int($1.reader.footer.rows) }
    hasReplaced = ingest.existing.contains { $0.ledger?.hasReplaced == true }
    marks = ingest.ledger.map { CopyMarks($0, part: writer.id) }
    reach = ingest.reach ?? .min
    now = ingest.now ?? .max
    self.writer = writer
    encoder = try BlockEncoder(writer.dictionary)
  }

  /// Encodes consecutive partitions, which follow those of the previous call. The last block ends with them.
  func encode(_ group: Range<Int>) throws {
    for number in group {
      try partition.load(ingest.round.store, partition: number, joined: ingest.joined)
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
    guard let block = try writer.write(&encoder), let marks, !repeated.isEmpty else { return }
    try marks.begin(block: block, rows: rows)
    for (row, copies) in repeated { marks.add(copies: copies, row) }
    try marks.flush()
    repeated.removeAll(keepingCapacity: true)
  }

  private func encodeUser(_ start: Int, _ end: Int) throws {
    let user = partition.user(partition.events[start])
    let admission = ingest.admission
    guard try admission.admits(user) else {
      counts.erased += countInput(start..<end)
      erasedUsers.insert(partition.events[start].userHash)
      return
    }
    var first = start
    while first < end, !admission.admits(partition.events[first].time) { first += 1 }
    counts.expired += countInput(start..<first)
    guard first < end else { return }
    deduplication.begin(partition, first, end)
    let duplicates = counts.duplicates
    var (held, isKnown) = (0, false)
    let mayHaveCopies = mayHaveCopies(first, end)
    // The blocks of a user without copies are read only if all events together may be too many for one user.
    isKnown = mayHaveCopies == false
    let needsRows = mayHaveCopies == true || isKnown && rows + end - first > admission.eventsOfUser
    for part in known where needsRows {
      let users = part.users
      guard let rows = try users.rows(of: user, hash: partition.events[first].userHash) else { continue }
      held += rows.count
      isKnown = true
      let block = users.block
      if hasReplaced, let marks = part.marks {
        try marks.open(block)
        held -= marks.countReplaced(rows)
      }
      guard mayHaveCopies == true else { continue }
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
            agrees(partition.events[$0], event, part.recoding) || noteConflict($0, event, row, part)
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
      isEqual: { agreeOrNote(partition.events[first + $0], partition.events[first + $1]) })
    if ingest.replaces { leaveOutWhatIsNoEvent(first, end) }
    let surplus = deduplication.keep(atMost: admission.eventsOfUser - held)
    if surplus > 0 {
      counts.surplus += surplus
      counts.surplusUsers.insert(FileName.digits(partition.events[first].userHash))
    }
    let isLate = noteLate(first, end)
    users.add(
      form: partition.events[first].userForm, isNew: !isKnown, isLate: isLate, isCopied: counts.duplicates > duplicates)
    noteAhead(first, end)
    // The user's events are in one block, which has a maximum size.
    if encoder.rows + end - first > admission.eventsOfUser { try writeBlock() }
    if marks != nil { noteRepeated() }
    if let filter = ingest.known {
      keys.append(filter.key(user: partition.events[first].userHash))
      for i in first..<end where !deduplication.dropped[i - first] {
        keys.append(filter.key(event: partition.eventID(partition.events[i])))
      }
    }
    append(first, end, user)
    if encoder.rows >= PartFormat.rowsPerBlock { try writeBlock() }
  }

  /// Whether the log may have copies of a user's events; nil if it does not have the user.
  private func mayHaveCopies(_ first: Int, _ end: Int) -> Bool? {
    guard let filter = ingest.known else { return true }
    guard filter.mayHold(user: partition.events[first].userHash) else { return nil }
    return (first..<end).contains { filter.mayHold(event: partition.eventID(partition.events[$0])) }
  }

  /// A user's events are in the order of their times.
  /// - Returns: whether there are new events that are late.
  private func noteLate(_ first: Int, _ end: Int) -> Bool {
    var (i, isLate) = (first, false)
    while i < end, partition.events[i].time < reach {
      if !deduplication.dropped[i - first] {
        late.add(partition.events[i].time, kind: partition.events[i].kindCode)
        isLate = true
      }
      i += 1
    }
    return isLate
  }

  /// The events that were read but not stored before.
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
    if ingest.joined != nil {
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

  // MARK: Which of several copies of an event an ingest keeps, and how it counts the others

  func isEqual(_ a: PackedEvent, _ b: PackedEvent) -> Bool {
    a.timeAndKind == b.timeAndKind && a.context == b.context && a.attributes == b.attributes
  }

  func isEqual(_ new: PackedEvent, _ stored: StoredEvent, _ recoding: PartRecoding) -> Bool {
    let context = codes.contexts[Int(new.context)]
    return new.time == stored.time && new.kindCode == stored.kind && context.status == stored.status
      && context.context == recoding.contexts[Int(stored.context)]
      && context.feature == recoding.features[Int(stored.feature)]
      && codes.attributes[Int(new.attributes)] == recoding.attributes[Int(stored.attributes)]
  }

  /// Whether a copy is no conflict.
  private func agree(_ a: PackedEvent, _ b: PackedEvent) -> Bool { isEqual(a, b) || a.isDaily && b.isDaily }

  private func agreeOrNote(_ a: PackedEvent, _ b: PackedEvent) -> Bool {
    if agree(a, b) { return true }
    let isEither = a.storedRank ?? b.storedRank != nil || max(a.kindCode, b.kindCode) == PackedEvent.noEvent
    if !isEither, a.kindCode != b.kindCode || a.time != b.time { contradictions.namesakes += 1 }
    return false
  }

  func agrees(_ new: PackedEvent, _ stored: StoredEvent, _ recoding: PartRecoding) -> Bool {
    isEqual(new, stored, recoding) || Self.areDaily(new, stored)
  }

  @inline(__always)
  private static func areDaily(_ a: PackedEvent, _ b: StoredEvent) -> Bool { a.isDaily && a.kindCode == b.kind }

  /// Of two copies the earlier is the lesser; at the same time, the copy with the bytewise lower line in an export. A
  /// stored event is less than one that is read, and an event of an older part less than one of a newer part. If new
  /// readings replace stored events, the order is reversed.
  func isLess(_ a: PackedEvent, _ b: PackedEvent) -> Bool {
    // Many rows make it: the earliest stays, whichever of them is read again.
    if ingest.replaces, a.isDaily, b.isDaily, a.time != b.time { return a.time < b.time }
    let (x, y) = (a.storedRank ?? IngestRank.ofIngest, b.storedRank ?? IngestRank.ofIngest)
    let (isNone, isNoneToo) = (a.kindCode == PackedEvent.noEvent, b.kindCode == PackedEvent.noEvent)
    if x != y {
      guard ingest.replaces, max(x, y) == IngestRank.ofIngest, !isEqual(a, b) else { return x < y }
      return x == IngestRank.ofIngest
    }
    if isNone || isNoneToo { return !isNone }
    if a.time != b.time { return a.time < b.time }
    return !isEqual(a, b) && line(a).lexicographicallyPrecedes(line(b))
  }

  /// Leaves out the records that are not events: they are no longer needed.
  func leaveOutWhatIsNoEvent(_ first: Int, _ end: Int) {
    for i in first..<end where partition.events[i].kindCode == PackedEvent.noEvent { deduplication.leaveOut(i - first) }
  }

  /// Replaces an event of the log with another reading of its row, or drops the equal copies.
  /// - Returns: true if it is replaced.
  func dropOrWithdraw(
    _ copy: UInt32, _ first: Int, _ stored: StoredEvent, _ row: Int, _ part: KnownPart, _ marks: CopyMarks
  ) throws -> Bool {
    try marks.open(part.users.block)
    guard !marks.isReplaced(row) else { return false }
    let reading =
      first + deduplication.least(copy) { isLess(partition.events[first + $0], partition.events[first + $1]) }
    let new = partition.events[reading]
    // Many rows make one event: the earliest stays, whichever of them is read again.
    let isLater = Self.areDaily(new, stored) && stored.time <= new.time
    if isLater || isEqual(new, stored, part.recoding) {
      deduplication.drop(copy, first, counts: &counts) { agrees(partition.events[$0], stored, part.recoding) }
      return false
    }
    marks.replace(row)
    counts.countReplaced(by: new)
    return true
  }

  // MARK: Copies with a different meaning

  /// Notes a copy that differs from the event that the log keeps.
  /// - Returns: false, for it is not equal.
  func noteConflict(_ copy: Int, _ stored: StoredEvent, _ row: Int, _ part: KnownPart) -> Bool {
    let new = partition.events[copy]
    let read = self.stored(new)
    let (known, dictionary) = (part.dictionary, writer.dictionary)
    let tellsTheSame =
      read.time == stored.time && read.kind == stored.kind && read.status == stored.status
      && known.value(.permission, of: stored) == dictionary.value(.permission, of: read)
      && known.value(.variant, of: stored) == dictionary.value(.variant, of: read)
    guard !tellsTheSame, new.kindCode != PackedEvent.noEvent else { return false }
    contradictions.count += 1
    // Users come in the log's order, so that the first few of a thread are the least.
    guard contradictions.examples.count < Contradiction.shown else { return false }
    let kept = ExportedEvent(stored, user: partition.user(new), id: partition.eventID(new), known).line
    contradictions.examples.append(.init(order: new.userHash, kept: kept, copy: line(new)))
    return false
  }

  /// An event as the part that is being written has it.
  private func stored(_ event: PackedEvent) -> StoredEvent {
    Self.stored(event, codes.contexts[Int(event.context)], codes.attributes[Int(event.attributes)])
  }

  func line(_ event: PackedEvent) -> [UInt8] {
    let (user, id) = (partition.user(event), partition.eventID(event))
    return ExportedEvent(stored(event), user: user, id: id, writer.dictionary).line
  }

  /// Drops the copies of an event that an earlier round of this ingest has written, or records that they replace it.
  /// - Returns: true if it is replaced.
  func dropOrReplace(
    _ copy: UInt32, _ first: Int, _ event: StoredEvent, _ row: Int, _ part: KnownPart, _ marks: CopyMarks
  ) throws -> Bool {
    try marks.open(part.users.block)
    guard !marks.isReplaced(row) else { return false }
    let least = deduplication.least(copy) {
      isLess(partition.events[first + $0], partition.events[first + $1])
    }
    if isLess(partition.events[first + least], event, row, part) {
      replaced.add(
        copies: marks.copies(row), isAhead: event.time > part.now,
        areDaily: Self.areDaily(partition.events[first + least], event))
      marks.replace(row)
      return true
    }
    var equal = 0
    deduplication.drop(copy, first, counts: &counts) {
      let isEqual = agrees(partition.events[$0], event, part.recoding)
      if isEqual { equal += 1 }
      return isEqual
    }
    marks.add(copies: equal, row)
    return false
  }

  func isLess(_ new: PackedEvent, _ stored: StoredEvent, _ row: Int, _ part: KnownPart) -> Bool {
    if new.time != stored.time { return new.time < stored.time }
    guard !isEqual(new, stored, part.recoding) else { return false }
    let (user, id) = (partition.user(new), partition.eventID(new))
    return line(new).lexicographicallyPrecedes(ExportedEvent(stored, user: user, id: id, part.dictionary).line)
  }
}
