// Every stored event, whole, in the log's order.

import PermissionEvents

/// One event with its values as bytes; pointers are valid for the call that hands it over.
package struct ExportedEvent {
  package var userID: [UInt8]
  package var eventID: [UInt8]
  package var time: Milliseconds
  package var kind: EventKind
  package var status: AuthorizationStatus
  /// Values by `StringField.rawValue`; empty where absent.
  package var values: [[UInt8]]
}

extension LogSnapshot {
  /// Calls `body` for every event in the order of the log: user hash, user id, time, kind, event id.
  package func forEachEvent(_ body: (ExportedEvent) throws -> Void) throws {
    let merge = MergeCursor(try parts.map { try PartCursor($0, range: 0...UInt64.max) })
    let dictionaries = parts.map(\.footer.dictionary)
    while try merge.advance() {
      for cursor in merge.current {
        try cursor.block.load(.details)
        try cursor.block.load(.eventIDs)
      }
      let user = merge.current[0].userID.bytes
      let sources = merge.sources
      try merge.forEachRow { number, row in
        let block = merge.current[number].block
        try body(exported(block.event(row), user: user, id: block.eventID(row).bytes, dictionaries[sources[number]]))
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
      userID: user, eventID: id, time: event.time, kind: EventKind(rawValue: event.kind) ?? .appActive,
      status: AuthorizationStatus(rawValue: event.status) ?? .none,
      values: StringField.allCases.map { dictionary.value($0, codes[$0.rawValue]) })
  }
}
