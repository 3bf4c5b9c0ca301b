// An open part: its footer, and reads of its blocks. Keeps its file open, so that a compaction or an
// erasure that removes the name does not disturb it.

import PermissionEvents
import Threads

/// A part that is open for reading; safe to use from several threads.
package final class PartReader: Sendable {
  package let description: PartDescription
  let footer: PartFooter
  /// The shared codes of kinds for a reader of this part alone.
  let kindCodes: KindCodes
  /// The budget for the memory of everything that is read of the log.
  let budget: MemoryBudget
  private let file: OpenFile
  /// Bytes of the budget that the footer has.
  private let held: Int
  private let hiddenUsers = Mutex(HiddenUsers.none)
  /// Blocks of which event ids were read without their checksum.
  private let unchecked = Mutex<Set<Int>>([])

  /// Users with rows in older parts that no longer belong to the log. A reader of the log sets it before reading; a
  /// part that is opened by itself hides no users.
  var hidden: HiddenUsers {
    get { hiddenUsers.withLock { $0 } }
    set { hiddenUsers.withLock { $0 = newValue } }
  }

  /// Rows that readers of the log see, and users.
  var visibleRows: UInt64 { footer.rows - min(footer.rows, hidden.counts[id]?.rows ?? 0) }
  var visibleUsers: UInt64 { UInt64(footer.users) - min(UInt64(footer.users), hidden.counts[id]?.users ?? 0) }

  var id: UInt64 { description.id }
  var name: String { description.name }

  /// Opens a part of a log and checks header, tail and footer.
  convenience init(_ description: PartDescription, in log: LogDirectory) throws {
    try self.init(id: description.id, expected: description, in: log)
  }

  /// Opens a part.
  /// - Parameters:
  ///   - expected: its description in the manifest; nil without a manifest, when the part is checked by itself.
  init(id: UInt64, expected: PartDescription?, in log: LogDirectory) throws {
    file = try OpenFile(log.file(PartDescription.name(id)), .read, log.files)
    budget = log.budget
    (footer, description, held) = try Self.readFooter(id, expected, file, budget)
    kindCodes = LogVocabulary([footer.dictionary]).codes(of: footer.dictionary)
  }

  /// The same open part without some of its blocks, which are damaged.
  init(_ part: PartReader, skipping skipped: Set<Int>) {
    var footer = part.footer
    footer.blocks = footer.blocks.indices.filter { !skipped.contains($0) }.map { footer.blocks[$0] }
    self.footer = footer
    description = part.description
    kindCodes = part.kindCodes
    file = part.file
    budget = part.budget
    // The other holds the dictionary for both.
    held = 0
  }

  deinit { budget.give(held) }

  /// Notes that event ids of a block were read without their checksum, or that it was looked at.
  func note(block: Int, hasUncheckedIDs: Bool) {
    unchecked.withLock { if hasUncheckedIDs { $0.insert(block) } else { $0.remove(block) } }
  }

  /// Throws if event ids that were read without their checksum do not have it.
  func checkEventIDs() throws {
    let blocks = unchecked.withLock { $0.sorted() }
    if blocks.isEmpty { return }
    let decoder = try BlockDecoder(part: self)
    for block in blocks {
      try decoder.open(block)
      try decoder.load(.packedEventIDs)
    }
  }

  /// Closes the file and takes its name away, if no other file has the name by now.
  func discard() { file.discard() }

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try Self.require(try file.read(into: buffer, at: offset), buffer.count, at: offset, of: name)
  }

  private static func require(_ found: Int, _ count: Int, at offset: Int, of name: String) throws {
    guard found < count else { return }
    throw LogError.damaged(name, "offset \(offset)", "the file ends \(count - found) bytes too early")
  }

  private static func readFooter(
    _ id: UInt64, _ expected: PartDescription?, _ file: OpenFile, _ budget: MemoryBudget
  ) throws -> (PartFooter, PartDescription, held: Int) {
    let name = PartDescription.name(id)
    let length = try file.size()
    let least = PartFormat.headerLength + PartFormat.tailLength
    guard length == expected?.length ?? UInt64(length), length >= least else {
      let right = expected.map { "\($0.length)" } ?? "at least \(least)"
      throw LogError.damaged(name, "end of file", "it has \(length) bytes and should have \(right)")
    }
    func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
      let bytes = try file.read(count, at: offset)
      try require(bytes.count, count, at: offset, of: name)
      return bytes
    }
    let version = try PartHeader.version(try bytes(PartFormat.headerLength, at: 0), part: id, file: name)
    let tailOffset = length - PartFormat.tailLength
    guard let tail = PartTail(try bytes(PartFormat.tailLength, at: tailOffset), part: id),
      tail.footerChecksum == expected?.footerChecksum ?? tail.footerChecksum,
      tail.footerOffset >= UInt64(PartFormat.headerLength), tail.footerOffset <= UInt64(tailOffset),
      UInt64(tailOffset) - tail.footerOffset == UInt64(tail.storedLength),
      tail.rawLength <= PartFormat.maximumFooterLength
    else { throw LogError.damaged(name, "tail at offset \(tailOffset)", "the tail is not as permlog writes it") }
    let location = "footer at offset \(tail.footerOffset)"
    // Only while it is read.
    let unread = Int(tail.storedLength) + Int(tail.rawLength)
    guard budget.take(unread) else { throw LogError.tooMuchMemory(name, location, budget, remedy: nil) }
    defer { budget.give(unread) }
    let stored = try bytes(Int(tail.storedLength), at: Int(tail.footerOffset))
    guard Checksum.of(stored, part: id, stream: PartFormat.footerStream) == tail.footerChecksum else {
      throw LogError.damaged(name, location, "its checksum does not match")
    }
    let decompressor = try Decompressor()
    var raw = [UInt8](repeating: 0, count: Int(tail.rawLength))
    let isWhole = stored.withUnsafeBytes { stored in
      raw.withUnsafeMutableBytes { decompressor.decompress(stored, into: $0) }
    }
    var allowance = budget.available
    let available = allowance
    let found = raw.withUnsafeBytes {
      PartFooter($0, version: version, fileLength: Int(tail.footerOffset), allowance: &allowance)
    }
    guard allowance >= 0, budget.take(available - allowance) else {
      throw LogError.tooMuchMemory(name, location, budget, remedy: nil)
    }
    let held = available - allowance
    guard isWhole, let footer = found, footer.rows == expected?.rows ?? footer.rows else {
      budget.give(held)
      throw LogError.damaged(name, location, "it cannot be read")
    }
    let description = PartDescription(
      id: id, length: UInt64(length), footerChecksum: tail.footerChecksum, rows: footer.rows)
    return (footer, description, held)
  }
}

