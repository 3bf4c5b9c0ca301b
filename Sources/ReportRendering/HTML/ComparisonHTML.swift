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
    let style = TextStyle(width: 120, hints: hints)
    return Page.render(title: ComparisonWords.title(set)) { page in
      page.write(ComparisonDocument.head(first))
    } main: { page in
      page.write([verdict(set), days(set)])
      page.write(ComparisonDocument.numbers(set, style, isExplained: isExplained))
    }
  }

  private static func verdict(_ set: ComparisonSet) -> Section {
    let words = set.pairs.flatMap { VerdictSection.words($0, isAlone: set.pairs.count == 1) }
    return Section("verdict", "Verdict", words + [.drawing { intervals(set, on: &$0) }])
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
      ? " Squares: the declared looks, which decide here; filled where the bound was crossed." : ""
    let words =
      "The difference of all exposures up to each finished day, with the always-valid interval: it holds on all days "
      + "together, so reading it every day does no harm. Shaded across: differences too small to matter. No interval "
      + "stands where the sequence still refuses one." + looks
    return Section("days", "Day by day", [.words(words), .drawing { sequences(set, on: &$0) }])
  }

  private static func sequences(_ set: ComparisonSet, on page: inout Markup) {
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
