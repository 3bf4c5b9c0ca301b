// The border between the log and the analysis: users' histories as flat columns.

/// The histories of a number of users, one after the other. Each is in two lanes, both in the log's order (time, kind,
/// event id): the events of permissions, and engagement, of which mostly nothing but time and kind is asked. Pointers are
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
  /// UTC milliseconds of each engagement, doubled; plus 1 if it is `app_active` and not `feature_used`.
  public let engagement: UnsafePointer<UInt64>
  /// Code of the value of the selected property of each event of a permission, if one was selected.
  public let properties: UnsafePointer<UInt32>?
  /// If attributes were selected: what to look up the few that are wanted with.
  public let attributes: AttributeColumn?
  /// If all attributes were selected: the code of each engagement in `HistoryContexts.attributes`; 0 is none.
  public let engagementAttributes: UnsafePointer<UInt32>?
  /// If ids were selected: what to read the few that are wanted with.
  public let userIDs: UserIDColumn?
  /// The events of permissions as a question reads them, if it reads some in another way than they are stored.
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
/// up one event costs a count of the changes before it; nothing is written for the events that nobody asks about.
public struct AttributeColumn {
  /// The places at which a log has a value.
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

  /// The code of one event of a permission by its number in the batch; 0 is none.
  public func code(user: Int, event: Int) -> UInt32 {
    guard let changes else { return values[event] }
    let start = Int(changes.firstRows[user])
    var count = 0
    for i in start...start + Int(changes.rows[event]) where changes.flags[i] & changes.flag != 0 { count += 1 }
    return count == 0 ? 0 : values[Int(changes.firstChanges[user]) + count - 1]
  }
}

/// The ids of a batch's users. An id is put together only when it is asked for.
public struct UserIDColumn {
  private let read: (Int) -> [UInt8]

  public init(_ read: @escaping (Int) -> [UInt8]) { self.read = read }

  /// The id of a user by its number in the batch.
  public func id(_ user: Int) -> [UInt8] { read(user) }
}
