// An event as a test writes it down, and its way into a batch.

import EventLog
import PermissionEvents

/// One event with its values as bytes. Ids and values are compared bytewise.
package struct TestEvent: Hashable, Sendable, CustomStringConvertible {
  package var user: [UInt8]
  package var id: [UInt8]
  package var time: Milliseconds
  package var kind: EventKind
  package var status: AuthorizationStatus
  /// Absent fields have no entry.
  package var values: [StringField: [UInt8]]

  package init(
    user: String, id: String, time: Milliseconds, kind: EventKind = .promptShown, status: AuthorizationStatus = .none,
    values: [StringField: String] = [:]
  ) {
    self.user = Array(user.utf8)
    self.id = Array(id.utf8)
    self.time = time
    self.kind = kind
    self.status = status
    self.values = values.mapValues { Array($0.utf8) }
  }

  package init(_ event: ExportedEvent) {
    user = event.userID
    id = event.eventID
    time = event.time
    kind = event.kind ?? .appInstalled
    status = event.status
    values = [:]
    for field in StringField.allCases where !event.values[field.rawValue].isEmpty {
      values[field] = event.values[field.rawValue]
    }
  }

  package var description: String {
    let texts = values.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      "\($0.key.name)=\(String(decoding: $0.value, as: UTF8.self))"
    }
    let ids = [user, id].map { String(decoding: $0, as: UTF8.self) }
    return ([ids[0], ids[1], "\(time)", kind.name, status.name] + texts).joined(separator: " ")
  }

  /// The order of the log: hash of the user id, user id, time, kind, event id.
  package static func isBefore(_ a: TestEvent, _ b: TestEvent) -> Bool {
    let hashes = (a.user.withUnsafeBytes(UserHash.of), b.user.withUnsafeBytes(UserHash.of))
    if hashes.0 != hashes.1 { return hashes.0 < hashes.1 }
    if a.user != b.user { return a.user.lexicographicallyPrecedes(b.user) }
    if a.time != b.time { return a.time < b.time }
    if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
    return a.id.lexicographicallyPrecedes(b.id)
  }
}

extension EventBatch {
  /// Packs an event as the importers do.
  package func append(_ event: TestEvent, dictionary: EventDictionary) {
    func code(_ field: StringField) -> UInt32 {
      event.values[field].map { $0.withUnsafeBytes { dictionary.code(field, $0) } } ?? 0
    }
    let context = dictionary.code(
      ContextTuple(
        permission: code(.permission), variant: code(.variant), experiment: code(.experiment), surface: code(.surface),
        feature: code(.feature), status: event.status))
    let attributes = dictionary.code(AttributeTuple { code($0) })
    append(
      userHash: event.user.withUnsafeBytes(UserHash.of), user: event.user.withUnsafeBytes(identifier),
      event: event.id.withUnsafeBytes(identifier), time: event.time, kind: event.kind, context: context,
      attributes: attributes)
  }
}
