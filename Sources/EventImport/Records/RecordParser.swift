// Chunks of a vendor's records to events: extract the values, ask what the event means, check and pack.

import Buffers
import EventMapping
import PermissionEvents

/// Parses the records of one mapping in one layout. Owned by one thread.
final class RecordParser {
  private let program: MappingProgram
  private let layout: RecordLayout
  /// JSON has been checked to be UTF-8, cells have not.
  private let form: EventAssembler.Origin
  private let extractor: RecordExtractor
  private let assembler: EventAssembler
  private let decisions: DecisionCache
  private let tally: EventTally
  private let record = CSVRecord()
  private var rowText = ArrowRowText()
  private let times: RecordTime
  /// How ids are made in the log that the events are for.
  private let id: EventID<Int>?
  private let links: [MappingProgram.Link]
  private let numbers: RowNumbers?
  private let sessionTally: SessionTally
  private var sessions = SessionSample()
  /// Sessions of two vendors are different, even with equal ids.
  private let sessionSeed: UInt64
  private let fields = Buffer(repeating: FieldValue.absent, count: ImportField.count)
  /// A name made of several texts.
  private var joined = PaddedBuffer(capacity: 1008)
  /// The bytes of a vendor's key, for an id that is made of it.
  private var key: [UInt8] = []
  private var sticky: StickyRows
  /// Rows of the chunk whose names were all looked at.
  private var sampledRows = 0
  /// The value that `time` read, for messages.
  private var timeValue: FieldValue = .absent

  init(
    _ program: MappingProgram, layout: RecordLayout, assembler: EventAssembler, tally: EventTally,
    sessions: SessionTally
  ) throws(ImportError) {
    sessionTally = sessions
    sessionSeed = UserHash.mix(Array(program.mapping.scope.utf8).withUnsafeBytes { UserHash.text($0) })
    numbers = RowNumbers(program, seed: sessionSeed)
    self.program = program
    self.layout = layout
    if case .json = layout { form = .json } else { form = .text }
    self.assembler = assembler
    let rules = assembler.options
    id = rules.eventIDs.version == 1 ? program.formerID : program.id
    links = rules.rows.joinsLinkedIDs ? program.links : []
    sticky = StickyRows(program)
    extractor = try RecordExtractor(program, layout: layout)
    self.tally = tally
    decisions = DecisionCache(program, tally: tally)
    times = RecordTime(
      unit: program.record.unit, clock: assembler.options.clock(program.record.zone), format: program.record.timeFormat)
  }

  deinit {
    sessionTally.add(sessions)
    tally.note(unread: extractor.found.unread)
    for texts in sticky.texts { tally.note(texts.property, isRead: texts.isRead, notUnderstood: texts.notUnderstood) }
  }

  func reads(_ program: MappingProgram, _ layout: RecordLayout) -> Bool {
    guard program === self.program else { return false }
    switch (layout, self.layout) {
    case (.json, .json), (.tsv, .tsv): return true
    case (.csv(let a), .csv(let b)): return a == b
    case (.arrow(let a), .arrow(let b)): return a.names == b.names
    default: return false
    }
  }

  func parse(_ chunk: Chunk, into result: inout ChunkResult) {
    if case .csv(let columns) = layout { return parse(chunk, columns, into: &result) }
    if case .arrow(let table) = layout {
      if let rows = chunk.rows { parse(rows, table, into: &result) }
      return
    }
    let text = chunk.text
    sampledRows = 0
    var line = chunk.linesBefore
    var position = chunk.start
    while position < text.count {
      let stop = ByteSearch.firstNewline(text.bytes, position..<text.count) ?? text.count
      parseLine(text[position..<stop], line, LineEnd(chunk, at: stop), &result)
      if stop < text.count { line += 1 }
      position = stop + 1
    }
    result.lineEnds = line + chunk.linesAfter
  }

  private func parse(_ chunk: Chunk, _ columns: CSVColumns, into result: inout ChunkResult) {
    var walk = CSVWalk(chunk, columns.shape, record)
    while true {
      switch walk.next(into: &result) {
      case .end:
        result.lineEnds = walk.lineEnds + chunk.linesAfter
        return
      case .otherCount: walk.rejectCount(into: &result)
      case .record where columns.isHeading(walk.record.cells): continue
      case .record:
        // A record with all its cells is not cut off, as far as can be seen.
        take(walk.text, walk.line, .whole, &result) { () throws(Rejection) in
          try extractor.readCells(walk.record.cells)
        }
      }
    }
  }

