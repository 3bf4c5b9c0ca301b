/// Why bytes are not a property list.
package struct PropertyListError: Error, Sendable, Hashable {
  /// The problem, as the rest of a sentence that begins with a file name.
  package let problem: String
  /// Where, counted from 1; nil in a binary file.
  package let line: Int?

  init(_ problem: String, line: Int? = nil) {
    self.problem = problem
    self.line = line
  }

  init(_ problem: String, _ bytes: [UInt8], at position: Int) {
    self.init(problem, line: 1 + bytes.prefix(position).count { $0 == 0x0A })
  }

  /// `line 3: a key has no value`.
  package var sentence: String { (line.map { "line \($0): " } ?? "") + problem }

  static let isTooDeep = "values are nested more than \(PropertyList.mostDepth) deep"

  static func isTwice(_ key: String) -> String { "the key \(shown(key)) occurs twice, with two values" }

  /// A name from the file, short enough for a sentence.
  static func shown(_ name: String) -> String { name.count > 80 ? name.prefix(80) + "…" : name }
}
