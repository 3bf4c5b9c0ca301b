// The documentation's examples are code that runs: each is in `CatalogueExamples.swift`, line by line.

import Foundation
import Permlog
import Testing

@Suite struct CatalogueTests {
  private static let library = Sample.root + "/Sources/Permlog"

  @Test func everyExampleRuns() throws {
    let code = Self.plain(
      try String(contentsOfFile: Sample.root + "/Tests/PermlogTests/CatalogueExamples.swift", encoding: .utf8))
    var count = 0
    for path in try Self.files() {
      for example in Self.examples(try String(contentsOfFile: path, encoding: .utf8)) {
        count += 1
        #expect(code.contains(Self.plain(example)), "\(path):\n\(example)")
      }
    }
    #expect(count > 12)
  }

  @Test func examplesAreFound() {
    #expect(Self.examples("a\n```swift\nx\n  y\n```\n```\nz\n```\n") == ["x\n  y"])
    #expect(Self.examples("  /// ```swift\n  /// x\n  /// ```\n") == ["x"])
  }

  /// The README, articles of the catalogue, and sources for their comments.
  private static func files() throws -> [String] {
    let names = (FileManager.default.enumerator(atPath: library)?.allObjects ?? []).compactMap { $0 as? String }
    let files = names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }.map { library + "/" + $0 }
    return files + [Sample.root + "/README.md"]
  }

  /// The blocks that are marked as Swift, in an article or in comments of documentation.
  private static func examples(_ text: String) -> [String] {
    var found: [String] = []
    var block: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = String(line)
      if let comment = line.range(of: "///"), line[..<comment.lowerBound].allSatisfy({ $0 == " " }) {
        line = String(line[comment.upperBound...].dropFirst())
      }
      if line == "```swift" {
        block = []
      } else if line == "```", let lines = block {
        found.append(lines.joined(separator: "\n"))
        block = nil
      } else {
        block?.append(line)
      }
    }
    return found
  }

  /// The lines without their margins, which differ.
  private static func plain(_ text: String) -> String {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n")
  }
}
