// Everything that a log has of a person: for the person, or for the officer who answers the person's request.

import EventImport
import EventLog
import PermissionEvents
import ReportRendering

public enum PersonFormat: String, CaseIterable, Sendable {
  case text, html, json
  /// A row for each value, with what its field means.
  case csv
}

extension PermissionLog {
  /// Everything that the log has of some persons: their events, the journeys that permlog computes from them, linked ids, and
  /// names of files with an id.
  /// - Parameters:
  ///   - users: ids as they are in the exports, 1 to 256 bytes each; with a `key` also pseudonyms as the log exports them.
  ///   - key: the key with which the log was filled, if its users are pseudonyms.
  ///   - erasureKey: the key of the list of erased users, if it is kept outside the log.
  /// - Returns: one for each different id, in the order in which they were given.
  /// - Throws: as `erase`.
  public func personData(
    of users: [[UInt8]], key: UserKey? = nil, erasureKey: ErasureKeySource? = nil
  ) throws(PermlogError) -> [PersonData] {
    try Self.check(users)
    let given = try erasureKey?.key(besides: path)
    let sought = SoughtIDs(users, key)
    var persons = try translating {
      let snapshot = try LogSnapshot(directory)
      try Self.checkKey(UserNaming(key), sought.ids, snapshot)
      let locked = try snapshot.lockedErasures()
      let list = locked?.keyPlace == .outside && given == nil ? nil : try snapshot.erasures(key: given)
      let isListKnown = locked == nil || list != nil
      let traces = try snapshot.traces(of: sought.given.map(sought.ids))
      let others = try sought.otherSpellings(of: sought.given, snapshot.ids)
      return try zip(sought.given, traces).map { id, traces in
        var person = try Self.data(
          of: id, stored: sought.ids(of: id), traces, snapshot, list: list, isListKnown: isListKnown)
        person.otherSpellings = (others[id] ?? []).prefix(SoughtIDs.mostSpellings).map { String(bounded: $0) }
        return person
      }
    }
    try addJourneys(to: &persons)
    return persons
  }

  /// An error of an erasure, without the assurance that nothing was changed: here nothing can be.
  static func checkKey(_ naming: UserNaming, _ ids: [[UInt8]], _ snapshot: LogSnapshot) throws {
    do { try snapshot.checkErasing(naming, ids: ids) } catch var error as LogError {
      if error.explanation.remedy == .eraseWithUserKey {
        error.explanation.addition = ". Give the key with which the log was filled."
      } else if error.explanation.remedy == .eraseWithoutUserKey {
        error.explanation.addition = ". Leave the key out."
      }
      error.explanation.remedy = nil
      throw error
    }
  }

  private static func data(
    of id: [UInt8], stored: [[UInt8]], _ traces: UserTraces, _ snapshot: LogSnapshot, list: ErasureList?,
    isListKnown: Bool
  ) throws -> PersonData {
    var person = PersonData(id: String(bounded: id))
    let unknown = snapshot.unknown.columns
    for each in traces.ids { try snapshot.forEachEvent(of: each) { person.events.append(fields(of: $0, unknown)) } }
    func time(_ fields: [PersonData.Field]) -> String { fields.first { $0.name == "timestamp" }?.value ?? "" }
    person.events.sort { time($0) < time($1) }
    person.numbers = try snapshot.numberRuns(of: traces.ids).filter { $0.run.count > 0 }
      .sorted { ($0.run.quarter, $0.run.first) < ($1.run.quarter, $1.run.first) }.map(fields)
    person.sessions = traces.sessions.map { $0.map { String(bounded: $0) } }
    person.files = traces.files
    person.isMixed = snapshot.hasMixedUsers
    person.isExcluded = traces.isExcluded
    let records = try stored.compactMap { try list?.record(of: $0) }
    person.isKeptOut = isListKnown ? !records.isEmpty : nil
    person.keptOutSince = records.map(\.time).filter { $0 > 0 }.min()
    let found = records.map(\.wasFound)
    person.hadEvents = found.contains(true) ? true : found.isEmpty || found.contains(nil) ? nil : false
    let isThere =
      !person.events.isEmpty || !person.numbers.isEmpty || !traces.sessions.isEmpty || !traces.files.isEmpty
      || traces.isExcluded
      || traces.ids.count > stored.count
    if isThere {
      // The id with a space at its end is not stored so.
      let names = Set(person.events.compactMap { $0.first { $0.name == "user_id" }.map { Array($0.value.utf8) } })
      person.ids = traces.ids.filter {
        traces.ids.count > stored.count || names.contains(Array(String(bounded: $0).utf8))
      }
      .map { String(bounded: $0) }
      if person.ids.isEmpty { person.ids = [String(bounded: stored[0])] }
    }
    return person
  }

