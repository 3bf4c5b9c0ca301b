// Which rules of a mapping an event's name matches. All patterns are matched at once, so that the time for a name does not grow
// with patterns times characters: names come from the export and patterns from a mapping, and 4,000 patterns of many stars took
// 55 s for 20,000 names one by one.

/// The names and patterns of a list of rules.
struct NameMatcher: Sendable {
  private let exact: [[UInt8]: [Int]]
  private let patterns: PatternSet

  init(_ rules: [MappingRule]) {
    var exact: [[UInt8]: [Int]] = [:]
    for (index, rule) in rules.enumerated() {
      for name in rule.events { exact[Array(name.utf8), default: []].append(index) }
    }
    self.exact = exact
    patterns = PatternSet(rules.map(\.patterns))
  }

  /// The indices of the rules that have exactly this name.
  func named(_ name: [UInt8]) -> Set<Int> { Set(exact[name] ?? []) }

  /// The indices of the rules with a pattern for a name in normal form.
  func matching(_ text: some Collection<UInt8>) -> Set<Int> { patterns.matching(text) }
}

/// A pattern of `*` (any number of characters) and `?` (any one).
package struct Glob: Sendable {
  let pattern: [UInt8]

  init(_ text: String) { pattern = Array(text.utf8) }

  /// A pattern for names in normal form: lower case, with underscores between words.
  init(name text: String) {
    pattern = text.utf8.map { byte in
      switch byte {
      case 0x41...0x5A: byte | 0x20
      case 0x20, 0x2D, 0x2E: 0x5F
      default: byte
      }
    }
  }
}

/// Lists of patterns as one automaton. A state is a bit: so many of a pattern's characters have been matched (Navarro and Raffinot,
/// "Flexible Pattern Matching in Strings", 2002, section 4.2). A character of a text moves all states, 64 at once.
struct PatternSet: Sendable {
  /// The most bytes of a mapping's patterns. With them a name of 256 bytes takes 65,536 steps.
  static let mostBytes = 16 << 10

  /// Words of 64 states. A text takes as many steps for each of its bytes.
  let words: Int
  private let starts: [UInt64]
  /// States that a star follows: any character leaves them.
  private let loops: [UInt64]
  /// For each byte the states that it leads into, `words` each.
  private let entered: [UInt64]
  /// The last state of each pattern, with the index of its list.
  private let ends: [(state: Int, list: Int)]

  init(_ lists: [[Glob]]) {
    let characters = lists.joined().reduce(0) { $0 + $1.pattern.count { $0 != 0x2A } + 1 }
    let words = (characters + 63) / 64
    var (starts, loops) = ([UInt64](repeating: 0, count: words), [UInt64](repeating: 0, count: words))
    var entered = [UInt64](repeating: 0, count: words * 256)
    var ends: [(state: Int, list: Int)] = []
    var state = 0
    for (list, globs) in lists.enumerated() {
      for glob in globs {
        starts[state / 64] |= 1 << UInt64(state % 64)
        for byte in glob.pattern {
          if byte == 0x2A {
            loops[state / 64] |= 1 << UInt64(state % 64)
            continue
          }
          state += 1
          for taken in byte == 0x3F ? 0...255 : Int(byte)...Int(byte) {
            entered[taken * words + state / 64] |= 1 << UInt64(state % 64)
          }
        }
        ends.append((state, list))
        state += 1
      }
    }
    (self.words, self.starts, self.loops, self.entered, self.ends) = (words, starts, loops, entered, ends)
  }

  /// The indices of the lists with a pattern that a text matches.
  func matching(_ text: some Collection<UInt8>) -> Set<Int> {
    guard words > 0 else { return [] }
    var states = starts
    for byte in text {
      var (carried, any): (UInt64, UInt64) = (0, 0)
      for word in 0..<words {
        let old = states[word]
        states[word] = (old << 1 | carried) & entered[Int(byte) * words + word] | old & loops[word]
        carried = old >> 63
        any |= states[word]
      }
      if any == 0 { return [] }
    }
    return Set(ends.lazy.filter { states[$0.state / 64] >> UInt64($0.state % 64) & 1 != 0 }.map(\.list))
  }
}
