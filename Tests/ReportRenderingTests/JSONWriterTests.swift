// What is written straight into bytes is what a tree of values says, whatever is inside what.

import Foundation
import Testing

@testable import ReportRendering

@Suite struct JSONWriterTests {
  /// A tree of values, and the plain way to write it: a container of plain values takes one line.
  private indirect enum Tree {
    case plain(String)
    case array([Tree])
    case object([(String, Tree)])

    static func optional<Value>(_ value: Value?) -> Tree { .plain(value.map { "\($0)" } ?? "null") }

    func text(_ indent: String = "") -> String {
      switch self {
      case .plain(let text): text
      case .array(let values): Self.enclose("[", values.map { ("", $0) }, "]", indent)
      case .object(let members): Self.enclose("{", members.map { ("\"\($0.0)\": ", $0.1) }, "}", indent)
      }
    }

    private var isPlain: Bool { if case .plain = self { true } else { false } }

    private static func enclose(_ open: String, _ items: [(String, Tree)], _ close: String, _ indent: String) -> String
    {
      if items.allSatisfy(\.1.isPlain) {
        return open + items.map { $0.0 + $0.1.text() }.joined(separator: ", ") + close
      }
      let lines = items.map { "\n" + indent + "  " + $0.0 + $0.1.text(indent + "  ") }
      return open + lines.joined(separator: ",") + "\n" + indent + close
    }
  }

  /// Members of an object, made up: each is written by the writer and put into a tree.
  private struct Maker {
    var random: SeededNumbers
    static let keys: [StaticString] = ["a", "b", "rate", "rows", "a_longer_name"]
    static let strings = ["", "plain", "\"quoted\" \\ back", "line\nend \u{1}", "caf\u{E9} \u{1F600}"]
    static let escaped = ["", "plain", "\\\"quoted\\\" \\\\ back", "line\\nend \\u0001", "caf\u{E9} \u{1F600}"]
    static let numbers: [(Double, String)] = [
      (0, "0"), (-0.5, "-0.5"), (1e15, "1000000000000000.0"), (1e15 + 2, "1000000000000002.0"),
      (123_456.789, "123456.789"),
      (1e-7, "1e-07"), (.nan, "null"), (.infinity, "null"), (1e300, "1e+300"), (-3, "-3"),
    ]
    static let integers = [0, 1, -1, Int.min, Int.max, 1_000_000]

    mutating func write(_ json: inout JSONWriter, depth: Int) -> [(String, Tree)] {
      var members: [(String, Tree)] = []
      for _ in 0..<random.below(6) {
        let key = Self.keys[random.below(Self.keys.count)]
        let value: Tree
        switch random.below(depth > 0 ? 9 : 6) {
        case 0:
          let number = random.below(4) == 0 ? nil : Self.integers[random.below(Self.integers.count)]
          json.member(key, number)
          value = .optional(number)
        case 1:
          let (number, text) = Self.numbers[random.below(Self.numbers.count)]
          json.member(key, number)
          value = .plain(text)
        case 2:
          let place = random.below(Self.strings.count)
          json.member(named: "\(key)", Self.strings[place])
          value = .plain("\"" + Self.escaped[place] + "\"")
        case 3:
          json.member(key, random.below(2) == 0)
          value = .optional(random.last == 0)
        case 4:
          json.member(key, [1, 2, 3])
          value = .array([.plain("1"), .plain("2"), .plain("3")])
        case 5:
          let text = String(repeating: "x", count: random.below(5000))
          json.member(key, utf8: Array(text.utf8))
          value = .plain("\"" + text + "\"")
        case 6:
          var inside: [(String, Tree)] = []
          json.object(key) { inside = write(&$0, depth: depth - 1) }
          value = .object(inside)
        case 7:
          json.members([key: ["n": 1, "none": Int?.none] as JSONMembers])
          value = .object([("n", .plain("1")), ("none", .plain("null"))])
        default:
          var elements: [Tree] = []
          json.array(key) { json in
            for _ in 0..<random.below(4) {
              json.element { elements.append(.object(write(&$0, depth: depth - 1))) }
            }
          }
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
    var tree: [(String, Tree)] = []
    var json = JSONWriter()
    json.object { tree = maker.write(&$0, depth: 4) }
    #expect(String(decoding: json.take(), as: UTF8.self) == Tree.object(tree).text(), "seed \(seed)")
  }

  /// Rows of the report are written by several threads, and put into it as they are.
  @Test func whatHasBeenWrittenIsAnElement() {
    let rows = (0..<3).map { n in ["n": n, "inside": ["x": Int?.none] as JSONMembers] as JSONMembers }
    let encoded = rows.map { row in
      var json = JSONWriter(indent: 4)
      row.write(to: &json)
      return json.take()
    }
    var json = JSONWriter()
    json.object { json in
      json.array("rows") { json in
        for row in encoded { json.element(encoded: row) }
      }
    }
    json.endLine()
    #expect(json.take() == JSONWriter.document(["rows": rows] as JSONMembers))
  }

  @Test func compactTextHasNoSpaces() {
    var json = JSONWriter(isCompact: true)
    for n in 0..<2 {
      json.object { json in
        json.member("n", n)
        json.member("list", [1, 2])
        json.object("inside") { $0.member(named: "a\"b", "c d") }
      }
      json.endLine()
    }
    let lines = (0..<2).map { #"{"n":\#($0),"list":[1,2],"inside":{"a\"b":"c d"}}"# + "\n" }
    #expect(String(decoding: json.take(), as: UTF8.self) == lines.joined())
  }
}
