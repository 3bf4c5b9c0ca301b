// Which numbers of events arrived, of rows that are stored and of others. Files of their own beside the parts, in the order of their
// counters: one install can have several users, and its numbers are counted together.
//
// file    := magic 8, version 2, zeros 6, id 8, block × n, footer, tail
// block   := runs, compressed by zstd; a run is counter (varint, the difference from the run before), user (byte 0 if it is that of
//            the run before, else 1 and 8 bytes), quarter (varint), first (varint), count (varint), source (varint)
// footer  := sources (varint), (length, version, length, platform) × sources, runs 8, least quarter 4, largest quarter 4,
//            blocks (varint), (first counter 8, stored length 4, length 4, runs 4, checksum 8) × blocks
// tail    := offset of the footer 8, length of the footer 4, zeros 4, checksum of the footer 8, magic 8

import CZstd
import PermissionEvents

/// The description of such a file in a manifest.
package struct NumbersDescription: NumberedFile, Sendable, Hashable {
  static let word = "numbers"

  package var id: UInt64
  /// Of the footer, which has those of the blocks.
  package var checksum: UInt64
  package var runs: UInt32

  package var name: String { Self.name(id) }
}

enum NumbersFormat {
  static let magic: UInt64 = 0x314E_474F_4C4D_5250  // "PRMLOGN1"
  static let version: UInt16 = 1
  static let headLength = 24
  static let tailLength = 32
  static let runsPerBlock = 4096
  /// As parts have no later events.
  static let lastQuarter = UInt32((1 << 42) / NumberRun.millisecondsPerQuarter)
  /// A run has at most this many bytes before it is compressed.
  static let longestRun = 10 + 9 + 5 + 10 + 5 + 5
  static let longestFooter = 1 << 26
  /// Versions and platforms of a log. Of more, the versions of those that come later are not known.
  static let mostSources = 1 << 16
  /// A counter with more runs is no counter: its numbers are made by chance, or many phones share its id. An app that is used ten
  /// times a day has so many in 18 years.
  static let mostRuns = 1 << 16

  static func head(id: UInt64) -> [UInt8] {
    var w = ByteWriter()
    w.u64(magic)
    w.u16(version)
    w.u16(0)
    w.u32(0)
    w.u64(id)
    return w.bytes
  }
}

struct NumbersBlock: Sendable {
  var firstCounter: UInt64
  var offset: Int
  var stored: UInt32
  var length: UInt32
  var runs: UInt32
  var checksum: UInt64
}

/// Runs in blocks, in memory or in a file, and what their sources are.
struct NumbersContent: Sendable {
  enum Storage: Sendable {
    case memory([UInt8])
    case file(OpenFile)
  }

  /// Part of the blocks' checksums.
  var id: UInt64
  var storage: Storage
  /// In the order of their counters.
  var blocks: [NumbersBlock]
  var sources: [NumberSource]
  var quarters: ClosedRange<UInt32>
  /// For messages.
  var name: String

  var runs: Int { blocks.reduce(0) { $0 + Int($1.runs) } }

  /// The compressed bytes of a block.
  fileprivate func bytes(_ block: NumbersBlock) throws -> [UInt8] {
    let bytes: [UInt8]
    switch storage {
    case .memory(let all): bytes = Array(all[block.offset..<block.offset + Int(block.stored)])
    case .file(let file): bytes = try file.read(Int(block.stored), at: block.offset)
    }
    guard bytes.count == Int(block.stored), Checksum.of(bytes, seed: id) == block.checksum else {
      throw damaged("a block's checksum does not match")
    }
    return bytes
  }

  func damaged(_ finding: String) -> LogError { .damaged(name, "numbers of events", finding) }
}

// MARK: Writing

/// Puts runs, in their order, into blocks.
struct NumbersWriter {
  private let id: UInt64
  private let compressor: Compressor
  private let write: (_ bytes: [UInt8], _ offset: Int) throws -> Void
  private var raw = ByteWriter()
  private var open: [NumberRun] = []
  /// Whether a counter with too many runs is marked; the pieces of an ingest have no limit, so that their order does not matter.
  private let isLimited: Bool
  private var runsOfBlock = 0
  private var last = NumberRun(counter: 0, first: 0, user: 0, count: 0, quarter: 0, source: 0)
  private(set) var blocks: [NumbersBlock] = []
  private var quarters: ClosedRange<UInt32>?
  private var firstCounter: UInt64 = 0
  private(set) var offset: Int

