// What is wrong with the drawn numbers of a report's page, against its JSON.

import Foundation
import PermissionEvents

@testable import PermissionAnalysis
@testable import ReportRendering

/// Collects what does not agree by more than half a pixel.
struct DrawnProblems {
  private(set) var found: [String] = []
  /// Numbers that were compared.
  private(set) var compared = 0

  mutating func compare(_ drawn: Double, _ expected: Double, _ name: String) {
    compared += 1
    if !(abs(drawn - expected) <= 0.5) { found.append("\(name): drawn at \(drawn), its number is at \(expected)") }
  }

  mutating func add(_ words: String) { found.append(words) }

  /// Labels say what their ticks stand for and are beside them, and marks beyond the axes are cut off.
  mutating func examine(_ drawing: Drawing, _ name: String) {
    for tick in drawing.x.ticks + drawing.y.ticks + drawing.series.flatMap(\.y.ticks) {
      if let said = Self.value(tick.label), abs(said - tick.value) > 1e-6 {
        add("\(name): the tick of \(tick.value) is labelled \(tick.label)")
      }
      if abs(tick.labelPixel - tick.pixel) > 5 { add("\(name): the label \(tick.label) is not at its tick") }
    }
    for ticks in [drawing.x.ticks, drawing.y.ticks] where ticks.count > 1 {
      let axis = DrawnAxis(ticks: ticks)
      for tick in ticks { compare(tick.pixel, axis.pixel(tick.value), "\(name), tick \(tick.label)") }
    }
    for series in drawing.series where !series.isClipped && series.y.ticks.isEmpty && !drawing.y.ticks.isEmpty {
      for point in series.marks.flatMap(\.points) where !drawing.y.isWithin(point.y) {
        add("\(name), \(series.name): \(point) is beyond the axis and not cut off")
      }
    }
  }

  /// Of `25 %`, `+5`, `−0.5`, `W10`, `2026-03-01`; nil for other labels.
  private static func value(_ label: String) -> Double? {
    let text = label.replacingOccurrences(of: "−", with: "-").replacingOccurrences(of: "\u{A0}", with: "")
    if text.hasSuffix("%") { return Double(text.dropLast()).map { $0 / 100 } }
    if text.hasPrefix("+") || text.hasPrefix("-") { return Double(text).map { $0 / 100 } }
    if let date = CivilDate(parsing: text) { return Double(date.dayNumber) }
    return nil
  }
}

/// A report, its page as drawn, and its rows as JSON has them.
struct DrawnReport {
  typealias Object = [String: Any]

  let report: Report
  let scope: ReportScope
  let page: DrawnPage
  private let json: Object
  private let rows: [(row: ReportRow, json: Object)]

  init(_ report: Report, page bytes: [UInt8]? = nil) throws {
    self.report = report
    scope = ReportScope(report)
    page = try DrawnPage(bytes ?? ReportDocument.render(report, .html))
    let data = Data(ReportJSON.render(report, threads: 1))
    json = try JSONSerialization.jsonObject(with: data) as? Object ?? [:]
    rows = Array(zip(report.rows, json["rows"] as? [Object] ?? []))
  }

  static func number(_ object: Any?, _ path: String...) -> Double? {
    var object = object
    for key in path { object = (object as? Object)?[key] }
    return (object as? NSNumber)?.doubleValue
  }

  func problems() -> DrawnProblems {
    var problems = DrawnProblems()
    let kinds: [(String, (Drawing, String, inout DrawnProblems) -> Void)] = [
      ("Grant rate by week, ", weeks), ("From the first screen to the grant, ", funnel), ("Time to answer, ", times),
      ("Enabled later, ", returns), ("Retention by outcome, ", retention),
      ("Grant rate by when people were asked, ", timing), ("Prompt to answer, ", calls),
    ]
    for drawing in page.charts {
      problems.examine(drawing, drawing.title)
      guard let kind = kinds.first(where: { drawing.title.hasPrefix($0.0) }) else {
        problems.add("\(drawing.title): a chart that is not compared")
        continue
      }
      kind.1(drawing, String(drawing.title.dropFirst(kind.0.count)), &problems)
    }
    reach(&problems)
    sparklines(&problems)
    values(&problems)
    return problems
  }

