// The manifest: only the very bytes that were written are accepted.

import LogTestSupport
import Testing

@testable import EventLog

@Suite struct ManifestTests {
  private var manifest: Manifest {
    var manifest = Manifest()
    manifest.generation = 42
    manifest.nextPart = 301
    manifest.parts = [
      PartDescription(id: 1, length: 1000, footerChecksum: 7, rows: 3),
      PartDescription(id: 300, length: .max, footerChecksum: .max, rows: 1 << 40),
    ]
    return manifest
  }

  private func code(_ bytes: [UInt8]) -> LogError.Code? {
    do {
      _ = try Manifest(bytes, file: "manifest")
      return nil
    } catch {
      return (error as? LogError)?.code
    }
  }

  @Test func comesBack() throws {
    #expect(try Manifest(manifest.encode(), file: "manifest") == manifest)
    #expect(try Manifest(Manifest().encode(), file: "manifest") == Manifest())
  }

  private func finding(_ lines: String) -> String {
    let bytes = Array(lines.utf8)
    do {
      _ = try Manifest(bytes + Manifest.checksumLine(of: bytes), file: "manifest")
      return "read"
    } catch {
      return (error as? LogError)?.finding ?? "\(error)"
    }
  }

  /// What is in memory is what the lines say: reading ends with the first that says nothing.
  @Test func theFirstLineThatIsNoneOfAManifestIsTheLastThatIsRead() {
    let head = "permlog-manifest 1\ngeneration 1\nnext-part 1\n"
    #expect(finding(head) == "read")
    for line in ["\n", "part\n", "more 1 2 3\n", " \n"] {
      #expect(finding(head + line).contains("a line that is not part of a manifest"), "\(line)")
    }
    #expect(finding("\n" + head).contains("it is not a manifest"))
    #expect(finding("").contains("it is not a manifest"))
    for length in [511, 512, 513, 100_000] {
      let line = String(repeating: "x", count: length) + "\n"
      let isLong = length >= 512
      #expect(finding(head + line).contains(isLong ? "too long" : "not part of a manifest"), "\(length)")
      #expect(finding(line + head).contains(isLong ? "too long" : "not a manifest"), "\(length)")
    }
  }

  @Test func aManifestThatNoMachineCouldOpenIsRefusedByItsSize() throws {
    let files = MemoryFileSystem()
    let log = LogDirectory(path: "/log", files: files)
    var long = Manifest()
    long.nextPart = 200_000
    long.parts = (1..<long.nextPart).map {
      PartDescription(id: $0, length: .max, footerChecksum: .max, rows: 1 << 40)
    }
    files["/log/manifest"] = long.encode()
    #expect { try log.readManifest() } throws: { ($0 as? LogError)?.finding.contains("which is too many") == true }
    // Far more parts than a log ever has are read.
    long.parts.removeLast(100_000)
    files["/log/manifest"] = long.encode()
    #expect(try log.readManifest() == long)
  }

  @Test func isThisText() {
    // The checksum was computed apart, with Python's xxhash.
    let lines = [
      "permlog-manifest 1", "generation 42", "next-part 301",
      "part-0000000000000001 length 1000 footer 0000000000000007 rows 3",
      "part-000000000000012c length 18446744073709551615 footer ffffffffffffffff rows 1099511627776",
      "checksum 3e651664278dd9a2", "",
    ]
    #expect(String(decoding: manifest.encode(), as: UTF8.self) == lines.joined(separator: "\n"))
  }

  /// With a history, and with lists that only a newer version writes.
  private var whole: Manifest {
    var whole = manifest
    whole.expiredBefore = 1_600_000_000_000
    whole.changes.sitting = .init(start: 1_700_000_000_000, reach: 1_699_000_000_000)
    whole.changes.changes = [
      PastChange(kind: .latePermission, first: 11, last: 12, reach: 9, oldest: 7, count: 3),
      PastChange(kind: .erasedUsers, first: 12, last: 12, reach: 9, oldest: 0, count: 1),
    ]
    return whole
  }