  /// - Parameters:
  ///   - offset: of the first block.
  ///   - write: takes a block's bytes.
  init(
    id: UInt64, offset: Int, isLimited: Bool = true,
    write: @escaping (_ bytes: [UInt8], _ offset: Int) throws -> Void
  ) throws {
    (self.id, self.offset, self.isLimited, self.write) = (id, offset, isLimited, write)
    compressor = try Compressor()
  }

  /// Adds a run that is not before the last one. Runs of one counter are held until the next counter comes.
  mutating func append(_ run: NumberRun) throws {
    if let first = open.first {
      if first.counter != run.counter {
        try flushCounter()
      } else if first.count == 0 {
        return
      } else if run.count == 0 || isLimited && open.count >= NumbersFormat.mostRuns {
        open = [NumberRun(counter: run.counter, first: 0, user: 0, count: 0, quarter: first.quarter, source: 0)]
        return
      } else if open[open.count - 1].join(run) {
        return
      }
    }
    open.append(run)
  }

  private mutating func flushCounter() throws {
    for run in open { try encode(run) }
    open.removeAll(keepingCapacity: true)
  }

  private mutating func encode(_ run: NumberRun) throws {
    if runsOfBlock == 0 { (firstCounter, last.counter, last.user) = (run.counter, 0, 0) }
    raw.varint(run.counter &- last.counter)
    if run.user == last.user {
      raw.u8(0)
    } else {
      raw.u8(1)
      raw.u64(run.user)
    }
    raw.varint(UInt64(run.quarter))
    raw.varint(run.first)
    raw.varint(UInt64(run.count))
    raw.varint(UInt64(run.source))
    last = run
    runsOfBlock += 1
    quarters = min(run.quarter, quarters?.lowerBound ?? .max)...max(run.quarter, quarters?.upperBound ?? 0)
    if runsOfBlock == NumbersFormat.runsPerBlock { try flushBlock() }
  }

  private mutating func flushBlock() throws {
    guard runsOfBlock > 0 else { return }
    let stored = try compressor.compress(raw.bytes)
    blocks.append(
      NumbersBlock(
        firstCounter: firstCounter, offset: offset, stored: UInt32(stored.count), length: UInt32(raw.bytes.count),
        runs: UInt32(runsOfBlock), checksum: Checksum.of(stored, seed: id)))
    try write(stored, offset)
    offset += stored.count
    raw.bytes.removeAll(keepingCapacity: true)
    runsOfBlock = 0
  }

  /// Writes the last block.
  /// - Returns: the times of all runs; nil if there are none.
  mutating func finish() throws -> ClosedRange<UInt32>? {
    try flushCounter()
    try flushBlock()
    return quarters
  }
}

extension LogDirectory {
  /// Writes a file of runs; no reader knows it before a manifest names it.
  /// - Parameter runs: calls its argument with each run, in their order.
  /// - Returns: nil without a run; then there is no file.
  func writeNumbers(
    id: UInt64, _ sources: [NumberSource], _ runs: (_ body: (NumberRun) throws -> Void) throws -> Void
  ) throws -> NumbersDescription? {
    let created = try OpenFile(file(NumbersDescription.name(id)), .create, files)
    do {
      try created.write(NumbersFormat.head(id: id), at: 0)
      var writer = try NumbersWriter(id: id, offset: NumbersFormat.headLength) { try created.write($0, at: $1) }
      try runs { try writer.append($0) }
      guard let quarters = try writer.finish() else {
        created.discard()
        return nil
      }
      let (footer, count) = Self.footer(writer.blocks, sources, quarters)
      guard footer.count <= NumbersFormat.longestFooter, count < 1 << 32 else {
        throw LogError(.limit, "\(path): more numbers of events than a log can hold")
      }
      let checksum = Checksum.of(footer, seed: id)
      var tail = ByteWriter()
      tail.u64(UInt64(writer.offset))
      tail.u32(UInt32(footer.count))
      tail.u32(0)
      tail.u64(checksum)
      tail.u64(NumbersFormat.magic)
      try created.write(footer + tail.bytes, at: writer.offset)
      try created.synchronize()
      try created.close()
      return NumbersDescription(id: id, checksum: checksum, runs: UInt32(count))
    } catch {
      created.discard()
      throw error
    }
  }

