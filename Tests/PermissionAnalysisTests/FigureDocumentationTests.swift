// The list of figures in docs/figures.md is the tree's: every figure with what it is and the file that computes it.

import Foundation
import Testing

@testable import PermissionAnalysis

@Suite struct FigureDocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let folder = "Sources/PermissionAnalysis/Figures/"

  /// A line of the list.
  private struct Entry: Equatable {
    var name: String
    var unit: String
    var meaning: String
  }

  private static func entries<Row>(_ tree: FigureTree<Row>, _ prefix: String = "") -> [Entry] {
    tree.figures.map { Entry(name: prefix + $0.name, unit: $0.unit, meaning: $0.meaning) }
  }

  private static var figures: [Entry] {
    entries(Report.figures) + entries(ReportRow.figures) + entries(ReachRow.figures, "reach.")
      + [Entry(name: "activity.KIND", unit: "events", meaning: "of that kind, by their own time")]
      + entries(TimingFigures.figures, "timing.")
  }

  /// The lines of the table below its heading: an entry, and the file that it names.
  private static func documented() throws -> [(entry: Entry, file: String)] {
    let text = try String(contentsOf: root.appendingPathComponent("docs/figures.md"), encoding: .utf8)
    let lines = text.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "| figure | unit | what | file |"))
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = cells[0].replacingOccurrences(of: "`", with: "")
      return (Entry(name: name, unit: cells[1], meaning: cells[2]), cells[3].replacingOccurrences(of: "`", with: ""))
    }
  }

  @Test func everyFigureIsListedAndNothingElse() throws {
    let documented = try Self.documented().map(\.entry)
    let figures = Self.figures
    for figure in figures where !documented.contains(figure) {
      Issue.record("docs/figures.md lacks: | `\(figure.name)` | \(figure.unit) | \(figure.meaning) |")
    }
    for entry in documented where !figures.contains(entry) {
      Issue.record("docs/figures.md lists what is no figure: \(entry)")
    }
    #expect(documented.map(\.name) == figures.map(\.name), "the order is the tree's")
  }

  @Test func theFileNamedDeclaresTheFigure() throws {
    for (entry, file) in try Self.documented() {
      let path = Self.root.appendingPathComponent(Self.folder + file)
      guard let source = try? String(contentsOf: path, encoding: .utf8) else {
        Issue.record("\(entry.name): there is no \(Self.folder + file)")
        continue
      }
      if entry.name == "activity.KIND" { continue }
      for part in entry.name.split(separator: ".") where !["day_N", "CLASS", "reach", "timing"].contains(part) {
        #expect(source.contains("\"\(part)\""), "\(file) does not declare \(entry.name)")
      }
    }
  }

  @Test func namesAreUnique() {
    for names in [
      Report.figures.numbers.map(\.name), ReportRow.figures.numbers.map(\.name), ReachRow.figures.numbers.map(\.name),
      TimingFigures.figures.numbers.map(\.name),
    ] {
      #expect(Set(names).count == names.count)
    }
    #expect(ReportRow.figures.numbers.contains { $0.name == "retention.day_7.granted.rate" })
    #expect(TimingFigures.figures.numbers.contains { $0.name == "by_install.under_1m.base" })
    #expect(ReportRow.figures.numbers.contains { $0.name == "enabled_later.denied.kaplan_meier.day_28" })
  }
}
