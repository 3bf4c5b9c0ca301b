// Events on the disk, from the call that records them to the answer of a server that has them.
//
// `00000007.log` is the seventh file of records. It becomes `00000007.sent` before the first try to send it, and goes when a server has its
// events. `state` has what files that went had told. Files called `….new` are not finished. Nothing is changed in place but by appending.

import Foundation

struct Journal {
  struct Segment: Equatable {
    var number: UInt32
    /// Whether a server may have its events.
    var wasSent = false
    var bytes = 0
    /// Events by `EventKind.Worth`.
    var counts = [Int](repeating: 0, count: EventKind.Worth.allCases.count)
    /// No more events are put into it.
    var isClosed = false

    var name: String { String(format: "%08x", number) + (wasSent ? ".sent" : ".log") }
  }

  /// What a developer should know; nil if nothing.
  private(set) var problem: String?

  /// What waits for an answer.
  struct Batch: Sendable {
    var segments: [Segment]
    /// Lines of JSON, each with its line end.
    var body: [UInt8]
    var install: String?
  }

  static let stateName = "state"
  static let segmentBytes = 32_768
  /// Events without `isSynchronised` that a loss of power may take.
  static let batch = 64

  let disk: any Disk
  /// Bytes of records at most.
  let limit: Int
  private(set) var state: JournalState
  private(set) var segments: [Segment] = []
  private var unsynchronised = 0
  private var generation: UInt64?
  /// Numbers of the segments of a batch that has no answer yet.
  private var inFlight: Set<UInt32> = []
  /// Names of files whose replacement failed.
  private var unfinished: Set<String> = []
  /// A new install's id, and the time of an event that tells of a loss.
  private let newInstall: @Sendable () -> String
  private let now: @Sendable () -> Date
  private let encoder = JSONEncoder()

