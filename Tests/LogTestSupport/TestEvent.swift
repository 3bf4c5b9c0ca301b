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

  /// The number that its id has, and what counted it.
  package var number: (counter: UInt64, number: UInt64)? {
    id.withUnsafeBytes { IdentifierText.packUUID($0) }.flatMap { EventNumber.recorded(high: $0.high, low: $0.low) }
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

extension TestEvent {
  /// Which of two copies of an event stays.
  package static func isLesserCopy(_ a: TestEvent, _ b: TestEvent) -> Bool {
    a.time != b.time ? a.time < b.time : a.line.lexicographicallyPrecedes(b.line)
  }

  /// As `export` writes it, by the plainest means.
  package var line: [UInt8] {
    // Times of tests are after 1970.
    let (date, rest) = (CivilDate(time / millisecondsPerDay), time % millisecondsPerDay)
    func padded(_ number: Int64, _ width: Int = 2) -> String {
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }
    let day = "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0) }.joined(separator: ":")
    var members: [(String, [UInt8])] = [
      ("event_id", id), ("user_id", user), ("timestamp", Array("\(day)T\(clock).\(padded(rest % 1000, 3))Z".utf8)),
      ("event", Array(kind.name.utf8)), ("permission", values[.permission] ?? []), ("status", Array(status.name.utf8)),
    ]
    for field in StringField.allCases where field != .permission { members.append((field.name, values[field] ?? [])) }
    let texts = members.filter { !$0.1.isEmpty }.map {
      "\"\($0.0)\":\"\(Self.escaped(String(decoding: $0.1, as: UTF8.self)))\""
    }
    return Array("{\(texts.joined(separator: ","))}\n".utf8)
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: escaped += "\\\""
      case 0x5C: escaped += "\\\\"
      case 0x0A: escaped += "\\n"
      case 0x0D: escaped += "\\r"
      case 0x09: escaped += "\\t"
      case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
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
    if let (counter, number) = event.number { note(counter: counter, number: number, ofEvent: count - 1) }
  }
}

// MARK: Other names

extension TestEvent {
  /// A UUID that is made of an id; one that was made so stays, so that a step can be repeated.
  package static func renamed(user id: [UInt8]) -> [UInt8] {
    IdentifierText.isPseudonym(id) ? id : text(id.withUnsafeBytes { DerivedEventID.make(ofKey: $0) })
  }

  private static func text(_ id: EventBatch.Identifier) -> [UInt8] {
    var text: [UInt8] = []
    IdentifierText.writeUUID(form: id.form, high: id.high, low: id.low, into: &text)
    return text
  }

  /// The event after `LogStep.rename`.
  var renamed: TestEvent {
    var event = self
    event.user = Self.renamed(user: user)
    guard let id = id.withUnsafeBytes({ IdentifierText.packUUID($0) }),
      !DerivedEventID.isDaily(kind: kind.rawValue, form: id.form.rawValue, low: id.low)
    else { return event }
    event.id = Self.text(Self.renamed(event: EventBatch.Identifier(form: id.form, high: id.high, low: id.low)))
    return event
  }

  package static func renamed(event id: EventBatch.Identifier) -> EventBatch.Identifier {
    IdentifierText.isPseudonym(high: id.high, low: id.low)
      ? id : DerivedEventID.identifier(high: id.high &+ UInt64(id.form.rawValue) << 40, low: id.low &* 3)
  }
}