  private func rows(_ name: String) -> [(row: ReportRow, json: Object)] {
    rows.filter { RowNames.titles.full($0.row) == name }
  }

  private func all(_ name: String) -> Object { rows(name).first { $0.row.week == nil }?.json ?? [:] }

  /// The row that the page leads with.
  private func lead(_ name: String) -> (row: ReportRow, json: Object)? {
    rows(name).first { $0.row.week == scope.leadWeek }
  }

  // MARK: By week

  private func weeks(_ drawing: Drawing, _ name: String, _ problems: inout DrawnProblems) {
    guard let series = drawing.series("grant_rate") else { return problems.add("\(drawing.title): nothing is drawn") }
    for tick in drawing.x.ticks where !CalendarWeek(index: Int64(tick.value)).text.hasSuffix(tick.label) {
      problems.add("\(drawing.title): the tick of \(tick.value) is labelled \(tick.label)")
    }
    var points: [Int64: [Double]] = [:]
    var lows = points
    var highs = points
    func week(_ x: Double) -> Int64 {
      drawing.x.ticks.count == 1 ? Int64(drawing.x.ticks[0].value) : Int64(drawing.x.value(x).rounded())
    }
    for mark in series.marks {
      switch mark.shape {
      case .point, .curve: for point in mark.points { points[week(point.x), default: []].append(point.y) }
      case .line:
        lows[week(mark.points[0].x), default: []].append(mark.points[0].y)
        highs[week(mark.points[0].x), default: []].append(mark.points[1].y)
      case .band:
        let half = mark.points.count / 2
        for point in mark.points[..<half] { highs[week(point.x), default: []].append(point.y) }
        for point in mark.points[half...] { lows[week(point.x), default: []].append(point.y) }
      case .bar: problems.add("\(drawing.title): a bar")
      }
      for point in mark.points where drawing.x.ticks.count > 1 {
        problems.compare(point.x, drawing.x.pixel(Double(week(point.x))), drawing.title)
      }
    }
    for (row, json) in rows(name) {
      guard let index = row.week?.index, let base = Self.number(json, "base"), base > 0 else { continue }
      let what = "\(drawing.title), \(row.week?.text ?? "")"
      let values = points.removeValue(forKey: index) ?? []
      if values.isEmpty != (base < 10) { problems.add("\(what): drawn \(values.count) times, of \(base)") }
      for (key, drawn) in [
        ("value", values), ("low", lows.removeValue(forKey: index) ?? []),
        ("high", highs.removeValue(forKey: index) ?? []),
      ] {
        guard let number = Self.number(json, "grant_rate", key) else { continue }
        if key != "value", drawn.isEmpty { problems.add("\(what): no \(key)") }
        for pixel in drawn { problems.compare(pixel, drawing.y.pixel(number), "\(what), \(key)") }
      }
    }
    if !points.isEmpty || !lows.isEmpty { problems.add("\(drawing.title): weeks without a rate are drawn: \(points)") }
  }

  // MARK: The lead week

