// Writes a part: blocks from several threads, then the footer. The file has its final name from the
// beginning, but no reader knows it before a manifest names it.

import Threads
import PermissionEvents

/// What a manifest keeps of a part.
package struct PartDescription: Sendable, Hashable {
  package var id: UInt64
  package var length: UInt64
  /// Checksum of the footer, which has the checksums of everything else.
  package var footerChecksum: UInt64
  package var rows: UInt64

  private static let word = "part"

  static func name(_ id: UInt64) -> String { FileName.make(word, id) }

  package var name: String { Self.name(id) }

  /// The id in a part's file name; nil where the name is not a part's.
  static func id(name: String) -> UInt64? { FileName.id(name, word: word) }
}

/// Writes one part.
final class PartWriter: Sendable {
  private struct State {
    var end = UInt64(PartFormat.headerLength)
    var nextBlock: UInt32 = 0
    var blocks: [BlockEntry] = []
    var isOpen = true
    var usage: DictionaryUsage
  }

  let id: UInt64
  let path: String
  private let files: any FileSystem
  private let descriptor: Int32
  let dictionary: PartDictionary
  private let state: Mutex<State>

  /// - Parameter dictionary: what the blocks' codes mean; what no row uses is left out at the end.
  init(id: UInt64, directory: String, files: any FileSystem, dictionary: PartDictionary) throws {
    self.dictionary = dictionary
    state = Mutex(State(usage: DictionaryUsage(dictionary)))
    self.id = id
    self.files = files
    path = directory + "/" + PartDescription.name(id)
    descriptor = try files.open(path, .create)
  }

  /// Encodes what the encoder holds as a block and writes it; from any thread.
  func write(_ encoder: BlockEncoder) throws {
    guard !encoder.isEmpty else { return }
    guard encoder.rows <= PartFormat.maximumRows else {
      throw LogError(.limit, "\(path): one user has more than \(PartFormat.maximumRows) events")
    }
    // The block's number is in its checksums; it is its place in the order of the offsets.
    let content = UncheckedBox(encoder)
    let number = state.withLock { state in
      state.usage.mark(content.value)
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
    try files.write(descriptor, bytes, at: Int(entry.offset), path: path)
    let written = entry
    state.withLock { $0.blocks.append(written) }
  }

  /// Writes header and footer and waits until everything is on disk; nil, and no file, where there was no block. The
  /// descriptor is closed.
  func finish() throws -> PartDescription? {
    defer { close() }
    let (blocks, end, usage) = state.withLock { ($0.blocks, $0.end, $0.usage) }
    guard !blocks.isEmpty else {
      abandon()
      return nil
    }
    // Blocks of one hash alone are written by one thread, in the order of their users.
    let dictionary = usage.pruned(dictionary)
    let sorted = blocks.sorted { ($0.firstHash, $0.lastHash, $0.number) < ($1.firstHash, $1.lastHash, $1.number) }
    let footer = PartFooter(
      rows: sorted.reduce(0) { $0 + UInt64($1.rows) }, users: sorted.reduce(0) { $0 + UInt64($1.users) },
      minimumTime: sorted.reduce(.max) { min($0, $1.minimumTime) },
      maximumTime: sorted.reduce(.min) { max($0, $1.maximumTime) }, dictionary: dictionary, blocks: sorted)
    let raw = footer.encode()
    let entries = [
      dictionary.values.reduce(0) { $0 + $1.count }, dictionary.contexts.count, dictionary.attributes.count,
      dictionary.columns.reduce(0) { $0 + $1.values.count },
    ]
    guard raw.count <= PartFormat.maximumFooterLength, entries.allSatisfy({ $0 <= PartFormat.maximumEntries }) else {
      throw LogError(.limit, "\(path): more distinct values than a part can hold")
    }
    let stored = try Compressor().compress(raw)
    let checksum = Checksum.of(stored, seed: Checksum.seed(part: id, block: .max, stream: PartFormat.footerStream))
    let tail = PartTail(
      footerOffset: end, storedLength: UInt32(stored.count), rawLength: UInt32(raw.count), footerChecksum: checksum)
    let bytes = stored + tail.encode(part: id)
    try bytes.withUnsafeBytes { try files.write(descriptor, $0, at: Int(end), path: path) }
    try PartHeader.encode(part: id).withUnsafeBytes { try files.write(descriptor, $0, at: 0, path: path) }
    try files.synchronize(descriptor, path: path)
    return PartDescription(
      id: id, length: end + UInt64(bytes.count), footerChecksum: checksum, rows: footer.rows)
  }

  /// Closes and removes what has been written.
  func abandon() {
    close()
    try? files.remove(path)
  }

  /// Closes the descriptor once: afterwards its number may be another file's.
  private func close() {
    let isOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    if isOpen { try? files.close(descriptor) }
  }
}
