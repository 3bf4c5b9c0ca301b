// Valid inputs to begin from, written to the directory that PERMLOG_FUZZ_SEEDS names.

import Foundation
import LogTestSupport
import PermissionEvents

@testable import EventLog

@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard let path = ProcessInfo.processInfo.environment["PERMLOG_FUZZ_SEEDS"] else { return 0 }
  do {
    try writeSeeds(to: URL(fileURLWithPath: path))
  } catch {
    fatalError("the seeds cannot be written: \(error)")
  }
  return 0
}

private func writeSeeds(to directory: URL) throws {
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  func write(_ name: String, _ kind: UInt8, _ bytes: [UInt8]) throws {
    try Data([kind] + bytes).write(to: directory.appendingPathComponent(name))
  }
  for seed in UInt64(1)...8 {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: HandmadePart.directory, files: files)
    var random = RandomEvents(seed: seed, users: 4)
    try log.ingest(random.events(Int(seed) * 4))
    let writer = try EventLogWriter(log, threads: 1)
    _ = try writer.erase([Array("somebody".utf8)])
    writer.close()
    let manifest = try log.readManifest()
    let lines = manifest.encode()
    try write("manifest-\(seed)", 0, Array(lines.dropLast(26)))
    if let erased = manifest.erasures, let bytes = files[log.file(erased.name)] {
      try write("erased-\(seed)", 1, Array(bytes.dropLast(8)))
    }
    let snapshot = try LogSnapshot(log)
    guard let part = snapshot.parts.first, let bytes = files[log.file(part.name)] else { continue }
    try write("footer-\(seed)", 2, part.footer.encode())
    try write("part-\(seed)", 4, bytes)
    let entry = part.footer.blocks[0]
    let block = Array(bytes[Int(entry.offset)..<Int(entry.offset + entry.length)])
    let taken = try HandmadePart(block, entry, part: part.id, dictionary: part.footer.dictionary)
    var w = ByteWriter()
    w.u16(UInt16(truncatingIfNeeded: entry.rows))
    w.u8(UInt8(truncatingIfNeeded: entry.users))
    w.u8(1)
    for stream in taken.streams {
      w.u8(stream.id)
      w.u8(stream.encoding)
      w.u16(UInt16(truncatingIfNeeded: stream.content.count))
      w.bytes += stream.content
    }
    try write("block-\(seed)", 3, w.bytes)
  }
}