  private func funnel(_ drawing: Drawing, _ name: String, _ problems: inout DrawnProblems) {
    guard let (row, json) = lead(name), let base = Self.number(json, "base") else {
      return problems.add("\(drawing.title): no row")
    }
    func step(_ step: String, _ name: String) -> Double { Self.number(json["steps"], step, name) ?? .nan }
    let granted = Self.number(json, "granted") ?? .nan
    let denied = Self.number(json, "denied") ?? .nan
    let left = granted + denied + step("prompt", "skipped") + step("prompt", "dropped")
    for line in FunnelChart.lines(row) {
      guard line.count > 0 else { continue }
      let number: Double =
        switch line.name {
        case "Granted": granted
        case "denied": denied
        case "skipped at the explanation": step("explanation", "skipped")
        case "no answer at the explanation": step("explanation", "dropped")
        case "skipped at the prompt": step("prompt", "skipped")
        case "no answer at the prompt": step("prompt", "dropped")
        case let name where name.hasPrefix("Came to"): left
        default: base
        }
      guard let bar = drawing.series(line.name)?.marks(.bar).first else {
        problems.add("\(drawing.title): \(line.name) is not drawn")
        continue
      }
      let start = drawing.x.pixel(0)
      problems.compare(
        bar.points[1].x - bar.points[0].x, drawing.x.pixel(number / base) - start, "\(drawing.title), \(line.name)")
      if !line.isExit { problems.compare(bar.points[0].x, start, "\(drawing.title), \(line.name) begins") }
    }
  }

  private func times(_ drawing: Drawing, _ name: String, _ problems: inout DrawnProblems) {
    guard let (row, json) = lead(name) else { return problems.add("\(drawing.title): no row") }
    // The axis is logarithmic: ticks are at twice the octaves above a second.
    for tick in drawing.x.ticks
    where NumberText.window(Milliseconds((1000 * exp2(tick.value / 2)).rounded())) != tick.label {
      problems.add("\(drawing.title): the tick of \(tick.value) is labelled \(tick.label)")
    }
    for (place, outcome) in ["granted", "denied", "skipped"].enumerated() {
      let what = "\(drawing.title), \(outcome)"
      guard let series = drawing.series(outcome) else { continue }
      let bins = row.times.distributions[place].bins
      let all = bins.reduce(0) { $0 + $1.count }
      let times = (json["time_by_outcome_ms"] as? Object)?[outcome]
      if Self.number(times, "count") != Double(all) { problems.add("\(what): the bins hold \(all)") }
      guard all >= 10 else {
        if !series.marks.isEmpty { problems.add("\(what): a hill of \(all)") }
        continue
      }
      let bars = series.marks(.bar)
      if bars.count != bins.count { problems.add("\(what): \(bars.count) bars of \(bins.count) bins") }
      for (bar, bin) in zip(bars, bins) {
        problems.compare(bar.points[0].x, drawing.x.pixel(Double(bin.half)), "\(what), start of a bar")
        problems.compare(bar.points[1].x, drawing.x.pixel(Double(bin.half + 1)), "\(what), end of a bar")
        problems.compare(bar.points[1].y, series.y.pixel(0), "\(what), foot of a bar")
        problems.compare(bar.points[0].y, series.y.pixel(Double(bin.count) / Double(all)), "\(what), height of a bar")
      }
      guard let median = Self.number(times, "p50"), let line = series.marks(.line).first else { continue }
      problems.compare(line.points[0].x, drawing.x.pixel(2 * log2(median / 1000)), "\(what), median")
    }
  }

