// gzip in all its forms, in pieces of any size.

import Foundation
import Testing

@testable import EventImport

@Suite struct GzipTests {
  /// The bytes of a member with other flags: their fields are put into the header that `gzip` wrote.
  private static func member(_ text: String, flags: UInt8, wrongChecksum: Bool = false) throws -> [UInt8] {
    let packed = Array(try gzip(text))
    // It has the file's name.
    let body = try #require(packed[10...].firstIndex(of: 0)) + 1
    var header = Array(packed[..<3]) + [flags] + packed[4..<10]
    if flags & 4 != 0 { header += [3, 0, 0x1F, 0x8B, 0x08] }
    if flags & 8 != 0 { header += Array("name of a file".utf8) + [0] }
    if flags & 16 != 0 { header += Array(repeating: 0x63, count: 300) + [0] }
    if flags & 2 != 0 {
      let sum = checksum(header) ^ (wrongChecksum ? 1 : 0)
      header += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    }
    return header + packed[body...]
  }

  /// CRC-32 as RFC 1952 has it, bit by bit.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0 as UInt32) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
  }

  /// What comes out, and why it ended.
  private static func unpacked(_ bytes: [UInt8], pieces: Int, room: Int = 1 << 16) -> (
    text: [UInt8], failure: ImportError?
  ) {
    var text: [UInt8] = []
    do {
      let source = try GzipSource(Dribble(bytes, most: pieces), name: "x.gz")
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
      defer { memory.deallocate() }
      while true {
        let count = try source.read(into: memory)
        if count == 0 { return (text, nil) }
        text += memory[..<count]
      }
    } catch {
      return (text, error)
    }
  }

  @Test(arguments: 0..<32 as Range<UInt8>)
  func headersOfAllForms(flags: UInt8) throws {
    let text = String(repeating: "{\"a\":1}\n", count: 5000)
    let bytes =
      try Self.member(text, flags: flags) + Self.member("", flags: flags) + Self.member("end", flags: 0) + [0, 0]
    for pieces in [1, 7, 1 << 16] {
      for room in [1, 1000, 1 << 18] where pieces > 1 || room > 1 {
        let (found, failure) = Self.unpacked(bytes, pieces: pieces, room: room)
        #expect(failure == nil && found == Array((text + "end").utf8), "flags \(flags), pieces \(pieces), room \(room)")
      }
    }
    if flags & 2 != 0 {
      let (found, failure) = Self.unpacked(try Self.member(text, flags: flags, wrongChecksum: true), pieces: 5)
      #expect(found.isEmpty && failure != nil)
    }
  }

  @Test(arguments: [0x20, 0x40, 0x80] as [UInt8])
  func flagsThatMeanNothingAreRefused(flag: UInt8) throws {
    #expect(Self.unpacked(try Self.member("text", flags: flag), pieces: 1).failure != nil)
  }

  /// Cut off anywhere it is incomplete, and with a wrong bit in its content or its trailer it is damaged; what comes before is given out.
  @Test func damageIsFound() throws {
    var random = SeededGenerator(seed: 20_261_129)
    let text = (0..<4000).map { "\($0) \(UInt64.random(in: 0 ... .max, using: &random))\n" }.joined()
    let whole = Array(try gzip(text))
    let content = Array(text.utf8)
    for _ in 0..<60 {
      let cut = Int.random(in: 11..<whole.count, using: &random)
      let (found, failure) = Self.unpacked(Array(whole[..<cut]), pieces: Int.random(in: 1...70_000, using: &random))
      #expect(failure != nil && content.starts(with: found), "cut at \(cut)")
      var wrong = whole
      wrong[cut] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      #expect(Self.unpacked(wrong, pieces: 1 << 16).failure != nil, "wrong at \(cut)")
    }
    let trailer = Self.unpacked(Array(whole.dropLast()), pieces: 1 << 16)
    #expect(trailer.failure != nil && trailer.text == content)
  }
}
