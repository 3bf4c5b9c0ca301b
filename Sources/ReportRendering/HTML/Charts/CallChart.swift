// How long prompts waited for their answers, on a logarithmic axis with the line at the limit: calls that returned at once are a hump left of
// it, people one on the right.

import PermissionAnalysis
import PermissionEvents

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
      return times.indices.dropFirst().filter { times[$0] > 0 }.map { place in
        let start = CallTime.end(place - 1) ?? 0
        return (Double(start), Double(CallTime.end(place) ?? max(longest, 2 * start)), Int(times[place]))
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
      let platform = String(decoding: unit.platform, as: UTF8.self)
      let isOnly = notable.count { $0.unit.permission == unit.permission } == 1
      return Panel(
        name: RowNames.permission(String(decoding: unit.permission, as: UTF8.self))
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
      "Below, all prompts of the log that have an answer, by the time to it, on one logarithmic axis. A person takes longer than the dashed "
        + "line, at \(limit); a call that shows no dialog returns sooner. Each chart says what the answers left of the line count as.",
      ["class": "words"])
    page.element("div", ["class": "panels"]) { page in
      for panel in panels {
        page.newLine()
        page.element("figure") { page in
          page.element("h3") { $0.name("Prompt to answer, " + panel.name) }
          draw(panel, on: &page)
          page.write(.note(caption(panel)))
          page.details("Numbers") { $0.table(table(panel), caption: "Answers by time, " + panel.name) }
        }
      }
    }
  }

  private func draw(_ panel: Panel, on page: inout Markup) {
    let bins = panel.bins(report.responseWindow)
    func share(_ count: Int) -> Double { Double(count) / Double(panel.answered) }
    let shares = ShareAxis(bins.map { share($0.count) }, startsAtZero: true)
    let plot = Plot(
      height: 170, right: 8, top: 34, x: Double(octaves.lowerBound)...Double(octaves.upperBound), y: 0...shares.high)
    page.drawing(
      height: plot.height, title: "Prompt to answer, " + panel.name, description: caption(panel)
    ) { page in
      plot.yAxis(&page, shares)
      TimeChart.timeAxis(octaves, plot, ticks: Self.ticks, from: plot.top, on: &page)
      page.series("prompts", "neutral") { page in
        for bin in bins {
          let (start, end) = (plot.x(TimeChart.place(bin.start)), plot.x(TimeChart.place(bin.end)))
          let top = plot.y(share(bin.count))
          page.bar(x: start + 0.4, y: top, width: end - start - 0.8, height: plot.bottom - top, "fill")
        }
      }
      let x = plot.x(TimeChart.place(Double(report.atOnce)))
      page.line(x1: x, y1: 16, x2: x, y2: plot.bottom, "median")
      page.label("at once: " + NumberText.count(Int(panel.counts.atOnce)), x: x - 6, y: 12, "end")
      page.label("later: " + NumberText.count(panel.answered - Int(panel.counts.atOnce)), x: x + 6, y: 12)
    }
  }

  private func table(_ panel: Panel) -> Table {
    var table = Table("time to the answer", ["prompts"])
    for bin in panel.bins(report.responseWindow) {
      table.row("up to " + NumberText.window(Milliseconds(bin.end)), [TableCell(NumberText.count(bin.count))])
    }
    return table
  }

  /// Says how the answers left of the line are read, as it is not always the same.
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