  private func parse(_ rows: ArrowRows, _ table: ArrowTable, into result: inout ChunkResult) {
    result.lineEnds = rows.range.count
    do throws(ArrowDamage) { try rows.checkBounds() } catch {
      result.failure = .damagedArrow(result.source?.name ?? "", error.cause)
      return
    }
    for row in rows.range {
      let line = row - rows.range.lowerBound
      do throws(Rejection) {
        try take(line, &result) { () throws(Rejection) in try extractor.readRow(rows.batch, row) }
      } catch {
        rowText.make(table.names) { extractor.cells[$0] }
        rowText.bytes.withUnsafeBytes { result.reject(error, line: line, text: $0) }
      }
    }
  }

  private func parseLine(_ text: PaddedBytes, _ line: Int, _ end: LineEnd, _ result: inout ChunkResult) {
    if end == .tooLong || text.count > ImportLimit.line {
      return result.reject(.tooLongLine, line: line, text: text.bytes)
    }
    if text.bytes.allSatisfy({ ByteSearch.isBlank($0) }) { return }
    take(text.bytes, line, end, &result) { () throws(Rejection) in
      if case .json = layout {
        if sampledRows < SampledNames.rows {
          sampledRows += 1
          SampledNames.forEach(in: text.bytes) { extractor.found.noteUnread($0) }
        }
        return try extractor.readJSON(text)
      }
      return try extractor.readTabs(text)
    }
  }

  /// Takes the record with the values that `read` finds. `read` returns the number of unwanted values.
  private func take(
    _ text: UnsafeRawBufferPointer, _ line: Int, _ end: LineEnd, _ result: inout ChunkResult,
    _ read: () throws(Rejection) -> Int
  ) {
    do throws(Rejection) {
      try take(line, &result, read)
    } catch {
      if end == .missing, let cut = LineCut(text, error, isJSON: form == .json) {
        return result.cut(cut, line: line, text: text)
      }
      result.reject(error, line: line, text: text)
    }
  }

  private func take(_ line: Int, _ result: inout ChunkResult, _ read: () throws(Rejection) -> Int) throws(Rejection) {
    let ignored = try read()
    do throws(Rejection) {
      try take(line, ignored: ignored, &result)
    } catch {
      // It is refused, but it has arrived.
      noteNumber()
      throw error
    }
  }

  /// Takes the record whose values have been read.
  private func take(_ line: Int, ignored: Int, _ result: inout ChunkResult) throws(Rejection) {
    guard let name = eventName() else {
      throw .missingName(program.mapping.name, places: Self.list(program.record.event.flatMap(\.places)))
    }
    let decided = decisions.decision(name.bytes, extractor.values, extractor.found)
    if !decided.isKnown {
      decided.isKnown = true
      if let experiment = decided.decision.experiment { tally.note(assigned: experiment) }
      result.examples.append(.init(line: line, key: decided.tallied))
    }
    if form == .text, !decided.isUTF8 { throw .fieldNotUTF8(ImportField.event) }
    for link in links where link.events.contains(where: { $0.elementsEqual(name.bytes) }) { take(link, &result) }
    guard case .event = decided.decision.outcome else {
      if assembler.options.rows.replacesEvents { try withdraw() }
      noteNumber()
      // A row that gives a variant or a state is not passed over, whatever its name is.
      guard !sticky.isEmpty, let (user, _) = try? user(), let reading = try? time(),
        appendSticky(user, reading.time, &result)
      else { return result.passOver(decided.tallied, line: line) }
      return result.accept(ignoredFields: ignored)
    }
    let user = try user()
    let reading = try time()
    try append(decided, user, reading)
    if !sticky.isEmpty { _ = appendSticky(user.0, reading.time, &result) }
    result.accept(ignoredFields: ignored)
  }

  /// The name of the event: the first alternative that is present.
  private func eventName() -> FieldValue? {
    for source in program.names {
      switch source {
      case .from(let slot):
        if let value = extractor.values[slot].asText(maximum: 1024) { return value }
      case .constant(let text): return join([text.utf8])
      case .given: break
      case .joined(let slots):
        let parts = slots.compactMap { extractor.values[$0].asText(maximum: 256)?.bytes }
        if parts.count == slots.count, let value = join(parts) { return value }
      }
    }
    return nil
  }

  /// Texts with a space between them; nil if they are too long.
  private func join(_ parts: [some Collection<UInt8>]) -> FieldValue? {
    joined.removeAll()
    for (i, part) in parts.enumerated() {
      guard joined.count + part.count + 1 <= joined.capacity else { return nil }
      if i > 0 { joined.append([0x20]) }
      joined.append(part)
    }
    return FieldValue(kind: .string, text: joined.bytes)
  }