  private static func footer(
    _ blocks: [NumbersBlock], _ sources: [NumberSource], _ quarters: ClosedRange<UInt32>
  ) -> (bytes: [UInt8], runs: Int) {
    var w = ByteWriter()
    w.varint(UInt64(sources.count))
    for source in sources {
      w.text(source.version)
      w.text(source.platform)
    }
    let runs = blocks.reduce(0) { $0 + Int($1.runs) }
    w.u64(UInt64(runs))
    w.u32(quarters.lowerBound)
    w.u32(quarters.upperBound)
    w.varint(UInt64(blocks.count))
    for block in blocks {
      w.u64(block.firstCounter)
      for number in [block.stored, block.length, block.runs] { w.u32(number) }
      w.u64(block.checksum)
    }
    return (w.bytes, runs)
  }

  /// Opens a file of runs and checks all but its blocks, which are checked when they are read.
  func readNumbers(id: UInt64, expected: NumbersDescription?) throws -> NumbersContent {
    let name = file(NumbersDescription.name(id))
    func damaged(_ finding: String) -> LogError { .damaged(name, "numbers of events", finding) }
    let opened = try OpenFile(name, .read, files)
    let size = try opened.size()
    guard size > NumbersFormat.headLength + NumbersFormat.tailLength else { throw damaged("it is too short") }
    let head = try opened.read(NumbersFormat.headLength, at: 0)
    if head != NumbersFormat.head(id: id) {
      let version = try head.withUnsafeBytes { buffer in
        var r = ByteReader(buffer)
        guard r.u64() == NumbersFormat.magic, let version = r.u16() else { throw damaged("it is no such file") }
        return version
      }
      guard version <= NumbersFormat.version else {
        throw LogError.newerFormat(name, Int(version), newest: Int(NumbersFormat.version))
      }
      throw damaged("it is another file")
    }
    let tail = try opened.read(NumbersFormat.tailLength, at: size - NumbersFormat.tailLength)
    let (offset, length, checksum) = try tail.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      guard let offset = r.u64(), let length = r.u32(), r.u32() == 0, let checksum = r.u64(),
        r.u64() == NumbersFormat.magic, length <= NumbersFormat.longestFooter,
        offset == UInt64(size - NumbersFormat.tailLength) - UInt64(min(Int(length), size - NumbersFormat.tailLength))
      else { throw damaged("its end is damaged") }
      return (Int(offset), Int(length), checksum)
    }
    let footer = try opened.read(length, at: offset)
    guard footer.count == length, Checksum.of(footer, seed: id) == checksum,
      expected?.checksum ?? checksum == checksum
    else { throw damaged("the footer's checksum does not match") }
    guard var content = NumbersContent(footer: footer, upTo: offset, id: id, .file(opened), name),
      expected.map({ Int($0.runs) == content.runs }) ?? true
    else { throw damaged("it is not as permlog writes it") }
    content.name = name
    return content
  }
}

extension NumbersContent {
  /// Nil if anything is off.
  /// - Parameter end: of the blocks.
  fileprivate init?(footer: [UInt8], upTo end: Int, id: UInt64, _ storage: Storage, _ name: String) {
    var sources: [NumberSource] = []
    var blocks: [NumbersBlock] = []
    let quarters: ClosedRange<UInt32>? = footer.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      guard let count = r.count(unit: 2), count <= NumbersFormat.mostSources else { return nil }
      for _ in 0..<count {
        guard let version = r.text(maximum: StringField.maximumLength),
          let platform = r.text(maximum: StringField.maximumLength)
        else { return nil }
        sources.append(NumberSource(version: version, platform: platform))
      }
      guard let runs = r.u64(), let low = r.u32(), let high = r.u32(), low <= high, high <= NumbersFormat.lastQuarter,
        let count = r.count(unit: 28)
      else { return nil }
      var offset = NumbersFormat.headLength
      for _ in 0..<count {
        guard let first = r.u64(), let stored = r.u32(), let length = r.u32(), let runs = r.u32(), let sum = r.u64(),
          runs >= 1, runs <= NumbersFormat.runsPerBlock, Int(length) <= Int(runs) * NumbersFormat.longestRun,
          blocks.last?.firstCounter ?? 0 <= first
        else { return nil }
        blocks.append(
          NumbersBlock(firstCounter: first, offset: offset, stored: stored, length: length, runs: runs, checksum: sum))
        offset += Int(stored)
      }
      guard r.remaining == 0, offset == end, blocks.reduce(0, { $0 + UInt64($1.runs) }) == runs, runs > 0 else {
        return nil
      }
      return low...high
    }
    guard let quarters else { return nil }
    self.init(id: id, storage: storage, blocks: blocks, sources: sources, quarters: quarters, name: name)
  }
}

