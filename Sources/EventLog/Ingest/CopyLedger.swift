// What an ingest of several rounds remembers of the events that it has written: how many equal copies of each it has dropped,
// and which have given way to a lesser copy that came later. So the least copy stays, and the counts are the same, wherever
// the rounds end. It lies in a file without a name, for it is as long as the parts; most ingests are one round and have none.

import Buffers
import Threads

/// A word for each row of this ingest's parts; a row that nothing was noted of has 0. Safe to use from several threads.
final class CopyLedger: Sendable {
  private struct Block: Hashable {
    var part: UInt64
    var number: UInt32
  }

  private struct State {
    /// Where the words of a block's rows begin, in bytes.
    var places: [Block: Int] = [:]
    var end = 0
    var file: OpenFile?
    /// By part, of rows that gave way.
    var replaced: [UInt64: Int] = [:]
  }

  private let state = Mutex(State())
  private let directory: LogDirectory

  init(_ directory: LogDirectory) { self.directory = directory }

  /// How many rows of a part gave way to lesser copies.
  func replaced(part: UInt64) -> Int { state.withLock { $0.replaced[part] ?? 0 } }

  /// True if any row gave way.
  var hasReplaced: Bool { state.withLock { !$0.replaced.isEmpty } }

  func addReplaced(_ count: Int, part: UInt64) {
    guard count > 0 else { return }
    state.withLock { $0.replaced[part, default: 0] += count }
  }

  /// Reads the words of a block's rows.
  /// - Parameter words: as many as the block has rows.
  func read(part: UInt64, block: UInt32, into words: inout Buffer<UInt64>) throws {
    let (place, file) = state.withLock { ($0.places[Block(part: part, number: block)], $0.file) }
    let bytes = UnsafeMutableRawBufferPointer(
      UnsafeMutableBufferPointer(start: words.unsafeAddress, count: words.count))
    var known = 0
    if let place, let file { known = try file.read(into: bytes, at: place) }
    // What lies after the end of the file was not written.
    for i in known..<bytes.count { bytes[i] = 0 }
  }

  /// Writes the words of some of a block's rows. Two threads may write those of one block if the rows are others.
  /// - Parameters:
  ///   - words: of all of the block's rows.
  ///   - rows: those to write.
  func write(_ words: borrowing Buffer<UInt64>, rows: Range<Int>, part: UInt64, block: UInt32) throws {
    let size = MemoryLayout<UInt64>.size
    let count = words.count
    let (place, file) = try state.withLock { state in
      let file =
        try state.file ?? OpenFile(directory.file(LogDirectory.spillPrefix + "copies"), .scratch, directory.files)
      state.file = file
      let key = Block(part: part, number: block)
      let place = state.places[key] ?? state.end
      if state.places.updateValue(place, forKey: key) == nil { state.end += count * size }
      return (place, file)
    }
    let bytes = UnsafeRawBufferPointer(start: words.unsafeAddress + rows.lowerBound, count: rows.count * size)
    try file.write(bytes, at: place + rows.lowerBound * size)
  }
}

/// What one thread notes of one part's rows. Its rows are other threads' only in other groups of partitions, so that each
/// writes its own.
final class CopyMarks {
  let ledger: CopyLedger
  private let part: UInt64
  /// The open block; nil before the first.
  private var block: UInt32?
  // Unchecked: one thread owns them, and an access lasts no longer than a call.
  /// Of each row twice the number of its equal copies that were dropped, and one more if it gave way.
  @exclusivity(unchecked) private var words = Buffer<UInt64>()
  /// Rows that were changed since the last `flush`, and maybe others between them.
  private var changed = 0..<0
  private var replaced = 0

  init(_ ledger: CopyLedger, part: UInt64) {
    self.ledger = ledger
    self.part = part
  }

  /// Takes up the block that a decoder is at; rows are its rows from here on.
  func open(_ decoder: BlockDecoder) throws {
    try open(decoder.entry.number, rows: Int(decoder.entry.rows)) {
      try ledger.read(part: part, block: $0, into: &words)
    }
  }

  /// Takes up a block that was just written, and of which nothing is noted.
  func begin(block number: UInt32, rows: Int) throws {
    try open(number, rows: rows) { _ in for row in 0..<rows { words[row] = 0 } }
  }

  private func open(_ number: UInt32, rows: Int, _ load: (UInt32) throws -> Void) throws {
    guard block != number else { return }
    try flush()
    block = nil
    words.resizeDiscarding(to: rows)
    try load(number)
    block = number
  }

  /// Gives the block's memory back, as `StoredUsers.forget` does; the block can be opened again.
  func forget() throws {
    try flush()
    block = nil
    words = Buffer()
  }

  /// True if a lesser copy came later.
  func isReplaced(_ row: Int) -> Bool { words[row] & 1 != 0 }

  /// Equal copies of a row that were dropped.
  func copies(_ row: Int) -> Int { Int(truncatingIfNeeded: words[row] >> 1) }

  func countReplaced(_ rows: Range<Int>) -> Int { rows.count { isReplaced($0) } }

  /// Notes that equal copies of a row were dropped.
  func add(copies: Int, _ row: Int) {
    guard copies > 0 else { return }
    words[row] &+= UInt64(copies) << 1
    change(row)
  }

  /// Notes that a lesser copy than a row has come.
  func replace(_ row: Int) {
    words[row] |= 1
    replaced += 1
    change(row)
  }

  private func change(_ row: Int) {
    changed = changed.isEmpty ? row..<row + 1 : min(changed.lowerBound, row)..<max(changed.upperBound, row + 1)
  }

  /// Hands what was noted to the ledger.
  func flush() throws {
    ledger.addReplaced(replaced, part: part)
    replaced = 0
    guard let block, !changed.isEmpty else { return }
    try ledger.write(words, rows: changed, part: part, block: block)
    changed = 0..<0
  }
}
