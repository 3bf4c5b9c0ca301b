// Collects the rows of sorted users until they are a block. Owned by one thread and reused from block to block.

import Buffers
import PermissionEvents

/// Collects the rows of one block; `finish` encodes them.
final class BlockEncoder {
  // By user. Unchecked, here and below: one thread owns the encoder, and an access lasts no longer than a statement.
  @exclusivity(unchecked) private(set) var rowCounts = Buffer<UInt32>(capacity: 4096)
  @exclusivity(unchecked) private(set) var users = Buffer<StoredUser>(capacity: 4096)
  @exclusivity(unchecked) private(set) var userTexts = ByteWriter()

  // By row: room for more rows than there are, so that one comparison tells for all of them if they must grow.
  @exclusivity(unchecked) private(set) var times = Buffer<Int64>()
  @exclusivity(unchecked) private(set) var kinds = Buffer<UInt8>()
  /// Two for each row.
  @exclusivity(unchecked) private(set) var eventWords = Buffer<UInt64>()
  @exclusivity(unchecked) private(set) var eventForms = Buffer<UInt8>()
  @exclusivity(unchecked) private(set) var eventTexts = ByteWriter()
  @exclusivity(unchecked) private(set) var rows = 0

  // For the rows whose flag says so.
  @exclusivity(unchecked) private(set) var contexts = Buffer<UInt32>(capacity: PartFormat.rowsPerBlock)
  @exclusivity(unchecked) private(set) var statuses = Buffer<UInt8>(capacity: PartFormat.rowsPerBlock)
  @exclusivity(unchecked) private(set) var attributes = Buffer<UInt32>(capacity: PartFormat.rowsPerBlock)
  @exclusivity(unchecked) private(set) var features = Buffer<UInt32>(capacity: PartFormat.rowsPerBlock)

  /// Row by row a code for each column that the program does not know.
  @exclusivity(unchecked) private(set) var columnCodes = Buffer<UInt32>()
  /// The streams of those columns.
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

  @exclusivity(unchecked) var scratch = Buffer<UInt8>()
  let assembly: BlockAssembly

  /// About what a row takes until it is encoded, and then beside that.
  static let bytesOfRow = 64

  /// - Parameter dictionary: of the part.
  init(_ dictionary: PartDictionary) throws {
    assembly = try BlockAssembly()
    columnStreams = dictionary.columns.map(\.stream)
    engagement = dictionary.kinds.indices.reduce(0) { bits, code in
      dictionary.kinds[code].isEngagement ? bits | 1 << UInt32(code) : bits
    }
    makeRoom(PartFormat.rowsPerBlock * 2)
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
    if row == kinds.count { makeRoom(row * 2) }
    times.unsafeAddress[row] = event.time
    eventWords.unsafeAddress[row * 2] = event.eventHigh
    eventWords.unsafeAddress[row * 2 + 1] = event.eventLow
    eventForms.unsafeAddress[row] = event.eventForm
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
    kinds.unsafeAddress[row] = byte
    rows = row + 1
  }

  /// Sets the columns that the program does not know, of the row appended last; for each row if there are any.
  func append(columns codes: [UInt32]) { for code in codes { columnCodes.append(code) } }

  @inline(never)
  private func append(_ text: UnsafeRawBufferPointer) {
    eventTexts.varint(UInt64(text.count))
    eventTexts.bytes.append(contentsOf: text)
  }

  @inline(never)
  private func makeRoom(_ rows: Int) {
    times.resize(to: rows)
    kinds.resize(to: rows)
    eventForms.resize(to: rows)
    eventWords.resize(to: rows * 2)
  }

  /// Ends the user begun last, who has at least one event.
  func end() {
    rowCounts.append(UInt32(truncatingIfNeeded: rows - firstRow))
    minimumTime = min(minimumTime, times[firstRow])
    maximumTime = max(maximumTime, times[rows - 1])
  }

  /// Forgets everything.
  func removeAll() {
    rowCounts.removeAll()
    users.removeAll()
    userTexts.bytes.removeAll(keepingCapacity: true)
    contexts.removeAll()
    statuses.removeAll()
    attributes.removeAll()
    features.removeAll()
    columnCodes.removeAll()
    eventTexts.bytes.removeAll(keepingCapacity: true)
    rows = 0
    minimumTime = .max
    maximumTime = .min
  }
}
