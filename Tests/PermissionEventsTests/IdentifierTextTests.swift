// Ids: UUIDs in text are packed and come back unchanged; everything else stays a text.

import Foundation
import LogTestSupport
import Testing

@testable import PermissionEvents

private func pack(_ text: String) -> (form: IdentifierForm, high: UInt64, low: UInt64)? {
  Array(text.utf8).withUnsafeBytes(IdentifierText.packUUID)
}

@Suite struct IdentifierTextTests {
  private static func bigEndian(_ word: UInt64) -> [UInt8] { withUnsafeBytes(of: word.bigEndian) { Array($0) } }

  @Test func randomUUIDsComeBackInBothCases() throws {
    let seed: UInt64 = 3
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let lower = RandomEvents.uuid(version: nil, &generator)
      for text in [lower, lower.uppercased()] {
        let id = try #require(pack(text), "seed \(seed)")
        var out: [UInt8] = []
        IdentifierText.writeUUID(form: id.form, high: id.high, low: id.low, into: &out)
        #expect(out == Array(text.utf8), "seed \(seed)")
        let uuid = try #require(UUID(uuidString: text)).uuid
        let bytes = withUnsafeBytes(of: uuid) { Array($0) }
        #expect(Self.bigEndian(id.high) == Array(bytes[..<8]), "seed \(seed)")
        #expect(Self.bigEndian(id.low) == Array(bytes[8...]), "seed \(seed)")
      }
    }
  }

  @Test func digitsAloneAreLowerCase() throws {
    let id = try #require(pack("01234567-8901-2345-6789-012345678901"))
    #expect(id.form == .lowercaseUUID)
    #expect(try #require(pack("01234567-8901-2345-6789-01234567890A")).form == .uppercaseUUID)
  }

  @Test(arguments: [
    "", "0123abcd-4567-89EF-8123-456789abcdef", "0123abcd-4567-89ef-8123-456789abcdeF",
    "0123abcd-4567-89ef-8123-456789abcde", "0123abcd-4567-89ef-8123-456789abcdef0",
    "0123abcd_4567-89ef-8123-456789abcdef", "0123abcd-4567-89ef-8123-456789abcdeg",
    "0123abcd-4567-89ef-8123-456789abcde ", "0123abcd456789ef8123456789abcdef----",
    "{123abcd-4567-89ef-8123-456789abcde}", "0123abc-d4567-89ef-8123-456789abcdef",
    "/123abcd-4567-89ef-8123-456789abcdef", ":123abcd-4567-89ef-8123-456789abcdef",
    "@123ABCD-4567-89EF-8123-456789ABCDEF", "`123abcd-4567-89ef-8123-456789abcdef",
  ])
  func isNoUUID(text: String) { #expect(pack(text) == nil) }

  @Test func everyByteAtEveryPlaceIsJudged() {
    let text = Array("0123abcd-4567-89ef-8123-456789abcdef".utf8)
    for place in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[place] = byte
        let isDash = [8, 13, 18, 23].contains(place)
        let isHex = (48...57).contains(byte) || (97...102).contains(byte)
        let isUUID = changed.withUnsafeBytes(IdentifierText.packUUID) != nil
        #expect(isUUID == (isDash ? byte == 0x2D : isHex), "byte \(byte) at \(place)")
      }
    }
  }

  @Test(arguments: [
    "null", "nil", "undefined", "none", "unknown", "anonymous", "anon", "0", "-1", "NaN", "[]", "{}",
    "00000000-0000-0000-0000-000000000000", "", " ", "\t\r\n", "NULL", "Null", "Anonymous", "nan", "  null\t",
    "UNKNOWN\n", "\u{0B}\u{0C}none ", "\u{A0}null", "\u{FEFF}guest", "\\N", "N/A", "NA", "#N/A", "<null>", "(not set)",
    "Guest", "-", "-0", "(null)", " (NULL)",
  ])
  func standsForNobody(id: String) { #expect(Array(id.utf8).withUnsafeBytes(IdentifierText.standsForNobody)) }

  @Test(arguments: [
    "alice", "00", "1", "-2", "nulll", "n ull", "none.", "anonymous1", "[ ]", "{a}",
    "00000000-0000-0000-0000-000000000001",
    "unknown unknown", "ｎull", "--", "null\u{301}", "guest1", "NAN1",
  ])
  func standsForSomebody(id: String) { #expect(!Array(id.utf8).withUnsafeBytes(IdentifierText.standsForNobody)) }

  @Test(arguments: ["1.77245E+15", "1E+15", "1.77245e+15", "1,77245E+15", "9.9E+100"])
  func idsThatASpreadsheetRounded(id: String) { #expect(Array(id.utf8).withUnsafeBytes(IdentifierText.isRounded)) }

  @Test(arguments: [
    "1e10", "12E+15", "1.7E-15", "E+15", "1.77245", "a1E+15", "1E+1500", "1..2E+15", "1E+", "1.2e15", "",
  ])
  func idsThatOnlyLookLikeIt(id: String) { #expect(!Array(id.utf8).withUnsafeBytes(IdentifierText.isRounded)) }

  @Test func blanksAtTheEndsAreCut() {
    for (text, id) in [(" u1\t", "u1"), ("\u{A0}u 1\u{A0}", "u 1"), ("\u{FEFF}u1\r\n", "u1"), ("é", "é"), ("  ", "")] {
      #expect(Array(text.utf8).withUnsafeBytes { Array(IdentifierText.trimmed($0)) } == Array(id.utf8), "\(text)")
    }
  }

  @Test func bytesThatAreNoTextStandForSomebody() {
    #expect(![0xFF, 0xFE].withUnsafeBytes(IdentifierText.standsForNobody))
    #expect(!Array(repeating: UInt8(ascii: "0"), count: 256).withUnsafeBytes(IdentifierText.standsForNobody))
  }
}
