// The days of the first exposure with versions of the app, in charts over time: thin upright lines with the versions' names above.
// Names that would lie on each other are joined.

import PermissionAnalysis
import PermissionEvents

struct VersionMarks {
  /// Names above the plot, one for each group of lines that lie close together.
  struct Label: Equatable {
    let text: String
    /// Of its first letter.
    let x: Double
  }

  /// Of the lines, in the order of the versions.
  let lines: [Double]
  let labels: [Label]

  /// How much higher a chart is that has a row of names.
  static let height = 15.0
  /// More lines than these are a fence: those of the versions with the most exposures are drawn.
  static let most = 24
  /// A letter of the axes' size is never wider; a wide one has two columns.
  private static let columnWidth = 6.7
  private static let gap = 7.0
  private static let longestName = 12
  private static let longestPair = 16

  /// - Parameters:
  ///   - versions: by first day.
  ///   - right: where names end at the latest.
  ///   - x: the place of a day; nil if the chart does not have it.
  init(_ versions: [VersionAppearance], to right: Double = Plot.width, _ x: (DayNumber) -> Double?) {
    let marks = Self.drawn(versions).compactMap { version in
      x(version.firstDay).map { (name: ChartName.short(version.version, most: Self.longestName), x: $0) }
    }
    lines = marks.map(\.x)
    var groups = marks.map { [$0] }
    var labels = groups.map { Self.label($0, right) }
    while let place = labels.indices.dropLast().first(where: { Self.end(labels[$0]) + Self.gap > labels[$0 + 1].x }) {
      groups[place] += groups.remove(at: place + 1)
      labels = groups.map { Self.label($0, right) }
    }
    self.labels = labels
  }

  /// Those to be marked. What is there on the first day of all was there before, for all that is known.
  static func marked(_ versions: [VersionAppearance]) -> [VersionAppearance] {
    let first = versions.map(\.firstDay).min()
    return versions.filter { $0.firstDay != first }
  }

  /// Those with the most exposures, in their order.
  static func drawn(_ versions: [VersionAppearance]) -> [VersionAppearance] {
    guard versions.count > most else { return versions }
    let least = versions.map(\.exposures).sorted(by: >)[most - 1]
    return Array(versions.filter { $0.exposures >= least }.prefix(most))
  }

  private static func label(_ group: [(name: String, x: Double)], _ right: Double) -> Label {
    var text = group[0].name
    if group.count == 2, DisplayWidth.of(text + ", " + group[1].name) <= longestPair {
      text += ", " + group[1].name
    } else if group.count > 1 {
      text += " and \(group.count - 1) more"
    }
    return Label(text: text, x: min(group[0].x, right - width(text)))
  }

  static func width(_ text: String) -> Double { Double(DisplayWidth.of(text)) * columnWidth }
  private static func end(_ label: Label) -> Double { label.x + width(label.text) }

  /// - Parameter y: the base line of the names.
  func draw(y: Double, to bottom: Double, on page: inout Markup) {
    guard !lines.isEmpty else { return }
    page.series("version", "neutral") { page in
      for x in lines { page.line(x1: x, y1: y + 3, x2: x, y2: bottom, "faint") }
    }
    for label in labels { page.label(label.text, x: label.x, y: y, "version") }
  }

  // MARK: In words

  static let words =
    " Thin upright lines: the day of the first exposure here with a version of the app, of versions with more than 1\u{A0}% of the "
    + "exposures that have a version; those of the first day have none."

  /// For those who do not see the chart.
  static func description(_ versions: [VersionAppearance]) -> String {
    guard !versions.isEmpty else { return "" }
    let names = versions.map { "\($0.version) on \(CivilDate($0.firstDay).text)" }
    return " First exposure here with versions of the app: \(Sentence.list(names, most: 12))."
  }

  /// All of them, also those that are not drawn.
  static func table(_ versions: [VersionAppearance], on page: inout Markup) {
    guard !versions.isEmpty else { return }
    var table = Table("version", ["first exposure with it here", "exposures"])
    for version in versions {
      table.row(
        version.version,
        [TableCell(CivilDate(version.firstDay).text), TableCell(NumberText.count(version.exposures))])
    }
    page.details("Versions of the app") {
      $0.table(table, caption: "Versions with more than 1\u{A0}% of the exposures that have a version")
    }
  }
}
