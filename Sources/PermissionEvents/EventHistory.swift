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

  public init(
    userCount: Int, runLengths: UnsafePointer<UInt32>, times: UnsafePointer<Milliseconds>,
    codes: UnsafePointer<UInt32>, properties: UnsafePointer<UInt32>?
  ) {
    self.userCount = userCount
    self.runLengths = runLengths
    self.times = times
    self.codes = codes
    self.properties = properties
  }

  public static let statusShift: UInt32 = 4
  public static let contextShift: UInt32 = 8
}

/// What a reader of histories asks the log for.
public struct HistorySelection: Sendable {
  /// Contexts also tell variant and experiment apart.
  public var variants: Bool
  /// The property of each event to hand over.
  public var property: StringField?

  public init(variants: Bool = false, property: StringField? = nil) {
    self.variants = variants
    self.property = property
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

  public init(
    contexts: [Context], permissions: [[UInt8]], variants: [[UInt8]], experiments: [[UInt8]], properties: [[UInt8]]
  ) {
    self.contexts = contexts
    self.permissions = permissions
    self.variants = variants
    self.experiments = experiments
    self.properties = properties
  }
}

/// Takes histories; one consumer is used by one thread at a time.
public protocol HistoryConsumer: AnyObject {
  func consume(_ batch: HistoryBatch)
}
