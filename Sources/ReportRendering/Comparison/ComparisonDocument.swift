// The comparison as a document: what it is about, the verdict of each pair, then the numbers that it rests on.

import PermissionAnalysis

package enum ComparisonDocument {
  /// - Parameters:
  ///   - style: of the text; the other forms take only its words.
  ///   - isExplained: with the method, formula and source of each number at the end.
  package static func render(
    _ set: ComparisonSet, _ form: Document.Form, _ style: TextStyle = TextStyle(), isExplained: Bool = false
  ) -> [UInt8] {
    let style = style.of(form)
    guard let first = set.pairs.first else { return [] }
    let caution = RowNames.caution(first.permission).map { Block.caution($0, .none) }
    let verdicts =
      form == .html
      ? [verdict(set), days(set)] : set.pairs.map { verdict($0, isAlone: set.pairs.count == 1, style) }
    return Document(
      title: ComparisonWords.title(set), head: [.words(ComparisonWords.place(first))] + (caution.map { [$0] } ?? []),
      sections: verdicts + numbers(set, style, isExplained: isExplained)
    ).render(form, style)
  }

  /// The numbers that the verdicts rest on.
  private static func numbers(_ set: ComparisonSet, _ style: TextStyle, isExplained: Bool) -> [Section] {
    var sections = [ComparisonTables.arms(set, style)]
    for pair in set.pairs {
      let title = set.pairs.count == 1 ? "" : ": \(pair.b.variant) against \(pair.a.variant)"
      sections += [ComparisonNumbers.section(pair, title), ComparisonChecks.section(pair, title, style)]
      sections += ComparisonTables.others(pair, title, style)
      if let segments = ComparisonTables.segments(pair, title, style) { sections.append(segments) }
    }
    if isExplained { sections.append(ComparisonExplanation.section(set, style)) }
    for i in sections.indices { sections[i].id = "part\(i)" }
    return sections
  }

  // MARK: The verdict

  /// The verdict of a pair with its interval as a line of signs.
  private static func verdict(_ c: Comparison, isAlone: Bool, _ style: TextStyle) -> Section {
    var blocks: [Block] = [.gap] + words(c, isAlone: isAlone)
    if let headline = c.headline {
      let drawing = IntervalDrawing(style)
      let effect = c.needed.minimumEffect
      let range = ComparisonWords.range(headline.low, headline.high)
      blocks += [
        .gap, .ruler(drawing.line(headline, effect: effect)), .paragraph(drawing.legend(effect: effect), indent: 2),
        .paragraph("\(ComparisonWords.headline(c)): \(range) points", indent: 2),
      ]
    }
    return .untitled(blocks)
  }

  /// - Parameter isAlone: no other pair needs to be told from this one.
  private static func words(_ c: Comparison, isAlone: Bool) -> [Block] {
    let name = isAlone ? "" : "\(c.b.variant) against \(c.a.variant): "
    return [.verdict(name + ComparisonWords.verdict(c), ComparisonWords.tone(c.decision))]
      + c.reasonSentences.map { .paragraph($0, indent: 2) } + c.cautionSentences.map { .caution($0, .note) }
  }

  // MARK: On a page

  private static func verdict(_ set: ComparisonSet) -> Section {
    let verdicts = set.pairs.flatMap { words($0, isAlone: set.pairs.count == 1) }
    return Section("verdict", "Verdict", verdicts + [.drawing { intervals(set, on: &$0) }])
  }

  private static func intervals(_ set: ComparisonSet, on page: inout Markup) {
    guard set.pairs.contains(where: { $0.headline != nil }) else { return }
    page.element("figure", ["class": "large"]) { page in
      page.element("h3", text: "The difference and its interval")
      IntervalChart.draw(set.pairs, on: &page)
      page.details("Numbers") { page in
        var table = Table("message", ["difference", "from", "to", "what"])
        for pair in set.pairs {
          guard let headline = pair.headline else { continue }
          table.row(
            pair.b.variant,
            [headline.value, headline.low, headline.high].map { TableCell(ComparisonWords.points($0)) }
              + [TableCell(ComparisonWords.headline(pair))])
        }
        page.table(table, caption: "Difference in points against \(set.pairs.first?.a.variant ?? "")")
      }
    }
  }

  private static func days(_ set: ComparisonSet) -> Section {
    let looks =
      set.pairs.contains { $0.looks != nil }
      ? " Squares: the declared looks, which decide here; filled if the bound was crossed." : ""
    let words =
      "The difference of all exposures up to each finished day, with the always-valid interval: it holds on all days "
      + "together, so reading it every day does no harm. Shaded: differences too small to matter. Days on which the "
      + "sequence still refuses an interval have none." + looks
    return Section("days", "Day by day", [.words(words), .drawing { sequences(set, on: &$0) }])
  }

  private static func sequences(_ set: ComparisonSet, on page: inout Markup) {
    let isAlone = set.pairs.count == 1
    page.element("div", isAlone ? [:] : ["class": "panels"]) { page in
      for pair in set.pairs {
        page.element("figure", isAlone ? ["class": "large"] : [:]) { page in
          page.element("h3") { $0.name("\(pair.b.variant) against \(pair.a.variant)") }
          SequenceChart.draw(pair, on: &page)
          page.details("Numbers") { $0.table(SequenceChart.table(pair), caption: "Day by day, in points") }
        }
      }
    }
  }
}

/// One interval drawn with signs, against zero and the smallest effect that matters.
private struct IntervalDrawing {
  private let style: TextStyle
  private let columns: Int

  init(_ style: TextStyle) {
    self.style = style
    columns = min(style.width, 100) - 4
  }

  func line(_ headline: Comparison.Headline, effect: Double) -> String {
    let (low, high) = (max(-1, headline.low), min(1, headline.high))
    let reach = max(abs(low), abs(high), effect, 1e-9) * 1.1
    func column(_ value: Double) -> Int {
      let place = (value + reach) / (2 * reach) * Double(columns - 1)
      return min(columns - 1, max(0, Int(place.rounded())))
    }
    let signs = Array(style.isASCII ? "-[]|.o" : "─├┤│·●")
    var line = [Character](repeating: " ", count: columns)
    for i in column(low)...max(column(low), column(high)) { line[i] = signs[0] }
    for value in [-effect, effect] { line[column(value)] = line[column(value)] == " " ? signs[4] : ":" }
    for (value, sign) in [(low, signs[1]), (high, signs[2]), (0, signs[3]), (headline.value, signs[5])] {
      line[column(value)] = sign
    }
    return "  " + String(line)
  }

  /// What its signs mean.
  func legend(effect: Double) -> String {
    let (point, zero, dot) = style.isASCII ? ("o", "|", ".") : ("●", "│", "·")
    return
      "\(point) difference in points, \(zero) zero, \(dot) smallest effect that matters (± \(fixed(effect * 100, 2)))"
  }
}
