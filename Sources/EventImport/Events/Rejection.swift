// Why a line is refused, and the sentence that says so.

import PermissionEvents

/// A reason to reject a line. It may refer to the parser's memory: make the text before the next line is parsed.
/// Unchecked: it never leaves the thread that made it, but errors have to be `Sendable`.
enum Rejection: Error, @unchecked Sendable {
  case tooLongLine
  case notAnObject
  case invalidJSON(String)
  case invalidUTF8
  case duplicateField(Int)
  case invalidCSV(CSVRecord.Fault)
  /// An open quote that does not lead to a record of this number of cells.
  case openQuote(columns: Int)
  /// A line after one that opened a quote, before the next record.
  indirect case afterQuote(line: Int, Rejection)
  case cellCount(found: Int, expected: Int)
  case tooFewCells(found: Int, minimum: Int)

  /// A member that a mapping reads, by its name.
  case duplicateMember(String)
  /// A record of a vendor without the name of an event, and where it was looked for.
  case missingName(String, places: String)
  /// A record that has nothing where a mapping looks for a field.
  case nothingAt(Int, places: String)
  case badRecordTime(FieldValue)

  case missing(Int)
  case missingPermission(EventKind)
  /// Of the experiment, else of the variant.
  case missingAssignment(Bool)
  case wrongType(Int, FieldValue, wanted: String)
  case tooLong(Int, Int, maximum: Int)
  case fieldNotUTF8(Int)
  case nobody(FieldValue)
  case pseudonym(FieldValue)
  /// An id that a spreadsheet made of another one.
  case roundedID(Int, FieldValue)
  case badTimestamp(FieldValue)
  /// A date and a time of day without a zone.
  case noZone(FieldValue)
  case tooEarly(FieldValue)
  case tooLate(FieldValue, allowFuture: Bool)
  case unknownKind(FieldValue)
  case unknownPermission(FieldValue)
  case unknownStatus(FieldValue)
  /// The name of a canonical row's event, and why its meaning is uncertain.
  case unreadName(FieldValue, String)
  /// A status in words of its own that contradicts the event.
  case contraryStatus(FieldValue, EventKind)

  /// A short reason that names field and value, in the words of the library.
  var text: String { text { $0.advice } }

  /// - Parameters:
  ///   - words: for what could be done to keep the line.
  ///   - showsValues: false leaves out the line's values. In a line with shifted cells, any value may be a user id.
  func text(saying words: (Remedy) -> String, showsValues: Bool = true) -> String {
    func shown(_ value: FieldValue) -> String { showsValues ? " " + Self.quoted(value) : "" }
    return switch self {
    case .tooLongLine: "the line is longer than 1 MiB"
    case .notAnObject: "the line is not a JSON object"
    case .invalidJSON(let detail): "the line is not valid JSON: \(detail)"
    case .invalidUTF8: "the line is not valid UTF-8"
    case .duplicateField(let field): "\(name(field)) appears twice"
    case .invalidCSV(let fault): Self.text(of: fault)
    case .openQuote(let columns): "a quoted cell is not closed, or the record does not have \(columns) cells"
    case .afterQuote(let line, let reason):
      "\(reason.text(saying: words, showsValues: showsValues)), after the open quote in line \(line)"
    case .cellCount(let found, let expected): "the record has \(found) cells, the header has \(expected)"
    case .duplicateMember(let name): "\(name) appears twice"
    case .missingName(let vendor, let places):
      "the record has no name of an event where \(vendor) has it" + (places.isEmpty ? "" : ", at \(places)")
    case .nothingAt(let field, let places): "\(name(field)) is missing: the record has no value at \(places)"
    case .badRecordTime(let value): "the time\(shown(value)) is neither a date with a time nor an epoch"
    case .tooFewCells(let found, let minimum): "the record has \(found) cells, at least \(minimum) are needed"
    case .missing(let field): "\(name(field)) is missing"
    case .missingPermission(let kind): "permission is missing for the event \(kind.name)"
    case .missingAssignment(let isOfExperiment):
      "\(isOfExperiment ? "experiment" : "variant") is missing for the event assigned"
    case .wrongType(let field, let value, let wanted):
      "\(name(field)) is \(Self.type(of: value, showsValues: showsValues)), not \(wanted)"
    case .tooLong(let field, let count, let maximum): "\(name(field)) has \(count) bytes, more than \(maximum)"
    case .fieldNotUTF8(let field): "\(name(field)) is not valid UTF-8"
    // One of a few words that every app writes, not a user's id.
    case .nobody(let value): "user_id \(Self.quoted(value)) names no user"
    case .pseudonym(let value):
      "user_id\(shown(value)) is already a pseudonym; ingest an export of a log with hashed users into another log, "
        + "without its key"
    case .roundedID(let field, let value) where value.kind == .number:
      "\(name(field)) is \(Self.type(of: value, showsValues: showsValues)), which was rounded, so different ids "
        + "became the same; export ids as text"
    case .roundedID(let field, let value):
      "\(name(field))\(shown(value)) was rounded by a spreadsheet, so different ids became the same; export ids as text"
    case .badTimestamp(let value):
      "timestamp\(shown(value)) is neither a date with a time (2026-03-02T10:00:00Z) nor an epoch; a mapping can "
        + "name its format"
    case .noZone(let value):
      "timestamp\(shown(value)) names no zone; name the zone of these times\(words(.nameInputZone))"
    case .tooEarly(let value): "timestamp\(shown(value)) is before 2008-01-01T00:00:00Z"
    case .tooLate(let value, let allowFuture):
      allowFuture
        ? "timestamp\(shown(value)) is not before 2100-01-01T00:00:00Z"
        : "timestamp\(shown(value)) is more than 25 hours in the future\(words(.keepFutureTime))"
    case .unknownKind(let value): "event\(shown(value)) is not a known kind"
    case .unknownPermission(let value):
      "permission\(shown(value)) is not a known permission\(words(.keepCustomPermission))"
    case .unknownStatus(let value): "status\(shown(value)) is not an authorization status"
    // The reason may quote a value.
    case .unreadName(let value, let reason):
      "event\(shown(value)) is not understood" + (showsValues ? ": " + reason : "")
    case .contraryStatus(let value, let kind): "status\(shown(value)) contradicts the event \(kind.name)"
    }
  }

