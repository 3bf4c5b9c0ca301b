// The comparison for people: the verdict in one line, the interval drawn against zero and the smallest
// effect that matters, then the arms, then the checks.

import PermissionAnalysis
import PermissionEvents

package enum ComparisonText {
  package static func render(_ set: ComparisonSet, _ style: TextStyle) -> [UInt8] {
    set.pairs.flatMap { render($0, style) }
  }

  private static func render(_ c: Comparison, _ style: TextStyle) -> [UInt8] {
    var lines: [String] = []
    lines.append("\(c.permission): \(c.b.variant) against \(c.a.variant), \(c.metric.title)")
    lines.append(
      (c.experiment.map { "experiment \($0), " } ?? "") + "as of \(Timestamp.text(c.windows.asOf)), \(c.timeZone)")
    lines.append("")
    lines.append(verdict(c))
    for reason in c.reasons { lines += wrap(reason, width: style.width - 2).map { "  " + $0 } }
    lines.append("")
    lines += drawing(c, width: style.width)
    lines += arms(c)
    lines.append("")
    lines += numbers(c)
    lines.append("")
    lines += checks(c, style)
    if !c.secondary.isEmpty {
      lines.append("")
      lines += secondary(c)
    }
    return Array((lines.map { style.legible($0) }.joined(separator: "\n") + "\n").utf8)
  }

  private static func verdict(_ c: Comparison) -> String {
    switch c.decision {
    case .invalid: "INVALID: nothing can be concluded from these numbers."
    case .tooEarly: "TOO EARLY to decide."
    case .review: "REVIEW: look at this before deciding."
    case .aWins: "\(c.a.variant) WINS: keep \(c.a.variant)."
    case .bWins: "\(c.b.variant) WINS: take \(c.b.variant)."
    case .noDifference: "NO DIFFERENCE that matters: take either."
    case .keepRunning: "KEEP RUNNING: not decided yet."
    }
  }

  // MARK: Parts

  static func points(_ value: Double?) -> String {
    guard let value else { return "–" }
    let text = fixed(value * 100, 2)
    return text.hasPrefix("-") ? "−" + text.dropFirst() : "+" + text
  }

  private static func ratio(_ value: Double?) -> String { value.map { fixed($0, 3) } ?? "–" }

  private static func percent(_ value: Double?) -> String { value.map { fixed($0 * 100, 1) + " %" } ?? "–" }

  private static func range(_ estimate: Estimate?, _ format: (Double?) -> String) -> String {
    guard let estimate, estimate.low != nil || estimate.high != nil else { return "no interval" }
    return "\(format(estimate.low)) to \(estimate.high == nil ? "no upper limit" : format(estimate.high))"
  }

  /// The always-valid interval (or, refused, the fixed one) against 0 and the smallest effect that matters.
  private static func drawing(_ c: Comparison, width: Int) -> [String] {
    let fixedInterval = c.difference.flatMap { d in d.low.flatMap { low in d.high.map { (low, $0) } } }
    guard let (low, high) = c.alwaysValid.map({ ($0.low, $0.high) }) ?? fixedInterval else { return [] }
    let effect = c.needed.minimumEffect
    let reach = max(abs(low), abs(high), effect) * 1.1
    let columns = min(width, 100) - 4
    func column(_ value: Double) -> Int {
      min(columns - 1, max(0, Int(((value + reach) / (2 * reach) * Double(columns - 1)).rounded())))
    }
    var line = [Character](repeating: " ", count: columns)
    for i in column(low)...column(high) { line[i] = "─" }
    line[column(low)] = "├"
    line[column(high)] = "┤"
    line[column(-effect)] = line[column(-effect)] == " " ? "·" : "┼"
    line[column(effect)] = line[column(effect)] == " " ? "·" : "┼"
    line[column(0)] = "│"
    if let value = c.difference?.value { line[column(value)] = "●" }
    let what =
      c.alwaysValid == nil
      ? "95 % interval for a single look (the always-valid one is refused)" : "always-valid 95 % interval"
    return [
      trimmed("  " + String(line)),
      "  ● difference in points, │ zero, · smallest effect that matters (± \(fixed(effect * 100, 2)))",
      "  \(what): \(points(low)) to \(points(high)) points", "",
    ]
  }

  private static func arms(_ c: Comparison) -> [String] {
    let head = [
      "message", "exposed", "pending", "restr.", "base", "granted", "denied", "skipped", "left", "rate", "95 %",
    ]
    let rows = [c.a, c.b].map { arm in
      [
        arm.variant, grouped(arm.counts.exposed), grouped(arm.counts.pending), grouped(arm.counts.restricted),
        grouped(arm.counts.base), grouped(arm.counts[.granted]), grouped(arm.counts[.denied]),
        grouped(arm.counts[.skipped]), grouped(arm.counts[.droppedOff]), percent(arm.rate?.value),
        arm.rate.map { "\(fixed(($0.low ?? 0) * 100, 1))–\(fixed(($0.high ?? 1) * 100, 1))" } ?? "–",
      ]
    }
    return table([head] + rows)
  }

  private static func numbers(_ c: Comparison) -> [String] {
    var lines = [
      "difference       \(points(c.difference?.value)) points (\(range(c.difference, points)); Miettinen–Nurminen, one look)",
      "ratio            \(ratio(c.ratio?.value)) (\(range(c.ratio, ratio)))",
    ]
    if let test = c.test {
      let method = test.method == .z ? "pooled z" : "Fisher's mid-p"
      lines.append("p-value          \(pValue(test.pValue)) (\(method), two-sided, one look)")
    }
    if let sequence = c.alwaysValid {
      lines.append(
        "always valid     p \(pValue(sequence.pValue)), planned for \(grouped(c.plannedUsers)) users; look as often as you like"
      )
    } else if let refused = c.alwaysValidRefused {
      lines.append("always valid     refused: \(refused)")
    }
    if let bayes = c.bayes {
      lines.append(
        "Bayes            P(\(c.b.variant) > \(c.a.variant)) \(fixed(bayes.probabilityBGreater, 4)); expected loss "
          + "\(fixed(bayes.expectedLossA * 100, 3)) points with \(c.a.variant), \(fixed(bayes.expectedLossB * 100, 3)) with \(c.b.variant)"
      )
      lines.append("                 a second lens, never a reason to stop")
    }
    return lines
  }

  private static func checks(_ c: Comparison, _ style: TextStyle) -> [String] {
    let ratio = c.sampleRatio
    let observed = ratio.observed.map { grouped($0) }.joined(separator: " : ")
    let expected = ratio.expected.map { grouped(Int($0.rounded())) }.joined(separator: " : ")
    let p = ratio.pValue.map { pValue($0) } ?? "–"
    let both = c.contamination
    let excluding = points(both.differenceExcluding?.value)
    var lines: [String] = []
    lines.append(
      "sample ratio     \(observed), expected \(expected), p \(p)\(ratio.isMismatch ? "  MISMATCH" : "  ok")")
    lines.append(
      "saw both         \(grouped(both.users)) users (\(percent(both.share))), policy \(both.policy.rawValue);")
    lines.append("                 without them \(excluding) points")
    if let users = c.needed.perVariant {
      let days = c.needed.days.map { ", about \(grouped($0)) days" } ?? ""
      let effect = fixed(c.needed.minimumEffect * 100, 2)
      let what = users == 0 ? "enough users" : "\(grouped(users)) more users for each message\(days),"
      lines.append("needed           \(what) for \(effect) points with 80 % power at one look;")
      lines.append("                 to look at any time takes about twice as many")
    }
    return lines
  }

  private static func secondary(_ c: Comparison) -> [String] {
    let head = ["also", c.a.variant, c.b.variant, "difference", "p (BH)", ""]
    return table([head] + c.secondary.map(secondaryRow))
  }

  private static func secondaryRow(_ row: Comparison.Secondary) -> [String] {
    func seconds(_ value: Double?) -> String { value.map { fixed($0 / 1000, 2) + " s" } ?? "–" }
    let isTime = row.metric == "time_to_answer_ms"
    let title = row.title
    return [
      title, isTime ? seconds(row.a) : percent(row.a), isTime ? seconds(row.b) : percent(row.b),
      isTime ? seconds(row.difference?.value) : points(row.difference?.value),
      row.adjustedPValue.map { pValue($0) } ?? "–", row.isDescriptive ? "descriptive: of those who answered" : "",
    ]
  }

  // MARK: Layout

  static func pValue(_ p: Double) -> String { p < 0.0001 ? "< 0.0001" : fixed(p, 4) }

  /// Columns wide enough for their cells; the first to the left, the others to the right, the last as it is.
  private static func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { i in rows.map { $0[i].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { i, cell in
        let padding = String(repeating: " ", count: widths[i] - cell.count)
        return i == 0 || (i == columns - 1 && cell.count > 12) ? cell + padding : padding + cell
      }
      return trimmed(cells.joined(separator: "  "))
    }
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  private static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
