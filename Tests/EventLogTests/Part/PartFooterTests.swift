// Footers: what is written is read, and what does not fit together is refused.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct PartFooterTests {
  private static let oldest = Timestamp.earliest + 5

  private func footer(_ seed: UInt64) -> (footer: PartFooter, length: Int) {
    var generator = SeededGenerator(seed: seed)
    var builder = PartDictionaryBuilder()
    for n in 0..<20 {
      for field in StringField.allCases { _ = builder.code(field, Array("\(field.name)-\(n)-é".utf8)) }
      _ = builder.code(PartDictionary.Context(permission: UInt32(n % 25), variant: UInt32(n % 20), surface: 3))
      _ = builder.code(AttributeTuple(appVersion: UInt32(n % 20), country: 1))
    }
    var blocks: [BlockEntry] = []
    var offset = UInt64(PartFormat.headerLength)
    var hash: UInt64 = 0
    for number in 0..<UInt32(5) {
      let length = UInt64.random(in: 100...5000, using: &generator)
      blocks.append(
        BlockEntry(
          number: number, offset: offset, historyLength: 10, keyLength: 20, detailLength: 30, length: length, rows: 9,
          users: 4, firstHash: hash, lastHash: hash + (1 << 60), minimumTime: Self.oldest, maximumTime: 1 << 41))
      offset += length
      hash += 1 << 61
    }
    let footer = PartFooter(
      rows: 45, users: 20, minimumTime: Self.oldest, maximumTime: 1 << 41, dictionary: builder.dictionary,
      blocks: blocks)
    return (footer, Int(offset))
  }

  private func read(_ footer: PartFooter, _ length: Int) -> PartFooter? {
    footer.encode().withUnsafeBytes { PartFooter($0, fileLength: length) }
  }

  @Test func comesBack() throws {
    let (footer, length) = footer(1)
    let copy = try #require(read(footer, length))
    #expect(copy.encode() == footer.encode())
    #expect(copy.dictionary.values == footer.dictionary.values)
    #expect(copy.blocks.map(\.offset) == footer.blocks.map(\.offset))
  }

  @Test func everyTruncationAndEveryExtensionIsRefused() {
    let (footer, length) = footer(2)
    let bytes = footer.encode()
    for end in 0..<bytes.count {
      #expect(bytes[..<end].withUnsafeBytes { PartFooter($0, fileLength: length) } == nil, "\(end) bytes")
    }
    #expect((bytes + [0]).withUnsafeBytes { PartFooter($0, fileLength: length) } == nil)
  }

  @Test func contradictionsAreRefused() {
    let (footer, length) = footer(3)
    func refused(_ what: Comment, _ change: (inout PartFooter) -> Void) {
      var changed = footer
      change(&changed)
      #expect(read(changed, length) == nil, what)
    }
    #expect(read(footer, length) != nil)
    #expect(read(footer, length + 1) == nil)
    #expect(read(footer, length - 1) == nil)
    refused("rows") { $0.rows += 1 }
    refused("users") { $0.users -= 1 }
    refused("oldest time is later") { $0.minimumTime += 1 }
    refused("oldest time is earlier") { $0.minimumTime -= 1 }
    refused("newest time is earlier") { $0.maximumTime -= 1 }
    refused("newest time is later") { $0.maximumTime += 1 }
    refused("times in the wrong order") { footer in
      footer.minimumTime = 1 << 41
      footer.maximumTime = Self.oldest
      for i in footer.blocks.indices {
        footer.blocks[i].minimumTime = 1 << 41
        footer.blocks[i].maximumTime = Self.oldest
      }
    }
    for time in [-1, 0, Timestamp.earliest - 1] {
      refused("time \(time)") { footer in
        footer.minimumTime = time
        footer.blocks[0].minimumTime = time
      }
    }
    refused("time past 42 bits") { footer in
      footer.maximumTime = 1 << 42
      footer.blocks[0].maximumTime = 1 << 42
    }
    refused("gap between blocks") { $0.blocks[1].offset += 1 }
    refused("overlap of blocks") { $0.blocks[1].offset -= 1 }
    refused("length past the end") { $0.blocks[4].length += 1 }
    refused("enormous length") { $0.blocks[4].length = .max }
    refused("enormous offset") { $0.blocks[4].offset = .max }
    refused("blocks out of order") { $0.blocks.swapAt(1, 2) }
    refused("hashes the wrong way round") {
      $0.blocks[0].lastHash = 0; $0.blocks[0].firstHash = 1
    }
    refused("overlapping hashes") { $0.blocks[0].lastHash = .max }
    refused("more users than rows") {
      $0.blocks[0].users = 10; $0.users = 26
    }
    refused("no users") {
      $0.blocks[0].users = 0; $0.users = 16
    }
    refused("too many rows") { footer in
      footer.blocks[0].rows = UInt32(PartFormat.maximumRows) + 1
      footer.rows = footer.blocks.reduce(0) { $0 + UInt64($1.rows) }
    }
    refused("groups out of order") { $0.blocks[0].historyLength = 25 }
    refused("no blocks") { $0.blocks = [] }
    refused("a block twice") { $0.blocks.append($0.blocks[4]) }
    refused("a context's code without a value") { $0.dictionary.contexts[1].variant = 21 }
    refused("an attribute's code without a value") { $0.dictionary.attributes[1].country = 1 << 31 }
    refused("no empty context") { $0.dictionary.contexts = [] }
    refused("no empty attributes") { $0.dictionary.attributes = [] }
    refused("another taxonomy") { $0.dictionary.values[0][3] = Array("camera".utf8) }
    refused("a value for the absent value") { $0.dictionary.values[4][0] = [65] }
    refused("a field less") { $0.dictionary.values.removeLast() }
    refused("a value that is too long") { $0.dictionary.values[4][1] = [UInt8](repeating: 65, count: 257) }
  }
}
