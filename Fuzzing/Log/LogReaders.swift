// The readers of the log under libFuzzer: manifest, list of erased users, footer, block, tail, whole part. The first byte
// of an input says which; all checksums are made right, or the fuzzer would never get past them, but those of a whole part.
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
    switch kind % 6 {
    case 0: try readManifest(input)
    case 1: readErasures(input)
    case 2: try readFooter(input)
    case 3: try readBlock(input)
    case 4: try readPart(input)
    default: try readTail(input)
    }
  } catch {
    fatalError("an error that is no LogError: \(error)")
  }
  return 0
}

private func readManifest(_ lines: [UInt8]) throws {
  let bytes = lines + Manifest.checksumLine(of: lines)
  if let manifest = try? Manifest(bytes, file: "manifest") { precondition(manifest.encode() == bytes) }
  _ = LockText.holder(lines)
  // What it names is missing: that is found, and nothing else happens.
  let files = MemoryFileSystem()
  let log = LogDirectory(path: HandmadePart.directory, files: files)
  files[log.file(Manifest.fileName)] = bytes
  do {
    _ = try log.verify()
    try Salvage(log).forEachEvent { _ in }
    _ = try LogSnapshot(log).information
  } catch is LogError {
  }
}

private func readErasures(_ input: [UInt8]) {
  let id: UInt64 = 7
  var tail = ByteWriter()
  tail.u64(Checksum.of(input, seed: id))
  let bytes = input + tail.bytes
  guard let list = try? ErasureList(bytes, id: id, expected: nil, file: "erased") else { return }
  precondition(list.encode(id: id).bytes == bytes)
}

private func check(_ outcome: HandmadePart.Outcome) {
  if case .broken(let promise) = outcome { fatalError("\(promise)") }
}

/// The number of a seed, whose block it is; then the footer.
private func readFooter(_ input: [UInt8]) throws {
  guard let number = input.first else { return }
  var part = Seeds.part(number)
  part.editFooter = { _ in Array(input.dropFirst()) }
  check(try part.readEverything())
}

/// The number of a seed, whose footer it is; zstd or not (1); then streams: number, encoding, length (2), bytes.
private func readBlock(_ input: [UInt8]) throws {
  try input.withUnsafeBytes { buffer in
    var reader = ByteReader(buffer)
    guard let number = reader.u8(), let compressed = reader.u8() else { return }
    var part = Seeds.part(number)
    part.compressed = compressed & 1 == 1
    part.streams = []
    while let id = reader.u8(), let encoding = reader.u8(), let length = reader.u16() {
      var content: [UInt8] = []
      for _ in 0..<min(Int(length), reader.remaining) { content.append(reader.u8() ?? 0) }
      part.streams.append(HandmadeStream(id: id, encoding: encoding, content: content))
    }
    check(try part.readEverything())
  }
}

/// Offset (8), stored and unpacked length (4 each) of the footer.
private func readTail(_ input: [UInt8]) throws {
  try input.withUnsafeBytes { buffer in
    var reader = ByteReader(buffer)
    guard let number = reader.u8(), let offset = reader.u64(), let stored = reader.u32(), let raw = reader.u32() else {
      return
    }
    var part = Seeds.part(number)
    part.editTail = { ($0.footerOffset, $0.storedLength, $0.rawLength) = (offset, stored, raw) }
    check(try part.readEverything())
  }
}

private func readPart(_ input: [UInt8]) throws {
  let files = MemoryFileSystem()
  files[HandmadePart.directory + "/" + PartDescription.name(1)] = input
  // Without a manifest the part speaks for itself; with one that agrees it must be read alike.
  let log = LogDirectory(path: HandmadePart.directory, files: files)
  guard let part = try? PartReader(id: 1, expected: nil, in: log) else { return }
  check(try HandmadePart.readEverything(part.description, in: files))
}
