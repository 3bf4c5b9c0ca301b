// Times to answer as small hills on one logarithmic axis, a row for each answer, all on one scale of shares.

import PermissionAnalysis
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum TimeChart {
  private static let rowHeight = 78.0
  /// Of an answer that too few users gave.
  private static let emptyHeight = 26.0
  /// Above the highest bar of a row: its label.
  private static let labelHeight = 34.0

  /// The axes that the charts of some rows share, so you can compare the shapes of their hills.
  struct Axes {
    /// Halves of octaves; see `TimeDistribution`.
    let bins: ClosedRange<Int>
    /// The share of an answer's times in one bin.
    let shares: ChartAxis

    /// nil if no row has enough times.
    init?(_ rows: [ReportRow]) {
      let drawn = rows.flatMap(TimeChart.drawn).compactMap { $0 }
      let halves = drawn.flatMap(\.bins).map(\.half)
      guard let low = halves.min(), let high = halves.max() else { return nil }
      // Room for two ticks at least.
      bins = low...max(high + 1, low + 6)
      let highest = drawn.flatMap { times in times.bins.map { Double($0.count) / Double(TimeChart.total(times)) } }
        .max()
      shares = ChartAxis([0, highest ?? 1], startsAtZero: true)
    }
  }

  static func total(_ times: TimeDistribution) -> Int { times.bins.reduce(0) { $0 + $1.count } }

  /// By answer; nil for one that too few users gave.
  private static func drawn(_ row: ReportRow) -> [TimeDistribution?] {
    row.times.distributions.map { total($0) >= Drawable.leastBase ? $0 : nil }
  }

  static func canDraw(_ row: ReportRow) -> Bool { drawn(row).contains { $0 != nil } }

  /// - Parameter step: how finely the log has times, in milliseconds.
  static func draw(_ row: ReportRow, _ axes: Axes, step: Milliseconds, on page: inout Markup) {
    let marks = OutcomeMark.all.prefix(3)
    let heights = drawn(row).map { $0 == nil ? emptyHeight : rowHeight }
    let plot = Plot(
      height: heights.reduce(0, +) + 26, left: 34, right: 2, top: 0, bottom: 20,
      x: Double(axes.bins.lowerBound)...Double(axes.bins.upperBound), y: 0...1)
    page.drawing(
      height: plot.height, title: "Time to answer, " + RowNames.titles.full(row),
      description: description(row, step)
    ) { page in
      timeAxis(axes.bins, plot, on: &page)
      var base = 0.0
      for (i, (mark, times)) in zip(marks, drawn(row)).enumerated() {
        guard i < row.times.byOutcome.count else { continue }
        base += heights[i]
        let summary = row.times.byOutcome[i]
        var label = mark.name + " · " + NumberText.count(summary.count)
        if times == nil {
          label += summary.count == 0 ? "" : " · too few to draw"
        } else if let median = summary.p50 {
          label += " · median " + NumberText.duration(median, step: step)
        }
        page.label(label, x: 0, y: base - heights[i] + 19)
        guard let times else { continue }
        let y = Scale(low: 0, high: axes.shares.high, start: base, end: base - rowHeight + labelHeight)
        page.series(mark.name, mark.style) { page in
          for tick in [0, axes.shares.high] {
            page.element("g", ["data-y": Plot.exact(tick)]) { page in
              page.line(x1: plot.left, y1: y(tick), x2: plot.right, y2: y(tick), tick == 0 ? "axis" : "grid")
              page.label(axes.shares.text(tick), x: plot.left - 4, y: y(tick) + 4, "end")
            }
          }
          let all = Double(total(times))
          hill(
            times.bins.map { (Double($0.half), Double($0.half + 1), Double($0.count) / all) }, plot, y, on: &page)
          if let median = summary.p50, place(median) >= plot.x.low {
            let x = plot.x(place(median))
            page.line(x1: x, y1: base - rowHeight + labelHeight, x2: x, y2: base, "median")
          }
        }
      }
    }
  }

  /// - Parameter bins: in halves of octaves.
  static func hill(
    _ bins: [(start: Double, end: Double, share: Double)], _ plot: Plot, _ y: Scale, on page: inout Markup
  ) {
    for bin in bins {
      let (start, end, top) = (plot.x(bin.start), plot.x(bin.end), y(bin.share))
      page.hover("Up to \(NumberText.window(Milliseconds(time(bin.end)))): \(NumberText.percent(bin.share))") {
        $0.bar(x: start + 0.4, y: top, width: end - start - 0.8, height: y.start - top, "fill")
      }
    }
  }

  /// The time at a position, in whole milliseconds.
  private static func time(_ place: Double) -> Double { (1000 * exp2(place / 2)).rounded() }

  /// The position of a time among the bins: twice its octaves above a second. A time of 0 has no logarithm.
  static func place(_ time: Double) -> Double { 2 * log2(max(time, 0.5) / 1000) }

  private static let minute = 60_000.0
  private static let hour = 60 * minute
  private static let day = 24 * hour
  private static let ticks: [Double] =
    [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute]
    + [hour, 2 * hour, 6 * hour, 12 * hour, day, 3 * day, 7 * day, 14 * day, 28 * day]

  /// - Parameter ticks: in milliseconds; drawn if they have room.
  static func timeAxis(
    _ bins: ClosedRange<Int>, _ plot: Plot, ticks: [Double] = ticks, from y: Double = 18, on page: inout Markup
  ) {
    let (low, high) = (TimeDistribution.edge(bins.lowerBound), TimeDistribution.edge(bins.upperBound))
    var free = -Double.infinity
    for tick in ticks where tick >= low && tick <= high {
      let x = plot.x(place(tick))
      let style = x > Plot.width - 22 ? "end" : "middle"
      // A label at the end is entirely before its tick.
      guard x - free > (style == "end" ? 58 : 40) else { continue }
      plot.xTick(&page, place(tick), NumberText.window(Milliseconds(tick)), from: y, style: "grid", place: style)
      free = x
    }
  }

  private static func description(_ row: ReportRow, _ step: Milliseconds) -> String {
    let parts = zip(OutcomeMark.all, row.times.byOutcome).map { mark, times -> String in
      guard let p50 = times.p50, let p90 = times.p90 else { return mark.name + ": no users" }
      return
        "\(mark.name): \(NumberText.count(times.count)), half within \(NumberText.duration(p50, step: step)), nine in ten within "
        + NumberText.duration(p90, step: step)
    }
    return parts.joined(separator: "; ") + "."
  }
}

