// Chunks of a vendor's records to events: extract the values, ask what the event means, check and pack.

import EventMapping
import PermissionEvents

/// Parses the records of one mapping in one layout. Owned by one thread.
final class RecordParser {
  let program: MappingProgram
  private let layout: RecordLayout
  /// JSON has been checked to be UTF-8, cells have not.
  private let form: EventAssembler.Form
  let extractor: RecordExtractor
  let assembler: EventAssembler
  private let decisions: DecisionCache
  private var record = CSVRecord()
  let times: RecordTime
  let fields = UnsafeMutablePointer<FieldValue>.allocate(capacity: ImportField.count)
  private var joined = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
  /// The bytes of a vendor's key, for an id that is made of it.
  var key: [UInt8] = []
  /// The value that `time` read, for messages.
  var timeValue: FieldValue = .absent

  init(
    _ program: MappingProgram, layout: RecordLayout, assembler: EventAssembler, tally: EventTally
  ) throws(ImportError) {
    self.program = program
    self.layout = layout
    if case .json = layout { form = .json } else { form = .text }
    self.assembler = assembler
    extractor = try RecordExtractor(program, layout: layout)
    decisions = DecisionCache(program, tally: tally)
    times = RecordTime(
      unit: program.record.unit, clock: assembler.options.clock(program.record.zone), format: program.record.timeFormat)
    fields.initialize(repeating: .absent, count: ImportField.count)
    joined.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    fields.deallocate()
    joined.deallocate()
    record.deallocate()
  }

  /// True where it reads files of this mapping and layout too.
  func reads(_ program: MappingProgram, _ layout: RecordLayout) -> Bool {
    guard program === self.program else { return false }
    switch (layout, self.layout) {
    case (.json, .json), (.tsv, .tsv): return true
    case (.csv(let a), .csv(let b)): return a == b
    default: return false
    }
  }

  /// Appends the chunk's events to the assembler's batch.
  func parse(_ chunk: Chunk, into result: inout ChunkResult) {
    if case .csv(let columns) = layout { return parse(chunk, columns, into: &result) }
    let memory = UnsafeRawPointer(chunk.memory)
    let end = chunk.end
    var line = chunk.linesBefore
    var position = chunk.start
    while position < end {
      let stop = ByteSearch.firstNewline(memory, position..<end) ?? end
      parseLine(UnsafeRawBufferPointer(start: memory + position, count: stop - position), line, chunk, &result)
      if stop < end { line += 1 }
      position = stop + 1
    }
    result.lineEnds = line + chunk.linesAfter
  }

  private func parse(_ chunk: Chunk, _ columns: CSVColumns, into result: inout ChunkResult) {
    var walk = CSVWalk(chunk, columns.shape, record)
    defer { record = walk.record }
    while true {
      switch walk.next(into: &result) {
      case .end:
        result.lineEnds = walk.lineEnds + chunk.linesAfter
        return
      case .otherCount: walk.rejectCount(into: &result)
      case .record where columns.isHeading(walk.record.cells): continue
      case .record:
        take(walk.text, walk.line, &result) { () throws(Rejection) in try extractor.readCells(walk.record.cells) }
      }
    }
  }

  private func parseLine(_ text: UnsafeRawBufferPointer, _ line: Int, _ chunk: Chunk, _ result: inout ChunkResult) {
    let isCut = chunk.endsOverlong && text.baseAddress.map { $0 + text.count == chunk.memory + chunk.end } == true
    if isCut || text.count > ImportLimit.line { return result.reject(.tooLongLine, line: line, text: text) }
    if text.allSatisfy({ ByteSearch.isBlank($0) }) { return }
    take(text, line, &result) { () throws(Rejection) in
      if case .json = layout { return try extractor.readJSON(text) }
      return try extractor.readTabs(text)
    }
  }

  /// Takes the record whose values `read` finds, and gives the number of values that nobody asked for.
  private func take(
    _ text: UnsafeRawBufferPointer, _ line: Int, _ result: inout ChunkResult, _ read: () throws(Rejection) -> Int
  ) {
    do throws(Rejection) {
      let ignored = try read()
      guard let name = eventName() else { throw .missingName(program.mapping.name) }
      let entry = decisions.decision(name.bytes, extractor.values)
      if !entry.isKnown {
        entry.isKnown = true
        result.examples.append(.init(line: line, key: entry.tallied))
      }
      guard case .event = entry.decision.outcome else { return result.passOver() }
      try append(entry)
      result.accept(ignoredFields: ignored)
    } catch {
      result.reject(error, line: line, text: text)
    }
  }

  /// The name of the event: the first of the alternatives that is there.
  private func eventName() -> FieldValue? {
    let values = extractor.values
    for source in program.names {
      switch source {
      case .slot(let slot):
        if let value = RecordValue.text(values[slot], maximum: 1024) { return value }
      case .constant(let text):
        return join([text[...]])
      case .joined(let slots):
        let parts = slots.compactMap { RecordValue.text(values[$0], maximum: 256)?.bytes }
        if parts.count == slots.count, let value = join(parts) { return value }
      }
    }
    return nil
  }

  /// Texts with a space between them.
  private func join(_ parts: [some Collection<UInt8>]) -> FieldValue? {
    var count = 0
    for (i, part) in parts.enumerated() {
      guard count + part.count + 1 + 16 <= joined.count else { return nil }
      if i > 0 {
        joined[count] = 0x20
        count += 1
      }
      for byte in part {
        joined[count] = byte
        count += 1
      }
    }
    return FieldValue(kind: .string, bytes: UnsafeRawBufferPointer(rebasing: joined[..<count]))
  }

  private func append(_ entry: DecisionCache.Entry) throws(Rejection) {
    let values = extractor.values
    let (user, userSlot) = try user()
    let reading = try time()
    fields.update(repeating: .absent, count: ImportField.count)
    fields[ImportField.userID] = user
    fields[ImportField.event] = entry.kind.value
    fields[ImportField.status] = entry.status.value
    fields[StringField.permission.rawValue] = entry.permission.value
    for field in 1..<ImportField.stringCount {
      for slot in program.fields[field] {
        guard let value = RecordValue.text(values[slot], maximum: StringField.maximumLength) else { continue }
        fields[field] = value
        break
      }
    }
    for ((field, source), otherwise) in zip(entry.decision.fields, entry.others) {
      let found = source.slots.lazy.compactMap { RecordValue.text(values[$0], maximum: StringField.maximumLength) }
      fields[field.rawValue] = found.first ?? otherwise?.value ?? .absent
    }
    let made = eventID(user: user, userSlot: userSlot, reading)
    try assembler.append(
      fields, form: form, time: (reading.time, timeValue), exported: reading.exported, madeEventID: made)
  }
}