  init(
    _ disk: any Disk, limit: Int, consent: Consent, now: @escaping @Sendable () -> Date,
    newInstall: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
  ) {
    (self.disk, self.limit, self.now, self.newInstall) = (disk, limit, now, newInstall)
    state = JournalState(consent)
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  var bytes: Int { segments.reduce(0) { $0 + $1.bytes } }

  /// Runs a change alone among all processes, with what others changed meanwhile.
  mutating func exclusively<Value>(_ body: (inout Journal) throws -> Value) throws -> Value {
    let current = try disk.lock()
    problem = nil
    defer { disk.unlock() }
    if generation != current { try reload() }
    // Before the change: if this process ends in the middle of it, others read everything again.
    generation = nil
    try disk.raise(current &+ 1)
    let value = try body(&self)
    generation = current &+ 1
    return value
  }

  // MARK: Opening

  private mutating func reload() throws {
    let names = try disk.names()
    var new = JournalState(state.consent)
    if names.contains(Self.stateName) {
      if let saved = JournalState(record: try disk.read(Self.stateName)) {
        new = saved
      } else {
        // It may have said that the user denied: then the app has to say it again. It may have said that events were sent.
        (new.consent, new.wasSent) = (.pending, true)
        problem = "the recorder's state was damaged: nothing is sent until the app sets the consent again"
      }
    }
    // Only files of our own names: others may share the directory.
    let found = names.compactMap { name in
      UInt32(name.prefix { $0 != "." }, radix: 16).flatMap { number in
        [false, true].map { Segment(number: number, wasSent: $0) }.first { $0.name == name && number < 1 << 31 }
      }
    }
    for name in [Self.stateName] + found.map(\.name) where names.contains(name + ".new") {
      try disk.remove(name + ".new")
    }
    for segment in found where segment.number < new.firstSegment { try disk.remove(segment.name) }
    let damaged = try load(found.filter { $0.number >= new.firstSegment }, &new)
    state = new
    if let removal = state.removal {
      if !segments.contains(where: { $0.number == removal.segment && $0.bytes == removal.bytes }) {
        state.lose(removal.losses)
      }
      state.removal = nil
    }
    for (number, lines, missing) in damaged.reversed() {
      guard let index = segments.firstIndex(where: { $0.number == number }) else { continue }
      try rewrite(index, lines, lost: missing > 0 ? [LossReason.damaged.key("unknown"): missing] : [:])
    }
    if state.consent != .denied, state.install == nil { state.install = newInstall() }
    if state.consent == .pending, state.pendingSince == nil { state.pendingSince = now().timeIntervalSince1970 }
    if state != new { try save() }
  }

  /// Reads segments, and makes the state what their events tell.
  /// - Returns: segments with damage before their end, with their whole records, and the number of events that it took. Bytes at the end that
  ///   are no record are cut off: the call that wrote them never returned.
  private mutating func load(
    _ found: [Segment], _ new: inout JournalState
  ) throws -> [(number: UInt32, lines: [ArraySlice<UInt8>], missing: Int)] {
    let base = new.next
    var damaged: [(number: UInt32, lines: [ArraySlice<UInt8>], missing: Int)] = []
    var (last, isTorn) = (nil as UInt64?, false)
    segments = []
    for var segment in found.sorted(by: { $0.number < $1.number }) {
      let bytes = try disk.read(segment.name)
      let contents = Record.contents(of: bytes)
      var missing = 0
      for (place, line) in contents.lines.enumerated() {
        let (kind, number) = (Record.kind(of: line) ?? .lost, Record.number(of: line) ?? 0)
        segment.counts[kind.worth.rawValue] += 1
        if place == 0 && isTorn || contents.damaged.contains(place), let last, number > last {
          missing += Int(clamping: number - last) - 1
        }
        if number >= base, let event = try? JSONDecoder().decode(Event.self, from: Data(line)) {
          new.install = new.install ?? event.user_id
          new.apply(event)
        }
        new.next = max(new.next, number &+ 1)
        last = number
      }
      isTorn = contents.end < bytes.count
      if isTorn { try disk.cut(segment.name, to: contents.end) }
      segment.bytes = contents.end
      new.nextSegment = max(new.nextSegment, segment.number + 1)
      segments.append(segment)
      if missing > 0 || !contents.damaged.isEmpty { damaged.append((segment.number, contents.lines, missing)) }
    }
    for index in segments.indices { segments[index].isClosed = index < segments.count - 1 || segments[index].wasSent }
    unsynchronised = segments.last?.isClosed == false ? 1 : 0
    return damaged
  }

  // MARK: Recording

  /// Puts an event into the journal. When it returns, the end of the process takes nothing from it; nor does a loss of power from events that
  /// `isSynchronised`, and from all before them.
  mutating func append(_ event: Event) throws {
    var event = event
    event.bound()
    guard let record = try framed(&event) else { return }
    if event.event != .lost, bytes + record.count > limit { try makeRoom(for: record.count) }
    let place = try place(for: record.count)
    // If it fails, the next change reads everything again, and cuts off what was written of it.
    try disk.append(record, to: segments[place].name)
    state.next += 1
    state.apply(event)
    segments[place].bytes += record.count
    segments[place].counts[event.event.worth.rawValue] += 1
    unsynchronised += 1
    guard event.event.isSynchronised || unsynchronised >= Self.batch else { return }
    // The event is there, whatever a loss of power would do to it: it is not lost.
    do { try synchronise() } catch { problem = "the disk does not synchronise: \(error)" }
  }

  private func framed(_ event: inout Event) throws -> [UInt8]? {
    guard let install = state.install else { return nil }
    (event.user_id, event.event_id) = (install, JournalState.eventID(install, state.next))
    if event.timestamp.isEmpty { event.timestamp = Event.timestamp(now()) }
    return Record.framed(try encoder.encode(event))
  }

  /// Everything outlasts a loss of power.
  mutating func synchronise() throws {
    guard unsynchronised > 0, let last = segments.last else { return }
    try disk.synchronise(last.name)
    try disk.synchroniseNames()
    unsynchronised = 0
  }

  /// The index of a segment with room.
  private mutating func place(for length: Int) throws -> Int {
    if let last = segments.last, !last.isClosed, last.bytes + length <= Self.segmentBytes { return segments.count - 1 }
    try synchronise()
    // So that the next launch decodes the last segment alone.
    if !segments.isEmpty { try save() }
    if let last = segments.indices.last { segments[last].isClosed = true }
    // Never again the number of a file that is gone: a late receipt would delete this one.
    segments.append(Segment(number: state.nextSegment))
    state.nextSegment += 1
    return segments.count - 1
  }

  /// What is in a segment, as it was written: what a disk spoiled meanwhile is counted by reading everything again.
  private func whole(_ segment: Segment) throws -> Record.Contents {
    let contents = Record.contents(of: try disk.read(segment.name))
    guard contents.end == segment.bytes, contents.damaged.isEmpty else {
      throw DiskError(operation: "read a file as it was written", number: EIO)
    }
    return contents
  }

  // MARK: The bound

  /// The cheapest events go first, of these the oldest: a segment's at a time. What a server may have is kept the longest.
  private mutating func makeRoom(for length: Int) throws {
    let target = max(0, limit - max(length, min(Self.segmentBytes, limit / 4)))
    for worth in EventKind.Worth.allCases where worth != .loss {
      for wasSent in [false, true] {
        for number in segments.map(\.number) {
          if bytes <= target { return }
          guard let index = segments.firstIndex(where: { $0.number == number }), segments[index].wasSent == wasSent,
            segments[index].counts[worth.rawValue] > 0, !inFlight.contains(number)
          else { continue }
          try drop(worth, from: index)
        }
      }
    }
    if bytes + length > limit { throw DiskError(operation: "find room in the journal", number: ENOSPC) }
  }

  private mutating func drop(_ worth: EventKind.Worth, from index: Int) throws {
    let contents = try whole(segments[index])
    let reason: LossReason = segments[index].wasSent ? .fullAfterSending : .full
    var lost: JournalState.Losses = [:]
    let kept = contents.lines.filter { line in
      let kind = Record.kind(of: line) ?? .lost
      if kind.worth == worth { lost[reason.key(kind.rawValue), default: 0] += 1 }
      return kind.worth != worth
    }
    try rewrite(index, kept, lost: lost)
  }

  /// Replaces a segment's records in one step, and counts what is lost with it, once, whenever this process ends.
  private mutating func rewrite(_ index: Int, _ lines: [ArraySlice<UInt8>], lost: JournalState.Losses) throws {
    // Else a loss of power could make it look as if something had been removed.
    try synchronise()
    let old = segments[index]
    state.removal = .init(segment: old.number, bytes: old.bytes, losses: lost)
    try save()
    var new = Segment(number: old.number, wasSent: old.wasSent)
    new.isClosed = old.isClosed
    for line in lines { new.counts[(Record.kind(of: line) ?? .lost).worth.rawValue] += 1 }
    let bytes = lines.flatMap { Record.framed($0) }
    new.bytes = bytes.count
    if lines.isEmpty { try disk.remove(old.name) } else { try replace(old.name, with: bytes) }
    if lines.isEmpty { segments.remove(at: index) } else { segments[index] = new }
    state.lose(lost)
    state.removal = nil
    try save()
  }

  /// Counts events that never came into the journal.
  mutating func lose(_ losses: JournalState.Losses) throws {
    let old = state
    state.lose(losses)
    do { try save() } catch {
      // If the new file is there all the same, they are counted, and must not be counted again.
      if JournalState(record: (try? disk.read(Self.stateName)) ?? []) == state { return }
      state = old
      throw error
    }
  }

  /// Another file of the same name, whole or not at all.
  private mutating func replace(_ name: String, with bytes: [UInt8]) throws {
    // A save that failed may have left one.
    if !unfinished.insert(name).inserted { try disk.remove(name + ".new") }
    try disk.append(bytes, to: name + ".new")
    try disk.synchronise(name + ".new")
    try disk.rename(name + ".new", to: name)
    unfinished.remove(name)
    try disk.synchroniseNames()
  }

  private mutating func save() throws { try replace(Self.stateName, with: Record.framed(try encoder.encode(state))) }

  // MARK: Sending

  /// The oldest events; nil if nothing may be sent.
  /// - Parameter maximum: bytes. One segment is sent even if it is longer.
  mutating func nextBatch(_ maximum: Int) throws -> Batch? {
    guard state.consent == .granted else { return nil }
    // First what was sent before: files that a server may have stay few.
    if !segments.contains(where: \.wasSent) { try seal(maximum) }
    var batch = Batch(segments: [], body: [], install: state.install)
    for segment in segments where segment.wasSent {
      if !batch.segments.isEmpty, batch.body.count + segment.bytes > maximum { break }
      let lines = try whole(segment).lines
      for line in lines { batch.body += line + [UInt8(ascii: "\n")] }
      batch.segments.append(segment)
    }
    inFlight = Set(batch.segments.map(\.number))
    return batch.segments.isEmpty ? nil : batch
  }

  /// Takes the oldest segments out of use, and tells what is lost.
  private mutating func seal(_ maximum: Int) throws {
    for (key, count) in state.losses.sorted(by: { $0.key < $1.key }) { try append(.lost(count, key)) }
    guard !segments.isEmpty else { return }
    // What a server has must outlast a loss of power: its numbers are never used for other events, even if a file loses its end.
    try synchronise()
    state.wasSent = true
    try save()
    var sum = 0
    for index in segments.indices {
      sum += segments[index].bytes
      if index > 0, sum > maximum { break }
      var sent = segments[index]
      (sent.wasSent, sent.isClosed) = (true, true)
      try disk.rename(segments[index].name, to: sent.name)
      segments[index] = sent
    }
    try disk.synchroniseNames()
  }

  /// Whether a server has them or not. If so, their files go: all that they told is in the state since they were sealed, so that this
  /// needs no room on a full disk. A file that was written again meanwhile stays.
  mutating func finish(_ batch: Batch, isSafe: Bool) throws {
    inFlight = []
    if let install = batch.install, install != state.install, !state.erasures.contains(install) {
      // The user denied meanwhile: this request may have come after the one to erase.
      state.erasures.append(install)
      try save()
    }
    for segment in batch.segments where isSafe {
      guard let index = segments.firstIndex(of: segment) else { continue }
      try disk.remove(segment.name)
      segments.remove(at: index)
    }
  }

  // MARK: Consent

  /// Denied: every event goes, and the install's id; if an event may have left, the server is asked to erase them.
  mutating func set(_ consent: Consent) throws {
    guard consent != state.consent else { return }
    if consent == .denied { return try erase(.denied) }
    (state.consent, state.pendingSince) = (consent, consent == .pending ? now().timeIntervalSince1970 : nil)
    state.install = state.install ?? newInstall()
    try save()
  }

  /// As if nothing had been recorded.
  mutating func erase(_ consent: Consent) throws {
    var new = JournalState(consent)
    new.erasures = state.erasures
    if state.wasSent, let install = state.install { new.erasures.append(install) }
    if consent != .denied { new.install = newInstall() }
    if consent == .pending { new.pendingSince = now().timeIntervalSince1970 }
    // From here on the files are no part of the journal, even if the process ends before they are gone.
    (new.firstSegment, new.nextSegment) = (state.nextSegment, state.nextSegment)
    let old = segments
    state = new
    do { try save() } catch {
      // A full disk: what goes anyway makes room.
      for segment in old { try disk.cut(segment.name, to: 0) }
      try save()
    }
    (segments, inFlight, unsynchronised) = ([], [], 0)
    for segment in old { try disk.remove(segment.name) }
  }

  mutating func erased(_ install: String) throws {
    state.erasures.removeAll { $0 == install }
    try save()
  }
}
