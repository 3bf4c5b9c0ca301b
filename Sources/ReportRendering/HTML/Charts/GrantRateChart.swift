// The grant rate week by week, with its interval as a band. A week that runs or is cut is a hollow point of its own, and a
// week of a few users an interval without a point.

import PermissionAnalysis
import PermissionEvents

enum GrantRateChart {
  struct Axes {
    let rates: ChartAxis
    /// Indexes of weeks.
    let weeks: ClosedRange<Int64>

    /// nil if there is no week.
    init?(_ groups: [RowGroup], _ scope: ReportScope) {
      let rows = groups.flatMap(\.weeks)
      let indexes = scope.groups.flatMap(\.weeks).compactMap { $0.week?.index }
      guard let first = indexes.min(), let last = indexes.max() else { return nil }
      weeks = first...last
      rates = ChartAxis(rates: rows.compactMap { row in row.grants.grantRate.map { ($0, row.grants.base) } })
    }
  }

  static func draw(_ group: RowGroup, _ axes: Axes, _ scope: ReportScope, on page: inout Markup) {
    let (first, last) = (axes.weeks.lowerBound, axes.weeks.upperBound)
    let versions = VersionMarks.marked(scope.report.versions)
    // Days have a position if all weeks are equally wide, with the point in the middle.
    let half = versions.isEmpty ? 0 : 0.5
    let room = versions.isEmpty ? 0 : VersionMarks.height
    let plot = Plot(
      height: 200 + room, right: 20, top: 26 + room, bottom: 34,
      x: Double(first) - half...Double(max(first + (versions.isEmpty ? 1 : 0), last)) + half,
      y: axes.rates.low...axes.rates.high)
    let marks = VersionMarks(versions) { day in
      let week = scope.report.zone.week(of: day)
      guard axes.weeks.contains(week.index) else { return nil }
      return plot.x(Double(week.index) + (Double(day - week.firstDay) - 3) / 7)
    }
    // One week alone is in the middle.
    func x(_ index: Int64) -> Double {
      first == last ? (plot.left + plot.right) / 2 : plot.x(Double(index))
    }
    func x(_ row: ReportRow) -> Double { x(row.week?.index ?? first) }
    let counted = group.weeks.filter { $0.grants.base >= Drawable.leastBase }
    let few = group.weeks.filter { (1..<Drawable.leastBase).contains($0.grants.base) }
    let whole = counted.filter { scope.state($0) == nil }
    page.drawing(
      height: plot.height, title: "Grant rate by week, " + RowNames.titles.full(group.all),
      description: description(group, scope) + VersionMarks.description(versions)
    ) { page in
      plot.yAxis(&page, axes.rates)
      weekAxis(axes.weeks, plot, x, on: &page)
      marks.draw(y: plot.top - 14, to: plot.bottom, on: &page)
      page.clipped(to: plot) { page in
        page.series("usual", "neutral") { page in
          for weeks in whole.filter({ $0.usual != nil }).runs({ $0.week.map { $0.index + 1 } == $1.week?.index }) {
            // A week alone has a band of its own width.
            let sides = weeks.count == 1 ? [-8.0, 8] : [0]
            page.band(
              weeks.flatMap { row in
                sides.compactMap { side in row.usual.map { (x(row) + side, plot.y($0.low), plot.y($0.high)) } }
              }, "band")
          }
        }
        page.series("grant_rate", "granted") { page in
          for row in few { whisker(row, x(row), plot, "faint", on: &page) }
          // More points than these are a string of beads.
          for weeks in whole.runs({ $0.week.map { $0.index + 1 } == $1.week?.index }) {
            draw(weeks, x, plot, isDotted: last - first < 27, on: &page)
          }
          for row in counted where scope.state(row) != nil {
            guard let rate = row.grants.grantRate else { continue }
            whisker(row, x(row), plot, "thin dashed", on: &page)
            page.point(.circle, x: x(row), y: plot.y(rate.value), size: 3.8, "hollow")
          }
        }
      }
      for row in counted {
        guard let state = scope.state(row), let rate = row.grants.grantRate else { continue }
        page.label(state, x: x(row), y: max(plot.top, plot.y(rate.high ?? rate.value) - 5), "middle")
      }
      for row in whole {
        guard let outside = row.usual?.outside else { continue }
        let y = plot.y(row.grants.grantRate?.high ?? row.grants.grantRate?.value ?? 0) - 6
        page.label(
          outside.mark, x: x(row), y: max(plot.top, y), outside == .lower ? "bad middle" : "good middle")
      }
      page.hover(group.weeks.map { (x($0), words($0, scope)) }, in: plot)
      if let row = whole.last, let rate = row.grants.grantRate {
        let name = row.week.map { " in " + $0.text } ?? ""
        page.label(NumberText.percent(rate.value) + name, x: Plot.width, y: 10, "end strong")
      }
    }
  }

  /// A week's values, for a pointer over it.
  private static func words(_ row: ReportRow, _ scope: ReportScope) -> String {
    let counts = "\(NumberText.count(row.grants.granted)) of \(NumberText.count(row.grants.base)) users"
    let isCounted = row.grants.base >= Drawable.leastBase
    let rate = isCounted ? row.grants.grantRate.map { NumberText.rate($0, " ") + ", " } ?? "" : ""
    let usual = row.usual.map { "; usual \(NumberText.percent($0.low)) to \(NumberText.percent($0.high))" } ?? ""
    let state = scope.state(row).map { " (\($0))" } ?? ""
    return "\(row.week?.text ?? "")\(state): \(rate)\(counts)\(usual)"
  }

