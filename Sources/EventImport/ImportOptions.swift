// The options of an import.

import EventMapping
import PermissionEvents

/// The form of the exports.
public enum ImportFormat: Hashable, Sendable {
  /// Each file's format is recognised by its content.
  case auto
  /// One JSON object a line.
  case ndjson
  /// Comma-separated values (RFC 4180) with a header.
  case csv
  /// An Arrow stream, recognised by its first bytes.
  case arrow
  /// Exports of a vendor, by the name of its preset.
  case vendor(String)
}

extension ImportFormat: RawRepresentable, CaseIterable {
  public static var allCases: [ImportFormat] { [.auto, .ndjson, .csv, .arrow] + Presets.names.map { .vendor($0) } }

  /// - Returns: nil if no form and no vendor has the name.
  public init?(rawValue: String) {
    guard let format = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = format
  }

  public var rawValue: String {
    switch self {
    case .auto: "auto"
    case .ndjson: "ndjson"
    case .csv: "csv"
    case .arrow: "arrow"
    case .vendor(let name): name
    }
  }

  /// The preset; nil for the canonical forms and `auto`.
  var vendor: String? { if case .vendor(let name) = self { name } else { nil } }
}

/// How rows are read: options of the caller that all steps of an import use.
public struct ReadingOptions: Sendable {
  /// The identity of a user in a vendor's export.
  public enum Identity: String, CaseIterable, Sendable {
    /// The install.
    case device
    /// The person who signed in.
    case account
  }

  /// The format of the files; `auto` recognises each by its content.
  public var format: ImportFormat = .auto
  public var identity: Identity = .device
  /// The name of the event, for files that do not have it.
  public var eventName: String?
  /// The moment of rows without a time: a snapshot of users. In UTC milliseconds since 1970.
  package var snapshotTime: Milliseconds?
  /// Ids keep spaces at their ends, which are trimmed otherwise.
  public var keepsBlanksOfIDs = false
  /// Flags of experiments that rows carry as a property (`push_copy`, `$feature/push_copy`, `[Experiment] push_copy`): each user's first
  /// row of a day with a value gives that variant, whatever the row's event is.
  public var experiments: [String] = []
  /// Properties that rows carry with the state of a permission: a user's first row of a day with a value, and each other value of the
  /// day, makes a `status_checked`.
  public var states: [PermissionState] = []
  /// The most experiments and states together.
  public static let mostSticky = StickyProperty.most
  /// Permissions outside the taxonomy are kept under their own names.
  public var allowsCustomPermissions = false
  /// Timestamps up to the year 2100 are accepted, not only up to 25 hours in the future.
  public var allowsFutureTimes = false
  /// The readable part of a damaged file is kept; otherwise nothing is stored.
  public var keepsPartialFiles = false
  /// Records that link two ids of one install join them. Links in the log stay valid either way.
  public var joinsLinkedIDs = true
  /// For the users and event ids of these files the new reading counts: it replaces an event that the log read
  /// differently from the same row, and removes an event with a row that is no longer an event. Rows without an id of
  /// their own are refused.
  public var replacesEvents = false
  /// The log has keyed hashes instead of user ids. Of a log that was rekeyed all keys (``UserKey/renewed(by:)``).
  public var userKey: UserKey?
  /// The words for remedies in the reasons of refused lines.
  public var words: RemedyWords = { $0.advice }
  /// All files have the named format, or that of the only mapping, for any rows: rows that do not fit are refused one by one.
  public var isFormFixed = false

  public init() {}

  var sticky: [StickyProperty] {
    experiments.map { StickyProperty(experiment: $0) }
      + states.map { StickyProperty(state: $0.property, permission: $0.permission) }
  }
}

/// A property that rows carry with the state of a permission.
public struct PermissionState: Sendable, Hashable {
  /// As the taxonomy has it; a name of one's own stays as it is.
  public let permission: String
  /// The property's name, or its path (`/user/push_enabled`).
  public let property: String

  public static let longestProperty = StickyProperty.longestState

  public init(permission: String, property: String) {
    self.permission = PermissionWords.permission(value: permission.utf8) ?? permission
    self.property = property
  }

  /// - Parameter text: `notifications=push_enabled`.
  /// - Returns: nil if it is not written like that.
  public init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    self.init(permission: String(parts[0]), property: String(parts[1]))
  }
}

package struct ImportOptions: Sendable {
  package var rows: ReadingOptions
  /// The clock, for the limit of timestamps.
  package var now: Milliseconds
  /// Threads that parse; at least one.
  package var threads: Int
  /// A user's own mappings, tried before the presets.
  package var mappings: [Mapping] = []
  /// The zone of the project, for vendors that write its wall clock; nil for UTC.
  package var projectZone: ZoneTable?
  /// The zone of times without a zone, in files with a format that has none either; nil to reject such times.
  package var inputZone: ZoneTable?
  package var zones: [String: ZoneTable] = [:]
  /// How ids of events are made and stored: as the log does that the events are for.
  package var eventIDs = EventIDRules()
  /// Whether a user was erased from that log under a pseudonym. Needed if it has been rekeyed since.
  package var isKeptOut: @Sendable ([UInt8]) -> Bool = { _ in false }
  /// Counts the events of canonical rows by name too, for a table of all names.
  package var countsKinds = false

  package init(_ rows: ReadingOptions = ReadingOptions(), now: Milliseconds, threads: Int = 1) {
    self.rows = rows
    self.now = now
    self.threads = threads
  }

  func clock(_ rule: TimeZoneRule) -> WallClock {
    switch rule {
    case .utc: .utc
    case .unsaid: inputZone.map { .zone($0, ofEpochs: false) } ?? .unknown
    case .local: inputZone.map { .zone($0, ofEpochs: true) } ?? .unknownEpochs
    case .project: projectZone.map { .zone($0, ofEpochs: true) } ?? .utc
    case .named(let name): zones[name].map { .zone($0, ofEpochs: true) } ?? .unknown
    }
  }

  var latestTime: Milliseconds {
    rows.allowsFutureTimes ? Timestamp.latest - 1 : min(now + Timestamp.futureAllowance, Timestamp.latest - 1)
  }
}

enum ImportLimit {
  /// Longest line or record, in bytes, its newline left out.
  static let line = 1 << 20
  /// Bytes of a rejected line that are kept.
  static let rejectedText = 4096
  /// Bytes of new input in a chunk: it fits into a processor's second cache together with its events. The shortest record
  /// has 8 (`1,1.7e9` and its line end), so that a chunk's events fit in a batch.
  static let chunk = 1 << 18
  /// Rows of a table in a chunk, so that a large batch gives work to all threads.
  static let rows = 1 << 13
  /// Bytes of a file by which its format is recognised. A CSV header is not longer.
  static let head = 1 << 16
}
