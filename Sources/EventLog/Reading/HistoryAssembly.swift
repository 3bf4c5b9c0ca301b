// A batch of histories that are put together from several parts.

import PermissionEvents

/// Collects users' histories until there are enough to hand over. Owned by one thread.
final class HistoryAssembly {
  private let runLengths = GrowingBuffer<UInt32>(capacity: 8192)
  private let times = GrowingBuffer<Int64>(capacity: 32_768)
  private let codes = GrowingBuffer<UInt32>(capacity: 32_768)
  private let selected = GrowingBuffer<UInt32>(capacity: 32_768)
  private let withProperties: Bool
  private var users = 0
  private var rows = 0
  private var firstRow = 0

  init(withProperties: Bool) { self.withProperties = withProperties }

  var isFull: Bool { rows >= 16_384 }

  private func grow(_ count: Int) {
    times.grow(count, keeping: rows)
    codes.grow(count, keeping: rows)
    if withProperties { selected.grow(count, keeping: rows) }
  }

  /// Appends all rows of a cursor's user.
  func append(_ cursor: PartCursor, properties: GrowingBuffer<UInt32>) {
    let range = cursor.rows
    grow(rows + range.count)
    (times.pointer + rows).update(from: cursor.block.times.pointer + range.lowerBound, count: range.count)
    (codes.pointer + rows).update(from: cursor.block.codes.pointer + range.lowerBound, count: range.count)
    if withProperties {
      (selected.pointer + rows).update(from: properties.pointer + range.lowerBound, count: range.count)
    }
    rows += range.count
  }

  /// Appends one row.
  func append(_ block: DecodedBlock, _ row: Int, properties: GrowingBuffer<UInt32>) {
    grow(rows + 1)
    times.pointer[rows] = block.times.pointer[row]
    codes.pointer[rows] = block.codes.pointer[row]
    if withProperties { selected.pointer[rows] = properties.pointer[row] }
    rows += 1
  }

  func endUser() {
    runLengths.grow(users + 1, keeping: users)
    runLengths.pointer[users] = UInt32(truncatingIfNeeded: rows - firstRow)
    users += 1
    firstRow = rows
  }

  func flush(into consumer: any HistoryConsumer) {
    guard users > 0 else { return }
    consumer.consume(
      HistoryBatch(
        userCount: users, runLengths: runLengths.pointer, times: times.pointer, codes: codes.pointer,
        properties: withProperties ? UnsafePointer(selected.pointer) : nil))
    users = 0
    rows = 0
    firstRow = 0
  }
}