// MARK: The grant rate by when people were asked: an interval for each class, below one another

enum TimingChart {
  private static let rowHeight = 17.0

  private static func drawn(_ figures: TimingFigures) -> [TimingFigures.Group] {
    TimingScale.allCases.flatMap { figures.groups($0) ?? [] }.filter { $0.base >= Drawable.leastBase }
  }

  static func canDraw(_ figures: TimingFigures) -> Bool { !drawn(figures).isEmpty }

  static func axis(_ figures: [TimingFigures]) -> ChartAxis {
    ChartAxis(rates: figures.flatMap(drawn).compactMap { group in group.rate.map { ($0, group.base) } })
  }

  static func draw(_ figures: TimingFigures, _ axis: ChartAxis, on page: inout Markup) {
    let blocks = TimingScale.allCases.map { ($0, figures.named($0)) }.filter { !$0.1.isEmpty }
    let rows = blocks.reduce(0) { $0 + $1.1.count + 1 }
    let plot = Plot(
      height: rowHeight * Double(rows) + 40, left: 122, right: 14, top: 8, bottom: 30, x: axis.low...axis.high, y: 0...1
    )
    page.drawing(
      height: plot.height,
      title: "Grant rate by when people were asked, " + RowNames.titles.permission(figures.permission),
      description: description(figures)
    ) { page in
      plot.xAxis(&page, axis)
      var y = plot.top + 8
      for (scale, rows) in blocks {
        page.label(scale.words.short, x: 0, y: y + 4, "strong")
        y += rowHeight
        for row in rows {
          let style = row.group.name == "unknown" ? "neutral" : "granted"
          draw(row.name, row.group, style, "\(scale)." + row.group.name, y, plot, on: &page)
          y += rowHeight
        }
      }
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
        page.element("title", text: "\(name): \(NumberText.rate(rate, " "))")
        if let low = rate.low, let high = rate.high {
          page.line(x1: plot.x(low), y1: y, x2: plot.x(high), y2: y, "line")
        }
        page.point(.circle, x: plot.x(rate.value), y: y, size: 3.8, "dot")
      }
    }
  }

  private static func description(_ figures: TimingFigures) -> String {
    (TimingSentence(figures, .titles)?.text ?? "No two classes have \(Drawable.leastBase) users.")
      + " All classes are in the table below."
  }
}

// MARK: How long prompts waited for their answers, on a logarithmic axis with the line at the limit: calls that returned at once are a hump left of it, people one on the right

struct CallChart {
  /// The prompts of a permission on one platform.
  private struct Panel {
    let name: String
    let counts: CallSums.Counts
    let isApplied: Bool

    var answered: Int { Int(counts.answered) }

    /// Bins of the histogram that hold something, their ends in milliseconds. Answers of the same millisecond have no width of their own on a
    /// logarithmic axis, and are in the bin up to 1 ms.
    func bins(_ longest: Milliseconds) -> [(start: Double, end: Double, count: Int)] {
      var times = counts.times
      times[1] &+= times[0]
      return times.indices.dropFirst().filter { times[$0] > 0 }.map { bucket in
        let start = CallTime.end(bucket - 1) ?? 0
        return (Double(start), Double(CallTime.end(bucket) ?? max(longest, 2 * start)), Int(times[bucket]))
      }
    }
  }