  private static func fields(of run: NumberRun, _ source: NumberSource) -> [PersonData.Field] {
    let time = Milliseconds(run.quarter) * NumberRun.millisecondsPerQuarter
    var fields = [
      PersonData.Field("first_number", "\(run.first)"), .init("last_number", "\(run.end - 1)"),
      .init("began", Timestamp.text(time)),
    ]
    if !source.version.isEmpty { fields.append(.init("app_version", String(bounded: source.version))) }
    if !source.platform.isEmpty { fields.append(.init("platform", String(bounded: source.platform))) }
    return fields
  }

  private static func fields(of event: ExportedEvent, _ unknown: [String]) -> [PersonData.Field] {
    var fields = [
      PersonData.Field("event_id", String(bounded: event.eventID)), .init("user_id", String(bounded: event.userID)),
      .init("timestamp", Timestamp.text(event.time)), .init("event", event.kindName),
    ]
    func add(_ name: String, _ value: [UInt8]) {
      if !value.isEmpty { fields.append(.init(name, String(bounded: value))) }
    }
    add("permission", event.values[StringField.permission.rawValue])
    if event.status != .none { fields.append(.init("status", event.status.name)) }
    for field in StringField.allCases.dropFirst() { add(field.name, event.values[field.rawValue]) }
    for (name, value) in zip(unknown, event.unknownValues) { add(name, value) }
    return fields
  }

  /// The rows of journeys of these persons. They are computed for all users, since a row can depend on the rest of the log.
  private func addJourneys(to persons: inout [PersonData]) throws(PermlogError) {
    // By the bytes that a row has for an id: texts that only look alike are other ids. One person may have been asked for by
    // several ids.
    var numbers: [ArraySlice<UInt8>: [Int]] = [:]
    for (number, person) in persons.enumerated() where !person.events.isEmpty {
      for id in person.ids { numbers[JSONWriter.document(id).dropFirst().dropLast(2), default: []].append(number) }
    }
    guard !numbers.isEmpty else { return }
    let start = Array(#"{"user_id":""#.utf8)
    var found: [(Int, [PersonData.Field])] = []
    // Also of persons whom the log's list leaves out.
    try exportJourneys(of: { try LogSnapshot(directory) }) { rows in
      for line in rows.split(separator: 0x0A) {
        // Within a text a quotation mark comes after a backslash, so that the first one without it ends the id.
        let id = line.dropFirst(start.count)
        var end = id.startIndex
        while end < id.endIndex, id[end] != 0x22 { end += id[end] == 0x5C ? 2 : 1 }
        guard line.starts(with: start), end < id.endIndex, let those = numbers[id[..<end]],
          case .object(let members)? = JSONTree(document: Array(line))
        else { continue }
        let fields = members.compactMap { member in Self.text(member.value).map { PersonData.Field(member.key, $0) } }
        for number in those { found.append((number, fields)) }
      }
    }
    for (number, fields) in found { persons[number].journeys.append(fields) }
  }

  private static func text(_ value: JSONTree) -> String? {
    switch value {
    case .text(let text), .number(let text): text
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .null, .list, .object: nil
    }
  }
}

// MARK: The formats

extension [PersonData] {
  static let schema = "permlog.person/1"

  /// The data in one of its formats, as bytes of UTF-8.
  /// - Parameter log: the log's directory.
  public func render(as format: PersonFormat, log: String, style: TextStyle = TextStyle()) -> [UInt8] {
    switch format {
    case .json: json(log: log)
    case .csv: csv
    case .text: Array<UInt8>(map { $0.render(.text, log: log, style) }.joined(separator: [0x0A]))
    case .html: flatMap { $0.render(.html, log: log, style) }
    }
  }