  @Test func aHistoryComesBackAndNeedsVersion3() throws {
    #expect(try Manifest(whole.encode(), file: "manifest") == whole)
    let text = String(decoding: whole.encode(), as: UTF8.self)
    #expect(text.hasPrefix("permlog-manifest 3\n"))
    #expect(
      text.contains(
        """
        expired-before 1600000000000
        ingests since 1700000000000 reach 1699000000000
        late-permission first 11 last 12 reach 9 oldest 7 count 3
        erased-users first 12 last 12 reach 9 oldest 0 count 1
        checksum
        """))
    var first = Manifest()
    first.changes.sitting = .init(start: 5)
    #expect(try Manifest(first.encode(), file: "manifest") == first)
    #expect(manifest.encode().starts(with: Array("permlog-manifest 1\n".utf8)))
    var expired = manifest
    expired.expiredBefore = 5
    #expect(expired.encode().starts(with: Array("permlog-manifest 2\n".utf8)))
  }

  @Test func everyFlippedBitIsDamage() {
    let bytes = whole.encode()
    for i in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[i] ^= 1 << bit
        #expect(code(changed) == .damaged, "bit \(bit) of byte \(i)")
      }
    }
  }

  @Test func everyTruncationIsDamage() {
    let bytes = manifest.encode()
    for end in 0..<bytes.count { #expect(code(Array(bytes[..<end])) == .damaged, "\(end) bytes") }
    #expect(code(bytes + [0x0A]) == .damaged)
    #expect(code(bytes + bytes) == .damaged)
    #expect(code([0xFF, 0xFE]) == .damaged)
  }

  /// What a hostile hand writes, with a right checksum.
  @Test func whatNoWriterWritesIsDamage() {
    func expectRefused(_ what: Comment, _ change: (inout Manifest) -> Void) {
      var changed = manifest
      change(&changed)
      #expect(code(changed.encode()) == .damaged, what)
    }
    expectRefused("the next id is taken") { $0.nextPart = 300 }
    expectRefused("ids out of order") { $0.parts.swapAt(0, 1) }
    expectRefused("a part twice") { $0.parts.append($0.parts[1]) }
    expectRefused("no id is left") { $0.nextPart = .max }
    expectRefused("no generation is left") { $0.generation = .max }
    expectRefused("a time that no clock has") { $0.changes.sitting = .init(start: .max) }
    expectRefused("a time before 1970") { $0.changes.sitting = .init(start: 5, reach: -1) }
    let late = PastChange(kind: .latePermission, first: 11, last: 12, reach: 9, oldest: 7, count: 3)
    for change: (inout PastChange) -> Void in [
      { $0.oldest = 9 }, { $0.oldest = 0 }, { $0.oldest = .min }, { $0.reach = .max }, { $0.first = 13 },
      { $0.count = 0 },
      { $0.count = .max }, { $0.kind = .erasedUsers },
    ] {
      var bad = late
      change(&bad)
      expectRefused("\(bad)") { $0.changes.changes = [bad] }
    }
    expectRefused("too long a history") {
      $0.changes.changes = Array(repeating: late, count: ChangeHistory.limit + 1)
    }
  }

  @Test func aNewerVersionIsSaidToBeOne() {
    let lines = "permlog-manifest 9\nsomething else\n"
    let checksum = Manifest.checksumLine(of: Array(lines.utf8))
    #expect(code(Array(lines.utf8) + checksum) == .newerFormat)
    // Without its checksum it is not a newer version, but damage.
    #expect(code(Array(lines.utf8)) == .damaged)
  }

  @Test func namesOfParts() {
    #expect(PartDescription.name(0x12C) == "part-000000000000012c")
    #expect(PartDescription.id(name: "part-000000000000012c") == 300)
    #expect(PartDescription.id(name: "part-ffffffffffffffff") == .max)
    for name in [
      "part-", "part-12c", "part-000000000000012C", "part-00000000000012cx", "part-0000000000000012c",
      "Part-000000000000012c", "part-+00000000000012c", "part-000000000000012c.new", "part_000000000000012c",
    ] {
      #expect(PartDescription.id(name: name) == nil, "\(name)")
    }
  }
}
