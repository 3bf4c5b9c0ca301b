// Writes a part: blocks from several threads, then the footer. The file has its final name from the
// beginning, but no reader knows it before a manifest names it.

import Threads
import PermissionEvents

/// What a manifest keeps of a part.
package struct PartDescription: NumberedFile, Sendable, Hashable {
  static let word = "part"

  package var id: UInt64
  package var length: UInt64
  /// Checksum of the footer, which has the checksums of everything else.
  package var footerChecksum: UInt64
  package var rows: UInt64

  package var name: String { Self.name(id) }
}

/// Writes one part.
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

  /// - Parameter dictionary: what the blocks' codes mean; what no row uses is left out at the end.
  init(id: UInt64, directory: String, files: any FileSystem, dictionary: PartDictionary) throws {
    self.dictionary = dictionary
    state = Mutex(State(usage: DictionaryUsage(dictionary)))
    self.id = id
    file = try OpenFile(directory + "/" + PartDescription.name(id), .create, files)
  }

  /// Encodes what the encoder holds as a block and writes it; from any thread.
  /// - Returns: the block's number; nil, and there is no block, if the encoder is empty.
  @discardableResult
  func write(_ encoder: BlockEncoder) throws -> UInt32? {
    guard !encoder.isEmpty else { return nil }
    guard encoder.rows <= PartFormat.maximumRows else {
      throw LogError(.limit, "\(file.path): one user has more than \(PartFormat.maximumRows) events")
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
    try file.write(bytes, at: Int(entry.offset))
    let written = entry
    state.withLock { $0.blocks.append(written) }
    return number
  }

  /// Writes header and footer, waits until everything is on disk, and closes the file; nil, and no file, if there was no
  /// block.
  /// - Parameter tally: what the ingests of the events found out.
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
    try file.write(PartHeader.encode(part: id), at: 0)
    try file.synchronize()
    try? file.close()
    return PartDescription(
      id: id, length: end + UInt64(bytes.count), footerChecksum: checksum, rows: footer.rows)
  }

  /// Closes and removes what has been written.
  func abandon() { file.discard() }
}
