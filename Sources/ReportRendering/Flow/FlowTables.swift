// The tables of flows.

import PermissionAnalysis

enum FlowTables {
  /// - Parameter form: text indents a branch; in the others a line has all its permissions.
  static func tree(_ lines: FlowLines, of entry: FlowEntry, _ form: Document.Form, _ style: TextStyle) -> Table {
    let hasRestricted = lines.shown.contains { $0.outcomes.restricted > 0 }
    var table = Table(
      "asked for, in this order",
      ["flows", "of all", "granted", "denied", "skipped", "none"] + (hasRestricted ? ["restricted"] : []) + ["ended"])
    for node in lines.shown {
      let outcomes = node.outcomes
      let shares =
        [outcomes.granted, outcomes.denied, outcomes.skipped, outcomes.droppedOff]
        + (hasRestricted ? [outcomes.restricted] : [])
      table.row(
        name(node, form),
        [style.count(node.flows), style.share(node.flows, of: entry.settled)]
          + (shares + [node.ended]).map { style.share($0, of: node.flows) },
        weight: Double(node.flows), depth: form == .text ? node.prefix.count - 1 : 0)
    }
    return table
  }

  /// `camera`, under what comes before it; or `notifications → camera`.
  private static func name(_ node: FlowNode, _ form: Document.Form) -> String {
    form == .text
      ? RowNames.permission(node.prefix.last ?? "") : node.prefix.map(RowNames.permission).joined(separator: " → ")
  }

  /// Grant rates by position or by the outcome before, a heading for each permission.
  static func grants(_ rows: [FlowEntry.Grants], _ style: TextStyle, name: (String) -> String) -> Table {
    var table = Table("asked", ["base", "granted", "grant rate"])
    for rows in rows.runs({ RowNames.isSame($0.permission, $1.permission) }) {
      if let first = rows.first { table.heading(RowNames.permission(first.permission)) }
      for row in rows {
        table.row(
          name(row.group), [style.count(row.base), style.count(row.granted), style.rate(row.rate)],
          weight: Double(row.base), depth: 1)
      }
    }
    return table
  }

  static func position(_ group: String) -> String {
    switch group {
    case "1": "asked first"
    case "2": "second"
    case "3": "third"
    default: "fourth or later"
    }
  }

  static func before(_ group: String) -> String {
    switch group {
    case "none": "asked first"
    case "dropped_off": "after no answer"
    case "restricted": "after a restricted one"
    case "granted": "after a grant"
    case "denied": "after a denial"
    default: "after a skip"
    }
  }

  static func declared(_ flow: DeclaredFlow, _ style: TextStyle) -> Table {
    let columns: [TableColumn<Int>] = [
      TableColumn("reached") { style.count(flow.reached[$0]) },
      TableColumn("of started") { style.share(flow.reached[$0], of: flow.started) },
      TableColumn("answered") { style.count(flow.answered[$0]) },
      TableColumn("left here") { style.part(flow.left[$0], of: flow.reached[$0]) },
    ]
    // Steps are read together.
    return Table("step", Array(flow.permissions.indices), columns, weight: { _ in .infinity }) {
      "\($0 + 1) " + RowNames.permission(flow.permissions[$0])
    }
  }

  static func spans(_ entries: some Sequence<FlowEntry>, _ style: TextStyle) -> Table {
    let rows = entries.filter { $0.span != nil }
    var columns: [TableColumn<FlowEntry>] = [
      TableColumn("flows") { style.count($0.flows) }, TableColumn("pending") { style.count($0.pending) },
      TableColumn("users (settled)") { style.count($0.users) },
      TableColumn("went on") { style.share($0.wentOn, of: $0.settled) },
    ]
    if rows.contains(where: { $0.declared != nil }) {
      columns.append(TableColumn("completed") { style.rate($0.declared?.completedRate) })
    }
    return Table("", rows, columns) { $0.span ?? "" }
  }
}

extension FlowEntry {
  /// Flows that went on to a second permission.
  var wentOn: Int { tree.reduce(0) { $0 + ($1.prefix.count == 1 ? $1.flows - $1.ended : 0) } }

  /// What it is of, in a table; nil for the first and the later flows of a week, which have no row.
  fileprivate var span: String? {
    switch (week, which) {
    case (nil, .all): "all"
    case (nil, .first): "first of a user"
    case (nil, .later): "later ones"
    case (let week?, .all): week.text
    default: nil
    }
  }
}

// MARK: Flows as a drawing: each bar is as wide as the flows that came there are many, in the colours of their outcomes; what goes on hangs below it, and what ended leaves a gap

enum FlowChart {
  /// A bar: a branch of the tree, or several small ones together.
  struct Bar {
    /// nil for others together.
    var node: FlowNode?
    var flows: Int
    /// Number of permissions before it.
    var depth: Int
    /// Flows to its left.
    var start: Int
  }

  private static let bar = 15.0
  private static let level = 76.0
  /// Narrower branches are joined: they have no room for a word.
  private static let least = 16.0
  /// Pixels that a letter takes at the width of a phone, where letters are as large and bars are not; and one of a name, which
  /// is bold.
  private static let letter = 7.0
  private static let boldLetter = 8.6

