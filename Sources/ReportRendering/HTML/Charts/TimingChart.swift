// The grant rate by when people were asked: an interval for each class, below one another.

import PermissionAnalysis

enum TimingChart {
  private static let rowHeight = 17.0

  private static func drawn(_ figures: TimingFigures) -> [TimingFigures.Group] {
    TimingScale.allCases.flatMap { figures.groups($0) ?? [] }.filter { $0.base >= Drawable.leastBase }
  }

  static func canDraw(_ figures: TimingFigures) -> Bool { !drawn(figures).isEmpty }

  /// The axis that the charts of some permissions share.
  static func axis(_ figures: [TimingFigures]) -> ShareAxis {
    ShareAxis(rates: figures.flatMap(drawn).compactMap { group in group.rate.map { ($0, group.base) } })
  }

  static func draw(_ figures: TimingFigures, _ axis: ShareAxis, on page: inout Markup) {
    let blocks = TimingScale.allCases.map { ($0, figures.named($0)) }.filter { !$0.1.isEmpty }
    let rows = blocks.reduce(0) { $0 + $1.1.count + 1 }
    let plot = Plot(
      height: rowHeight * Double(rows) + 40, left: 122, right: 14, top: 8, bottom: 30, x: axis.low...axis.high, y: 0...1
    )
    page.drawing(
      height: plot.height, title: "Grant rate by when people were asked, " + RowNames.permission(figures.permission),
      description: description(figures)
    ) { page in
      plot.xAxis(&page, axis)
      var y = plot.top + 8
      for (scale, rows) in blocks {
        page.label(heading(scale), x: 0, y: y + 4, "strong")
        y += rowHeight
        for row in rows {
          let style = row.group.name == "unknown" ? "neutral" : "granted"
          draw(row.name, row.group, style, "\(scale)." + row.group.name, y, plot, on: &page)
          y += rowHeight
        }
      }
    }
  }

  /// Short, so that it ends before the axis.
  private static func heading(_ scale: TimingScale) -> String {
    switch scale {
    case .install: "since the install"
    case .activeDays: "days of use before"
    case .featureUsed: "uses before"
    }
  }

  private static func draw(
    _ name: String, _ group: TimingFigures.Group, _ style: String, _ series: String, _ y: Double, _ plot: Plot,
    on page: inout Markup
  ) {
    page.label(name, x: 8, y: y + 4)
    guard group.base >= Drawable.leastBase, let rate = group.rate else {
      return page.label("too few", x: plot.left + 4, y: y + 4)
    }
    page.clipped(to: plot) { page in
      page.series(series, style) { page in
        if let low = rate.low, let high = rate.high {
          page.line(x1: plot.x(low), y1: y, x2: plot.x(high), y2: y, "line")
        }
        page.point(.circle, x: plot.x(rate.value), y: y, size: 3.8, "dot")
      }
    }
  }

  private static func description(_ figures: TimingFigures) -> String {
    (TimingSentence(figures)?.text ?? "No two classes have \(Drawable.leastBase) users.")
      + " All classes are in the table below."
  }
}
