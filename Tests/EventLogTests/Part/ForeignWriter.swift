// A program with another vocabulary than this one's: what a later or an older permlog, or somebody's own, writes.

import LogTestSupport
import PermissionEvents

@testable import EventLog

/// An event in words.
struct ForeignEvent: Hashable {
  var user: String
  var id: String
  var time: Milliseconds
  var kind: String
  var status = AuthorizationStatus.none
  /// By name of the field.
  var values: [String: String] = [:]

  /// As `LogDirectory.exportLines` writes it.
  var line: String {
    let texts = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return ([user, id, "\(time)", kind, status.name] + texts).joined(separator: " ")
  }
}

struct ForeignWriter {
  /// In its order, which breaks ties.
  var kinds = EventKind.allCases.map { (name: $0.name, eventClass: $0.eventClass.rawValue) }
  var taxonomy = PermissionCode.taxonomy
  /// Fields that this program does not know.
  var columns: [String] = []
  /// The order in which the footer lists this program's fields; those that are not listed are not known there.
  var fields = StringField.allCases

  /// A later version: a kind, a permission and a column more. A row has four bits for its kind, so that the kind takes the code of a
  /// kind without events.
  static var later: ForeignWriter {
    var writer = ForeignWriter()
    writer.kinds[15] = ("paywall_shown", 3)
    writer.taxonomy.append("smell")
    writer.columns = ["tier"]
    return writer
  }

  /// Writes one part with events of users and ids in text.
  @discardableResult
  func write(_ events: [ForeignEvent], id: UInt64, to files: MemoryFileSystem) throws -> PartDescription? {
    func order(_ event: ForeignEvent) -> Int { kinds.firstIndex { $0.name == event.kind } ?? 0 }
    func hash(_ event: ForeignEvent) -> UInt64 { Array(event.user.utf8).withUnsafeBytes(UserHash.of) }
    let sorted = events.sorted {
      (hash($0), $0.user, $0.time, order($0), $0.id) < (hash($1), $1.user, $1.time, order($1), $1.id)
    }
    var dictionary = PartDictionary(
      kinds: kinds.map { PartKind(name: Array($0.name.utf8), eventClass: $0.eventClass) },
      values: StringField.allCases.map { _ in [[]] }, isOfTaxonomy: [false], contexts: [.init()], attributes: [.init()],
      columns: columns.enumerated().map {
        PartColumn(name: Array($0.element.utf8), stream: 40 + UInt8($0.offset), values: [[]])
      })
    func code(_ field: StringField, _ event: ForeignEvent) -> UInt32 {
      guard let text = event.values[field.name] else { return 0 }
      let value = Array(text.utf8)
      if let code = dictionary.values[field.rawValue].firstIndex(of: value) { return UInt32(code) }
      dictionary.values[field.rawValue].append(value)
      if field == .permission { dictionary.isOfTaxonomy.append(taxonomy.contains(text)) }
      return UInt32(dictionary.values[field.rawValue].count - 1)
    }
    var rows: [(event: ForeignEvent, stored: StoredEvent, columns: [UInt32])] = []
    for event in sorted {
      dictionary.contexts.append(PartDictionary.StoredContext { code($0, event) })
      dictionary.attributes.append(AttributeTuple { code($0, event) })
      let codes = columns.indices.map { number -> UInt32 in
        guard let text = event.values[columns[number]] else { return 0 }
        dictionary.columns[number].values.append(Array(text.utf8))
        return UInt32(dictionary.columns[number].values.count - 1)
      }
      let stored = StoredEvent(
        time: event.time, eventHigh: 0, eventLow: 0, context: UInt32(dictionary.contexts.count - 1),
        attributes: UInt32(dictionary.attributes.count - 1), feature: code(.feature, event), kind: UInt8(order(event)),
        status: event.status.rawValue, eventForm: 0)
      rows.append((event, stored, codes))
    }
    let writer = try PartWriter(id: id, directory: "/log", files: files, dictionary: dictionary)
    var encoder = try BlockEncoder(dictionary)
    var user: String?
    for row in rows {
      if row.event.user != user {
        if user != nil { encoder.end() }
        Array(row.event.user.utf8).withUnsafeBytes {
          encoder.begin(StoredUser(hash: hash(row.event), word: 0, form: 0), text: $0)
        }
        user = row.event.user
      }
      Array(row.event.id.utf8).withUnsafeBytes { encoder.append(row.stored, text: $0) }
      encoder.append(columns: row.columns)
    }
    encoder.end()
    try writer.write(&encoder)
    return try writer.finish()
  }

  /// A log of parts that this writer wrote, one for each list of events.
  func log(_ parts: [[ForeignEvent]]) throws -> LogDirectory {
    let log = LogDirectory(path: "/log", files: MemoryFileSystem())
    let writer = try EventLogWriter(log, threads: 1)
    // Without a commit there would be no log.
    try writer.commit()
    writer.close()
    for events in parts { try add(events, to: log) }
    return log
  }

  func add(_ events: [ForeignEvent], to log: LogDirectory) throws {
    guard let files = log.files as? MemoryFileSystem else { return }
    var manifest = try log.readManifest()
    if let part = try write(events, id: manifest.nextPart, to: files) { manifest.parts.append(part) }
    manifest.nextPart += 1
    manifest.generation += 1
    files[log.file("manifest")] = manifest.encode()
  }
}

extension LogDirectory {
  /// Every event in the log's order, in words, with what this program does not know.
  func exportLines() throws -> [String] {
    let snapshot = try LogSnapshot(self)
    let columns = snapshot.unknown.columns
    var lines: [String] = []
    try snapshot.forEachEvent { event in
      func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
      var values: [String: String] = [:]
      for field in StringField.allCases where !event.values[field.rawValue].isEmpty {
        values[field.name] = text(event.values[field.rawValue])
      }
      for (name, value) in zip(columns, event.unknownValues) where !value.isEmpty { values[name] = text(value) }
      lines.append(
        ForeignEvent(
          user: text(event.userID), id: text(event.eventID), time: event.time, kind: event.kindName,
          status: event.status, values: values
        ).line)
    }
    return lines
  }
}