  /// Whether a name, or the value of a closed list, is not understood: those lines are missing in figures.
  var isOfName: Bool {
    switch self {
    case .unknownKind, .unknownPermission, .unknownStatus, .unreadName, .contraryStatus: true
    default: false
    }
  }

  /// The value of another column for which the row is refused, and its outcome in a table of names.
  var refusedValue: (UnsafeRawBufferPointer, outcome: String)? {
    switch self {
    case .unknownPermission(let value): (value.bytes, "rejected: not a known permission")
    case .unknownStatus(let value): (value.bytes, "rejected: not a known status")
    case .contraryStatus(let value, _): (value.bytes, "rejected: the status contradicts the event")
    default: nil
    }
  }

  /// The field and the value that is not in a closed list, so that a suggestion can be made.
  var unlisted: FieldAndValue? {
    switch self {
    case .unknownKind(let value): .init(field: ImportField.event, value: Array(value.bytes))
    case .unknownPermission(let value): .init(field: StringField.permission.rawValue, value: Array(value.bytes))
    case .unknownStatus(let value): .init(field: ImportField.status, value: Array(value.bytes))
    default: nil
    }
  }

  private func name(_ field: Int) -> String { ImportField.names[field] }

  private static func text(of fault: CSVRecord.Fault) -> String {
    switch fault {
    case .strayQuote: "a quote is inside a cell that is not quoted"
    case .textAfterQuote: "text follows the closing quote of a cell"
    }
  }

  private static func type(of value: FieldValue, showsValues: Bool) -> String {
    switch value.kind {
    case .absent: "null"
    case .string: "a string"
    case .number: showsValues ? "the number \(quoted(value))" : "a number"
    case .boolean: "a boolean"
    case .object: "an object"
    case .array: "an array"
    }
  }

  /// Bytes of a value that a reason shows.
  private static let shown = 64

  /// The value as in the file: strings in quotes, long ones cut, control characters as `\xNN`.
  private static func quoted(_ value: FieldValue) -> String {
    var text = ""
    for scalar in String(bounded: value.bytes.prefix(shown)).unicodeScalars {
      if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
        text += scalar.value < 0x10 ? "\\x0" : "\\x"
        text += String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    if value.bytes.count > shown { text += "…" }
    return value.kind == .string ? "\"\(text)\"" : text
  }

  // MARK: Reasons for counting

  /// A short reason without the line's own values, the same for all lines that are refused for it: a wrong file is
  /// wrong in every line. It is one of a closed list for any files and mappings: `maximumGroups` of a summary has room
  /// for all.
  var group: String {
    switch self {
    case .cellCount: "the record and the header have different numbers of cells"
    case .afterQuote(_, let reason): reason.group + ", after an open quote"
    case .tooFewCells: "the record has too few cells"
    case .openQuote: "a quoted cell is not closed"
    // Names of mappings and their paths belong to one machine, so they are left out.
    case .duplicateMember: "a key of the record appears twice"
    case .missingName: "the record has no name of an event"
    case .nothingAt(let field, _): Rejection.missing(field).group
    case .badRecordTime: "the time is neither a date with a time nor an epoch"
    case .missingPermission: "permission is missing"
    case .missingAssignment: "an assigned event has no experiment, or no variant"
    case .wrongType(let field, _, let wanted): "\(ImportField.names[field]) is not \(wanted)"
    case .tooLong(let field, _, let maximum): "\(ImportField.names[field]) has more than \(maximum) bytes"
    case .nobody: "user_id names no user"
    case .pseudonym: "user_id is already a pseudonym"
    case .roundedID(let field, let value) where value.kind == .number: "\(ImportField.names[field]) is a rounded number"
    case .roundedID(let field, _): "\(ImportField.names[field]) was rounded by a spreadsheet"
    case .badTimestamp: "timestamp is neither a date with a time nor an epoch"
    case .noZone: "timestamp names no zone"
    case .tooEarly: "timestamp is before 2008"
    case .tooLate: RejectedLine.groupOfFutureTimes
    case .unknownKind: "event is not a known kind"
    case .unknownPermission: "permission is not a known permission"
    case .unknownStatus: "status is not an authorization status"
    case .unreadName: "event is not understood"
    case .contraryStatus: "status contradicts the event"
    default: text
    }
  }
}
