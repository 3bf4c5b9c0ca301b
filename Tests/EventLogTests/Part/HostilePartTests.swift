// Files made to harm: right checksums over contents that nothing here would write. Such a file is refused
// or read; it never traps, and never reads outside its buffers.
//
// Invariants: opening, verifying and exporting a part either succeeds or throws a `LogError`.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct HostilePartTests {
  /// True if a part is refused.
  private func isRefused(_ part: HandmadePart) throws -> Bool {
    let outcome = try part.readEverything()
    if case .broken(let promise) = outcome { Issue.record("\(promise)") }
    return outcome == .refused
  }

  /// A valid block of random events, taken apart.
  private func part(seed: UInt64) throws -> HandmadePart {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var random = RandomEvents(seed: seed, users: 6)
    try log.ingest(random.events(Int.random(in: 1...40, using: &random.generator)))
    let reader = try #require(try LogSnapshot(log).parts.first)
    let entry = reader.footer.blocks[0]
    let bytes = try #require(files["/log/" + reader.name])
    let block = Array(bytes[Int(entry.offset)..<Int(entry.offset + entry.length)])
    return try HandmadePart(block, entry, part: reader.id, dictionary: reader.footer.dictionary)
  }

  /// The same of a later version, with kinds, a permission and columns that this one does not know.
  private func laterPart(seed: UInt64) throws -> HandmadePart {
    var generator = SeededGenerator(seed: seed)
    var writer = ForeignWriter.later
    writer.columns.append("channel")
    if generator.oneIn(2) { writer.kinds.shuffle(using: &generator) }
    let events = (0..<Int.random(in: 1...40, using: &generator)).map { n in
      var event = ForeignEvent(
        user: "u\(n % 6)", id: "\(n)", time: 1_700_000_000_000 + Milliseconds(n / 3),
        kind: writer.kinds.randomElement(using: &generator)?.name ?? "granted")
      event.values = ["permission": ["smell", "camera", "own"].randomElement(using: &generator) ?? "own"]
      if generator.oneIn(2) { event.values["tier"] = "tier \(n % 7)" }
      if generator.oneIn(9) { event.values["channel"] = "channel \(n)" }
      return event
    }
    let log = try writer.log([events])
    let files = try #require(log.files as? MemoryFileSystem)
    let reader = try #require(try LogSnapshot(log).parts.first)
    let entry = reader.footer.blocks[0]
    let bytes = try #require(files["/log/" + reader.name])
    let block = Array(bytes[Int(entry.offset)..<Int(entry.offset + entry.length)])
    return try HandmadePart(block, entry, part: reader.id, dictionary: reader.footer.dictionary)
  }

  private func part(seed: UInt64, isLater: Bool) throws -> HandmadePart {
    isLater ? try laterPart(seed: seed) : try part(seed: seed)
  }

  @Test(arguments: [false, true])
  func whatIsLeftAloneIsRead(isLater: Bool) throws {
    for seed in UInt64(1)...20 { #expect(try !isRefused(try part(seed: seed, isLater: isLater)), "seed \(seed)") }
  }

  @Test(arguments: 0..<8, [false, true])
  func changedStreamsNeverTrap(share: Int, isLater: Bool) throws {
    var refused = 0
    for n in 0..<60 {
      let seed = UInt64(share * 1000 + n)
      var generator = SeededGenerator(seed: seed)
      var changed = try part(seed: seed % 10, isLater: isLater)
      changed.compressed = generator.oneIn(2)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let i = changed.streams.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1, 2:
          guard let at = changed.streams[i].content.indices.randomElement(using: &generator) else { continue }
          changed.streams[i].content[at] = UInt8.random(in: 0...255, using: &generator)
        case 3: changed.streams[i].content.removeLast(min(changed.streams[i].content.count, 1))
        case 4: changed.streams[i].content.append(UInt8.random(in: 0...255, using: &generator))
        case 5:
          changed.streams[i].content = changed.streams[i].content.map { _ in .random(in: 0...255, using: &generator) }
        case 6: if changed.streams.count > 1 { changed.streams.remove(at: i) }
        case 7: changed.streams[i].encoding = [0, 1, 2, 0x10, 0x14, 0xFF].randomElement(using: &generator) ?? 0
        default:
          let all: [UInt32] = [1, changed.entry.rows + 1, changed.entry.rows * 2, 1000, 1 << 20]
          changed.entry.rows = max(changed.entry.users, all.randomElement(using: &generator) ?? 1)
        }
      }
      if try isRefused(changed) { refused += 1 }
    }
    #expect(refused > 30, "of 60 changed parts most are refused; \(refused) were")
  }

  @Test(arguments: 0..<4, [false, true])
  func changedFootersNeverTrap(share: Int, isLater: Bool) throws {
    for n in 0..<150 {
      let seed = UInt64(share * 1000 + n)
      var changed = try part(seed: seed % 10, isLater: isLater)
      changed.editFooter = { bytes in
        var generator = SeededGenerator(seed: seed)
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let at =
            generator.oneIn(2)
            ? bytes.count - Int.random(in: 1...80, using: &generator) : .random(in: 0..<bytes.count, using: &generator)
          bytes[at] = generator.oneIn(2) ? 0xFF : UInt8.random(in: 0...255, using: &generator)
        }
        return bytes
      }
      _ = try isRefused(changed)
    }
  }

  /// Symbols past the last one ask for 63 bits each: more than the block has, and than its buffer has.
  @Test func symbolsWithoutMeaningAreRefusedBeforeTheirBitsRunOut() throws {
    let rows: UInt32 = 1 << 21
    var part = HandmadePart(rows: rows, users: 1)
    part.compressed = true
    var rowCounts = ByteWriter()
    rowCounts.varint(UInt64(rows))
    part.streams = [
      HandmadeStream(id: BlockStream.rowCounts.rawValue, encoding: 0, content: rowCounts.bytes),
      HandmadeStream(
        id: BlockStream.timeSymbols.rawValue, encoding: 1, content: [UInt8](repeating: 255, count: Int(rows))),
    ]
    let block = try BlockDecoder(part: try part.open())
    try block.open(0)
    #expect(throws: LogError.self) { try block.load(.history) }
  }

  @Test(arguments: [UInt64.max, UInt64.max - 31, 0, 31, 1 << 63] as [UInt64])
  func tailsThatPointElsewhereAreRefused(offset: UInt64) throws {
    var part = try part(seed: 1)
    part.editTail = { $0.footerOffset = offset }
    #expect(try isRefused(part))
  }

  @Test(arguments: [0, 1, UInt32.max] as [UInt32])
  func tailsWithOtherLengthsAreRefused(length: UInt32) throws {
    var part = try part(seed: 1)
    part.editTail = { $0.storedLength = length }
    #expect(try isRefused(part))
    part.editTail = { $0.rawLength = length }
    #expect(try isRefused(part))
  }

  /// A reader that goes on after damage must not be given what the block before has left.
  @Test func damageIsFoundAgainWhenAskedAgain() throws {
    var part = try part(seed: 3)
    let kinds = try #require(part.streams.firstIndex { $0.id == BlockStream.kinds.rawValue })
    part.streams[kinds].content[0] = 15
    let block = try BlockDecoder(part: try part.open())
    try block.open(0)
    for _ in 0..<3 { #expect(throws: LogError.self) { try block.load(.history) } }
    #expect(throws: LogError.self) { try block.load(.details) }
    try block.load(.keys)
  }

  @Test func anUnknownEncodingIsRefused() throws {
    var part = try part(seed: 2)
    let kinds = try #require(part.streams.firstIndex { $0.id == BlockStream.kinds.rawValue })
    part.streams[kinds].encoding = 2
    #expect(try isRefused(part))
  }
}
