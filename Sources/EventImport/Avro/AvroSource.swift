// Avro files as lines of JSON: then the presets and mappings for JSON read them, whatever wrote them. A union is the value that it has.

import Buffers
import CSnappy
import CZlib

/// The records of an Avro object container file (Avro 1.11, "Object Container Files"), each as a line of JSON.
///
/// One block at a time is in memory, of at most 64 MiB.
final class AvroSource: ByteSource {
  private static let maximumBlock = 64 << 20
  private static let maximumHeader = 16 << 20
  static let mark: [UInt8] = Array("Obj\u{1}".utf8)

  private enum Codec: String {
    case null, deflate, snappy, zstandard, xz
  }

  private let input: AvroInput
  private let name: String
  private var schema = AvroSchema.none
  private var codec = Codec.null
  private var sync: [UInt8] = []
  /// The current block, and the records of it that are left.
  private var block: [UInt8] = []
  private var next = 0
  private var left = 0
  private var budget = 0
  private var waiting: [UInt8] = []
  private var waitingTaken = 0

  /// Reads the header.
  init(_ source: any ByteSource, name: String) throws(ImportError) {
    input = AvroInput(source)
    self.name = name
    try readHeader()
  }

  var storedBytes: Int { input.source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while waitingTaken == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      waitingTaken = 0
      if left == 0 {
        guard try nextBlock() else { return 0 }
        continue
      }
      try nextRecord()
    }
    let count = min(buffer.count, waiting.count - waitingTaken)
    buffer.copyBytes(from: waiting[waitingTaken..<waitingTaken + count])
    waitingTaken += count
    return count
  }

  private func damaged(_ cause: String) -> ImportError { .damaged(name, "the Avro file", cause: cause) }

  private func readHeader() throws(ImportError) {
    guard try take(Self.mark.count) == Self.mark else { throw damaged("it does not begin with Avro's mark") }
    var meta: [[UInt8]: [UInt8]] = [:]
    var room = Self.maximumHeader
    while true {
      var count = try takeLong()
      if count == 0 { break }
      if count < 0 {
        _ = try takeLong()
        count = count == .min ? 0 : -count
      }
      guard count > 0, count < 1 << 16 else { throw damaged("its header is not one") }
      for _ in 0..<count {
        let key = try takeBytes(atMost: room)
        let value = try takeBytes(atMost: room - key.count)
        room -= key.count + value.count
        meta[key] = value
      }
    }
    sync = try take(16)
    let named = meta[Array("avro.codec".utf8)].map { String(bounded: $0) } ?? "null"
    guard let codec = Codec(rawValue: named) else {
      throw ImportError(
        .unknownFormat, name,
        "it is Avro, packed by \(UnknownForm.legible(named)), which is not read: write it with deflate")
    }
    guard let text = meta[Array("avro.schema".utf8)], let schema = AvroSchema(text) else {
      throw damaged("its schema is not one of records")
    }
    (self.codec, self.schema) = (codec, schema)
  }

  /// False at the end.
  private func nextBlock() throws(ImportError) -> Bool {
    if try input.isAtEnd() { return false }
    let count = try takeLong()
    guard count >= 0 else { throw damaged("a block has less than no records") }
    let packed = try takeBytes(atMost: Self.maximumBlock)
    guard try take(16) == sync else { throw damaged("a block does not end where it says") }
    block = try unpacked(packed)
    (next, left) = (0, Int(count))
    guard count > 0 || block.isEmpty else { throw damaged("a block has more than its records") }
    // What is in no byte could be there without end.
    budget = 64 * block.count + (1 << 16)
    return true
  }

  private func nextRecord() throws(ImportError) {
    var reader = AvroReader(block, from: next, schema, budget: budget)
    guard reader.value(0, into: &waiting, depth: 0) else {
      waiting.removeAll()
      throw damaged("a record goes past its block, or is not of the schema")
    }
    waiting.append(ByteSearch.newline)
    (next, budget) = (reader.next, reader.budget)
    left -= 1
    if left == 0, next != block.count { throw damaged("a block has more than its records") }
  }

  // MARK: Compressions

  private func unpacked(_ packed: [UInt8]) throws(ImportError) -> [UInt8] {
    switch codec {
    case .null: return packed
    case .deflate: return try inflated(packed)
    case .snappy: return try unsnapped(packed)
    case .zstandard, .xz:
      let reader = try ArchiveReader(MemorySource(packed), name: name, packing: codec == .xz ? .xz : .zstandard)
      guard try reader.nextMember() else { return [] }
      return try Unpacking.read(reader, limit: Self.maximumBlock, name: name)
    }
  }

  /// Deflate without a header (RFC 1951).
  private func inflated(_ packed: [UInt8]) throws(ImportError) -> [UInt8] {
    var stream = z_stream()
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .outOfMemory(name)
    }
    defer { inflateEnd(&stream) }
    var (source, out) = (packed, [UInt8]())
    var status = Z_OK
    source.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      while status == Z_OK, out.count <= Self.maximumBlock {
        let piece = [UInt8](unsafeUninitializedCapacity: 1 << 18) { room, count in
          stream.next_out = room.baseAddress
          stream.avail_out = UInt32(room.count)
          status = inflate(&stream, Z_NO_FLUSH)
          count = room.count - Int(stream.avail_out)
        }
        out += piece
      }
    }
    guard out.count <= Self.maximumBlock else { throw tooLarge }
    // Some writers leave a part of zlib's checksum after the data.
    guard status == Z_STREAM_END, stream.avail_in <= 4 else { throw damaged("a block is not deflate") }
    return out
  }

  /// Snappy, with the CRC-32 of what comes out at the end.
  private func unsnapped(_ packed: [UInt8]) throws(ImportError) -> [UInt8] {
    guard packed.count > 4 else { throw damaged("a block is not Snappy") }
    let content = packed.count - 4
    var size = 0
    var out: [UInt8] = []
    let isWhole = packed.withUnsafeBytes { bytes -> Bool in
      let data = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      guard snappy_uncompressed_length(data, content, &size) == SNAPPY_OK else { return false }
      guard size <= Self.maximumBlock else { return true }
      var isRight = false
      out = [UInt8](unsafeUninitializedCapacity: max(1, size)) { room, count in
        count = size
        isRight = room.withMemoryRebound(to: CChar.self) {
          snappy_uncompress(data, content, $0.baseAddress, &count) == SNAPPY_OK
        }
        if !isRight { count = 0 }
      }
      return isRight
    }
    guard size <= Self.maximumBlock else { throw tooLarge }
    let sum = packed.suffix(4).reduce(UInt(0)) { $0 << 8 | UInt($1) }
    guard isWhole,
      out.withUnsafeBytes({ crc32(0, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32($0.count)) }) == sum
    else { throw damaged("a block is not Snappy, or its checksum is another") }
    return out
  }

  private var tooLarge: ImportError {
    ImportError(
      .resources, name, "a block of it has more than \(Self.maximumBlock >> 20) MiB. Write it with smaller blocks")
  }

  // MARK: Values of the file around the blocks

  private func take(_ count: Int) throws(ImportError) -> [UInt8] {
    guard let bytes = try input.take(count) else { throw damaged("it ends in the middle") }
    return bytes
  }

  private func takeLong() throws(ImportError) -> Int64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while true {
      let byte = try take(1)[0]
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
      shift += 7
      guard shift < 64 else { throw damaged("a number is too long") }
    }
  }

  private func takeBytes(atMost limit: Int) throws(ImportError) -> [UInt8] {
    let count = try takeLong()
    guard count >= 0 else { throw damaged("a length is below zero") }
    guard count <= Int64(limit) else { throw tooLarge }
    return try take(Int(count))
  }
}

/// The bytes of a file, as many at once as are asked for.
private final class AvroInput {
  let source: any ByteSource
  private let memory = PaddedBuffer(capacity: 1 << 16)
  private var available = 0
  private var taken = 0

  init(_ source: any ByteSource) { self.source = source }

  func isAtEnd() throws(ImportError) -> Bool {
    if taken == available {
      taken = 0
      available = try source.read(into: memory.room)
    }
    return available == 0
  }

  /// Nil if the file ends before. Memory grows with what comes, not with what is asked for.
  func take(_ count: Int) throws(ImportError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if try isAtEnd() { return nil }
      let piece = min(count - bytes.count, available - taken)
      bytes += memory.room[taken..<taken + piece]
      taken += piece
    }
    return bytes
  }
}