// MARK: Writes a part: blocks from several threads, then the footer
// The file has its final name from the beginning, but no reader knows it before a manifest names it.

/// The description of a part in a manifest.
package struct PartDescription: NumberedFile, Sendable, Hashable {
  static let word = "part"

  package var id: UInt64
  package var length: UInt64
  /// Checksum of the footer, which has the checksums of everything else.
  package var footerChecksum: UInt64
  package var rows: UInt64

  package var name: String { Self.name(id) }
}

final class PartWriter: Sendable {
  private struct State {
    var end = UInt64(PartFormat.headerLength)
    var nextBlock: UInt32 = 0
    var blocks: [BlockEntry] = []
    var usage: DictionaryUsage
  }

  let id: UInt64
  private let file: OpenFile
  let dictionary: PartDictionary
  private let state: Mutex<State>

  /// - Parameter dictionary: the meaning of the blocks' codes; unused entries are left out at the end.
  init(id: UInt64, directory: String, files: any FileSystem, dictionary: PartDictionary) throws {
    self.dictionary = dictionary
    state = Mutex(State(usage: DictionaryUsage(dictionary)))
    self.id = id
    file = try OpenFile(directory + "/" + PartDescription.name(id), .create, files)
  }

  /// Encodes what the encoder holds as a block and writes it; from any thread.
  /// - Returns: the block's number; nil, and there is no block, if the encoder is empty.
  @discardableResult
  func write(_ encoder: inout BlockEncoder) throws -> UInt32? {
    guard !encoder.isEmpty else { return nil }
    guard encoder.rows <= PartFormat.maximumRows else {
      throw LogError(.limit, "\(file.path): one user has more than \(PartFormat.maximumRows) events")
    }
    // The block's number is in its checksums. It is its index in the order of offsets.
    let number = state.withLock { state in
      state.usage.mark(encoder)
      defer { state.nextBlock += 1 }
      return state.nextBlock
    }
    var (bytes, entry) = try encoder.finish(part: id, block: number)
    let length = entry.length
    entry.number = number
    entry.offset = state.withLock { state in
      defer { state.end += length }
      return state.end
    }
    try file.write(bytes, at: Int(entry.offset))
    let written = entry
    state.withLock { $0.blocks.append(written) }
    return number
  }

  /// Writes header and footer, waits until everything is on disk, and closes the file. Returns nil and leaves no file
  /// without blocks.
  /// - Parameter tally: the counts of the events' ingests.
  func finish(tally: IngestTally? = nil) throws -> PartDescription? {
    let (blocks, end, usage) = state.withLock { ($0.blocks, $0.end, $0.usage) }
    guard !blocks.isEmpty else {
      abandon()
      return nil
    }
    // Blocks of one hash alone are written by one thread, in the order of their users.
    let dictionary = usage.pruned(dictionary)
    let sorted = blocks.sorted { ($0.firstHash, $0.lastHash, $0.number) < ($1.firstHash, $1.lastHash, $1.number) }
    var footer = PartFooter(dictionary, blocks: sorted)
    footer.tally = tally
    let raw = footer.encode()
    guard raw.count <= PartFormat.maximumFooterLength,
      dictionary.entryCounts.allSatisfy({ $0 <= PartFormat.maximumEntries })
    else {
      throw LogError(.limit, "\(file.path): more distinct values than a part can hold")
    }
    let stored = try Compressor().compress(raw)
    let checksum = Checksum.of(stored, part: id, stream: PartFormat.footerStream)
    let tail = PartTail(
      footerOffset: end, storedLength: UInt32(stored.count), rawLength: UInt32(raw.count), footerChecksum: checksum)
    let bytes = stored + tail.encode(part: id)
    try file.write(bytes, at: Int(end))
    try file.write(PartHeader.encode(part: id, version: usage.version), at: 0)
    try file.synchronize()
    try? file.close()
    return PartDescription(id: id, length: end + UInt64(bytes.count), footerChecksum: checksum, rows: footer.rows)
  }

  func abandon() { file.discard() }
}
