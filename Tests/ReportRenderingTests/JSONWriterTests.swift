// What is written straight into bytes has the form of a tree of values, whatever is inside what.

import Testing

@testable import ReportRendering

@Suite struct JSONWriterTests {
  /// Members of an object, made up: each is written by the writer and put into a tree.
  private struct Maker {
    var random: SeededNumbers
    static let keys: [StaticString] = ["a", "b", "rate", "rows", "a_longer_name"]
    static let strings = ["", "plain", "\"quoted\" \\ back", "line\nend \u{1}", "caf\u{E9} \u{1F600}"]
    static let numbers: [Double] = [0, -0.5, 1e15, 1e15 + 2, 123_456.789, 1e-7, .nan, .infinity, 1e300, -3]
    static let integers = [0, 1, -1, Int.min, Int.max, 1_000_000]

    mutating func write(_ writer: inout JSONWriter, depth: Int) -> [(String, JSONValue)] {
      var members: [(String, JSONValue)] = []
      for _ in 0..<random.below(6) {
        let key = Self.keys[random.below(Self.keys.count)]
        let value: JSONValue
        switch random.below(depth > 0 ? 8 : 6) {
        case 0:
          let number = Self.integers[random.below(Self.integers.count)]
          writer.member(key, number)
          value = .integer(number)
        case 1:
          let number = Self.numbers[random.below(Self.numbers.count)]
          writer.member(key, number)
          value = .optional(number)
        case 2:
          let text = random.below(3) == 0 ? nil : Self.strings[random.below(Self.strings.count)]
          writer.member(key, text)
          value = .optional(text)
        case 3:
          writer.member(key, random.below(2) == 0)
          value = .bool(random.last == 0)
        case 4:
          writer.null(key)
          value = .null
        case 5:
          let text = String(repeating: "x", count: random.below(5000))
          writer.member(key, text)
          value = .string(text)
        case 6:
          var inside: [(String, JSONValue)] = []
          let object = writer.begin(object: key)
          inside = write(&writer, depth: depth - 1)
          writer.end(object)
          value = .object(inside)
        default:
          var elements: [JSONValue] = []
          let count = random.below(4)
          let list = writer.begin(list: key)
          for _ in 0..<count {
            let object = writer.beginElement()
            elements.append(.object(write(&writer, depth: depth - 1)))
            writer.end(object)
          }
          writer.end(list)
          value = .array(elements)
        }
        members.append(("\(key)", value))
      }
      return members
    }
  }

  /// Numbers from a seed (xorshift64).
  private struct SeededNumbers {
    var state: UInt64
    var last = 0
    mutating func below(_ limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      last = Int(state % UInt64(limit))
      return last
    }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func theWriterAndTheTreeAgree(seed: UInt64) {
    var maker = Maker(random: SeededNumbers(state: seed &* 0x9E37_79B9_7F4A_7C15))
    var tree: [(String, JSONValue)] = []
    let written = JSONWriter.object(indent: 0) { tree = maker.write(&$0, depth: 4) }
    #expect(written + [0x0A] == JSONValue.object(tree).encode(), "seed \(seed)")
  }

  /// A row inside the report: an object that has been written stands where the tree has its own.
  @Test func whatHasBeenWrittenStandsInTheTree() {
    func row(_ n: Int) -> JSONValue { .object([("n", .integer(n)), ("inside", .object([("x", .null)]))]) }
    let encoded = (0..<3).map { n in
      JSONValue.encoded(
        JSONWriter.object(indent: 4) { writer in
          writer.member("n", n)
          let object = writer.begin(object: "inside")
          writer.null("x")
          writer.end(object)
        })
    }
    #expect(
      JSONValue.object([("rows", .array(encoded))]).encode()
        == JSONValue.object([("rows", .array((0..<3).map(row)))]).encode())
  }
}
