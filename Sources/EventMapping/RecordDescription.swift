// What the records of one vendor look like: where the name of the event, the user, the time and the id stand. A vendor is
// a description and not a parser.

/// The form of a vendor's file.
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
  /// Text, or an epoch whose unit is told by its size.
  case auto
  case seconds, milliseconds, microseconds
  /// Fourteen digits, `20251124180321`.
  case digits
}

/// Whose clock a time is that names no zone.
package enum TimeZoneRule: Equatable, Sendable {
  case utc
  /// Nothing is said: the user must give one.
  case unsaid
  /// UTC, unless the user gives the zone of the project whose wall clock it was.
  case project
  /// A zone of the IANA database.
  case named(String)
}

package struct RecordDescription: Sendable {
  /// An id of a user, perhaps with a prefix that is no part of it.
  package struct Identity: Sendable {
    package var from: PropertyReference
    package var without: String?
  }

  /// The name of the event: the first alternative that is there.
  package enum EventName: Sendable {
    case from(PropertyReference)
    /// Values joined by a space, where all are there.
    case joined([PropertyReference])
    case constant(String)
  }

  package enum KeyPart: Sendable {
    case value(PropertyReference)
    /// The time as exported.
    case time
    case timeInSeconds
  }

  package enum EventID: Sendable {
    /// The id as it stands; made one with `within` where that is not the user already.
    case plain([PropertyReference], within: PropertyReference?)
    /// A hash of several values; none where `needs` is absent.
    case derived([KeyPart], needs: PropertyReference?)
  }

  package var form: RecordForm = .json
  package var columns: [String] = []
  /// Columns that a line of TSV must have at least; all of them where it is nil.
  package var minimumColumns: Int?
  /// A file is of this vendor where a line has all places of one of these lists.
  package var recognise: [[PropertyReference]] = []
  /// A line that has one of these places is of another vendor all the same.
  package var unless: [PropertyReference] = []
  /// Files that come along with exports and hold no events.
  package var companions: [[PropertyReference]] = []
  package var event: [EventName] = []
  package var user: [Identity] = []
  package var account: [Identity] = []
  package var time: [PropertyReference] = []
  package var unit: TimeUnit = .auto
  package var zone: TimeZoneRule = .unsaid
  /// How the C library's `strptime` reads the time; nil for the forms that need no telling.
  package var timeFormat: String?
  package var id: EventID?
  /// Objects in which properties are looked for; the root where there is none.
  package var properties: [PropertyReference] = []
}