  static func draw(_ entry: FlowEntry, on page: inout Markup) {
    let bars = bars(entry)
    let scale = Plot.width / Double(max(1, entry.settled))
    let height = Double((bars.map(\.depth).max() ?? 0) + 1) * level + 4
    let colors = parts(FlowOutcomes())
    page.legend(colors.map(\.name)) { page, number in
      page.element("g", ["class": colors[number].style]) { $0.bar(x: 0.5, y: 0.5, width: 23, height: 11, "fill") }
    }
    page.element("figure", ["class": "large"]) { page in
      page.drawing(
        height: height, title: "What is asked for, step by step", description: description(bars, entry)
      ) { page in
        for (number, bar) in bars.enumerated() {
          // A name may go on past its bar, up to the next one of its step.
          let next = bars[(number + 1)...].first { $0.depth == bar.depth }?.start ?? entry.settled
          draw(bar, entry, scale, room: Double(next - bar.start) * scale, on: &page)
        }
      }
      page.numbers(numbers(bars, entry), "Flows as they are drawn")
    }
  }

  /// What is drawn: the branches of the most flows first, each below what it follows.
  static func bars(_ entry: FlowEntry) -> [Bar] {
    var bars: [Bar] = []
    let few = Int((least / Plot.width * Double(entry.settled)).rounded(.up))
    func add(_ branches: [FlowBranch], depth: Int, from start: Int) {
      var place = start
      for branch in branches where branch.node.flows >= few {
        bars.append(Bar(node: branch.node, flows: branch.node.flows, depth: depth, start: place))
        add(branch.children, depth: depth + 1, from: place)
        place += branch.node.flows
      }
      let others = branches.filter { $0.node.flows < few }.reduce(0) { $0 + $1.node.flows }
      if others > 0 { bars.append(Bar(node: nil, flows: others, depth: depth, start: place)) }
    }
    add(FlowBranch.all(entry.tree), depth: 0, from: 0)
    return bars
  }

  private static func draw(
    _ bar: Bar, _ entry: FlowEntry, _ scale: Double, room: Double, on page: inout Markup
  ) {
    let (x, width) = (Double(bar.start) * scale, Double(bar.flows) * scale)
    let y = Double(bar.depth) * level + 34
    page.series(name(bar), "neutral") { page in
      // From the bar above down to this one.
      if bar.depth > 0 { page.bar(x: x, y: y - level + Self.bar, width: width - 1, height: level - Self.bar, "band") }
      label(bar, entry, x: x, y: y, room: room, on: &page)
      guard let node = bar.node else {
        return page.bar(x: x, y: y, width: width - 1, height: Self.bar, "fill")
      }
      var place = x
      for part in parts(node.outcomes) where part.count > 0 {
        let length = Double(part.count) * scale
        page.element("g", ["class": part.style]) { page in
          page.bar(x: place, y: y, width: min(length, x + width - 1 - place), height: Self.bar, "fill")
        }
        place += length
      }
    }
  }

  private static func label(
    _ bar: Bar, _ entry: FlowEntry, x: Double, y: Double, room: Double, on page: inout Markup
  ) {
    let share = fixed(Double(bar.flows) / Double(max(1, entry.settled)) * 100, 0) + "\u{A0}%"
    let letters = Int(room / boldLetter)
    if letters >= 5 {
      page.label(ChartName.short(last(bar), most: min(24, letters)), x: x, y: y - 17, "strong")
    }
    if Int(room / letter) >= share.count { page.label(share, x: x, y: y - 4) }
  }

  private static func last(_ bar: Bar) -> String { bar.node?.prefix.last ?? "others" }

  private static func name(_ bar: Bar) -> String { bar.node?.prefix.joined(separator: " → ") ?? "others" }

  private static func parts(_ outcomes: FlowOutcomes) -> [(name: String, style: String, count: Int)] {
    let counts = [outcomes.granted, outcomes.denied, outcomes.skipped, outcomes.droppedOff]
    return zip(OutcomeMark.all, counts).map { ($0.name, $0.style, $1) } + [
      ("restricted", "restricted", outcomes.restricted)
    ]
  }

  private static func description(_ bars: [Bar], _ entry: FlowEntry) -> String {
    let told = bars.prefix(12).map { bar in
      "\(name(bar)): \(NumberText.counted(bar.flows, "flow")), "
        + NumberText.percent(Double(bar.flows) / Double(max(1, entry.settled)))
    }
    return told.joined(separator: "; ") + (bars.count > 12 ? "; and \(bars.count - 12) more." : ".")
  }

  private static func numbers(_ bars: [Bar], _ entry: FlowEntry) -> Table {
    let style = TextStyle(width: 120)
    let outcomes = parts(FlowOutcomes()).enumerated().map { number, part in
      TableColumn<Bar>(part.name) { bar in style.count(bar.node.map { parts($0.outcomes)[number].count }) }
    }
    let columns: [TableColumn<Bar>] =
      [
        TableColumn("flows") { style.count($0.flows) },
        TableColumn("of all") { style.share($0.flows, of: entry.settled) },
      ] + outcomes + [TableColumn("ended") { style.count($0.node?.ended) }]
    return Table("asked for, in this order", bars, columns, name: name)
  }
}