  private func json(log: String) -> [UInt8] {
    var seen: Set<String> = []
    let names = flatMap(\.fieldNames).filter { seen.insert($0).inserted }
    return JSONWriter.document(
      [
        "schema": Self.schema, "log": log,
        "persons": map { person in
          [
            "id": person.id, "found": person.isFound, "ids": person.ids, "other_spellings": person.otherSpellings,
            "kept_out": person.isKeptOut, "kept_out_since": person.keptOutSince.map { Timestamp.text($0) },
            "events": person.events.map { FieldObject($0, EventText.columns) },
            "journeys": person.journeys.map { FieldObject($0, JourneyRow.columns) },
            "numbers": person.numbers.map { FieldObject($0, PersonData.numberColumns) },
            "sessions": person.sessions,
            "files": person.files, "excluded": person.isExcluded, "mixed": person.isMixed,
          ] as JSONMembers
        },
        "meanings": names.map { ["field": $0, "meaning": PersonData.meaning(of: $0)] as JSONMembers },
      ] as JSONMembers)
  }

  /// A row for each value.
  private var csv: [UInt8] {
    var lines = CSVLines(isForSpreadsheets: false)
    lines.heading(["id", "part", "number", "field", "value", "meaning"])
    func row(_ cells: [String]) {
      for cell in cells { lines.cell(Array<UInt8>(cell.utf8)) }
      lines.endLine()
    }
    for person in self {
      for id in person.ids { row([person.id, "id", "", "", id, "an id of the person in the log"]) }
      for (part, records) in [("event", person.events), ("journey", person.journeys), ("numbers", person.numbers)] {
        for (number, fields) in records.enumerated() {
          for field in fields {
            row([person.id, part, "\(number + 1)", field.name, field.value, PersonData.meaning(of: field.name)])
          }
        }
      }
      for (number, ids) in person.sessions.enumerated() {
        for id in ids {
          row([person.id, "session", "\(number + 1)", "", id, "an id that came in one session with the person"])
        }
      }
      if person.isMixed {
        row([
          person.id, "mixed", "", "", "true",
          "the log may have more of the person under another key, or under the plain id",
        ])
      }
      if person.isExcluded { row([person.id, "excluded", "", "", "true", "no answer of the log counts the person"]) }
      let kept = person.isKeptOut.map { $0 ? "true" : "false" } ?? ""
      row([person.id, "kept_out", "", "", kept, "an erasure was asked for, and keeps later events out"])
      if let since = person.keptOutSince {
        row([person.id, "kept_out_since", "", "", Timestamp.text(since), "when it was asked for"])
      }
      for file in person.files { row([person.id, "file", "", "", file, "the name of a file that was read"]) }
    }
    return lines.take()
  }
}

/// An object with every key of a record, null if the record does not have it.
private struct FieldObject: JSONWritable {
  private let fields: [PersonData.Field]
  private let names: [String]

  init(_ fields: [PersonData.Field], _ names: [String]) { (self.fields, self.names) = (fields, names) }

  func write(to json: inout JSONWriter) {
    json.object { json in
      for name in names {
        guard let value = fields.first(where: { $0.name == name })?.value else {
          json.member(named: name, nil as String?)
          continue
        }
        switch PersonData.kind(of: name) {
        case .flag: json.member(named: name, value == "true")
        case .number: json.member(named: name, Int(value))
        case .text: json.member(named: name, value)
        }
      }
      // Columns of a later version, which events can have.
      guard names == EventText.columns else { return }
      let rest = fields.filter { !names.contains($0.name) }
      json.member(named: "other", rest.map { ["field": $0.name, "value": $0.value] as JSONMembers })
    }
  }
}

extension PersonData {
  fileprivate enum Kind { case text, flag, number }

  fileprivate static let numberColumns = ["first_number", "last_number", "began", "app_version", "platform"]

  fileprivate static func kind(of field: String) -> Kind {
    switch field {
    case "partial", "found_on_partial", "enabled_partial", "retained_1", "retained_7", "retained_30": .flag
    case "active_days", "feature_events", "first_number", "last_number": .number
    default: .text
    }
  }
}
