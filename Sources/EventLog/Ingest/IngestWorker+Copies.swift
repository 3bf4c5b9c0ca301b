// Which of several copies of an event an ingest keeps, and what it counts of the others.

import PermissionEvents

extension IngestWorker {
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

  /// Of two copies the earlier is the lesser, and of two at one time that whose line in an export is bytewise lower. What the log had is
  /// less than what is read, and what an older part had less than what a newer one had; if readings replace what the log has, it is the
  /// other way round.
  func isLess(_ a: PackedEvent, _ b: PackedEvent) -> Bool {
    let (x, y) = (a.storedRank ?? IngestRank.ofIngest, b.storedRank ?? IngestRank.ofIngest)
    let (isNone, isNoneToo) = (a.kindCode == PackedEvent.noEvent, b.kindCode == PackedEvent.noEvent)
    if x != y {
      guard replaces, max(x, y) == IngestRank.ofIngest, !isEqual(a, b) else { return x < y }
      return x == IngestRank.ofIngest
    }
    if isNone || isNoneToo { return !isNone }
    if a.time != b.time { return a.time < b.time }
    return !isEqual(a, b) && line(a).lexicographicallyPrecedes(line(b))
  }

  /// Leaves out the records that are no events: they have done what they are for.
  func leaveOutWhatIsNoEvent(_ first: Int, _ end: Int) {
    for i in first..<end where partition.events[i].kindCode == PackedEvent.noEvent { deduplication.leaveOut(i - first) }
  }

  /// Lets an event of the log give way to another reading of its row, or drops the copies that say the same.
  /// - Returns: true if it gives way.
  func dropOrWithdraw(
    _ copy: UInt32, _ first: Int, _ stored: StoredEvent, _ row: Int, _ part: KnownPart, _ marks: CopyMarks
  ) throws -> Bool {
    try marks.open(part.users.block)
    guard !marks.isReplaced(row) else { return false }
    let reading =
      first + deduplication.least(copy) { isLess(partition.events[first + $0], partition.events[first + $1]) }
    let new = partition.events[reading]
    if isEqual(new, stored, part.recoding) {
      deduplication.drop(copy, first, counts: &counts) { isEqual(partition.events[$0], stored, part.recoding) }
      return false
    }
    marks.replace(row)
    counts.countReplaced(by: new)
    return true
  }

  // MARK: Copies that tell of something else

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

  /// Drops the copies of an event that an earlier round of this ingest has written, or notes that it gives way to them.
  /// - Returns: true if it gives way.
  func dropOrReplace(
    _ copy: UInt32, _ first: Int, _ event: StoredEvent, _ row: Int, _ part: KnownPart, _ marks: CopyMarks
  ) throws -> Bool {
    try marks.open(part.users.block)
    guard !marks.isReplaced(row) else { return false }
    let least = deduplication.least(copy) {
      isLess(partition.events[first + $0], partition.events[first + $1])
    }
    if isLess(partition.events[first + least], event, row, part) {
      replaced.add(copies: marks.copies(row), isAhead: event.time > part.now)
      marks.replace(row)
      return true
    }
    var equal = 0
    deduplication.drop(copy, first, counts: &counts) {
      let isEqual = isEqual(partition.events[$0], event, part.recoding)
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
