// Flows as a document: how many go on, the tree, how permissions fare by what came before, and a declared flow.

import PermissionAnalysis
import PermissionEvents

package enum FlowDocument {
  /// Lines of a terminal of 24, less one for the prompt.
  static let screenHeight = 23
  /// Lines of the tree where everything is shown.
  private static let mostLines = 200

  /// - Parameters:
  ///   - isFull: everything, instead of one screen of text.
  ///   - title: instead of the usual one.
  package static func render(
    _ report: FlowReport, _ form: Document.Form, _ style: TextStyle = TextStyle(), isFull: Bool = true,
    title: String? = nil
  ) -> [UInt8] {
    let style = style.of(form)
    let sentences = FlowSentences(report, RowNames(form))
    var document = Document(title: title ?? sentences.title)
    guard report.asOf != nil else {
      return Document.ofEmptyLog(document.title, "there are no flows yet", style, leftOut: report.leftOutUsers).render(
        form, style)
    }
    document.head = [sentences.place, sentences.conditions].compactMap { $0.map { .paragraph($0) } }
    guard sentences.entry.flows > 0 else {
      document.head += sentences.cautions.map { .caution($0, .exclamation) }
      document.sections = [.untitled([.gap, .paragraph(nothing(report, style))])]
      return document.render(form, style)
    }
    if form == .text, !isFull { return screen(document, sentences, style) }
    return full(document, sentences, form, style).render(form, style)
  }

  private static func nothing(_ report: FlowReport, _ style: TextStyle) -> String {
    let ways = Document.ways(
      hasConditions: !report.conditions.isEmpty, isBounded: report.from != nil || report.to != nil, style.words)
    let next =
      ways ?? "Flows need explanation_shown or prompt_shown events" + style.words(.listKinds)
    return "No flows here: no users saw an explanation or a prompt for the first time. " + next
  }

  // MARK: One screen

  /// The fullest screen that is not too high: lines of the tree count most, then permissions after a denial.
  private static func screen(_ document: Document, _ sentences: FlowSentences, _ style: TextStyle) -> [UInt8] {
    for orders in [[3, 2, 1], [0]] {
      for lines in stride(from: 9, through: 3, by: -1) {
        for orders in orders {
          for isExplained in [true, false] {
            let page = screen(document, sentences, style, lines: lines, orders: orders, isExplained)
            if page.count(where: { $0 == 0x0A }) <= screenHeight { return page }
          }
        }
      }
    }
    return screen(document, sentences, style, lines: 3, orders: 0, false)
  }

  private static func screen(
    _ document: Document, _ sentences: FlowSentences, _ style: TextStyle, lines: Int, orders: Int, _ isExplained: Bool
  ) -> [UInt8] {
    let tree = FlowLines(sentences.entry.tree, most: lines)
    var blocks: [Block] = [.paragraph(sentences.headline), .gap]
    if !tree.shown.isEmpty {
      blocks.append(.table(FlowTables.tree(tree, of: sentences.entry, .text, style)))
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
    var document = document
    document.sections = [.untitled(blocks)]
    return document.render(.text, style)
  }

  private static func more(_ lines: FlowLines) -> String? {
    lines.leftOut > 0 ? "and \(NumberText.count(lines.leftOut)) more" : nil
  }

  // MARK: Everything

  private static func full(
    _ document: Document, _ sentences: FlowSentences, _ form: Document.Form, _ style: TextStyle
  ) -> Document {
    let entry = sentences.entry
    var document = document
    document.head.insert(.headline(sentences.headline), at: 0)
    document.head += sentences.cautions.map { .caution($0, .exclamation) }
    let tree = FlowLines(entry.tree, most: mostLines)
    let table = Block.table(
      FlowTables.tree(tree, of: entry, form, style), empty: "No flow is settled yet.")
    let rest: [Block] = more(tree).map { [.paragraph($0 + style.words(.readJSON), indent: 2)] } ?? []
    let drawn: [Block] = form == .html && entry.settled > 0 ? [.drawing { FlowChart.draw(entry, on: &$0) }] : []
    document.sections.append(
      Section(
        "flows", "Permissions asked for, in order", short: "Flows",
        [.words(sentences.legend)] + drawn + [table] + rest))
    if let flow = entry.declared, let sentence = sentences.declared {
      let words =
        "Settled flows that begin with the first permission. Reached: asked for it and for all before it, in this "
        + "order; other permissions may come in between. Left here: went no further; at the last step, gave no answer."
      document.sections.append(
        Section(
          "declared", "The declared flow",
          [.paragraph(sentence), .table(FlowTables.declared(flow, sentences.names, style)), .note(words)]))
    }
    document.sections.append(
      Section(
        "order", "Grant rate by the answer before", short: "By the answer before",
        [.words(FlowSentences.observation)] + sentences.orders.map { .note($0, hanging: 2) } + [
          .table(
            FlowTables.grants(entry.byOutcomeBefore, sentences.names, style, name: FlowTables.before), empty: nobody)
        ]))
    document.sections.append(
      Section(
        "position", "Grant rate by position",
        [
          .words("By the position of the permission within its flow. These are observations, too."),
          .table(FlowTables.grants(entry.byPosition, sentences.names, style, name: FlowTables.position), empty: nobody),
        ]))
    document.sections.append(
      Section(
        "weeks", "First flows, later ones, and week by week", short: "Weeks",
        [
          .words("A flow belongs to the week of its first screen. Went on: a second permission was asked for."),
          .table(FlowTables.spans(sentences.report.entries, style)),
        ]))
    if form == .html { document.contents = document.sections }
    return form == .html ? document : document.sayingOnce
  }

  private static let nobody = "These journeys have no outcome yet."
}

// MARK: Sentences about flows

struct FlowSentences {
  let report: FlowReport
  /// All flows of all weeks.
  let entry: FlowEntry

  let names: RowNames

  init(_ report: FlowReport, _ names: RowNames) { (self.report, entry, self.names) = (report, report.all, names) }

  var headline: String {
    let settled = entry.settled
    guard settled > 0 else {
      return
        "No flow is settled yet: \(NumberText.count(entry.pending)) \(entry.pending == 1 ? "is" : "are") still open."
    }
    return
      "Of \(NumberText.counted(settled, "flow")) \(NumberText.percent(Double(entry.wentOn) / Double(settled))) went on to "
      + "a second permission."
  }

  /// `camera: asked right after a denial 12.0 % grant (…), after a grant 44.0 % (…): −32.0 points (…)`, the pairs
  /// with the most users first.
  var orders: [String] {
    let groups = Dictionary(grouping: entry.byOutcomeBefore) { Array($0.permission.utf8) }
    let pairs = groups.compactMap {
      name, rows -> (name: [UInt8], denied: FlowEntry.Grants, granted: FlowEntry.Grants)? in
      guard let denied = rows.first(where: { $0.group == "denied" }),
        let granted = rows.first(where: { $0.group == "granted" }),
        min(denied.base, granted.base) >= Drawable.leastBase
      else { return nil }
      return (name, denied, granted)
    }
    return pairs.sorted { a, b in
      let (left, right) = (a.denied.base + a.granted.base, b.denied.base + b.granted.base)
      return left == right ? a.name.lexicographicallyPrecedes(b.name) : left > right
    }.map { sentence($0.denied, $0.granted) }
  }

  private func sentence(_ denied: FlowEntry.Grants, _ granted: FlowEntry.Grants) -> String {
    func rate(_ grants: FlowEntry.Grants) -> String { grants.rate.map { NumberText.rate($0) } ?? "–" }
    let difference = denied.difference(from: granted)
    let points = difference.map { difference in
      ": \(NumberText.signed(difference.value * 100))\u{A0}points"
        + (NumberText.signedInterval(difference, scale: 100).map { " (\($0))" } ?? "")
    }
    return "\(names.permission(denied.permission)): granted by \(rate(denied)) when asked right after a denial, by "
      + "\(rate(granted)) after a grant" + (points ?? "") + "."
  }

  static let observation =
    "Observations, not effects: users who just denied something differ from users who granted it, whatever comes next."

  var declared: String? {
    guard let flow = entry.declared else { return nil }
    let name = flow.permissions.map(names.permission).joined(separator: ", then ")
    guard let rate = flow.completedRate else { return "No settled flow begins with \(flow.permissions.first ?? "")." }
    let interval = NumberText.interval(rate).map { ", \($0)" } ?? ""
    let share =
      "Completed \(name): \(NumberText.count(flow.completed)) of \(NumberText.count(flow.started)) flows "
      + "(\(NumberText.percent(rate.value))\(interval))"
    let times = [("half of them within", flow.duration.p50), ("90\u{A0}% within", flow.duration.p90)]
      .compactMap { name, time in time.map { "\(name) \(NumberText.duration($0, step: report.timeStep))" } }
    return share + (times.isEmpty ? "" : ", " + times.joined(separator: ", ")) + "."
  }

  var cautions: [String] {
    let names = Set(entry.tree.flatMap(\.prefix))
    return (report.isMisread ? [CallSentences.misread] : [])
      + UnansweredPermission.among(names).map(\.caution) + [unanswered].compactMap { $0 }
  }

  /// Permissions that many users were asked for and none answered: the app hardly logs the answers.
  private var unanswered: String? {
    let asked = Dictionary(grouping: entry.tree, by: { $0.prefix.last ?? "" }).filter { name, nodes in
      UnansweredPermission(rawValue: name) == nil
        && nodes.reduce(0) { $0 + $1.outcomes.total } >= Attention.Threshold.fewest
        && nodes.allSatisfy { $0.outcomes.granted + $0.outcomes.denied + $0.outcomes.restricted == 0 }
    }.keys.sorted()
    guard !asked.isEmpty else { return nil }
    return
      "No user granted or denied: \(NameList.of(asked, most: 3, name: names.permission)). Does the app log the answers? Until it does, nothing "
      + "is known of what users did there."
  }

  // MARK: Scope

  var title: String {
    let span = DayWords.span(from: report.from, to: report.to, report.zone)
    return "Flows of permissions" + (span.map { ", " + $0 } ?? "")
  }

  var place: String {
    let moment = "as of \(report.asOf.map { NumberText.moment($0, report.zone) } ?? "–"), \(report.timeZone)"
    // Only users of settled flows.
    let settled =
      entry.settled > 0
      ? "\(NumberText.counted(entry.settled, "settled flow")) of \(NumberText.counted(entry.users, "user"))"
      : "no settled flow"
    let pending = entry.pending > 0 ? ", \(NumberText.counted(entry.pending, "flow")) still open" : ""
    let counts = settled + pending
    return moment + "; " + counts + ComparisonWords.notes(report.age, leftOut: report.leftOutUsers)
  }

  /// What first exposures meet; nil if all count.
  var conditions: String? {
    report.conditions.isEmpty
      ? nil : "first exposure: " + report.conditions.map(\.description).joined(separator: " and ")
  }

  var legend: String {
    "A flow: the permissions that a user was asked for the first time, each within "
      + "\(NumberText.window(report.responseWindow)) of the one before. "
      + "Shares are of the flows that reached the step; none: no answer in time; ended: no permission was asked for after it."
  }
}

// MARK: The tree of flows for people: branches with the most flows first, and no more of them than anybody reads

struct FlowBranch {
  var node: FlowNode
  var children: [FlowBranch] = []

  /// It and what follows it.
  var lines: [FlowNode] { [node] + children.flatMap(\.lines) }

  /// The first permissions of all flows, with all that follows.
  /// - Parameter tree: sorted by bytes, so a branch follows its prefix.
  static func all(_ tree: [FlowNode]) -> [FlowBranch] {
    var rest = tree[...]
    return take(&rest, depth: 1)
  }

  private static func take(_ rest: inout ArraySlice<FlowNode>, depth: Int) -> [FlowBranch] {
    var branches: [FlowBranch] = []
    while let node = rest.first, node.prefix.count == depth {
      rest.removeFirst()
      branches.append(FlowBranch(node: node, children: take(&rest, depth: depth + 1)))
    }
    // A stable order: equal ones stay in that of their names.
    return branches.enumerated().sorted { a, b in
      (-a.element.node.flows, a.offset) < (-b.element.node.flows, b.offset)
    }.map(\.element)
  }
}

struct FlowLines {
  let shown: [FlowNode]
  let leftOut: Int

  /// - Parameter most: the number of lines; the ones with the most flows are kept.
  init(_ tree: [FlowNode], most: Int) {
    // A branch has no more flows than its parent, which has the lower index.
    let chosen = Set(
      tree.indices.sorted { (-tree[$0].flows, $0) < (-tree[$1].flows, $1) }.prefix(most))
    let kept = tree.indices.filter(chosen.contains).map { tree[$0] }
    shown = FlowBranch.all(kept).flatMap(\.lines)
    leftOut = tree.count - kept.count
  }
}
