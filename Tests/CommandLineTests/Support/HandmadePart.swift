// Parts put together by hand, with right checksums over whatever a test puts in: what a hostile file is.

import LogTestSupport
import PermissionEvents

@testable import EventLog

/// A stream of a block, decompressed.
struct HandmadeStream {
  var id: UInt8
  var encoding: UInt8
  var content: [UInt8]
}

/// A part of one block.
struct HandmadePart {
  static let directory = "/log"

  var id: UInt64 = 1
  var streams: [HandmadeStream] = []
  var entry: BlockEntry
  var dictionary = PartDictionaryBuilder().dictionary
  var version = PartVersion.newest
  var compressed = false
  /// Changes the footer's bytes before they are compressed.
  var editFooter: ([UInt8]) -> [UInt8] = { $0 }
  var editTail: (inout PartTail) -> Void = { _ in }

  /// Writes the part to a file system and opens it.
  func open() throws -> PartReader {
    let files = MemoryFileSystem()
    let description = try write(to: files)
    return try PartReader(description, in: LogDirectory(path: Self.directory, files: files))
  }

  func write(to files: MemoryFileSystem) throws -> PartDescription {
    let (block, entry) = try block()
    let raw = editFooter(footer(entry))
    let stored = try Compressor().compress(raw)
    let seed = Checksum.seed(part: id, block: .max, stream: PartFormat.footerStream)
    let checksum = Checksum.of(stored, seed: seed)
    var tail = PartTail(
      footerOffset: UInt64(PartFormat.headerLength + block.count), storedLength: UInt32(stored.count),
      rawLength: UInt32(raw.count), footerChecksum: checksum)
    editTail(&tail)
    let bytes = PartHeader.encode(part: id, version: version) + block + stored + tail.encode(part: id)
    files[Self.directory + "/" + PartDescription.name(id)] = bytes
    return PartDescription(
      id: id, length: UInt64(bytes.count), footerChecksum: checksum, rows: UInt64(entry.rows))
  }

  /// The footer's bytes before they are changed or compressed.
  var footer: [UInt8] { get throws { footer(try block().entry) } }

  private func footer(_ entry: BlockEntry) -> [UInt8] {
    var entry = entry
    entry.offset = UInt64(PartFormat.headerLength)
    return PartFooter(dictionary, blocks: [entry]).encode(version)
  }

  private func block() throws -> (bytes: [UInt8], entry: BlockEntry) {
    let assembly = try BlockAssembly()
    assembly.begin(part: id, block: entry.number)
    for stream in streams {
      if compressed, stream.encoding == StreamEncoding.zstd, let name = BlockStream(rawValue: stream.id) {
        try assembly.add(name, stream.content, compressed: true)
      } else {
        let encoding = stream.encoding == StreamEncoding.zstd ? StreamEncoding.raw : stream.encoding
        try stream.content.withUnsafeBytes { try assembly.add(stream.id, $0, encoding: encoding) }
      }
    }
    let bytes = Array(
      assembly.finish(
        rows: Int(entry.rows), users: Int(entry.users), base: entry.minimumTime, firstHash: entry.firstHash))
    var whole = entry
    whole.length = UInt64(bytes.count)
    // Every group reads the whole block, so that what a mutation moves is still found.
    let length = UInt32(truncatingIfNeeded: bytes.count)
    (whole.historyLength, whole.keyLength, whole.detailLength) = (length, length, length)
    return (bytes, whole)
  }

  /// Takes an encoded block apart.
  init(_ bytes: [UInt8], _ entry: BlockEntry, part: UInt64, dictionary: PartDictionary) throws {
    id = part
    self.entry = entry
    self.dictionary = dictionary
    let decompressor = try Decompressor()
    try bytes.withUnsafeBytes { buffer in
      guard let header = BlockHeader(buffer, part: part, block: entry.number) else {
        throw LogError.damaged("block", "test", "its checksum does not match")
      }
      for stream in header.streams {
        let stored = UnsafeRawBufferPointer(rebasing: buffer[stream.offset..<stream.offset + stream.storedLength])
        var content = Array(stored)
        if stream.encoding == StreamEncoding.zstd {
          content = [UInt8](repeating: 0, count: stream.rawLength)
          _ = content.withUnsafeMutableBytes { decompressor.decompress(stored, into: $0) }
        }
        streams.append(HandmadeStream(id: stream.id, encoding: stream.encoding, content: content))
      }
    }
  }

  init(rows: UInt32, users: UInt32, minimumTime: Int64 = Timestamp.earliest, maximumTime: Int64 = Timestamp.earliest) {
    entry = BlockEntry(rows: rows, users: users, minimumTime: minimumTime, maximumTime: maximumTime)
  }
}

