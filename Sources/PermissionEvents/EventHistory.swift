// The border between the log and the analysis: users' histories as flat columns.

/// The histories of a number of users, one behind the other, each in the log's order (time, kind, event id).
/// Pointers are valid for the call that hands the batch over.
public struct HistoryBatch {
  public let userCount: Int
  /// Number of events of each user, at least 1.
  public let runLengths: UnsafePointer<UInt32>
  /// UTC milliseconds of each event.
  public let times: UnsafePointer<Milliseconds>
  /// Kind (4 bits), status (4 bits), then the index of the event's context in `HistoryContexts`.
  public let codes: UnsafePointer<UInt32>
  /// Code of the event's value of the selected property, where one was selected.
  public let properties: UnsafePointer<UInt32>?
  /// Where attributes were selected: what to look up the few that are wanted with.
  public let attributes: AttributeColumn?

  public init(
    userCount: Int, runLengths: UnsafePointer<UInt32>, times: UnsafePointer<Milliseconds>,
    codes: UnsafePointer<UInt32>, properties: UnsafePointer<UInt32>?, attributes: AttributeColumn? = nil
  ) {
    self.userCount = userCount
    self.runLengths = runLengths
    self.times = times
    self.codes = codes
    self.properties = properties
    self.attributes = attributes
  }

  public static let statusShift: UInt32 = 4
  public static let contextShift: UInt32 = 8
}

/// The selected attributes of events as the log keeps them: a value where it changes within a user. Looking up one event
/// in a history costs a count of the changes before it; nothing is written for the events that nobody asks about.
public struct AttributeColumn {
  private let flags: UnsafePointer<UInt8>?
  private let flag: UInt8
  private let values: UnsafePointer<UInt32>
  private let firstChanges: UnsafePointer<UInt32>?

  /// - Parameters:
  ///   - flags: one byte a row; a bit of `flag` is set where the attributes change. The first user's first row is at 0.
  ///   - changes: codes in `HistoryContexts.attributes`, one a change.
  ///   - firstChanges: by user the number of changes before the user's first row.
  public init(
    flags: UnsafePointer<UInt8>, flag: UInt8, changes: UnsafePointer<UInt32>, firstChanges: UnsafePointer<UInt32>
  ) {
    self.flags = flags
    self.flag = flag
    values = changes
    self.firstChanges = firstChanges
  }

  /// - Parameter rows: a code for each row.
  public init(rows: UnsafePointer<UInt32>) {
    flags = nil
    flag = 0
    values = rows
    firstChanges = nil
  }

  /// The code of one event, row number `row` of a user whose first row in the batch is `start`; 0 is none.
  public func code(user: Int, start: Int, row: Int) -> UInt32 {
    guard let flags, let firstChanges else { return values[start + row] }
    var count = 0
    for i in start...start + row where flags[i] & flag != 0 { count += 1 }
    return count == 0 ? 0 : values[Int(firstChanges[user]) + count - 1]
  }
}

/// What a reader of histories asks the log for.
public struct HistorySelection: Sendable {
  /// Contexts also tell variant and experiment apart.
  public var variants: Bool
  /// The property of each event to hand over.
  public var property: StringField?
  /// Attributes (`app_version` to `country`) whose combinations are to be looked up for single events.
  public var attributes: [StringField]

  public init(variants: Bool = false, property: StringField? = nil, attributes: [StringField] = []) {
    self.variants = variants
    self.property = property
    self.attributes = attributes
  }
}

/// What the codes of a `HistoryBatch` mean.
public struct HistoryContexts: Sendable {
  public struct Context: Hashable, Sendable {
    /// Code in `permissions`; 0 is none.
    public var permission: UInt32
    /// Codes in `variants` and `experiments`; 0 where absent or not asked for.
    public var variant: UInt32
    public var experiment: UInt32
    public init(permission: UInt32, variant: UInt32, experiment: UInt32) {
      self.permission = permission
      self.variant = variant
      self.experiment = experiment
    }
  }

  public var contexts: [Context]
  /// Names by code; code 0 is the absent value. The taxonomy has the codes of `PermissionCode`.
  public var permissions: [[UInt8]]
  public var variants: [[UInt8]]
  public var experiments: [[UInt8]]
  /// Values of the selected property by code; code 0 is the absent value.
  public var properties: [[UInt8]]
  /// Combinations of the selected attributes by code, each value a code in `attributeValues`; code 0 is all absent.
  public var attributes: [[UInt32]]
  /// Values of each selected attribute by code; code 0 is the absent value.
  public var attributeValues: [[[UInt8]]]

  public init(
    contexts: [Context], permissions: [[UInt8]], variants: [[UInt8]], experiments: [[UInt8]], properties: [[UInt8]],
    attributes: [[UInt32]] = [], attributeValues: [[[UInt8]]] = []
  ) {
    self.contexts = contexts
    self.permissions = permissions
    self.variants = variants
    self.experiments = experiments
    self.properties = properties
    self.attributes = attributes
    self.attributeValues = attributeValues
  }
}

/// Takes histories; one consumer is used by one thread at a time.
public protocol HistoryConsumer: AnyObject {
  func consume(_ batch: HistoryBatch)
}