  /// The axis of time is that of `times`. JSON has the counts on both sides of the line, the sums have those of the bins.
  private func calls(_ drawing: Drawing, _ name: String, _ problems: inout DrawnProblems) {
    let units = report.calls.units.rows.filter { unit, _ in
      let platform = String(decoding: unit.platform, as: UTF8.self)
      let title = RowNames.titles.permission(String(decoding: unit.permission, as: UTF8.self))
      return title + (platform.isEmpty ? "" : ", " + platform) == name
    }
    guard units.count == 1, let counts = units.first?.value, let series = drawing.series("prompts") else {
      return problems.add("\(drawing.title): no counts")
    }
    for tick in drawing.x.ticks
    where NumberText.window(Milliseconds((1000 * exp2(tick.value / 2)).rounded())) != tick.label {
      problems.add("\(drawing.title): the tick of \(tick.value) is labelled \(tick.label)")
    }
    func pixel(_ time: Milliseconds) -> Double { drawing.x.pixel(2 * log2(max(0.5, Double(time)) / 1000)) }
    var bars = series.marks(.bar)
    // Answers of the same millisecond are in the first bar.
    var times = counts.times
    times[1] += times[0]
    for place in 1..<times.count where times[place] > 0 {
      guard !bars.isEmpty else { return problems.add("\(drawing.title): a bar is missing") }
      let bar = bars.removeFirst()
      let ends = [place - 1, place].map {
        CallTime.edges.indices.contains($0) ? CallTime.edges[$0] : report.responseWindow
      }
      for (x, end) in zip([bar.points[0].x - 0.4, bar.points[1].x + 0.4], ends) {
        problems.compare(x, pixel(end), "\(drawing.title), bar up to \(ends[1])")
      }
      problems.compare(bar.points[1].y, drawing.y.pixel(0), "\(drawing.title), foot of a bar")
      problems.compare(
        bar.points[0].y, drawing.y.pixel(Double(times[place]) / Double(counts.answered)),
        "\(drawing.title), height of a bar")
    }
    if !bars.isEmpty { problems.add("\(drawing.title): \(bars.count) bars too many") }
  }

  // MARK: Later

  private func returns(_ drawing: Drawing, _ name: String, _ problems: inout DrawnProblems) {
    guard let row = rows(name).first(where: { $0.row.week == nil })?.row else { return }
    for (place, outcome) in ["denied", "skipped"].enumerated() {
      let what = "\(drawing.title), \(outcome)"
      let later = row.returns.enabledLater[place]
      // JSON has three days of the curve.
      let points = (all(name)["enabled_later"] as? Object)?[outcome] as? Object
      for (point, json) in zip(later.kaplanMeier, points?["kaplan_meier"] as? [Object] ?? [])
      where abs((point.value ?? -1) - (Self.number(json, "value") ?? -1)) > 1e-12 {
        problems.add("\(what): the curve is not that of JSON")
      }
      guard let series = drawing.series(outcome), let line = series.marks(.curve).first else { continue }
      let byDay = Dictionary(later.curve.map { ($0.day, $0) }) { $1 }
      for (i, point) in line.points.enumerated() {
        // Every day is a step: from its own start to its end.
        let day = Int(drawing.x.value(line.points[i - i % 2].x).rounded())
        guard let value = byDay[day]?.value else {
          problems.add("\(what): nothing is known of day \(day)")
          continue
        }
        problems.compare(point.y, drawing.y.pixel(value), "\(what), day \(day)")
      }
      let first = Int(drawing.x.value(line.points[0].x).rounded())
      if byDay[first]?.low == nil { problems.add("\(what): the line begins before its interval") }
      if later.curve.contains(where: { $0.day < first && $0.low != nil }) { problems.add("\(what): it begins late") }
      for band in series.marks(.band) {
        let half = band.points.count / 2
        for i in 0..<half {
          let day = Int(drawing.x.value(band.points[i - i % 2].x).rounded())
          problems.compare(band.points[i].y, drawing.y.pixel(byDay[day]?.high ?? .nan), "\(what), high of day \(day)")
          let low = band.points[band.points.count - 1 - i]
          problems.compare(low.y, drawing.y.pixel(byDay[day]?.low ?? .nan), "\(what), low of day \(day)")
        }
      }
    }
  }

