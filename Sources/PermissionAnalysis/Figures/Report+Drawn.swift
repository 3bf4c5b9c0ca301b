// What of a large report people are shown: a page of a hundred thousand permissions would be read by nobody.

import PermissionEvents

extension Report {
  /// Permissions that people are shown: those of the taxonomy, and a few more.
  package static let mostDrawn = 30

  /// The report as people are shown it: the permissions with the most exposures, and if there are very many rows the values
  /// with the most of each. Counts of the whole stay as they are; JSON and CSV have all.
  /// - Parameter values: most values of a permission, beside none and the others together.
  package func drawn(values: Int) -> Report {
    var drawn = self
    (drawn.reach, drawn.activity) = (drawnReach, drawnActivity)
    guard let (rows, ofFewerValues) = rows.drawn(permissions: Self.mostDrawn, values: values) else { return drawn }
    (drawn.rows, drawn.permissionsOfFewerValues) = (rows, ofFewerValues)
    let names = Set(rows.lazy.filter { $0.week == nil }.map { Array($0.permission.utf8) })
    drawn.rankings = rankings.filter { names.contains(Array($0.permission.utf8)) }
    drawn.timing = timing.filter { names.contains(Array($0.permission.utf8)) }
    return drawn
  }

  /// True if some values were left out for people, and not counted.
  package var hasFewerValues: Bool { !permissionsOfFewerValues.isEmpty }

  /// The same of one permission.
  package func hasFewerValues(_ permission: String) -> Bool {
    permissionsOfFewerValues.contains(Array(permission.utf8))
  }

  private var drawnReach: [ReachRow] {
    guard reach.count > Self.mostDrawn else { return reach }
    let chosen = reach.indices.sorted { (reach[$0].neverAsked, $0) < (reach[$1].neverAsked, $1) }
    return chosen.prefix(Self.mostDrawn).sorted().map { reach[$0] }
  }

  private var drawnActivity: [ActivityRow] {
    // Rows of one permission follow one another. Names are bytes, and Strings are not.
    var spans: [(rows: Range<Int>, events: Int)] = []
    for (i, row) in activity.enumerated() {
      let events = row.counts.reduce(0, +)
      let name = spans.last.map { activity[$0.rows.lowerBound].permission }
      if let name, name.map({ Array($0.utf8) }) == row.permission.map({ Array($0.utf8) }), let last = spans.popLast() {
        spans.append((last.rows.lowerBound..<i + 1, last.events + events))
      } else {
        spans.append((i..<i + 1, events))
      }
    }
    guard spans.count > Self.mostDrawn + 1 else { return activity }
    let named = spans.indices.filter { activity[spans[$0].rows.lowerBound].permission != nil }
    let chosen = named.sorted { (spans[$1].events, $0) < (spans[$0].events, $1) }.prefix(Self.mostDrawn)
    let ofNone = spans.indices.filter { activity[spans[$0].rows.lowerBound].permission == nil }
    return (ofNone + chosen).sorted().flatMap { activity[spans[$0].rows] }
  }
}

extension ReportRows {
  /// The rows of the permissions with the most exposures, and of the values with the most of each; nil if that is all.
  /// Where all rows are kept all values are.
  /// - Returns: also the permissions some of whose values were left out.
  func drawn(permissions: Int, values: Int) -> (rows: ReportRows, ofFewerValues: Set<[UInt8]>)? {
    guard let builder else { return drawn(permissions: permissions).map { ($0, []) } }
    func isValue(_ row: Int) -> Bool { !builder.isOther(row) && !builder.isNone(row) }
    func total(_ rows: some Sequence<Int>) -> Int64 { rows.reduce(0) { $0 &+ builder.exposures($1) } }
    let spans = builder.permissions.map { rows in rows.filter { builder.places[$0].isAllWeeks } }
    let totals = spans.map(total)
    let chosen = spans.indices.sorted { (totals[$1], $0) < (totals[$0], $1) }.prefix(permissions).sorted()
    var rows: [Int] = []
    var ofFewerValues: Set<[UInt8]> = []
    for subjects in chosen.map({ spans[$0] }) {
      let exposures = Dictionary(uniqueKeysWithValues: subjects.map { ($0, builder.exposures($0)) })
      let ofValues = subjects.filter(isValue)
      let largest = ofValues.sorted { (exposures[$1] ?? 0, $0) < (exposures[$0] ?? 0, $1) }.prefix(values)
      if largest.count < ofValues.count, let first = subjects.first {
        ofFewerValues.insert(Array(builder.permissionName(first).utf8))
      }
      for row in (largest + subjects.filter { !isValue($0) }).sorted() {
        rows.append(row)
        rows += builder.places[(row + 1)...].prefix { !$0.isAllWeeks }.indices
      }
    }
    let maker = Maker(self)
    return (ReportRows(kept: rows.map { maker[$0] }), ofFewerValues)
  }

  private func drawn(permissions: Int) -> ReportRows? {
    var spans: [(rows: Range<Int>, exposures: Int)] = []
    for (i, row) in kept.enumerated() {
      let exposed = row.week == nil ? row.grants.exposed : 0
      if let last = spans.last, kept[last.rows.lowerBound].permission.utf8.elementsEqual(row.permission.utf8) {
        spans[spans.count - 1] = (last.rows.lowerBound..<i + 1, last.exposures + exposed)
      } else {
        spans.append((i..<i + 1, exposed))
      }
    }
    guard spans.count > permissions else { return nil }
    let chosen = spans.indices.sorted { (spans[$1].exposures, $0) < (spans[$0].exposures, $1) }.prefix(permissions)
    return ReportRows(kept: chosen.sorted().flatMap { kept[spans[$0].rows] })
  }
}
