// The comparison as one page that stands alone: the verdict, the interval, the days, then what the text says.

import PermissionAnalysis

/// The comparison for a browser, with charts.
public enum ComparisonHTML {
  /// - Parameter isExplained: with the method, formula and source of each number at the end.
  /// - Parameter hints: what the program that shows it calls what its reader may do.
  public static func render(
    _ set: ComparisonSet, isExplained: Bool = false, hints: @escaping HintWords = Hint.neutral
  ) -> [UInt8] {
    guard let first = set.pairs.first else { return [] }
    return Page.render(title: ComparisonWords.title(set)) { page in
      page.element("p", ["class": "words"], text: ComparisonWords.place(first))
      if let caution = RowNames.caution(first.permission) { page.cautions([caution]) }
    } main: { page in
      verdicts(set, on: &page)
      sequences(set, on: &page)
      for part in parts(set, isExplained: isExplained, hints) { write(part, on: &page) }
    }
  }

  // MARK: Verdict and charts

  private static func verdicts(_ set: ComparisonSet, on page: inout Markup) {
    page.section("verdict", "Verdict", "") { page in
      for pair in set.pairs {
        let name = set.pairs.count == 1 ? "" : "\(pair.b.variant) against \(pair.a.variant): "
        page.element("p", ["class": "verdict"], text: name + ComparisonWords.verdict(pair))
        for reason in pair.reasonSentences { page.element("p", text: reason) }
        for caution in pair.cautionSentences { page.element("p", ["class": "caution"], text: "Mind: " + caution) }
      }
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
  }

  private static func sequences(_ set: ComparisonSet, on page: inout Markup) {
    let looks =
      set.pairs.contains { $0.looks != nil }
      ? " Squares: the declared looks, which decide here; filled where the bound was crossed." : ""
    page.section(
      "days", "Day by day",
      "The difference of all exposures up to each finished day, with the always-valid interval: it holds on all days "
        + "together, so reading it every day does no harm. Shaded across: differences too small to matter. No interval "
        + "stands where the sequence still refuses one." + looks
    ) { page in
      page.element("div", set.pairs.count == 1 ? [:] : ["class": "panels"]) { page in
        for pair in set.pairs {
          page.element("figure", set.pairs.count == 1 ? ["class": "large"] : [:]) { page in
            page.element("h3") { $0.name("\(pair.b.variant) against \(pair.a.variant)") }
            SequenceChart.draw(pair, on: &page)
            page.details("Numbers") { $0.table(SequenceChart.table(pair), caption: "Day by day, in points") }
          }
        }
      }
    }
  }

  // MARK: The rest

  private struct Part {
    var id: String
    var title: String
    var blocks: [Block]
  }

  /// What the text has behind its verdict, cut at its titles.
  private static func parts(_ set: ComparisonSet, isExplained: Bool, _ hints: @escaping HintWords) -> [Part] {
    var rest = BlockPage(TextStyle(width: 120, hints: hints))
    ComparisonText.writeSections(set, isExplained: isExplained, on: &rest)
    var parts = [Part(id: "part0", title: "Messages", blocks: [])]
    for block in rest.blocks {
      if case .section(let title) = block {
        parts.append(Part(id: "part\(parts.count)", title: title, blocks: []))
      } else {
        parts[parts.count - 1].blocks.append(block)
      }
    }
    return parts.filter { !$0.blocks.isEmpty }
  }

  private static func write(_ part: Part, on page: inout Markup) {
    page.section(part.id, part.title, "") { page in
      for (i, block) in part.blocks.enumerated() {
        switch block {
        case .line(let text, _): page.element("h3", text: text)
        case .section: break
        case .paragraph(let words): page.element("p", i == 0 ? ["class": "words"] : [:], text: words)
        case .fields(let fields): page.facts(fields)
        case .table(let table): page.table(table, caption: part.title)
        }
      }
    }
  }
}
