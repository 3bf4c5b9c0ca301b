// The order of ids is that of their bytes, in whichever form each is kept. Users whose hashes collide are
// told apart and ordered by this alone.

import LogTestSupport
import PermissionEvents
import Testing

@testable import EventLog

@Suite struct IdentifierViewTests {
  /// Ids that differ in form, and little in their bytes.
  private static let ids: [[UInt8]] = {
    let texts = [
      "", "0", "00000000", "0123abcd-4567-89ef-8123-456789abcdef", "0123ABCD-4567-89EF-8123-456789ABCDEF",
      "0123abcd-4567-89EF-8123-456789abcdef", "0123abcd-4567-89ef-8123-456789abcde",
      "0123abcd-4567-89ef-8123-456789abcdef0", "0123abcd-4567-89ef-8123-456789abcdee",
      "01234567-8901-2345-6789-012345678901", "01234567-8901-2345-6789-01234567890a",
      "01234567-8901-2345-6789-01234567890A", "a", "A", "z", "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "9fffffff-ffff-ffff-ffff-ffffffffffff", "é", "e\u{301}",
    ]
    return texts.map { Array($0.utf8) } + [[0xFF], [0xFF, 0xFE], [0x80], [0]]
  }()

  private func withView<T>(_ id: [UInt8], _ body: (IdentifierView) -> T) -> T {
    id.withUnsafeBytes { bytes in
      if let uuid = IdentifierText.packUUID(bytes) {
        return body(IdentifierView(form: uuid.form.rawValue, high: uuid.high, low: uuid.low))
      }
      return body(IdentifierView(form: 0, text: bytes))
    }
  }

  private func expectBytewiseOrder(_ a: [UInt8], _ b: [UInt8], _ comment: Comment) {
    withView(a) { left in
      withView(b) { right in
        let order = IdentifierView.compare(left, right)
        #expect((order == 0) == (a == b), comment)
        #expect((order < 0) == a.lexicographicallyPrecedes(b), comment)
        #expect((left == right) == (a == b), comment)
        if a == b { #expect(left.hash == right.hash, comment) }
      }
    }
  }

  @Test func orderIsBytewise() {
    for a in Self.ids { for b in Self.ids { expectBytewiseOrder(a, b, "\(a) and \(b)") } }
  }

  @Test func orderOfRandomUUIDsIsThatOfTheirTexts() {
    let seed: UInt64 = 12
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      var texts = [RandomEvents.uuid(version: 4, &generator), RandomEvents.uuid(version: 4, &generator)]
      // A common beginning of random length, so that every place decides once.
      let shared = Int.random(in: 0...36, using: &generator)
      texts[1] = String(texts[0].prefix(shared) + texts[1].dropFirst(shared))
      if generator.oneIn(3) { texts[0] = texts[0].uppercased() }
      expectBytewiseOrder(Array(texts[0].utf8), Array(texts[1].utf8), "seed \(seed)")
    }
  }

  @Test func bytesAreTheText() {
    for id in Self.ids { withView(id) { #expect($0.bytes == id) } }
  }
}