// MARK: Parts that ask for much memory

extension HandmadePart {
  /// A part of one user with many rows of one time, which take next to no room in the file.
  init(manyRows rows: Int, id: UInt64, kind: EventKind = .appActive) {
    self.init(rows: UInt32(rows), users: 1)
    self.id = id
    compressed = true
    var rowCount = ByteWriter()
    rowCount.varint(UInt64(rows))
    streams = [
      HandmadeStream(id: BlockStream.rowCounts.rawValue, encoding: 0, content: rowCount.bytes),
      HandmadeStream(id: BlockStream.timeSymbols.rawValue, encoding: 1, content: [UInt8](repeating: 0, count: rows)),
      HandmadeStream(
        id: BlockStream.kinds.rawValue, encoding: 1, content: [UInt8](repeating: kind.rawValue, count: rows)),
      HandmadeStream(id: BlockStream.hashes.rawValue, encoding: 0, content: [0]),
      HandmadeStream(id: BlockStream.userWords.rawValue, encoding: 0, content: [UInt8](repeating: 0, count: 8)),
      HandmadeStream(
        id: BlockStream.eventWords.rawValue, encoding: 1, content: [UInt8](repeating: 0, count: rows * 16)),
    ]
  }

  /// A log of parts that are numbered from 1.
  static func log(_ parts: [HandmadePart]) throws -> MemoryFileSystem {
    let files = MemoryFileSystem()
    var manifest = Manifest()
    manifest.parts = try parts.map { try $0.write(to: files) }
    manifest.nextPart = UInt64(parts.count) + 1
    files[directory + "/manifest"] = manifest.encode()
    return files
  }
}

// MARK: Everything that can be read of a part, by every way of reading; shared by the tests and the fuzzer

extension HandmadePart {
  enum Outcome: Equatable {
    case read
    /// Damage was found, which is right.
    case refused
    /// A promise was broken: the sentence says which.
    case broken(String)
  }

  /// Verifies, opens and reads the part in every way. Throws what is no `LogError`.
  func readEverything() throws -> Outcome {
    let files = MemoryFileSystem()
    let description = try write(to: files)
    return try Self.readEverything(description, in: files)
  }

  /// The same of a part that is in a file system already.
  static func readEverything(_ description: PartDescription, in files: MemoryFileSystem) throws -> Outcome {
    let log = LogDirectory(path: directory, files: files)
    var manifest = Manifest()
    manifest.nextPart = description.id + 1
    manifest.parts = [description]
    files[directory + "/manifest"] = manifest.encode()
    let found: Verification
    do { found = try log.verify() } catch let error as LogError where error.exceedsMemory { return .refused }
    do {
      let snapshot = try LogSnapshot(log)
      _ = snapshot.information
      _ = snapshot.timeRange
      _ = try snapshot.export()
      for property in StringField.allCases {
        let scan = try HistoryScan(snapshot, selection: HistorySelection(variants: true, property: property))
        try scan.forEachThread(1) { forEachBatch in try forEachBatch { _ in } }
      }
    } catch let error as LogError {
      // More unknown kinds than can be carried, which is said first. If the part is damaged, too, `verify` has found it.
      if error.code == .limit { return .refused }
      guard error.code == .damaged else { return .broken("another error than damage: \(error)") }
      guard !found.damage.isEmpty else { return .broken("a reader finds what verify does not: \(error)") }
      let salvage = try Salvage(log)
      do {
        try salvage.forEachEvent { _ in }
      } catch {
        return .broken("what verify calls whole cannot be exported: \(error)")
      }
      return .refused
    }
    return found.damage.isEmpty ? .read : .refused
  }
}

// MARK: Footers of format 1, which the program only reads

extension PartFooter {
  func encode(_ version: PartVersion) -> [UInt8] {
    switch version {
    case .v1: encodeVersion1()
    case .v2, .v3: encode()
    }
  }

  private func encodeVersion1() -> [UInt8] {
    var w = ByteWriter()
    encodeSums(into: &w)
    w.varint(UInt64(dictionary.values.count))
    for (field, values) in dictionary.values.enumerated() {
      w.varint(UInt64(values.count))
      for (code, value) in values.enumerated() {
        // Format 1 kept the whole taxonomy, also what no row uses.
        let isOfTaxonomy = field == StringField.permission.rawValue && value.isEmpty && (1...25).contains(code)
        w.text(isOfTaxonomy ? Array(PermissionCode.taxonomy[code - 1].utf8) : value)
      }
    }
    PartDictionary.encode(dictionary.contexts, into: &w)
    PartDictionary.encode(dictionary.attributes, into: &w)
    encodeBlocks(into: &w)
    return w.bytes
  }
}
