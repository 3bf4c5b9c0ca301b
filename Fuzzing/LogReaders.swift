// The readers of the log under libFuzzer: manifest, list of erased users, footer, block, whole part. The first byte of an
// input says which; checksums are made right, or the fuzzer would never get past them.
//
// Invariants: no trap, no hang, no memory over the limit; what is accepted is written again as the same bytes; what a
// reader refuses `verify` finds too, and what `verify` calls whole can be exported.

import LogTestSupport
import PermissionEvents

@testable import EventLog

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let kind = bytes.first else { return 0 }
  let input = Array(bytes.dropFirst())
  do {
    switch kind % 5 {
    case 0: readManifest(input)
    case 1: readErasures(input)
    case 2: try readFooter(input)
    case 3: try readBlock(input)
    default: try readPart(input)
    }
  } catch {
    fatalError("an error that is no LogError: \(error)")
  }
  return 0
}

private func readManifest(_ lines: [UInt8]) {
  let bytes = lines + Manifest.checksumLine(of: lines)
  if let manifest = try? Manifest(bytes, file: "manifest") { precondition(manifest.encode() == bytes) }
  _ = LockText.holder(lines)
}

private func readErasures(_ input: [UInt8]) {
  let id: UInt64 = 7
  var tail = ByteWriter()
  tail.u64(Checksum.of(input, seed: id))
  let bytes = input + tail.bytes
  let users = UInt32(truncatingIfNeeded: max(0, bytes.count - 64) / 16)
  let description = ErasureDescription(id: id, checksum: Checksum.of(input, seed: id), users: users)
  guard let list = try? ErasureList(bytes, description, file: "erased") else { return }
  precondition(list.encode(id: id).bytes == bytes)
}

private func check(_ outcome: HandmadePart.Outcome) {
  if case .broken(let promise) = outcome { fatalError("\(promise)") }
}

private func readFooter(_ input: [UInt8]) throws {
  var part = HandmadePart(rows: 1, users: 1)
  part.editFooter = { _ in input }
  check(try part.readEverything())
}

/// Rows (2 bytes), users (1), zstd or not (1), then streams: number, encoding, length (2), bytes.
private func readBlock(_ input: [UInt8]) throws {
  try input.withUnsafeBytes { buffer in
    var reader = ByteReader(buffer)
    guard let rows = reader.u16(), let users = reader.u8(), let compressed = reader.u8() else { return }
    var part = HandmadePart(rows: UInt32(max(1, rows)), users: UInt32(max(1, users)), maximumTime: 1 << 30)
    guard part.entry.users <= part.entry.rows else { return }
    part.entry.lastHash = .max
    part.compressed = compressed & 1 == 1
    while let id = reader.u8(), let encoding = reader.u8(), let length = reader.u16() {
      var content: [UInt8] = []
      for _ in 0..<min(Int(length), reader.remaining) { content.append(reader.u8() ?? 0) }
      part.streams.append(HandmadeStream(id: id, encoding: encoding, content: content))
    }
    check(try part.readEverything())
  }
}

private func readPart(_ input: [UInt8]) throws {
  let files = MemoryFileSystem()
  files[HandmadePart.directory + "/" + PartDescription.name(1)] = input
  let tail = input.count >= PartFormat.tailLength ? PartTail(Array(input.suffix(PartFormat.tailLength)), part: 1) : nil
  let description = PartDescription(
    id: 1, length: UInt64(input.count), footerChecksum: tail?.footerChecksum ?? 0, rows: 1)
  check(try HandmadePart.readEverything(description, in: files))
}