  private let report: Report
  private let panels: [Panel]
  /// Halves of octaves, as of `TimeChart`.
  private let octaves: ClosedRange<Int>
  private var limit: String { NumberText.window(report.atOnce) }

  private static let ticks: [Double] = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000]

  /// nil if no answer came at once, or too few to draw.
  init?(_ report: Report) {
    let notable = report.calls.notable.filter { $0.counts.answered >= Int64(Drawable.leastBase) }
    let drawn = notable.filter { $0.counts.atOnce > 0 }
    let panels = drawn.sorted { ($1.counts.answered, $0.unit) < ($0.counts.answered, $1.unit) }.prefix(Panels.most).map
    { unit, counts in
      let platform = String(bounded: unit.platform)
      let isOnly = notable.count { $0.unit.permission == unit.permission } == 1
      return Panel(
        name: RowNames.titles.permission(String(bounded: unit.permission))
          + (platform.isEmpty ? isOnly ? "" : ", no platform" : ", " + platform),
        counts: counts, isApplied: report.isApplied(unit, counts))
    }
    guard !panels.isEmpty else { return nil }
    let all = panels.flatMap { $0.bins(report.responseWindow) }
    let limit = TimeChart.place(Double(report.atOnce))
    // Room for the labels on both sides of the line.
    let low = all.map { TimeChart.place($0.start) }.reduce(limit - 12, min)
    let high = all.map { TimeChart.place($0.end) }.reduce(limit + 16, max)
    (self.report, self.panels) = (report, panels)
    octaves = Int(low.rounded(.down))...Int(high.rounded(.up))
  }

  func write(on page: inout Markup) {
    page.prose(
      "Below: all answered prompts of the log by the time to the answer, on one logarithmic axis. A person takes "
        + "longer than the dashed "
        + "line, at \(limit); a call that shows no dialog returns sooner. Each chart says what the answers left of the line count as.",
      ["class": "words"])
    page.element("div", ["class": "panels"]) { page in
      for panel in panels {
        page.newLine()
        page.element("figure") { page in
          page.element("h3") { $0.name("Prompt to answer, " + panel.name) }
          draw(panel, on: &page)
          page.write(.note(caption(panel)))
          page.numbers(table(panel), "Answers by time, " + panel.name)
        }
      }
    }
  }

  private func draw(_ panel: Panel, on page: inout Markup) {
    let bins = panel.bins(report.responseWindow)
    func share(_ count: Int) -> Double { Double(count) / Double(panel.answered) }
    let shares = ChartAxis(bins.map { share($0.count) }, startsAtZero: true)
    let plot = Plot(
      height: 170, right: 8, top: 34, x: Double(octaves.lowerBound)...Double(octaves.upperBound), y: 0...shares.high)
    page.drawing(
      height: plot.height, title: "Prompt to answer, " + panel.name, description: caption(panel)
    ) { page in
      plot.yAxis(&page, shares)
      TimeChart.timeAxis(octaves, plot, ticks: Self.ticks, from: plot.top, on: &page)
      page.series("prompts", "neutral") { page in
        TimeChart.hill(
          bins.map { (TimeChart.place($0.start), TimeChart.place($0.end), share($0.count)) }, plot, plot.y, on: &page)
      }
      let x = plot.x(TimeChart.place(Double(report.atOnce)))
      page.line(x1: x, y1: 16, x2: x, y2: plot.bottom, "median")
      page.label("at once: " + NumberText.count(Int(panel.counts.atOnce)), x: x - 6, y: 12, "end")
      page.label("later: " + NumberText.count(panel.answered - Int(panel.counts.atOnce)), x: x + 6, y: 12)
    }
  }

  private func table(_ panel: Panel) -> Table {
    let bins = panel.bins(report.responseWindow)
    return Table("time to the answer", bins, [TableColumn("prompts") { TableCell(NumberText.count($0.count)) }]) {
      "up to " + NumberText.window(Milliseconds($0.end))
    }
  }

  /// Returns how the answers left of the line are read, which differs between charts.
  private func caption(_ panel: Panel) -> String {
    let left =
      "\(NumberText.count(Int(panel.counts.atOnce))) of \(NumberText.count(panel.answered)) answers are left of the line, "
      + "less than \(limit) from their prompt"
    if panel.isApplied {
      return left + ": no dialog was shown, and they are read as status checks."
    }
    return panel.counts.areLoggedTogether
      ? left + ": prompts and answers are logged together, so they count as people's, and the times say nothing."
      : left
        + ": the times are whole seconds, which cannot show calls that returned at once, so they count as people's."
  }
}
