// Flows as a document: how many go on, the tree, how permissions fare by what came before, and a declared flow.

import PermissionAnalysis
import PermissionEvents

package enum FlowDocument {
  /// Lines of a terminal of 24, less one for the prompt.
  static let screenHeight = 23
  /// Lines of the tree where everything is shown.
  private static let mostLines = 200

  /// - Parameters:
  ///   - style: of the text; the other forms take only its words.
  ///   - isFull: everything, and not one screen of text.
  ///   - title: in place of the usual one.
  package static func render(
    _ report: FlowReport, _ form: Document.Form, _ style: TextStyle = TextStyle(), isFull: Bool = true,
    title: String? = nil
  ) -> [UInt8] {
    let style = style.of(form)
    let sentences = FlowSentences(report)
    let title = title ?? sentences.title
    guard report.asOf != nil else { return empty(title, style).render(form, style) }
    guard sentences.entry.flows > 0 else { return nothing(report, title, sentences, style).render(form, style) }
    if form == .text, !isFull { return screen(report, title, sentences, style) }
    return full(report, title, sentences, form, style).render(form, style)
  }

  /// What is said of a log without events.
  private static func empty(_ title: String, _ style: TextStyle) -> Document {
    let command = style.words(.exampleIngest)
    let words =
      "The log is empty: there are no flows yet. Fill it with an export of your events"
      + (command.isEmpty ? "." : ", for example:")
    return Document(
      title: title, sections: [.untitled([.paragraph(words)] + (command.isEmpty ? [] : [.command(command)]))])
  }

  private static func nothing(
    _ report: FlowReport, _ title: String, _ sentences: FlowSentences, _ style: TextStyle
  ) -> Document {
    let ways = NoExposures.ways(
      hasConditions: !report.conditions.isEmpty, isBounded: report.from != nil || report.to != nil, style.words)
    let next =
      ways ?? "Flows need explanation_shown or prompt_shown events" + style.words(.listKinds)
    let words = "No flows here: nobody was shown an explanation or a prompt for the first time. " + next
    let cautions: [Block] = sentences.cautions.map { .caution($0, .exclamation) }
    return Document(
      title: title, head: head(sentences) + cautions, sections: [.untitled([.gap, .paragraph(words)])])
  }

  private static func head(_ sentences: FlowSentences) -> [Block] {
    [sentences.place, sentences.conditions].compactMap { $0.map { .paragraph($0) } }
  }

  // MARK: One screen

  /// The fullest screen that is not too high: lines of the tree count most, then permissions after a denial.
  private static func screen(
    _ report: FlowReport, _ title: String, _ sentences: FlowSentences, _ style: TextStyle
  ) -> [UInt8] {
    for orders in [[3, 2, 1], [0]] {
      for lines in stride(from: 9, through: 3, by: -1) {
        for orders in orders {
          for isExplained in [true, false] {
            let page = screen(report, title, sentences, style, lines: lines, orders: orders, isExplained)
            if page.count(where: { $0 == 0x0A }) <= screenHeight { return page }
          }
        }
      }
    }
    return screen(report, title, sentences, style, lines: 3, orders: 0, false)
  }

  private static func screen(
    _ report: FlowReport, _ title: String, _ sentences: FlowSentences, _ style: TextStyle, lines: Int, orders: Int,
    _ isExplained: Bool
  ) -> [UInt8] {
    let tree = FlowLines(sentences.entry.tree, most: lines)
    var blocks: [Block] = [.paragraph(sentences.headline), .gap]
    if !tree.shown.isEmpty {
      blocks.append(.table(FlowTables.tree(tree, of: sentences.entry, .text, FigureCells(style: style))))
      if let more = more(tree) { blocks.append(.paragraph(more, indent: 2)) }
      blocks.append(.gap)
    }
    if let declared = sentences.declared { blocks.append(.note(declared, hanging: 2)) }
    let found = sentences.orders.prefix(orders)
    blocks += found.map { .note($0, hanging: 2) }
    if !found.isEmpty { blocks.append(.note(FlowSentences.observation, hanging: 2)) }
    blocks += sentences.cautions.map { .caution($0, .exclamation) }
    if isExplained { blocks.append(.note(sentences.legend, hanging: 2)) }
    let way = style.words(.seeMoreOfFlows)
    if !way.isEmpty { blocks.append(.note("See more: " + way, hanging: 2)) }
    return Document(title: title, head: head(sentences), sections: [.untitled(blocks)]).render(.text, style)
  }

  private static func more(_ lines: FlowLines) -> String? {
    lines.leftOut > 0 ? "and \(NumberText.count(lines.leftOut)) more" : nil
  }

  // MARK: Everything

  private static func full(
    _ report: FlowReport, _ title: String, _ sentences: FlowSentences, _ form: Document.Form, _ style: TextStyle
  ) -> Document {
    let entry = sentences.entry
    let cells = FigureCells(style: style)
    var document = Document(title: title, head: [.headline(sentences.headline)] + head(sentences))
    document.head += sentences.cautions.map { .caution($0, .exclamation) }
    let tree = FlowLines(entry.tree, most: mostLines)
    let table = Block.table(
      FlowTables.tree(tree, of: entry, form, cells), empty: "No flow is settled yet.")
    let rest: [Block] = more(tree).map { [.paragraph($0 + style.words(.readJSON), indent: 2)] } ?? []
    let drawn: [Block] = form == .html && entry.settled > 0 ? [.drawing { FlowChart.draw(entry, on: &$0) }] : []
    document.sections.append(
      Section(
        "flows", "What is asked for, in which order", short: "Flows",
        [.words(sentences.legend)] + drawn + [table] + rest))
    if let flow = entry.declared, let sentence = sentences.declared {
      let words =
        "Settled flows that begin with the first permission. Reached: asked for it and for all before it, in this order; others "
        + "may lie between. Left here: went no further; at the last step, gave no answer."
      document.sections.append(
        Section(
          "declared", "The declared flow",
          [.paragraph(sentence), .table(FlowTables.declared(flow, cells)), .note(words)]))
    }
    document.sections.append(order(sentences, cells))
    document.sections.append(
      Section(
        "position", "Grant rate by position",
        [
          .words("By the place of the permission within its flow: observations, too."),
          .table(
            FlowTables.grants(entry.byPosition, "asked", cells, name: FlowTables.position), empty: nobody),
        ]))
    document.sections.append(
      Section(
        "weeks", "First flows, later ones, and week by week", short: "Weeks",
        [
          .words("A flow belongs to the week of its first screen. Went on: a second permission was asked for."),
          .table(FlowTables.spans(report.entries, cells)),
        ]))
    if form == .html { document.contents = document.sections }
    return form == .html ? document : document.sayingOnce
  }

  private static let nobody = "No journey of these has an outcome yet."

  private static func order(_ sentences: FlowSentences, _ cells: FigureCells) -> Section {
    let blocks: [Block] = sentences.orders.map { .note($0, hanging: 2) }
    return Section(
      "order", "Grant rate by the answer before", short: "By the answer before",
      [.words(FlowSentences.observation)] + blocks + [
        .table(
          FlowTables.grants(sentences.entry.byOutcomeBefore, "asked", cells, name: FlowTables.before), empty: nobody)
      ])
  }
}
