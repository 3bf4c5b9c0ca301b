// Collects the rows of sorted users until they are a block. Owned by one thread and reused from block to block.

import PermissionEvents

/// An event as a part keeps it: codes of the part's dictionary.
struct StoredEvent {
  var time: Milliseconds
  var eventHigh: UInt64
  var eventLow: UInt64
  var context: UInt32
  var attributes: UInt32
  var feature: UInt32
  var kind: UInt8
  var status: UInt8
  var eventForm: UInt8
}

/// A user as a part keeps it. `word` is the low word of a UUID; for a text it is 0.
struct StoredUser {
  var hash: UInt64
  var word: UInt64
  var form: UInt8
}

/// Collects the rows of one block; `finish` encodes them.
final class BlockEncoder {
  // By user. Unchecked, here and below: one thread owns the encoder, and an access lasts no longer than a statement.
  let runLengths = GrowingBuffer<UInt32>(capacity: 4096)
  let users = GrowingBuffer<StoredUser>(capacity: 4096)
  @exclusivity(unchecked) private(set) var userTexts = ByteWriter()

  // By row.
  let times = GrowingBuffer<Int64>(capacity: PartFormat.rowsPerBlock * 2)
  let kinds = GrowingBuffer<UInt8>(capacity: PartFormat.rowsPerBlock * 2)
  let eventWords = GrowingBuffer<UInt64>(capacity: PartFormat.rowsPerBlock * 4)
  let eventForms = GrowingBuffer<UInt8>(capacity: PartFormat.rowsPerBlock * 2)
  @exclusivity(unchecked) private(set) var eventTexts = ByteWriter()
  @exclusivity(unchecked) private(set) var rows = 0

  // Where the row's flag says so.
  let contexts = GrowingBuffer<UInt32>(capacity: PartFormat.rowsPerBlock)
  let statuses = GrowingBuffer<UInt8>(capacity: PartFormat.rowsPerBlock)
  let attributes = GrowingBuffer<UInt32>(capacity: PartFormat.rowsPerBlock)
  let features = GrowingBuffer<UInt32>(capacity: PartFormat.rowsPerBlock)

  /// A code for each row, by column that the program does not know.
  let columns: [GrowingBuffer<UInt32>]
  /// The streams of those.
  let columnStreams: [UInt8]
  /// A bit for each kind that is engagement.
  private let engagement: UInt32

  @exclusivity(unchecked) private var firstRow = 0
  @exclusivity(unchecked) private(set) var minimumTime = Int64.max
  @exclusivity(unchecked) private(set) var maximumTime = Int64.min
  /// The last context of the user's permission events and of the user's engagement.
  @exclusivity(unchecked) private var permissionContext: UInt32 = 0
  @exclusivity(unchecked) private var engagementContext: UInt32 = 0
  @exclusivity(unchecked) private var lastAttributes: UInt32 = 0

  let scratch = GrowingBuffer<UInt8>()
  let assembly: BlockAssembly

  /// - Parameter dictionary: of the part.
  init(_ dictionary: PartDictionary) throws {
    assembly = try BlockAssembly()
    columns = dictionary.columns.map { _ in GrowingBuffer() }
    columnStreams = dictionary.columns.map(\.stream)
    engagement = dictionary.kinds.indices.reduce(0) { bits, code in
      dictionary.kinds[code].isEngagement ? bits | 1 << UInt32(code) : bits
    }
  }

  var isEmpty: Bool { rows == 0 }

  /// Begins a user; users come in the part's order.
  func begin(_ user: StoredUser, text: UnsafeRawBufferPointer) {
    users.append(user)
    if user.form == IdentifierForm.text.rawValue {
      userTexts.varint(UInt64(text.count))
      userTexts.bytes.append(contentsOf: text)
    }
    firstRow = rows
    permissionContext = 0
    engagementContext = 0
    lastAttributes = 0
  }

  /// Appends an event of the user begun last; events come in the log's order.
  @inline(__always)
  func append(_ event: StoredEvent, text: UnsafeRawBufferPointer) {
    let row = rows
    if row == kinds.capacity { grow() }
    times.pointer[row] = event.time
    eventWords.pointer[row * 2] = event.eventHigh
    eventWords.pointer[row * 2 + 1] = event.eventLow
    eventForms.pointer[row] = event.eventForm
    if event.eventForm == IdentifierForm.text.rawValue { append(text) }
    var byte = event.kind
    if engagement & (1 &<< UInt32(event.kind)) != 0 {
      if event.context != engagementContext {
        engagementContext = event.context
        byte |= RowFlag.context
        contexts.append(event.context)
      }
    } else if event.context != permissionContext {
      permissionContext = event.context
      byte |= RowFlag.context
      contexts.append(event.context)
    }
    if event.attributes != lastAttributes {
      lastAttributes = event.attributes
      byte |= RowFlag.attributes
      attributes.append(event.attributes)
    }
    if event.status != 0 {
      byte |= RowFlag.status
      statuses.append(event.status)
    }
    if event.feature != 0 {
      byte |= RowFlag.feature
      features.append(event.feature)
    }
    kinds.pointer[row] = byte
    rows = row + 1
  }

  /// Sets a column of the row appended last; for all columns, after each row.
  func append(_ code: UInt32, column: Int) { columns[column].append(code) }

  @inline(never)
  private func append(_ text: UnsafeRawBufferPointer) {
    eventTexts.varint(UInt64(text.count))
    eventTexts.bytes.append(contentsOf: text)
  }

  @inline(never)
  private func grow() {
    times.grow(rows * 2, keeping: rows)
    kinds.grow(rows * 2, keeping: rows)
    eventForms.grow(rows * 2, keeping: rows)
    eventWords.grow(rows * 4, keeping: rows * 2)
  }

  /// Ends the user begun last, who has at least one event.
  func end() {
    runLengths.append(UInt32(truncatingIfNeeded: rows - firstRow))
    minimumTime = min(minimumTime, times.pointer[firstRow])
    maximumTime = max(maximumTime, times.pointer[rows - 1])
  }

  /// Forgets everything.
  func removeAll() {
    runLengths.removeAll()
    users.removeAll()
    userTexts.bytes.removeAll(keepingCapacity: true)
    contexts.removeAll()
    statuses.removeAll()
    attributes.removeAll()
    features.removeAll()
    for column in columns { column.removeAll() }
    eventTexts.bytes.removeAll(keepingCapacity: true)
    rows = 0
    minimumTime = .max
    maximumTime = .min
  }
}
