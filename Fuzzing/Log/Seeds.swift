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

/// Small logs, the same in every run.
enum Seeds {
  static let count = 8

  struct Seed {
    var part: HandmadePart
    var bytes: [UInt8]
    var manifest: [UInt8]
    var erased: [UInt8]
  }

  // Made once and never changed; the fuzzer has one thread.
  nonisolated(unsafe) static let all: [Seed] = (1...UInt64(count)).compactMap { try? make($0) }

  /// A valid part, by any number.
  static func part(_ number: UInt8) -> HandmadePart { all[Int(number) % all.count].part }

  private static func make(_ seed: UInt64) throws -> Seed? {
    let log =
      seed % 2 == 0
      ? try ofLaterVersion(seed) : LogDirectory(path: HandmadePart.directory, files: MemoryFileSystem())
    guard let files = log.files as? MemoryFileSystem else { return nil }
    var random = RandomEvents(seed: seed, users: 4)
    // With a clock a part keeps what its ingest found out.
    if seed % 2 == 1 { try log.ingest(random.events(Int(seed) * 4), at: seed % 4 == 1 ? random.times.lowerBound : nil) }
    let writer = try EventLogWriter(log, threads: 1)
    _ = try writer.erase([Array("somebody".utf8)])
    writer.close()
    let manifest = try log.readManifest()
    guard let part = try LogSnapshot(log).parts.first, let bytes = files[log.file(part.name)],
      let list = manifest.erasures, let erased = files[log.file(list.name)]
    else { return nil }
    let entry = part.footer.blocks[0]
    let block = Array(bytes[Int(entry.offset)..<Int(entry.offset + entry.length)])
    return Seed(
      part: try HandmadePart(block, entry, part: part.id, dictionary: part.footer.dictionary), bytes: bytes,
      manifest: manifest.encode(), erased: erased)
  }
}

extension Seeds {
  /// A log with a kind, a permission and a column that the program does not know.
  private static func ofLaterVersion(_ seed: UInt64) throws -> LogDirectory {
    let writer = ForeignWriter.later
    var events: [ForeignEvent] = []
    for n in 0..<Int(seed) * 4 {
      let kind = writer.kinds[n % writer.kinds.count].name
      var event = ForeignEvent(user: "user \(n % 4)", id: "\(n)", time: 1_700_000_000_000 + Int64(n / 2), kind: kind)
      event.values = ["permission": n % 3 == 0 ? "smell" : "camera", "tier": "tier \(n % 5)"]
      events.append(event)
    }
    return try writer.log([events])
  }
}

private func writeSeeds(to directory: URL) throws {
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  precondition(Seeds.all.count == Seeds.count)
  for (number, seed) in Seeds.all.enumerated() {
    func write(_ name: String, _ kind: UInt8, _ bytes: [UInt8]) throws {
      let input = [kind] + bytes
      try Data(input).write(to: directory.appendingPathComponent("\(name)-\(number)"))
    }
    let index = UInt8(number)
    // A seed that is refused would teach the fuzzer nothing.
    guard try seed.part.readEverything() == .read else { fatalError("seed \(number) is refused") }
    let checksumLine = "checksum 0123456789abcdef\n".utf8.count
    try write("manifest", 0, Array(seed.manifest.dropLast(checksumLine)))
    try write("erased", 1, Array(seed.erased.dropLast(8)))
    try write("part", 4, seed.bytes)
    try write("footer", 2, [index] + (try seed.part.footer))
    var block = ByteWriter(bytes: [index, 1])
    for stream in seed.part.streams {
      block.u8(stream.id)
      block.u8(stream.encoding)
      block.u16(UInt16(truncatingIfNeeded: stream.content.count))
      block.bytes += stream.content
    }
    try write("block", 3, block.bytes)
    var tail = ByteWriter(bytes: [index])
    tail.u64(400)
    tail.u32(100)
    tail.u32(200)
    try write("tail", 5, tail.bytes)
  }
}