  /// - Parameter stretch: weeks that follow one another without a gap.
  private static func draw(
    _ stretch: ArraySlice<ReportRow>, _ x: (ReportRow) -> Double, _ plot: Plot, isDotted: Bool, on page: inout Markup
  ) {
    let rates = stretch.compactMap { row in row.grants.grantRate.map { (x(row), $0) } }
    page.band(
      rates.compactMap { x, rate in rate.ends.map { (x, plot.y($0.low), plot.y($0.high)) } }, "band")
    page.polyline(rates.map { ($0, plot.y($1.value)) }, "line")
    if stretch.count == 1, let row = stretch.first { whisker(row, x(row), plot, "thin", on: &page) }
    for (x, rate) in rates where isDotted || stretch.count == 1 {
      page.point(.circle, x: x, y: plot.y(rate.value), size: 3.4, "dot")
    }
  }

  private static func whisker(_ row: ReportRow, _ x: Double, _ plot: Plot, _ style: String, on page: inout Markup) {
    page.whisker(x: x, row.grants.grantRate?.ends, plot.y, style)
  }

  /// A tick for every week that has room, labelled without the year but for the first and each new year.
  private static func weekAxis(
    _ weeks: ClosedRange<Int64>, _ plot: Plot, _ x: (Int64) -> Double, on page: inout Markup
  ) {
    let labelled = Plot.labelled(weeks.count, most: 7)
    var year = ""
    for (i, index) in weeks.enumerated() where labelled.contains(i) {
      let week = CalendarWeek(index: index)
      let parts = week.text.split(separator: "-")
      let label = week.start == .monday ? parts.last.map(String.init) ?? "" : DayWords.short(week.firstDay)
      plot.xTick(&page, Double(index), label, at: x(index))
      if let first = parts.first, first != year {
        year = String(first)
        page.label(year, x: x(index), y: plot.bottom + 28, "middle")
      }
    }
  }

  private static func description(_ group: RowGroup, _ scope: ReportScope) -> String {
    let known = group.weeks.filter { scope.state($0) == nil && $0.grants.base >= Drawable.leastBase }
      .compactMap { row in row.grants.grantRate.flatMap { rate in row.week.map { ($0.text, rate) } } }
    guard let first = known.first, let last = known.last else {
      return
        "No complete week has \(Drawable.leastBase) users or more with an outcome. All weeks are in the table below."
    }
    let values = known.map(\.1.value)
    let interval = NumberText.interval(last.1).map { ", 95\u{A0}% interval \($0)" } ?? ""
    return "From \(NumberText.percent(first.1.value)) in \(first.0) to \(NumberText.percent(last.1.value)) in \(last.0)"
      + interval + "; lowest \(NumberText.percent(values.min() ?? 0)), highest \(NumberText.percent(values.max() ?? 0))"
      + " over " + NumberText.counted(known.count, "complete week") + ". All weeks are in the table below."
  }
}

// MARK: The days of the first exposure with versions of the app, in charts over time: thin upright lines with the versions' names above
// Names that would overlap are joined.

struct VersionMarks {
  /// A name above the plot, one for each group of lines close together; `x` is of its first letter.
  typealias Label = (text: String, x: Double)

  /// Of the lines, in the order of the versions.
  let lines: [Double]
  let labels: [Label]

  /// How much higher a chart is that has a row of names.
  static let height = 15.0
  /// More lines would look like a fence, so only the versions with the most exposures are drawn.
  static let most = 24
  /// A letter of the axes' size is never wider; a wide one has two columns.
  private static let columnWidth = 6.7
  private static let gap = 7.0
  private static let longestName = 12
  private static let longestPair = 16

  /// - Parameters:
  ///   - versions: by first day.
  ///   - right: where names end at the latest.
  ///   - x: the position of a day; nil if the chart does not have it.
  init(_ versions: [VersionAppearance], to right: Double = Plot.width, _ x: (DayNumber) -> Double?) {
    let marks = Self.drawn(versions).compactMap { version in
      x(version.firstDay).map { (name: ChartName.short(version.version, most: Self.longestName), x: $0) }
    }
    lines = marks.map(\.x)
    var groups = marks.map { [$0] }
    var labels = groups.map { Self.label($0, right) }
    while let index = labels.indices.dropLast().first(where: { Self.end(labels[$0]) + Self.gap > labels[$0 + 1].x }) {
      groups[index] += groups.remove(at: index + 1)
      labels = groups.map { Self.label($0, right) }
    }
    self.labels = labels
  }

  /// The versions to mark. Versions of the first day are left out: they may be older.
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
    return (text, min(group[0].x, right - width(text)))
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
    " Thin upright lines mark the day of the first exposure here with a version of the app. "
    + "Only versions with more than 1\u{A0}% of the exposures that have a version are marked, and none seen on the first day."

  /// For those who do not see the chart.
  static func description(_ versions: [VersionAppearance]) -> String {
    guard !versions.isEmpty else { return "" }
    let names = versions.map { "\($0.version) on \(CivilDate($0.firstDay).text)" }
    return " First exposure here with versions of the app: \(Sentence.list(names, most: 12))."
  }

  /// All versions, including those that are not drawn.
  static func table(_ versions: [VersionAppearance], on page: inout Markup) {
    guard !versions.isEmpty else { return }
    let columns: [TableColumn<VersionAppearance>] = [
      TableColumn("first exposure with it here") { TableCell(CivilDate($0.firstDay).text) },
      TableColumn("exposures") { TableCell(NumberText.count($0.exposures)) },
    ]
    let table = Table("version", versions, columns) { $0.version }
    page.details("Versions of the app") {
      $0.table(table, caption: "Versions with more than 1\u{A0}% of the exposures that have a version")
    }
  }
}
