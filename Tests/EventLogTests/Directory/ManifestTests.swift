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

  @Test func everyFlippedBitIsDamage() {
    let bytes = manifest.encode()
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
    func check(_ what: Comment, _ change: (inout Manifest) -> Void) {
      var changed = manifest
      change(&changed)
      #expect(code(changed.encode()) == .damaged, what)
    }
    check("the next id is taken") { $0.nextPart = 300 }
    check("ids out of order") { $0.parts.swapAt(0, 1) }
    check("a part twice") { $0.parts.append($0.parts[1]) }
    check("no id is left") { $0.nextPart = .max }
    check("no generation is left") { $0.generation = .max }
  }

  @Test func aNewerVersionIsSaidToBeOne() {
    let lines = "permlog-manifest 3\nsomething else\n"
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