  private func append(
    _ decided: DecisionCache.CachedDecision, _ who: (FieldValue, slot: Int), _ reading: RecordTime.Reading
  ) throws(Rejection) {
    let (user, userSlot) = who
    fields.unsafeAddress.update(repeating: .absent, count: ImportField.count)
    fields[ImportField.userID] = user
    fields[ImportField.event] = decided.kind.value
    fields[ImportField.status] = decided.status.value
    fields[StringField.permission.rawValue] = decided.permission.value
    func first(_ slots: [Int]) -> FieldValue? {
      for slot in slots {
        if let value = extractor.values[slot].asText(maximum: StringField.maximumLength) { return value }
      }
      return nil
    }
    for field in 1..<ImportField.stringCount {
      if let value = first(program.fields[field]) { fields[field] = value }
    }
    for ((field, source), otherwise) in zip(decided.decision.fields, decided.others) {
      fields[field.rawValue] = first(source.slots) ?? otherwise?.value ?? .absent
    }
    let made = eventID(user: user, userSlot: userSlot, reading)
    _ = try assembler.append(
      fields, form: form, time: (reading.time, timeValue), exported: reading.exported, madeEventID: made)
    if !program.session.isEmpty { noteSession() }
    if let (counter, number) = numbers?.number(extractor.values) {
      let hidden = assembler.hidden(counter: counter)
      assembler.batch.note(counter: hidden, number: number, ofEvent: assembler.batch.count - 1)
    }
  }

  /// Appends an assignment for each variant that the record carries, and a look at the status for each state, unless the user is
  /// known to have it from earlier that day.
  /// - Returns: whether the record carries one.
  private func appendSticky(_ user: FieldValue, _ time: Milliseconds, _ result: inout ChunkResult) -> Bool {
    var hasValue = false
    for number in sticky.texts.indices {
      let found = sticky.texts[number].slots.lazy
        .compactMap { self.extractor.values[$0].asText(maximum: StringField.maximumLength) }.first
      guard let value = found, !value.bytes.isEmpty else { continue }
      if sticky.repeats(number, user.bytes, value.bytes, time) {
        hasValue = true
        result.counts.repeats += 1
        continue
      }
      let isExperiment = sticky.texts[number].property.isExperiment
      if isExperiment, !ExperimentRow.isVariant(value.bytes) { continue }
      guard let status = isExperiment ? AuthorizationStatus.none : sticky.status(number, value.bytes) else { continue }
      hasValue = true
      sticky.texts[number].isRead = true
      sticky.remember()
      let texts = sticky.texts[number]
      fields.unsafeAddress.update(repeating: .absent, count: ImportField.count)
      fields[ImportField.userID] = user
      fields[ImportField.event] = texts.kind.value
      var id: EventBatch.Identifier?
      if isExperiment {
        fields[StringField.experiment.rawValue] = texts.name.value
        fields[StringField.variant.rawValue] = FieldValue(kind: .string, text: value.text)
      } else {
        fields[StringField.permission.rawValue] = texts.name.value
        fields[ImportField.status] = sticky.text(status)
        fields[StringField.surface.rawValue] = texts.surface.value
        id = DerivedEventID.make(
          permission: texts.name.value.bytes, status: status, day: floorDivide(time, millisecondsPerDay))
      }
      // A record whose user or time is refused has been refused as an event, or is none.
      _ = try? assembler.append(fields, form: form, time: (time, timeValue), madeEventID: id)
    }
    return hasValue
  }

  /// Notes the number of a record that is not stored.
  private func noteNumber() {
    guard let numbers, let (counter, number) = numbers.number(extractor.values), let (user, _) = try? user(),
      let time = minute(numbers)
    else { return }
    let attributes = numbers.attributes(extractor.values) { assembler.attributes($0, $1) }
    try? assembler.note(
      counter: counter, number: number, user: user, time: time, attributes: attributes, form: form)
  }

  /// The record's time to the minute.
  private func minute(_ numbers: RowNumbers) -> Milliseconds? {
    for slot in program.time {
      let value = extractor.values[slot]
      guard value.asText(maximum: 64) != nil else { continue }
      if value.kind == .string, let minute = numbers.minute(value) { return minute }
      guard let reading = try? time() else { return nil }
      if value.kind == .string { numbers.keep(value, reading.time) }
      return reading.time
    }
    return (try? time())?.time
  }

  /// Records that the user of the last appended event was in the record's session.
  private func noteSession() {
    let session = program.session.lazy.compactMap { self.extractor.values[$0].asText(maximum: 256) }.first
    guard let session, let event = assembler.batch.events.last else { return }
    sessions.note(session: UserHash.text(session.bytes) ^ sessionSeed, user: event.userHash) {
      assembler.batch.userID(of: event)
    }
  }

