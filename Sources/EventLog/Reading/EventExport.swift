// Every stored event, whole, in the log's order.

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
  /// Values by `StringField.rawValue`; empty where absent.
  package var values: [[UInt8]]
  /// Values of fields that the program does not know, in the order of `UnknownVocabulary.columns`; empty where absent.
  package var unknownValues: [[UInt8]]
}

extension LogSnapshot {
  /// Calls `body` for every event in the order of the log: user hash, user id, time, kind, event id.
  package func forEachEvent(_ body: (ExportedEvent) throws -> Void) throws {
    let dictionaries = parts.map(\.footer.dictionary)
    let vocabulary = LogVocabulary(dictionaries)
    try vocabulary.requireRoom(directory)
    let kinds = EventKind.names + vocabulary.kinds.map { String(decoding: $0.name, as: UTF8.self) }
    let columns = dictionaries.map { dictionary in
      vocabulary.columns.map { name in dictionary.columns.firstIndex { $0.name == name } }
    }
    let merge = MergeCursor(
      try parts.map {
        try PartCursor($0, range: 0...UInt64.max, kinds: vocabulary.codes(of: $0.footer.dictionary))
      })
    while try merge.advance() {
      for cursor in merge.current {
        try cursor.block.load(.details)
        try cursor.block.load(.eventIDs)
        if !vocabulary.columns.isEmpty { try cursor.block.load(.columns) }
      }
      let user = merge.current[0].userID.bytes
      let sources = merge.sources
      try merge.forEachRow { number, row in
        let block = merge.current[number].block
        let (source, stored) = (sources[number], block.event(row))
        var event = exported(stored, user: user, id: block.eventID(row).bytes, dictionaries[source])
        event.kindName = kinds[Int(stored.kind)]
        event.unknownValues = columns[source].map { column in
          column.map { dictionaries[source].columns[$0].values[Int(block.columns[$0].pointer[row])] } ?? []
        }
        try body(event)
      }
    }
  }

  private func exported(
    _ event: StoredEvent, user: [UInt8], id: [UInt8], _ dictionary: PartDictionary
  ) -> ExportedEvent {
    let context = dictionary.contexts[Int(event.context)]
    let attributes = dictionary.attributes[Int(event.attributes)]
    let codes = [
      context.permission, context.variant, context.experiment, context.surface, event.feature, attributes.appVersion,
      attributes.osVersion, attributes.platform, attributes.locale, attributes.country,
    ]
    return ExportedEvent(
      userID: user, eventID: id, time: event.time, kind: EventKind(rawValue: event.kind), kindName: "",
      status: AuthorizationStatus(rawValue: event.status) ?? .none,
      values: StringField.allCases.map { dictionary.value($0, codes[$0.rawValue]) }, unknownValues: [])
  }
}
