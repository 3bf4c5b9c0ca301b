// Files that are made to break a reader: deep, circular, huge by their own account, cut, and changed at random.

import Foundation
import PropertyLists
import Testing

@Suite struct HostilePropertyListTests {
  private static let tooDeep = "values are nested more than 64 deep"

  @Test("Nesting has an end, however deep a file is")
  func depth() {
    let count = 100_000
    func repeated(_ text: String) -> String { String(repeating: text, count: count) }
    let texts = [
      "<plist>" + repeated("<array>"), "<plist>" + repeated("<array>") + repeated("</array>") + "</plist>",
      "<plist>" + repeated("<dict><key>a</key>") + "<true/>" + repeated("</dict>"), repeated("{a="), repeated("("),
    ]
    for text in texts { expect(Array(text.utf8), "line 1: " + Self.tooDeep) }
    let lists = (1...50_000).map { [0xA1] + BinaryWriter.number($0, 2) }
    expect(BinaryWriter.file(lists + [[0x51, 0x61]], referenceSize: 2), Self.tooDeep)
  }

  @Test("Sixty-four values within each other are read, and one more is not")
  func edge() {
    func nested(_ count: Int) -> [UInt8] {
      Array((String(repeating: "(", count: count) + String(repeating: ")", count: count)).utf8)
    }
    #expect(throws: Never.self) { try PropertyList(nested(64)) }
    expect(nested(65), "line 1: " + Self.tooDeep)
  }

  @Test("Circles and endless sharing in a binary list end")
  func circles() {
    expect(BinaryWriter.file([[0xA1, 0]]), Self.tooDeep)
    expect(BinaryWriter.file([[0xD1, 1, 0], [0x51, 0x6B]]), Self.tooDeep)
    // Forty lists, each with the next one twice.
    let doubling = (1...40).map { [0xA2, UInt8($0), UInt8($0)] }
    expect(BinaryWriter.file(doubling + [[0x09]]), "it holds more than 100,000 values")
  }

  @Test("What a binary list says of itself is not believed")
  func lies() {
    let damage = "it is a damaged binary property list"
    let huge = [0x13] + BinaryWriter.number(.max >> 1, 8)
    for kind: UInt8 in [0x5F, 0x6F, 0x7F, 0xAF, 0xCF, 0xDF] {
      expect(BinaryWriter.file([[kind] + huge]), damage)
      expect(BinaryWriter.file([[kind, 0x13] + BinaryWriter.number(.max, 8)]), damage)
      expect(BinaryWriter.file([[kind, 0x11]]), damage)
    }
    let text: [[UInt8]] = [[0x51, 0x61]]
    expect(BinaryWriter.file(text, count: .max), damage)
    expect(BinaryWriter.file(text, count: .max >> 1), damage)
    expect(BinaryWriter.file(text, count: 0), damage)
    expect(BinaryWriter.file(text, top: 1), damage)
    for table in [UInt64.max, 0, 7, 1 << 40] { expect(BinaryWriter.file(text, table: table), damage) }
    expect(BinaryWriter.file(text, offsetSize: 0), damage)
    expect(BinaryWriter.file([[0xA1, 9]]), damage)
    expect(BinaryWriter.file([[0xD1, 0, 0]]), Self.tooDeep)
    expect(BinaryWriter.file([[0xD1, 1, 1], [0x09]]), damage)
    expect(BinaryWriter.file([[0x61, 0xD8, 0x00]]), damage)
    #expect(throws: Never.self) { try PropertyList(BinaryWriter.bytes([String(repeating: "k", count: 4_096): 1])) }
    expect(BinaryWriter.bytes([String(repeating: "k", count: 4_097): 1]), damage)
    expect(BinaryWriter.file([[0x51, 0xE4]]), damage)
    expect(
      Array("bplist15".utf8) + [UInt8](repeating: 0, count: 40), "it is a binary property list of an unknown version")
    expect(Array("bplist00".utf8), damage)
  }

  @Test("A key that is there twice in a binary list is one value or an error, and texts that others share have an end")
  func shared() {
    let (key, value): ([UInt8], [UInt8]) = ([0x51, 0x6B], [0x51, 0x61])
    #expect(throws: Never.self) { try PropertyList(BinaryWriter.file([[0xD2, 1, 1, 2, 2], key, value])) }
    // Also of the same text: two long ones would be compared for each pair.
    expect(BinaryWriter.file([[0xD2, 1, 1, 2, 3], key, value, value]), "the key k occurs twice, with two values")
    // A text of 1 MiB, seventeen times: under one index, and under as many.
    let long = [0x5F, 0x12] + BinaryWriter.number(1 << 20, 4) + [UInt8](repeating: 0x61, count: 1 << 20)
    let refusal = "it holds more than 16 MiB of texts"
    expect(BinaryWriter.file([[0xAF, 0x10, 17] + [UInt8](repeating: 1, count: 17), long]), refusal)
    expect(
      BinaryWriter.file([[0xAF, 0x10, 17] + (1...17).map { UInt8($0) }] + [[UInt8]](repeating: long, count: 17)),
      refusal)
    #expect(throws: Never.self) {
      try PropertyList(BinaryWriter.file([[0xAF, 0x10, 16] + [UInt8](repeating: 1, count: 16), long]))
    }
  }

  /// All forms, whole.
  private static let wholes: [[UInt8]] = {
    let xml = try? PropertyListSerialization.data(fromPropertyList: PropertyListTests.content, format: .xml, options: 0)
    let old = "{ /* c */ \"k\\U00e4\" = (a, \"b\\n\", { c = <0f>; }, ); // d\n e = 'f'; }\n"
    return [
      BinaryWriter.bytes(PropertyListTests.content), Array(xml ?? Data()), Array(old.utf8),
      PropertyListTests.wide(old, isLow: true),
    ]
  }()

  @Test("A file cut anywhere is read or refused", arguments: wholes.indices)
  func cuts(form: Int) {
    let whole = Self.wholes[form]
    #expect(throws: Never.self) { try PropertyList(whole) }
    var read = 0
    for count in 0..<whole.count where (try? PropertyList(Array(whole.prefix(count)))) != nil { read += 1 }
    // Blanks at the end may go, and of an old-style list all of it may.
    #expect(read <= 12)
  }

  @Test("Random changes never trap", arguments: wholes.indices)
  func mutations(form: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = Numbers(state: seed)
    var read = 0
    for _ in 0..<4_000 {
      var bytes = Self.wholes[form]
      for _ in 0..<Int.random(in: 1...6, using: &numbers) {
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
        default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      if (try? PropertyList(bytes)) != nil { read += 1 }
    }
    // Neither everything nor nothing of it is refused, or the changes would show nothing.
    #expect((1..<4_000).contains(read), "seed \(seed)")
  }
}

/// SplitMix64 (Steele, Lea & Flood 2014).
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
