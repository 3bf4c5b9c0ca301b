// The layout of one vendor's records: the paths of the event's name, the user, the time and the id. A vendor is a
// description, not a parser.

package enum RecordForm: String, CaseIterable, Sendable {
  /// An object a line, or a document with an array of them.
  case json
  /// Tab-separated values without a header; the columns are named in the description.
  case tsv
  /// Comma-separated values with a header.
  case csv
}

/// How an epoch counts, or that the time is text.
package enum TimeUnit: String, CaseIterable, Sendable {
  /// Text, or an epoch with a unit that follows from its size.
  case auto
  case seconds, milliseconds, microseconds
  /// Fourteen digits, `20251124180321`.
  case digits
}

/// The clock of a time without a zone.
package enum TimeZoneRule: Equatable, Sendable {
  case utc
  /// Not given: the user must name a zone.
  case unsaid
  /// UTC, unless the user gives the zone of the project.
  case project
  /// Not given, and numbers count by this clock too: the user must name a zone.
  case local
  /// A zone of the IANA database.
  case named(String)
}

package struct RecordDescription: Sendable {
  /// An id of a user, perhaps with a prefix that is not part of it.
  package struct Identity: Sendable {
    package var from: PropertyReference
    package var without: String?
  }

  /// Records of some names that say that two ids are one install.
  package struct Link: Sendable {
    package var events: [String]
    /// The first that is there.
    package var from: [PropertyReference]
    package var with: [PropertyReference]
    /// A record with one of these does not identify an install.
    package var unless: [PropertyReference] = []
  }

  /// A number that rises by one from row to row of an install, a session or an upload.
  package struct RowNumber: Sendable {
    /// The first that is there.
    package var from: [PropertyReference]
    /// What counts: all of them, or the row has no number.
    package var within: [PropertyReference]
  }

  package var form: RecordForm = .json
  package var columns: [String] = []
  /// Columns that a line of TSV must have at least; all of them if it is nil.
  package var minimumColumns: Int?
  /// A file is of this vendor if a line has all paths of one of these lists.
  package var recognise: [[PropertyReference]] = []
  /// A line with one of these paths is of another vendor anyway.
  package var unless: [PropertyReference] = []
  /// The key of the list whose elements are the records; the rest of the object around it is repeated for each. Nil if a line or an
  /// element of the document is a record.
  package var each: String?
  /// Files that come along with exports and hold no events.
  package var companions: [[PropertyReference]] = []
  /// The name of the event: the first alternative that is present.
  package var event: [EventName<PropertyReference>] = []
  package var user: [Identity] = []
  package var account: [Identity] = []
  package var time: [PropertyReference] = []
  /// Rows have no time: all of them are of the moment that is given with the import.
  package var isTimeGiven = false
  package var unit: TimeUnit = .auto
  package var zone: TimeZoneRule = .unsaid
  /// How the C library's `strptime` reads the time; nil for the forms that need no telling.
  package var timeFormat: String?
  package var id: EventID<PropertyReference>?
  /// The same for logs with ids made by the previous rule; nil if the rule did not change.
  package var formerID: EventID<PropertyReference>?
  /// The number that the app gave the row; nil if it gives none.
  package var number: RowNumber?
  /// Records that say that two ids are one install.
  package var links: [Link] = []
  /// A value that belongs to one install for a while, so that changes of the id within it are noticed.
  package var session: [PropertyReference] = []
  /// What says nothing of an answer, whatever its name is, with everything in it.
  package var ignored: [PropertyReference] = []
  /// Objects in which properties are searched; the root if empty.
  package var properties: [PropertyReference] = []

  package init() {}
}

// Used with paths in a description, and with slots in a program.

package enum EventName<Path: Sendable>: Sendable {
  case from(Path)
  /// Values joined by a space, if all are present.
  case joined([Path])
  case constant(String)
  /// The one that is given with the import, because the files do not have it.
  case given

  package var places: [Path] {
    switch self {
    case .from(let place): [place]
    case .joined(let places): places
    case .constant, .given: []
    }
  }

  func map<Other>(_ other: (Path) -> Other) -> EventName<Other> {
    switch self {
    case .from(let place): .from(other(place))
    case .joined(let places): .joined(places.map(other))
    case .constant(let text): .constant(text)
    case .given: .given
    }
  }
}

package enum KeyPart<Path: Sendable>: Sendable {
  /// The first that is there.
  case value([Path])
  case time
  case timeInSeconds
}

package enum EventID<Path: Sendable>: Sendable {
  /// The first id that is present, unchanged. It is combined with `within` unless that is the user already.
  case plain([Path], within: Path?)
  /// A hash of several values; none if `needs` is absent.
  case derived([KeyPart<Path>], needs: Path?)

  /// - Parameter others: of a place, the first of them for a part of a key.
  func map<Other>(_ others: (Path) -> [Other]) -> EventID<Other> {
    switch self {
    case .plain(let from, let within): return .plain(from.flatMap(others), within: within.flatMap { others($0).first })
    case .derived(let parts, let needs):
      let mapped = parts.map { part -> KeyPart<Other> in
        switch part {
        case .value(let places): .value(places.flatMap(others))
        case .time: .time
        case .timeInSeconds: .timeInSeconds
        }
      }
      return .derived(mapped, needs: needs.flatMap { others($0).first })
    }
  }
}

// MARK: The position of a value: a property by its name, or a path in the record by a JSON Pointer (RFC 6901)

package enum PropertyReference: Hashable, Sendable {
  /// A property, looked for in the record's property objects, in any usual spelling.
  case name(String)
  /// The keys from the record's root.
  case pointer([String])

  /// A text that begins with a slash is a pointer; any other is a name.
  init(_ text: String) {
    guard text.hasPrefix("/") else {
      self = .name(text)
      return
    }
    // `~1` is a slash and `~0` a tilde; in this order, so that `~01` is `~1` (RFC 6901).
    self = .pointer(
      text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
        $0.replacing("~1", with: "/").replacing("~0", with: "~")
      }.map(String.init))
  }

  /// The keys from the record's root, or the name alone.
  package var keys: [String] {
    switch self {
    case .name(let name): [name]
    case .pointer(let keys): keys
    }
  }

  package var text: String {
    switch self {
    case .name(let name): name
    case .pointer(let keys): keys.map { "/" + $0 }.joined()
    }
  }
}
