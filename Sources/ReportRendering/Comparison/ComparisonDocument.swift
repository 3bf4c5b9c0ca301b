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
    let bound = Block.note(Sentence.held(ComparisonWords.errorBound(set)))
    let verdicts =
      form == .html
      ? [verdict(set, bound, style), days(set)]
      : set.pairs.map { verdict($0, isAlone: set.pairs.count == 1, style) } + [.untitled([.gap, bound])]
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
      sections += [ComparisonNumbers.section(pair, title, style.words), ComparisonChecks.section(pair, title, style)]
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
    var blocks: [Block] = [.gap] + words(c, isAlone: isAlone, style)
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
  private static func words(_ c: Comparison, isAlone: Bool, _ style: TextStyle) -> [Block] {
    let name = isAlone ? "" : "\(c.b.variant) against \(c.a.variant): "
    let words = name + ComparisonWords.verdict(c)
    return [.verdict(words, ComparisonWords.tone(c.decision), kind: VerdictKind(c.decision))]
      + c.reasonSentences(saying: style.words).map { .paragraph(Sentence.held($0), indent: 2) }
      + c.cautionSentences(saying: style.words).map { .caution(Sentence.held($0), .note) }
  }

  // MARK: On a page

  private static func verdict(_ set: ComparisonSet, _ bound: Block, _ style: TextStyle) -> Section {
    let verdicts = set.pairs.flatMap { words($0, isAlone: set.pairs.count == 1, style) }
    return Section("verdict", "Verdict", verdicts + [bound, .drawing { intervals(set, on: &$0) }])
  }

  private static func intervals(_ set: ComparisonSet, on page: inout Markup) {
    guard set.pairs.contains(where: { DrawnInterval($0) != nil }) else { return }
    page.element("figure", ["class": "large"]) { page in
      page.element("h3", text: "The difference and its interval")
      IntervalChart.draw(set.pairs, on: &page)
      page.details("Numbers") { page in
        let caption = "Difference in points against \(set.pairs.first?.a.variant ?? "")"
        page.table(IntervalChart.table(set.pairs), caption: caption)
      }
    }
  }

  private static func days(_ set: ComparisonSet) -> Section {
    let isDeclared = set.pairs.contains { $0.monitoring.declared != nil }
    let looks = isDeclared ? " Squares: the declared looks; filled if the bound was crossed." : ""
    let words =
      "The difference of all users with a known outcome at the end of each finished day, with the interval of the rule that "
      + "decides; the upright line is the day of the decision. Dashed: the always-valid interval. Both hold on all days "
      + "together, so reading them every day does no harm. Shaded across: differences too small to matter."
      + (set.pairs.count > 1 ? " All charts have the same axes." : "") + looks
    return Section("days", "Day by day", [.words(words), .drawing { sequences(set, on: &$0) }])
  }

  private static func sequences(_ set: ComparisonSet, on page: inout Markup) {
    let isAlone = set.pairs.count == 1
    let axes = SequenceChart.Axes(set.pairs)
    page.element("div", isAlone ? [:] : ["class": "panels"]) { page in
      for pair in set.pairs {
        page.element("figure", isAlone ? ["class": "large"] : [:]) { page in
          page.element("h3") { $0.name("\(pair.b.variant) against \(pair.a.variant)") }
          SequenceChart.draw(pair, axes, on: &page)
          page.details("Numbers") { $0.table(SequenceChart.table(pair), caption: "Day by day, in points") }
        }
      }
    }
  }
}
