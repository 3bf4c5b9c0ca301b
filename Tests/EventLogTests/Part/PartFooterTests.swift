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
      _ = builder.code(PartDictionary.StoredContext(permission: UInt32(n % 25), variant: UInt32(n % 20), surface: 3))
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
    return (PartFooter(builder.dictionary, blocks: blocks), Int(offset))
  }

  private func read(_ footer: PartFooter, _ length: Int, _ version: PartVersion) -> PartFooter? {
    footer.encode(version).withUnsafeBytes { PartFooter($0, version: version, fileLength: length) }
  }

  @Test(arguments: PartVersion.allCases)
  func comesBack(version: PartVersion) throws {
    let (footer, length) = footer(1)
    let copy = try #require(read(footer, length, version))
    #expect(copy.encode(version) == footer.encode(version))
    // Of format 1 the taxonomy has 25 names.
    let expected = footer.dictionary.isOfTaxonomy.enumerated().map { $1 && (version != .v1 || $0 <= 25) }
    #expect(copy.dictionary.isOfTaxonomy == expected)
    #expect(copy.dictionary.kinds == (version == .v1 ? PartKind.version1 : PartKind.program))
    let other = version == .v1 ? PartVersion.v2 : .v1
    #expect(footer.encode(version).withUnsafeBytes { PartFooter($0, version: other, fileLength: length) } == nil)
    #expect(copy.dictionary.values == footer.dictionary.values)
    #expect(copy.blocks.map(\.offset) == footer.blocks.map(\.offset))
  }

  @Test(arguments: PartVersion.allCases)
  func everyTruncationAndEveryExtensionIsRefused(version: PartVersion) {
    let (footer, length) = footer(2)
    let bytes = footer.encode(version)
    func isRefused(_ bytes: [UInt8]) -> Bool {
      bytes.withUnsafeBytes { PartFooter($0, version: version, fileLength: length) } == nil
    }
    for end in 0..<bytes.count { #expect(isRefused(Array(bytes[..<end])), "\(end) bytes") }
    #expect(isRefused(bytes + [0]))
  }

  @Test(arguments: PartVersion.allCases)
  func contradictionsAreRefused(version: PartVersion) {
    let (footer, length) = footer(3)
    func read(_ footer: PartFooter, _ length: Int) -> PartFooter? { self.read(footer, length, version) }
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
    refused("a value for the absent value") { $0.dictionary.values[4][0] = [65] }
    refused("a value that is too long") { $0.dictionary.values[4][1] = [UInt8](repeating: 65, count: 257) }
  }

  @Test func format1HasItsFieldsAndItsTaxonomy() {
    let (footer, length) = footer(4)
    var changed = footer
    changed.dictionary.values[0][3] = Array("camera".utf8)
    #expect(read(changed, length, .v1) == nil)
    changed = footer
    changed.dictionary.values.removeLast()
    #expect(read(changed, length, .v1) == nil)
  }

  @Test func contradictionsOfNamesAreRefused() {
    let (footer, length) = footer(5)
    func isRefused(_ change: (inout PartDictionary) -> Void) -> Bool {
      var changed = footer
      change(&changed.dictionary)
      return read(changed, length, .v2) == nil
    }
    func name(_ text: String) -> [UInt8] { Array(text.utf8) }
    func column(_ text: String, _ stream: UInt8 = 16, _ values: [[UInt8]] = [[]]) -> PartColumn {
      PartColumn(name: name(text), stream: stream, values: values)
    }
    #expect(!isRefused { $0.kinds[15] = PartKind(name: name("app_closed"), eventClass: 200) })
    #expect(!isRefused { $0.kinds[15] = PartKind(name: [], eventClass: 0) })
    #expect(!isRefused { $0.columns = [column("tier"), column("channel", 255, [[], [0xC3, 0xA9]])] })
    #expect(isRefused { $0.columns = [column("tier", 16, [[], [0xFF]])] }, "no text")
    #expect(isRefused { $0.kinds = [] })
    #expect(isRefused { $0.kinds.append(PartKind(name: name("app_closed"), eventClass: 0)) })
    #expect(isRefused { $0.kinds[12].name = name("granted") }, "a kind twice")
    #expect(isRefused { $0.kinds[2].eventClass = 1 }, "another class of a known kind")
    for bad in ["Granted", "a b", "a\"", "1a", "_a", "ä", String(repeating: "a", count: 65)] {
      #expect(isRefused { $0.kinds[12].name = name(bad) }, "a kind \(bad)")
      #expect(isRefused { $0.columns = [column(bad)] }, "a column \(bad)")
    }
    for bad in ["", "user_id", "event_id", "timestamp", "event", "status", "permission", "country"] {
      #expect(isRefused { $0.columns = [column(bad)] }, "a column \(bad)")
    }
    #expect(isRefused { $0.columns = [column("tier", 15)] }, "a stream of the program")
    #expect(isRefused { $0.columns = [column("tier"), column("channel")] }, "a stream twice")
    #expect(isRefused { $0.columns = [column("tier"), column("tier", 17)] }, "a column twice")
    #expect(isRefused { $0.columns = [column("tier", 16, [])] }, "no absent value")
    #expect(isRefused { $0.columns = [column("tier", 16, [[65]])] }, "a value for the absent value")
    #expect(isRefused { $0.columns = (0..<65).map { column("column_\($0)", 16 + $0) } }, "too many columns")
    #expect(isRefused { $0.isOfTaxonomy[0] = true }, "the absent permission is of no taxonomy")
    let isNamelessRefused = isRefused {
      $0.values[StringField.permission.rawValue][1] = []
      $0.isOfTaxonomy[1] = true
    }
    #expect(isNamelessRefused, "a permission without a name is of no taxonomy")
    #expect(isRefused { $0.isOfTaxonomy.removeLast() }, "a class is missing")
    #expect(isRefused { $0.isOfTaxonomy.append(false) }, "a class too many")
  }
}

extension PartFooter {
  /// Reads a footer in as much memory as it takes.
  init?(_ bytes: UnsafeRawBufferPointer, version: PartVersion, fileLength: Int) {
    var allowance = Int.max
    self.init(bytes, version: version, fileLength: fileLength, allowance: &allowance)
  }
}