  private func retention(_ drawing: Drawing, _ name: String, _ problems: inout DrawnProblems) {
    for day in all(name)["retention"] as? [Object] ?? [] {
      let number = Int(Self.number(day, "day") ?? 0)
      for (outcome, key) in [
        ("granted", "granted"), ("denied", "denied"), ("skipped", "skipped"), ("no answer", "dropped_off"),
      ] {
        let what = "\(drawing.title), \(outcome), day \(number)"
        let eligible = Self.number(day, key, "eligible") ?? 0
        guard let series = drawing.series("\(outcome), day \(number)"), eligible > 0 else {
          if eligible > 0 { problems.add("\(what): not drawn") }
          continue
        }
        let points = series.marks(.point)
        if points.isEmpty != (eligible < 10) { problems.add("\(what): \(points.count) points of \(eligible)") }
        for point in points {
          problems.compare(
            point.points[0].y, drawing.y.pixel(Self.number(day, key, "rate", "value") ?? .nan), "\(what)")
        }
        for line in series.marks(.line) {
          problems.compare(
            line.points[0].y, drawing.y.pixel(Self.number(day, key, "rate", "low") ?? .nan), "\(what), low")
          problems.compare(
            line.points[1].y, drawing.y.pixel(Self.number(day, key, "rate", "high") ?? .nan), "\(what), high")
        }
      }
    }
  }

  private func timing(_ drawing: Drawing, _ name: String, _ problems: inout DrawnProblems) {
    let timing = (json["timing"] as? [Object] ?? []).first {
      RowNames.titles.permission($0["permission"] as? String ?? "") == name
    }
    var drawn = 0
    for (key, scale) in [
      ("by_install", "install"), ("by_active_days", "activeDays"), ("by_feature_used", "featureUsed"),
    ] {
      for group in (timing?[key] as? Object)?["classes"] as? [Object] ?? [] {
        let of = "\(scale).\(group["class"] as? String ?? "")"
        let base = Self.number(group, "base") ?? 0
        guard let series = drawing.series(of) else {
          if base >= 10 { problems.add("\(drawing.title), \(of): not drawn") }
          continue
        }
        drawn += 1
        if base < 10 { problems.add("\(drawing.title), \(of): drawn of \(base)") }
        for point in series.marks(.point) {
          let value = Self.number(group, "rate", "value") ?? .nan
          problems.compare(point.points[0].x, drawing.x.pixel(value), "\(drawing.title), \(of)")
        }
        for line in series.marks(.line) {
          for (end, key) in zip(line.points, ["low", "high"]) {
            let bound = Self.number(group, "rate", key) ?? .nan
            problems.compare(end.x, drawing.x.pixel(bound), "\(drawing.title), \(of), \(key)")
          }
        }
      }
    }
    if drawn == 0 || drawn != drawing.series.count { problems.add("\(drawing.title): \(drawing.series.count) series") }
  }

  // MARK: In tables

  private func reach(_ problems: inout DrawnProblems) {
    let parts = ["on", "partial", "off", "restricted", "undecided"]
    let bars = page.drawings.filter { drawing in !drawing.isChart && drawing.series.contains { parts.contains($0.name) }
    }
    let rows = (json["reach"] as? [Object] ?? []).filter { row in
      (Self.number(row, "active_users") ?? 0) >= 10 && parts.contains { Self.number(row, $0) ?? 0 > 0 }
    }
    if bars.count != rows.count { problems.add("\(bars.count) bars of reach, \(rows.count) rows") }
    for (bar, row) in zip(bars, rows) {
      var before = 0.0
      for part in parts {
        let count = Self.number(row, part) ?? 0
        defer { before += count }
        guard count > 0, let users = Self.number(row, "active_users") else { continue }
        guard let mark = bar.series(part)?.marks(.bar).first else {
          problems.add("reach: \(part) is not drawn")
          continue
        }
        // The title says that the bar is all of the active users.
        problems.compare(mark.points[0].x, 320 * before / users, "reach, \(part) begins")
        problems.compare(mark.points[1].x, 320 * (before + count) / users, "reach, \(part) ends")
      }
    }
  }