// MARK: Reading

/// Walks over the runs of some counters, in their order.
struct NumbersCursor {
  private let content: NumbersContent
  /// By the file's code of a source, that of the reader.
  private let sources: [UInt32]
  private let upTo: UInt64
  private let decompressor: Decompressor
  private var block: Int
  private var raw: [UInt8] = []
  private var position = 0
  private var left = 0
  private var last = NumberRun(counter: 0, first: 0, user: 0, count: 0, quarter: 0, source: 0)
  /// Whether `last` is a run.
  private var isBegun = false
  /// Nil after the last.
  private(set) var run: NumberRun?

  init(
    _ content: NumbersContent, sources: [UInt32], counters: ClosedRange<UInt64>, _ decompressor: Decompressor
  ) throws {
    (self.content, self.sources, upTo) = (content, sources, counters.upperBound)
    self.decompressor = decompressor
    // The runs of a counter may begin in the block before the first that has it.
    block = max(0, content.blocks.firstPlace { $0.firstCounter >= counters.lowerBound } - 1)
    repeat { try advance() } while run.map { $0.counter < counters.lowerBound } ?? false
  }

  mutating func advance() throws {
    if left == 0 {
      guard block < content.blocks.count else {
        run = nil
        return
      }
      try open(content.blocks[block])
      block += 1
    }
    guard let next = raw.withUnsafeBytes({ decode($0) }), Int(next.run.source) < sources.count,
      next.run.first < EventNumber.limit, next.run.count > 0 || next.run.source == 0,
      content.quarters.contains(next.run.quarter), !isBegun || !NumberRun.isBefore(next.run, last),
      left < Int(content.blocks[block - 1].runs) || next.run.counter == content.blocks[block - 1].firstCounter
    else { throw content.damaged("a run of numbers is not as permlog writes it") }
    (position, last, isBegun) = (next.position, next.run, true)
    left -= 1
    if left == 0, position != raw.count { throw content.damaged("a block is longer than its runs") }
    guard last.counter <= upTo else {
      run = nil
      return
    }
    var found = last
    found.source = sources[Int(last.source)]
    run = found
  }

  private mutating func open(_ entry: NumbersBlock) throws {
    let stored = try content.bytes(entry)
    raw = [UInt8](repeating: 0, count: Int(entry.length))
    let isWhole = stored.withUnsafeBytes { from in
      raw.withUnsafeMutableBytes { decompressor.decompress(from, into: $0) }
    }
    guard isWhole else { throw content.damaged("a block cannot be unpacked") }
    (position, left) = (0, Int(entry.runs))
  }

  /// The run at the position, with the file's code of its source; nil if it is damaged.
  private func decode(_ bytes: UnsafeRawBufferPointer) -> (run: NumberRun, position: Int)? {
    var r = ByteReader(bytes)
    r.position = position
    guard let step = r.varint(), let isOther = r.u8(), isOther <= 1 else { return nil }
    // A block can be read without those before it.
    let before: (counter: UInt64, user: UInt64) = position == 0 ? (0, 0) : (last.counter, last.user)
    var user = before.user
    if isOther == 1 {
      guard let other = r.u64() else { return nil }
      user = other
    }
    guard let quarter = r.varint(), let first = r.varint(), let count = r.varint(), let source = r.varint(),
      max(quarter, count, source) <= UInt32.max
    else { return nil }
    let run = NumberRun(
      counter: before.counter &+ step, first: first, user: user, count: UInt32(count), quarter: UInt32(quarter),
      source: UInt32(source))
    return (run, r.position)
  }
}
