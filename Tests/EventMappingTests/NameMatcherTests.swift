// All patterns of a mapping at once: what each matches, and how many steps that takes.

import Testing

@testable import EventMapping

struct NameMatcherTests {
  /// A pattern read in the plain way, by trying every length for a star.
  private func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == UInt8(ascii: "*") {
      return text.indices.contains { matches(pattern.dropFirst(), text[$0...]) } || matches(pattern.dropFirst(), [])
    }
    guard let byte = text.first, first == UInt8(ascii: "?") || first == byte else { return false }
    return matches(pattern.dropFirst(), text.dropFirst())
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func agreesWithOnePatternAtATime(_ seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    func text(_ letters: [UInt8], _ longest: Int) -> [UInt8] {
      (0..<random(longest + 1)).map { _ in letters[random(letters.count)] }
    }
    let lists = (0..<30).map { _ in
      (0..<random(4)).map { _ in Glob(String(decoding: text(Array("ab*?".utf8), 8), as: UTF8.self)) }
    }
    let set = PatternSet(lists)
    for _ in 0..<50 {
      let name = text(Array("abc".utf8), 10)
      let expected = lists.indices.filter { list in lists[list].contains { matches($0.pattern[...], name[...]) } }
      #expect(set.matching(name).sorted() == expected, "seed \(seed), \(name)")
    }
  }

  /// 4,000 patterns of many stars took 13 million steps for a name that none matches.
  @Test func aNameTakesAStepForEach64CharactersOfPatterns() {
    let patterns = (0..<1_000).map { [Glob("*a*a*a*a*b\($0)")] }
    let set = PatternSet(patterns)
    let characters = patterns.reduce(0) { $0 + $1[0].pattern.count { $0 != UInt8(ascii: "*") } + 1 }
    #expect(set.words == (characters + 63) / 64)
    #expect(set.matching(Array(repeating: UInt8(ascii: "a"), count: 256)).isEmpty)
    #expect(set.matching(Array("aaaab7".utf8)) == [7])
  }

  @Test func moreThanSixteenKiBOfPatternsAreRefused() throws {
    func yaml(_ count: Int) -> [UInt8] {
      let rules = (0..<count).map { "  - {pattern: \"*a*b*c*d*e\($0 + 10_000)\", kind: ignore}\n" }.joined()
      return Array("extends: amplitude\nrules:\n\(rules)".utf8)
    }
    _ = try Mapping(yaml: yaml(1_000), name: "m.yaml")
    let error = #expect(throws: MappingError.self) { try Mapping(yaml: yaml(4_000), name: "m.yaml") }
    #expect(error?.message.contains("m.yaml, line 1095: the patterns of rules have more than 16 KiB") == true)
  }
}