  /// Rates of values with their intervals: the title of their column says from where to where they go.
  private func values(_ problems: inout DrawnProblems) {
    let cells = page.drawings.filter { !$0.isChart && $0.series("value.grant_rate") != nil }
    // A page has the hundred first values of a permission; with fewer users than one nothing has a rate.
    let shown = (json["by_ranking"] as? [Object] ?? []).flatMap { ($0["values"] as? [Object] ?? []).prefix(100) }
      .filter { Self.number($0, "base") ?? 0 > 0 }
    if cells.count != shown.count { problems.add("\(cells.count) rates of values, \(shown.count) rows") }
    guard !cells.isEmpty else { return }
    let scales = page.titles.compactMap { title -> (low: Double, high: Double)? in
      let text = title.replacingOccurrences(of: "\u{A0}", with: "")
      guard let to = text.range(of: "% to "), text.hasSuffix("%"), let low = Double(text[..<to.lowerBound]),
        let high = Double(text[to.upperBound...].dropLast())
      else { return nil }
      return (low / 100, high / 100)
    }
    guard scales.count == 1, let scale = scales.first else {
      return problems.add("rates of values with \(scales.count) scales")
    }
    let axis = DrawnAxis(ticks: [DrawnTick(value: scale.low, pixel: 8), DrawnTick(value: scale.high, pixel: 312)])
    // What lies beyond the scale is drawn at its end.
    func pixel(_ share: Double?) -> Double { share.map { axis.pixel(min(scale.high, max(scale.low, $0))) } ?? .nan }
    for (cell, row) in zip(cells, shown) {
      let what = "rate of the value \(row["value"] ?? "")"
      let marks = cell.series.flatMap(\.marks)
      let points = marks.filter { $0.shape == .point }
      if points.isEmpty != (Self.number(row, "base") ?? 0 < 10) { problems.add("\(what): \(points.count) points") }
      for point in points { problems.compare(point.points[0].x, pixel(Self.number(row, "rate", "value")), what) }
      let lines = cell.series("value.grant_rate")?.marks(.line) ?? []
      if lines.count != 1 { problems.add("\(what): \(lines.count) intervals") }
      for line in lines {
        problems.compare(line.points[0].x, pixel(Self.number(row, "rate", "low")), what + ", low")
        problems.compare(line.points[1].x, pixel(Self.number(row, "rate", "high")), what + ", high")
      }
    }
  }

  /// Lines of the last weeks: the title of their column says from where to where they go.
  private func sparklines(_ problems: inout DrawnProblems) {
    let lines = page.drawings.filter { !$0.isChart && $0.series("grant_rate") != nil }
    guard let title = page.titles.first(where: { $0.hasPrefix("last ") }) else {
      if !lines.isEmpty { problems.add("lines without a scale") }
      return
    }
    let ends = title.split(whereSeparator: { " \u{A0}".contains($0) }).compactMap { Double($0) }.suffix(2)
    guard ends.count == 2, let low = ends.first, let high = ends.last else {
      return problems.add("the title \(title) has no scale")
    }
    let axis = DrawnAxis(ticks: [DrawnTick(value: low / 100, pixel: 24), DrawnTick(value: high / 100, pixel: 4)])
    let weeks = Sparklines(scope).weeks
    let groups = scope.leadGroups.filter { group in
      weeks.contains { week in group.row(in: week).map { $0.grants.base >= 10 } ?? false }
    }
    if groups.count != lines.count { problems.add("\(lines.count) lines of \(groups.count) rows") }
    for (group, line) in zip(groups, lines) {
      let x = DrawnAxis(ticks: [DrawnTick(value: 0, pixel: 4), DrawnTick(value: Double(weeks.count - 1), pixel: 116)])
      for point in line.series.flatMap(\.marks).flatMap(\.points) {
        let place = Int(x.value(point.x).rounded())
        let what = "line of \(RowNames.titles.full(group.all)), \(place)"
        guard weeks.indices.contains(place), let row = group.row(in: weeks[place]),
          let json = rows.first(where: {
            $0.row.week == row.week && RowNames.titles.full($0.row) == RowNames.titles.full(row)
          })?
          .json,
          let value = Self.number(json, "grant_rate", "value")
        else {
          problems.add("\(what): no rate")
          continue
        }
        problems.compare(point.y, axis.pixel(value), what)
      }
    }
  }
}
