// The border between the log and the analysis: users' histories as flat columns.

/// The histories of a number of users, one after the other. Each is in two lanes, both in the log's order (time, kind,
/// event id): the events of permissions, and engagement, for which mostly only time and kind are needed. Pointers are
/// valid for the call that hands the batch over.
public struct HistoryBatch {
  public let userCount: Int
  /// Number of events of permissions, and of engagement, of each user; one of them is at least 1.
  public let permissionCounts: UnsafePointer<UInt32>
  public let engagementCounts: UnsafePointer<UInt32>
  /// UTC milliseconds of each event of a permission.
  public let times: UnsafePointer<Milliseconds>
  /// Kind (4 bits), status (4 bits), then the index of the context in `HistoryContexts`, of each event of a permission.
  public let codes: UnsafePointer<UInt32>
  /// UTC milliseconds of each engagement, doubled; plus 1 if it is `app_active`, not `feature_used`.
  public let engagement: UnsafePointer<UInt64>
  /// Code of the value of the selected property of each event of a permission, if one was selected.
  public let properties: UnsafePointer<UInt32>?
  /// If attributes were selected: what to look up the few that are wanted with.
  public let attributes: AttributeColumn?
  /// If all attributes were selected: the code of each engagement in `HistoryContexts.attributes`; 0 means none.
  public let engagementAttributes: UnsafePointer<UInt32>?
  /// If ids were selected: what to read the few that are wanted with.
  public let userIDs: UserIDColumn?
  /// The events of permissions as a question reads them, if it reads some differently from how they are stored.
  @usableFromInline package var reading: ReadEvents?

  /// As many events as are stored, in the order and with the times, kinds and statuses that they are read with.
  @usableFromInline
  package struct ReadEvents {
    @usableFromInline package let times: UnsafePointer<Milliseconds>
    @usableFromInline package let codes: UnsafePointer<UInt32>
    /// By event its number among the stored events of its user.
    @usableFromInline package let numbers: UnsafePointer<UInt32>

    package init(
      times: UnsafePointer<Milliseconds>, codes: UnsafePointer<UInt32>, numbers: UnsafePointer<UInt32>
    ) {
      self.times = times
      self.codes = codes
      self.numbers = numbers
    }
  }

  public init(
    userCount: Int, permissionCounts: UnsafePointer<UInt32>, engagementCounts: UnsafePointer<UInt32>,
    times: UnsafePointer<Milliseconds>, codes: UnsafePointer<UInt32>, engagement: UnsafePointer<UInt64>,
    properties: UnsafePointer<UInt32>?, attributes: AttributeColumn? = nil,
    engagementAttributes: UnsafePointer<UInt32>? = nil, userIDs: UserIDColumn? = nil
  ) {
    self.userCount = userCount
    self.permissionCounts = permissionCounts
    self.engagementCounts = engagementCounts
    self.times = times
    self.codes = codes
    self.engagement = engagement
    self.properties = properties
    self.attributes = attributes
    self.engagementAttributes = engagementAttributes
    self.userIDs = userIDs
  }

  public static let statusShift: UInt32 = 4
  public static let contextShift: UInt32 = 8
}

/// The selected attributes of events of permissions as the log keeps them: a value where it changes within a user. Looking
/// up one event costs a count of the changes before it; events that are never looked up cost nothing.
public struct AttributeColumn {
  /// The events at which a value changes.
  public struct Changes {
    /// One byte a row; a bit of `flag` is set where the attributes change.
    public var flags: UnsafePointer<UInt8>
    public var flag: UInt8
    /// By user the first row in `flags`, and the number of changes before it.
    public var firstRows: UnsafePointer<UInt32>
    public var firstChanges: UnsafePointer<UInt32>
    /// By event of a permission its row, counted from the user's first.
    public var rows: UnsafePointer<UInt32>

    public init(
      flags: UnsafePointer<UInt8>, flag: UInt8, firstRows: UnsafePointer<UInt32>, firstChanges: UnsafePointer<UInt32>,
      rows: UnsafePointer<UInt32>
    ) {
      self.flags = flags
      self.flag = flag
      self.firstRows = firstRows
      self.firstChanges = firstChanges
      self.rows = rows
    }
  }

  private let changes: Changes?
  private let values: UnsafePointer<UInt32>

  /// - Parameters:
  ///   - changes: nil if there is a value for each event of a permission.
  ///   - values: codes in `HistoryContexts.attributes`, one a change.
  public init(_ changes: Changes? = nil, values: UnsafePointer<UInt32>) {
    self.changes = changes
    self.values = values
  }

  /// The codes of all events of permissions of the batch, in order; nil unless all attributes were selected.
  package var all: UnsafePointer<UInt32>? { changes == nil ? values : nil }

  /// The code of one event of a permission by its number in the batch; 0 means none.
  public func code(user: Int, event: Int) -> UInt32 {
    guard let changes else { return values[event] }
    let start = Int(changes.firstRows[user])
    var count = 0
    for i in start...start + Int(changes.rows[event]) where changes.flags[i] & changes.flag != 0 { count += 1 }
    return count == 0 ? 0 : values[Int(changes.firstChanges[user]) + count - 1]
  }
}

/// The ids of a batch's users. An id is assembled only on request.
public struct UserIDColumn {
  private let read: (Int) -> [UInt8]

  public init(_ read: @escaping (Int) -> [UInt8]) { self.read = read }

