// A batch of histories that are put together from several parts.

import PermissionEvents

/// Collects users' histories until there are enough to hand over. Owned by one thread.
final class HistoryAssembly {
  private let runLengths = GrowingBuffer<UInt32>(capacity: 8192)
  private let times = GrowingBuffer<Int64>(capacity: 32_768)
  private let codes = GrowingBuffer<UInt32>(capacity: 32_768)
  private let selected = GrowingBuffer<UInt32>(capacity: 32_768)
  private let attributes = GrowingBuffer<UInt32>(capacity: 32_768)
  private let withProperties: Bool
  private let withAttributes: Bool
  /// Either; a report has none mostly, and asks once a row.
  private let hasColumns: Bool
  private var users = 0
  private var rows = 0
  private var firstRow = 0

  init(_ selection: HistorySelection) {
    withProperties = selection.property != nil
    withAttributes = !selection.attributes.isEmpty
    hasColumns = withProperties || withAttributes
  }

  /// The selected values of each row of the block that a part stands at.
  final class Columns {
    let properties = GrowingBuffer<UInt32>()
    let attributes = GrowingBuffer<UInt32>()
    /// The block that they were loaded for.
    var block = -1
  }

  var isFull: Bool { rows >= 16_384 }

  private func grow(_ count: Int) {
    times.grow(count, keeping: rows)
    codes.grow(count, keeping: rows)
    guard hasColumns else { return }
    if withProperties { selected.grow(count, keeping: rows) }
    if withAttributes { attributes.grow(count, keeping: rows) }
  }

  /// Appends all rows of a cursor's user.
  func append(_ cursor: PartCursor, _ columns: Columns) {
    let range = cursor.rows
    grow(rows + range.count)
    (times.pointer + rows).update(from: cursor.block.times.pointer + range.lowerBound, count: range.count)
    (codes.pointer + rows).update(from: cursor.block.codes.pointer + range.lowerBound, count: range.count)
    if hasColumns { appendColumns(range, columns) }
    rows += range.count
  }

  private func appendColumns(_ range: Range<Int>, _ columns: Columns) {
    if withProperties {
      (selected.pointer + rows).update(from: columns.properties.pointer + range.lowerBound, count: range.count)
    }
    if withAttributes {
      (attributes.pointer + rows).update(from: columns.attributes.pointer + range.lowerBound, count: range.count)
    }
  }

  /// The rows that one part has of a user.
  struct Run {
    let times: UnsafePointer<Int64>
    let codes: UnsafePointer<UInt32>
    let properties: UnsafePointer<UInt32>
    let attributes: UnsafePointer<UInt32>
    var next: Int
    let end: Int

    init(_ cursor: PartCursor, _ columns: Columns) {
      times = UnsafePointer(cursor.block.times.pointer)
      codes = UnsafePointer(cursor.block.codes.pointer)
      properties = UnsafePointer(columns.properties.pointer)
      attributes = UnsafePointer(columns.attributes.pointer)
      next = cursor.rows.lowerBound
      end = cursor.rows.upperBound
    }

    /// Time and kind of a row: all of the log's order but the event id.
    @inline(__always) func key(_ row: Int) -> UInt64 {
      UInt64(bitPattern: times[row]) << 4 | UInt64(codes[row] & 15)
    }
  }

  /// Appends the rows of several parts in the log's order.
  /// - Parameter isBefore: whether a row of one run comes before a row of another with the same time and kind.
  func append(_ runs: inout [Run], isBefore: (Int, Int, Int, Int) throws -> Bool) throws {
    let count = runs.reduce(0) { $0 + $1.end - $1.next }
    grow(rows + count)
    try runs.withUnsafeMutableBufferPointer { runs in
      for row in rows..<rows + count {
        var best = -1
        var bestKey = UInt64.max
        for i in 0..<runs.count where runs[i].next < runs[i].end {
          let key = runs[i].key(runs[i].next)
          if best < 0 || key < bestKey {
            best = i
            bestKey = key
          } else if key == bestKey, try isBefore(i, runs[i].next, best, runs[best].next) {
            best = i
          }
        }
        let from = runs[best].next
        times.pointer[row] = runs[best].times[from]
        codes.pointer[row] = runs[best].codes[from]
        if hasColumns { copyColumns(runs[best], from: from, to: row) }
        runs[best].next = from + 1
      }
    }
    rows += count
  }

  @inline(__always)
  private func copyColumns(_ run: Run, from: Int, to row: Int) {
    if withProperties { selected.pointer[row] = run.properties[from] }
    if withAttributes { attributes.pointer[row] = run.attributes[from] }
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
        properties: withProperties ? UnsafePointer(selected.pointer) : nil,
        attributes: withAttributes ? AttributeColumn(rows: attributes.pointer) : nil))
    users = 0
    rows = 0
    firstRow = 0
  }
}
