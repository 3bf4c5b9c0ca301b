// The tables of flows.

import PermissionAnalysis

enum FlowTables {
  /// The tree as lines.
  /// - Parameter form: text indents a branch; in the others a line has all its permissions.
  static func tree(_ lines: FlowLines, of entry: FlowEntry, _ form: Document.Form, _ cells: FigureCells) -> Table {
    let hasRestricted = lines.shown.contains { $0.outcomes.restricted > 0 }
    var table = Table(
      "asked for, in this order",
      ["flows", "of all", "granted", "denied", "skipped", "none"] + (hasRestricted ? ["restricted"] : []) + ["ended"])
    for node in lines.shown {
      func share(_ count: Int, of all: Int) -> TableCell { cells.share(count, of: all) }
      let outcomes = node.outcomes
      let shares =
        [outcomes.granted, outcomes.denied, outcomes.skipped, outcomes.droppedOff]
        + (hasRestricted ? [outcomes.restricted] : [])
      table.row(
        name(node, form),
        [cells.count(node.flows), share(node.flows, of: entry.settled)] + shares.map { share($0, of: node.flows) }
          + [share(node.ended, of: node.flows)],
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
  static func grants(_ rows: [FlowEntry.Grants], _ title: String, _ cells: FigureCells, name: (String) -> String)
    -> Table
  {
    var table = Table(title, ["base", "granted", "grant rate"])
    var permission: String?
    for row in rows {
      if permission.map({ !RowNames.isSame($0, row.permission) }) ?? true {
        table.heading(RowNames.permission(row.permission))
        permission = row.permission
      }
      table.row(
        name(row.group), [cells.count(row.base), cells.count(row.granted), cells.rate(row.rate)],
        weight: Double(row.base), depth: 1)
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

  /// Where a declared flow is left.
  static func declared(_ flow: DeclaredFlow, _ cells: FigureCells) -> Table {
    var table = Table("step", ["reached", "of started", "answered", "left here"])
    for (place, permission) in flow.permissions.enumerated() {
      table.row(
        "\(place + 1) " + RowNames.permission(permission),
        [
          cells.count(flow.reached[place]), cells.share(flow.reached[place], of: flow.started),
          cells.count(flow.answered[place]), cells.part(flow.left[place], of: flow.reached[place]),
        ],
        // Steps are read together.
        weight: .infinity)
    }
    return table
  }

  /// First flows against later ones, and week by week.
  static func spans(_ entries: some Sequence<FlowEntry>, _ cells: FigureCells) -> Table {
    var table = Table("", ["flows", "pending", "users (settled)", "went on", "completed"])
    var hasDeclared = false
    for entry in entries {
      let name: String? =
        switch (entry.week, entry.which) {
        case (nil, .all): "all"
        case (nil, .first): "first of a user"
        case (nil, .later): "later ones"
        case (let week?, .all): week.text
        default: nil
        }
      guard let name else { continue }
      hasDeclared = hasDeclared || entry.declared != nil
      table.row(
        name,
        [
          cells.count(entry.flows), cells.count(entry.pending), cells.count(entry.users),
          cells.share(entry.wentOn, of: entry.settled), cells.rate(entry.declared?.completedRate),
        ])
    }
    if !hasDeclared { table = table.without(last: 1) }
    return table
  }
}

extension FlowEntry {
  /// Flows that went on to a second permission.
  var wentOn: Int { tree.reduce(0) { $0 + ($1.prefix.count == 1 ? $1.flows - $1.ended : 0) } }
}

extension Table {
  /// The same without its last columns.
  fileprivate func without(last count: Int) -> Table {
    var table = self
    table.titles.removeLast(count)
    table.entries = entries.map { entry in
      guard case .row(let name, let cells, let depth) = entry else { return entry }
      return .row(name, Array(cells.dropLast(count)), depth: depth)
    }
    return table
  }
}