  /// The id of a user by its number in the batch.
  public func id(_ user: Int) -> [UInt8] { read(user) }
}

// MARK: The data that an analysis requests from a log, and the meaning of the returned codes

/// The data that a reader of histories requests from the log.
public struct HistorySelection: Sendable, Hashable {
  /// Contexts also distinguish variant and experiment.
  public var variants: Bool
  /// The property of each event of a permission to hand over.
  public var property: StringField?
  /// Attributes (`app_version` to `country`) with combinations that can be looked up for single events of permissions.
  public var attributes: [StringField]
  /// The same of all events, use of the app among them, at once: for a fold that reads every event. Without it a look-up
  /// takes as long as the user has events before, and use of the app has no attributes.
  public var allAttributes: Bool
  package var handsOverAllAttributes: Bool { allAttributes && !attributes.isEmpty }
  /// Ids of users can be read.
  public var userIDs: Bool
  /// Contexts also distinguish surfaces.
  public var surfaces: Bool
  /// Events of the kinds `lost` and `picker_used` are among those of permissions: for sums of their own, no journey knows them.
  package var allKinds = false

  public init(
    variants: Bool = false, property: StringField? = nil, attributes: [StringField] = [], userIDs: Bool = false,
    surfaces: Bool = false, allAttributes: Bool = false
  ) {
    self.allAttributes = allAttributes
    self.variants = variants
    self.surfaces = surfaces
    self.property = property
    self.attributes = attributes
    self.userIDs = userIDs
  }
}

/// The meaning of the codes of a `HistoryBatch`.
public struct HistoryContexts: Sendable {
  public struct Context: Hashable, Sendable {
    /// Code in `permissions`; 0 means none.
    public var permission: UInt32
    /// Codes in `variants` and `experiments`; 0 if absent or not requested.
    public var variant: UInt32
    public var experiment: UInt32
    /// Code in `surfaces`; 0 if absent or not requested.
    public var surface: UInt32
    /// Whether the surface says that events were made of a state that rows carry (`StateSurface`).
    public var isState = false

    public init(permission: UInt32, variant: UInt32, experiment: UInt32, surface: UInt32 = 0) {
      self.permission = permission
      self.variant = variant
      self.experiment = experiment
      self.surface = surface
    }
  }

  public var contexts: [Context]
  /// Names by code; code 0 is the absent value. The taxonomy has the codes of `PermissionCode`.
  public var permissions: [[UInt8]]
  public var variants: [[UInt8]]
  public var experiments: [[UInt8]]
  public var surfaces: [[UInt8]]
  /// Values of the selected property by code; code 0 is the absent value.
  public var properties: [[UInt8]]
  /// Combinations of the selected attributes by code, each value a code in `attributeValues`; code 0 is all absent.
  public var attributes: [[UInt32]]
  /// Values of each selected attribute by code; code 0 is the absent value.
  public var attributeValues: [[[UInt8]]]
  /// Times of the oldest and the newest event, for the size of tables. No count depends on it.
  public var times: ClosedRange<Milliseconds>
  /// The number of threads that count at the same time, and of folds on each thread. They share the memory. No count
  /// depends on it.
  package var threads = 1
  /// By permission code whether the log has answers but no screens of it; empty if no permission is like that.
  package var answeredAlone: [Bool] = []
  package var folds = 1

  public init(
    contexts: [Context], permissions: [[UInt8]], variants: [[UInt8]], experiments: [[UInt8]], properties: [[UInt8]],
    attributes: [[UInt32]] = [], attributeValues: [[[UInt8]]] = [], surfaces: [[UInt8]] = [[]],
    times: ClosedRange<Milliseconds> = Timestamp.earliest...Timestamp.earliest
  ) {
    self.contexts = contexts
    self.permissions = permissions
    self.variants = variants
    self.experiments = experiments
    self.surfaces = surfaces
    self.properties = properties
    self.attributes = attributes
    self.attributeValues = attributeValues
    self.times = times
  }

  @inline(__always)
  package func isAnsweredAlone(_ permission: UInt32) -> Bool {
    answeredAlone.isEmpty ? false : answeredAlone[Int(permission)]
  }

  // MARK: Names, for folds that count under them

  /// The permission of a context by its number, as `UserHistory.context` gives it; empty for an event of no permission.
  public func permission(of context: Int) -> String { Self.text(permissions, contexts[context].permission) }

  /// The variant of a context; empty if it has none, or variants were not selected.
  public func variant(of context: Int) -> String { Self.text(variants, contexts[context].variant) }

  /// The experiment of a context, in the same way.
  public func experiment(of context: Int) -> String { Self.text(experiments, contexts[context].experiment) }

  /// The surface of a context; empty if it has none, or surfaces were not selected.
  public func surface(of context: Int) -> String { Self.text(surfaces, contexts[context].surface) }

  /// The value of a property's code, as `UserHistory.property` gives it; empty for an event without it.
  public func property(of code: Int) -> String { Self.text(properties, UInt32(truncatingIfNeeded: code)) }

  /// The value of a selected attribute, by its number in `HistorySelection.attributes` and the code that
  /// `UserHistory.attributes` gives; empty for an event without it.
  public func attribute(_ number: Int, of code: Int) -> String {
    Self.text(attributeValues[number], attributes[code][number])
  }

  private static func text(_ names: [[UInt8]], _ code: UInt32) -> String {
    String(bounded: names[Int(code)])
  }
}
