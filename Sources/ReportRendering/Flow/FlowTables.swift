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
    let names = RowNames(form)
    return form == .text
      ? names.permission(node.prefix.last ?? "") : node.prefix.map(names.permission).joined(separator: " → ")
  }

  /// Grant rates by position or by the outcome before, a heading for each permission.
  static func grants(
    _ rows: [FlowEntry.Grants], _ names: RowNames, _ style: TextStyle, name: (String) -> String
  ) -> Table {
    var table = Table("asked", ["base", "granted", "grant rate"])
    for rows in rows.runs({ RowNames.isSame($0.permission, $1.permission) }) {
      if let first = rows.first { table.heading(names.permission(first.permission)) }
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

  static func declared(_ flow: DeclaredFlow, _ names: RowNames, _ style: TextStyle) -> Table {
    let columns: [TableColumn<Int>] = [
      TableColumn("reached") { style.count(flow.reached[$0]) },
      TableColumn("of started") { style.share(flow.reached[$0], of: flow.started) },
      TableColumn("answered") { style.count(flow.answered[$0]) },
      TableColumn("left here") { style.part(flow.left[$0], of: flow.reached[$0]) },
    ]
    // Steps are read together.
    return Table("step", Array(flow.permissions.indices), columns, weight: { _ in .infinity }) {
      "\($0 + 1) " + names.permission(flow.permissions[$0])
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

  /// The name of its row in a table. Nil for the first and the later flows of a week, which have no row.
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
