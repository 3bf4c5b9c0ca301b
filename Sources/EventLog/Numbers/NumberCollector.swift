// The numbers of an ingest's rows on their way to a file. Rows of one session mostly follow one another, so that they become runs at
// once; the runs are sorted in pieces, and the pieces merged. Memory does not grow with the input.

import PermissionEvents
import Threads

/// Takes numbers from several threads.
final class NumberCollector: Sendable {
  /// Runs that a thread holds before it sorts them.
  private static let runsOfPiece = 1 << 18
  /// Compressed bytes of all pieces in memory; further ones go to a temporary file.
  private static let memory = 32 << 20

  private struct State {
    var idle: [NumberBuffer] = []
    var all: [NumberBuffer] = []
    var pieces: [NumbersContent] = []
    var sources = CodeTable<NumberSource>([NumberSource.unknown])
    var withdrawn: Set<UInt64> = []
    var bytes = 0
    var spill: OpenFile?
    var spillEnd = 0
  }

  private let directory: LogDirectory
  private let state = Mutex(State())

  init(directory: LogDirectory) { self.directory = directory }

  func append(_ numbers: ContiguousArray<EventNumber>, _ dictionary: EventDictionary) throws {
    let buffer = state.withLock { state -> NumberBuffer in
      if let buffer = state.idle.popLast() { return buffer }
      let buffer = NumberBuffer()
      state.all.append(buffer)
      return buffer
    }
    for number in numbers {
      if number.number == EventNumber.withdrawn {
        _ = state.withLock { $0.withdrawn.insert(number.counter) }
        continue
      }
      buffer.append(number) { source($0, dictionary) }
      if buffer.count >= Self.runsOfPiece { try keep(buffer) }
    }
    state.withLock { $0.idle.append(buffer) }
  }

  /// No codes of the dictionary are known from here on.
  func endRound() throws {
    let all = state.withLock { $0.all }
    for buffer in all {
      buffer.flush()
      buffer.forgetSources()
      try keep(buffer)
    }
  }

  private func source(_ attributes: UInt32, _ dictionary: EventDictionary) -> UInt32 {
    let tuple = dictionary.attributes(attributes)
    let source = NumberSource(
      version: dictionary.value(.appVersion, tuple.appVersion), platform: dictionary.value(.platform, tuple.platform))
    return state.withLock { $0.sources.code(source, most: NumbersFormat.mostSources) }
  }

  /// Sorts the runs of a buffer, and keeps them compressed.
  private func keep(_ buffer: NumberBuffer) throws {
    guard buffer.count > 0 else { return }
    let runs = buffer.take()
    var bytes: [UInt8] = []
    var writer = try NumbersWriter(id: 0, offset: 0, isLimited: false) { block, _ in bytes += block }
    for run in runs { try writer.append(run) }
    guard let quarters = try writer.finish() else { return }
    var (blocks, storage) = (writer.blocks, NumbersContent.Storage.memory(bytes))
    let place = try state.withLock { state -> (OpenFile, Int)? in
      guard state.bytes + bytes.count > Self.memory else {
        state.bytes += bytes.count
        return nil
      }
      let file = try state.spill ?? OpenFile(spillPath, .scratch, directory.files)
      state.spill = file
      defer { state.spillEnd += bytes.count }
      return (file, state.spillEnd)
    }
    if let (file, offset) = place {
      try file.write(bytes, at: offset)
      for i in blocks.indices { blocks[i].offset += offset }
      storage = .file(file)
    }
    let piece = NumbersContent(
      id: 0, storage: storage, blocks: blocks, sources: [], quarters: quarters, name: spillPath)
    state.withLock { $0.pieces.append(piece) }
  }

  private var spillPath: String { directory.file(LogDirectory.spillPrefix + "numbers") }

  /// Counters of which an erased user has a row.
  var withdrawn: Set<UInt64> { state.withLock { $0.withdrawn } }

  /// All runs so far, in one order; after `endRound`.
  var pieces: [NumbersContent] {
    state.withLock { state in
      state.pieces.map { piece in
        var piece = piece
        piece.sources = state.sources.values
        return piece
      }
    }
  }
}

/// The numbers that one thread has read.
private final class NumberBuffer: @unchecked Sendable {
  // Unchecked: the collector hands it from thread to thread, and one uses it at a time.
  private static let slotBits: UInt64 = 13

  private var runs: [NumberRun] = []
  /// The newest run of some counters, by bits of their hashes; of count 0 if there is none.
  private var newest = [NumberRun](
    repeating: NumberRun(counter: 0, first: 0, user: 0, count: 0, quarter: 0, source: 0), count: 1 << Int(slotBits))
  /// By the code of attributes one more than that of their source; 0 if it is not known.
  private var sources: [UInt32] = []

  var count: Int { runs.count }

  @inline(__always)
  func append(_ number: EventNumber, _ source: (UInt32) -> UInt32) {
    let attributes = Int(number.attributes)
    if attributes >= sources.count {
      sources += [UInt32](repeating: 0, count: max(attributes + 1 - sources.count, sources.count))
    }
    if sources[attributes] == 0 { sources[attributes] = source(number.attributes) + 1 }
    let run = NumberRun(
      counter: number.counter, first: number.number, user: number.user, count: 1,
      quarter: UInt32(truncatingIfNeeded: number.time / NumberRun.millisecondsPerQuarter),
      source: sources[attributes] - 1)
    let slot = Int(truncatingIfNeeded: number.counter >> (64 - Self.slotBits))
    if newest[slot].quarter <= run.quarter, newest[slot].join(run) { return }
    if newest[slot].count > 0 { runs.append(newest[slot]) }
    newest[slot] = run
  }

  /// Ends the runs that may go on.
  func flush() {
    for slot in newest.indices where newest[slot].count > 0 {
      runs.append(newest[slot])
      newest[slot].count = 0
    }
  }

  func forgetSources() { sources = [] }

  /// The ended runs, sorted.
  func take() -> [NumberRun] {
    defer { runs.removeAll(keepingCapacity: true) }
    return runs.sorted(by: NumberRun.isBefore)
  }
}