  /// A record that is not an event removes the event from the log that it was when its name was read differently.
  private func withdraw() throws(Rejection) {
    fields[ImportField.eventID] = .absent
    guard let (user, userSlot) = try? user(), let reading = try? time() else { return }
    let made = eventID(user: user, userSlot: userSlot, reading)
    try? assembler.appendNoEvent(
      user: user, eventID: fields[ImportField.eventID], madeEventID: made, time: reading.time, form: form)
  }

  private func take(_ link: MappingProgram.Link, _ result: inout ChunkResult) {
    func first(_ slots: [Int]) -> FieldValue? {
      slots.lazy.compactMap { self.extractor.values[$0].asText(maximum: Int(UInt16.max)) }.first
    }
    guard first(link.unless) == nil, let a = first(link.from), let b = first(link.with) else { return }
    result.counts.links += 1
    do throws(Rejection) {
      if let link = try assembler.link(a, b, form) { assembler.batch.links.append(link) }
    } catch {
      result.counts.refusedLinks += 1
    }
  }

  // MARK: Who, when and which

  /// The first id that names a user.
  private func user() throws(Rejection) -> (FieldValue, slot: Int) {
    var nobody: FieldValue?
    for (slot, prefix) in program.user {
      guard var value = extractor.values[slot].asText(maximum: Int(UInt16.max)) else { continue }
      if !prefix.isEmpty, value.bytes.starts(with: prefix) {
        value.text = value.text[prefix.count..<value.text.count]
      }
      if EventAssembler.isNobody(value.bytes) {
        nobody = nobody ?? value
      } else {
        return (value, slot)
      }
    }
    if let nobody { throw .nobody(nobody) }
    throw .nothingAt(ImportField.userID, places: Self.list(program.identities.map(\.from)))
  }

  private func time() throws(Rejection) -> RecordTime.Reading {
    if program.record.isTimeGiven, let time = assembler.options.rows.snapshotTime {
      return RecordTime.Reading(exported: time, time: time)
    }
    for slot in program.time {
      let value = extractor.values[slot]
      guard value.asText(maximum: 64) != nil else { continue }
      timeValue = value
      if value.isInstant, let time = Timestamp.parse(rfc3339: value.bytes) {
        return RecordTime.Reading(exported: time, time: time)
      }
      return try times.read(value)
    }
    throw .nothingAt(ImportField.timestamp, places: Self.list(program.record.time))
  }

  private static func list(_ places: [PropertyReference]) -> String {
    places.map { UnknownForm.legible($0.text) }.listed(upTo: 6)
  }

  /// Puts an id that stays unchanged into the fields. Otherwise returns the id made of the vendor's key, or nil if the
  /// event has no key.
  private func eventID(user: FieldValue, userSlot: Int, _ reading: RecordTime.Reading) -> EventBatch.Identifier? {
    func text(_ slot: Int) -> FieldValue? { extractor.values[slot].asText(maximum: ImportLimit.line) }
    switch id {
    case nil: return nil
    case .plain(let slots, let within):
      guard let id = slots.lazy.compactMap(text).first(where: { !Self.isPlaceholder($0.bytes) }) else { return nil }
      guard let within, within != userSlot, let scope = text(within) else {
        fields[ImportField.eventID] = id
        return nil
      }
      // The id is unique within a device, and the user is not that device.
      beginKey()
      appendKey(id.bytes)
      appendKey(scope.bytes)
    case .derived(let parts, let needs):
      if let needs, text(needs) == nil { return nil }
      beginKey()
      for part in parts {
        switch part {
        case .value(let slots): appendKey(slots.lazy.compactMap(text).first?.bytes ?? PaddedBytes.none.bytes)
        case .time: appendKey(reading.exported)
        case .timeInSeconds: appendKey(floorDivide(reading.exported, 1000))
        }
      }
    }
    return assembler.derivedID(of: key)
  }

  /// Whether an id is a word for none. A number of an event begins at 0 in many sources.
  private static func isPlaceholder(_ id: UnsafeRawBufferPointer) -> Bool {
    EventAssembler.isNobody(id) && !id.elementsEqual([0x30])
  }

  private func beginKey() {
    key.removeAll(keepingCapacity: true)
    key.append(contentsOf: program.mapping.scope.utf8)
    key.append(0)
  }

  private func appendKey(_ text: UnsafeRawBufferPointer) {
    for shift in [0, 8, 16] { key.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
    key.append(contentsOf: text)
  }

  private func appendKey(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) { key.append(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
  }
}
