// Every stored event, whole, in the log's order.

import Buffers
import PermissionEvents

/// One event with its values as bytes; pointers are valid for the call that hands it over.
package struct ExportedEvent {
  package var userID: [UInt8]
  package var eventID: [UInt8]
  package var time: Milliseconds
  /// Nil if the program does not know it.
  package var kind: EventKind?
  package var kindName: String
  package var status: AuthorizationStatus
  /// Values by `StringField.rawValue`; empty if absent.
  package var values: [[UInt8]]
  /// Values of fields that the program does not know, in the order of `UnknownVocabulary.columns`; empty if absent.
  package var unknownValues: [[UInt8]]
}

extension ExportedEvent {
  /// An event of a part with the program's kinds and without unknown fields.
  init(_ event: StoredEvent, user: IdentifierView, id: IdentifierView, _ dictionary: PartDictionary) {
    let kind = EventKind(rawValue: event.kind)
    self.init(
      userID: user.bytes, eventID: id.bytes, time: event.time, kind: kind, kindName: kind?.name ?? "",
      status: AuthorizationStatus(rawValue: event.status) ?? .none,
      values: StringField.allCases.map { dictionary.value($0, of: event) }, unknownValues: [])
  }
}

extension LogSnapshot {
  /// Calls `body` for every event in the order of the log: user hash, user id, time, kind, event id.
  /// - Parameter range: hashes of users; only their blocks are read.
  package func forEachEvent(
    in range: ClosedRange<UInt64> = 0...UInt64.max, _ body: (ExportedEvent) throws -> Void
  ) throws {
    let dictionaries = parts.map(\.footer.dictionary)
    let vocabulary = LogVocabulary(dictionaries)
    try vocabulary.requireRoom(directory)
    let kinds = vocabulary.allKinds.map { (known: $0.known, name: String(bounded: $0.name)) }
    let columns = dictionaries.map { dictionary in
      vocabulary.columns.map { name in dictionary.columns.firstIndex { $0.name == name } }
    }
    let merge = UserMerge(
      try parts.map {
        try PartCursor($0, range: range, kinds: vocabulary.codes(of: $0.footer.dictionary))
      })
    while try merge.advance() {
      try merge.loadEvents(columns: !vocabulary.columns.isEmpty)
      let user = merge.first.userID.bytes
      try merge.forEachRow { part, row in
        let (block, dictionary) = (merge.cursors[part].block, dictionaries[part])
        let event = block.event(row)
        let kind = kinds[Int(event.kind)]
        let exported = ExportedEvent(
          userID: user, eventID: block.eventID(row).bytes, time: event.time, kind: kind.known,
          kindName: kind.name, status: AuthorizationStatus(rawValue: event.status) ?? .none,
          values: StringField.allCases.map { dictionary.value($0, of: event) },
          unknownValues: columns[part].map { column in
            column.map { dictionary.columns[$0].values[block.columnCode($0, row)] } ?? []
          })
        try body(exported)
      }
    }
  }
}

extension LogSnapshot {
  /// Calls `body` for every event that is stored under an id.
  package func forEachEvent(of user: [UInt8], _ body: (ExportedEvent) throws -> Void) throws {
    let hash = user.withUnsafeBytes { UserHash.of($0) }
    try forEachEvent(in: hash...hash) { if $0.userID == user { try body($0) } }
  }

  /// What the log has of persons beside events.
  /// - Parameter persons: the ids of each.
  package func traces(of persons: [[[UInt8]]]) throws -> [UserTraces] {
    let content = try directory.readLinks(manifest)
    let history = try directory.readHistoryIfWhole(manifest) ?? IngestHistory()
    let excluded = Set(try directory.readExclusions(manifest).ids)
    let paths = Set(history.ingests.flatMap(\.names).map { Array($0.utf8) } + history.files.map(\.path.bytes))
    return persons.map { ids in
      var traces = UserTraces(ids: content.links.closure(of: ids))
      traces.isExcluded = !excluded.isDisjoint(with: traces.ids)
      traces.sessions = content.split.ordered.map(\.ids).filter { $0.contains(where: traces.ids.contains) }
      traces.files = paths.filter { path in traces.ids.contains { !$0.isEmpty && path.firstRange(of: $0) != nil } }
        .map { String(bounded: $0) }.sorted()
      return traces
    }
  }
}

/// What a log has of one person beside events.
package struct UserTraces: Sendable {
  /// The ids, and those that are linked with them.
  package var ids: [[UInt8]]
  /// Sessions in which they came with other ids.
  package var sessions: [[[UInt8]]] = []
  /// Names of files in which one of them occurs.
  package var files: [String] = []
  /// Whether one of them is in the list of users that answers leave out.
  package var isExcluded = false
}

// MARK: Stored events as lines of canonical NDJSON. `export` writes these lines, and an ingest chooses between copies of an event by them, so that which copy stays can be read off an export

/// Lines of events, in pieces.
package struct EventLines: ~Copyable {
  private var bytes = Buffer<UInt8>(capacity: 1 << 14)
  private var time: [UInt8] = []
  /// Names of fields that the program does not know.
  private let unknown: [String]

  /// - Parameter unknown: names of fields that the program does not know, in the order of an event's `unknownValues`.
  package init(unknown: [String] = []) { self.unknown = unknown }

  /// The bytes that were written but not yet taken.
  package var count: Int { bytes.count }

  /// The bytes written since the last call.
  package mutating func take() -> [UInt8] {
    let taken = bytes.span.withUnsafeBufferPointer { Array($0) }
    bytes.removeAll()
    return taken
  }

  /// Absent fields are left out.
  package mutating func append(_ event: ExportedEvent) {
    time.removeAll(keepingCapacity: true)
    Timestamp.write(event.time, into: &time)
    literal("{\"event_id\":")
    text(event.eventID)
    literal(",\"user_id\":")
    text(event.userID)
    literal(",\"timestamp\":")
    text(time)
    literal(",\"event\":")
    text(event.kindName)
    let permission = event.values[StringField.permission.rawValue]
    if !permission.isEmpty {
      literal(",\"permission\":")
      text(permission)
    }
    if event.status != .none {
      literal(",\"status\":")
      text(event.status.name)
    }
    for field in StringField.allCases.dropFirst() { member(field.name, event.values[field.rawValue]) }
    for (name, value) in zip(unknown, event.unknownValues) { member(name, value) }
    literal("}\n")
  }

  private mutating func member(_ name: String, _ value: [UInt8]) {
    guard !value.isEmpty else { return }
    bytes.append(0x2C)
    text(name)
    bytes.append(0x3A)
    text(value)
  }

  private mutating func literal(_ literal: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  private mutating func text(_ text: [UInt8]) { text.withUnsafeBufferPointer { JSONText.append($0, to: &bytes) } }

  private mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { JSONText.append($0, to: &bytes) }
  }
}

extension ExportedEvent {
  package var line: [UInt8] {
    var lines = EventLines()
    lines.append(self)
    return lines.take()
  }
}
