// The trees of answers are what their documentation says: every key of the JSON is in its schema, in this order, every
// row of the CSV is listed in docs/csv.md, and docs/figures.md says where each number of a comparison is computed.

import Foundation
import PermissionAnalysis
import Testing

@testable import ReportRendering

@Suite struct FigureTreeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  // MARK: Schemas

  private struct Schema {
    let root: [String: Any]
    /// Keys of the whole document that are there only if they say something.
    let optional: [String]

    init(_ name: String, optional: [String] = []) throws {
      self.optional = optional
      let data = try Data(contentsOf: FigureTreeTests.root.appendingPathComponent("docs/schemas/\(name).json"))
      root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    func resolved(_ node: [String: Any]) throws -> [String: Any] {
      if let reference = node["$ref"] as? String {
        var found: [String: Any] = root
        for part in reference.split(separator: "/").dropFirst() {
          found = try #require(found[String(part)] as? [String: Any], "\(reference)")
        }
        return try resolved(found)
      }
      guard let choices = node["anyOf"] as? [[String: Any]] else { return node }
      let some = try choices.map(resolved).filter { $0["type"] as? String != "null" }
      #expect(some.count == 1)
      return try #require(some.first)
    }

    /// The paths of all values; a number with its interval is one, and so is a list of plain values.
    func paths(_ node: [String: Any], _ path: String) throws -> [String] {
      let node = try resolved(node)
      if let items = node["items"] as? [String: Any] {
        let inside = try resolved(items)
        return inside["properties"] == nil ? [path] : try paths(inside, path + "[]")
      }
      guard let properties = node["properties"] as? [String: [String: Any]] else { return [path] }
      let required = try #require(node["required"] as? [String], "\(path)")
      let keys = required + (path.isEmpty ? optional : [])
      #expect(Set(keys) == Set(properties.keys), "\(path): every key is always there")
      if ["value,low,high", "count,mean,p50,p90,p99"].contains(keys.joined(separator: ",")) { return [path] }
      return try keys.flatMap { try paths(#require(properties[$0]), path.isEmpty ? $0 : path + "." + $0) }
    }
  }

  private func expectEveryFigure(_ lines: [FigureLine], _ paths: [String]) {
    let names = lines.filter(\.isInJSON).map(\.name)
    for name in names where !paths.contains(name) { Issue.record("the schema lacks \(name)") }
    for path in paths where !names.contains(path) { Issue.record("the schema has \(path), which the tree lacks") }
    #expect(names == paths, "the order is the tree's")
  }

  @Test func schemas() throws {
    let compare = try Schema("compare-3")
    expectEveryFigure(ComparedPair.figures.lines(), try compare.paths(["$ref": "#/$defs/pair"], ""))
    let flow = try Schema("flow-1")
    let properties = try #require(flow.root["properties"] as? [String: [String: Any]])
    let entry = try flow.resolved(try #require(properties["flow"]?["items"] as? [String: Any]))
    expectEveryFigure(FlowEntry.figures.lines(), try flow.paths(entry, ""))
    for (lines, name) in [
      (SavedPlan.figures.lines(), "plan-file-1"), (PlanJSON.figures.lines(), "plan-1"),
      (ExperimentsJSON.figures.lines(), "experiments-1"), (AuditJSON.figures.lines(), "audit-1"),
    ] {
      let schema = try Schema(name, optional: name == "plan-file-1" ? ["screen", "split_changes", "from", "to"] : [])
      expectEveryFigure(lines, try schema.paths(schema.root, ""))
    }
  }

  // MARK: Lists of the documentation

  /// The lines of the table with this heading.
  private func table(_ heading: String, in page: String) throws -> [String] {
    let lines = try Self.text(page).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: heading), "\(page): \(heading)")
    return Array(lines[(start + 2)...].prefix { $0.hasPrefix("|") })
  }

  private func listed(_ lines: [FigureLine]) -> [String] {
    lines.filter(\.isInTables).map { line in
      var name = line.name.replacing(".[]", with: "[]")
      if name.hasSuffix(".") { name.removeLast() }
      return "| `\(name)` | \(line.unit) | \(line.meaning) |"
    }
  }

  @Test func tables() throws {
    let pair = Comparison.Arm.figures.lines() + ComparedPair.tables.lines()
    for (heading, lines) in [
      ("| figure of a comparison | unit | what |", pair),
      ("| figure of flows | unit | what |", FlowEntry.figures.lines()),
    ] {
      let documented = try table(heading, in: "docs/csv.md")
      let expected = listed(lines)
      for line in expected where !documented.contains(line) { Issue.record("docs/csv.md lacks: \(line)") }
      for line in documented where !expected.contains(line) {
        Issue.record("docs/csv.md lists what is no figure: \(line)")
      }
      #expect(documented == expected, "the order is the tree's")
    }
  }

  @Test("every number of a comparison's JSON is listed once, with files that there are")
  func metrics() throws {
    var listed: [String] = ["permission", "experiment", "metric", "as_of", "time_zone", "confidence"]
    for line in try table("| number | what | file | mathematics |", in: "docs/figures.md") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      listed += cells[0].matches(of: /`(\w+)`/).map { String($0.1) }
      let file = cells[2].replacingOccurrences(of: "`", with: "")
      #expect(try !Self.text("Sources/PermissionAnalysis/Comparison/\(file)").isEmpty, "\(line)")
      guard cells[3] != "–" else { continue }
      let mathematics = cells[3].replacingOccurrences(of: "`", with: "")
      #expect(try !Self.text("Sources/Statistics/\(mathematics)").isEmpty, "\(line)")
    }
    let keys = ComparedPair.figures.lines().filter(\.isInJSON).map { $0.name.prefix { $0 != "." && $0 != "[" } }
    #expect(Set(keys.map(String.init)) == Set(listed))
    #expect(Set(listed).count == listed.count)
  }

  @Test func everyNodeThatTablesNameIsThere() { #expect(ComparedPair.tables.count == 22) }
}
