// A section of a report: words and a table.

import PermissionAnalysis

struct ReportSection: Sendable {
  /// Which section it is, also as an address within a page.
  var name: Name
  var title: String
  /// What the numbers mean, and whether they only describe.
  var words: String
  var table: Table
  /// Said where the table has no row.
  var empty: String
  /// Rows that the table may be of: the cautions of those that it has stand below it.
  var permissions: [String]

  enum Name: String, Sendable {
    case granted, explanation, prompt, time, cold, returning, settings
    case afterGrant = "after-grant"
    case engagement, retention, reach, activity, weeks
  }

  init(_ name: Name, _ title: String, _ words: String, _ table: Table, of rows: [ReportRow], empty: String) {
    self.init(name, title, words, table, empty: empty)
    // Only a table that names the permission needs its caution.
    let names = Set(table.names)
    permissions =
      rows.filter { RowNames.caution($0.permission) != nil }
      .filter { names.contains(RowNames.permission($0.permission)) || names.contains(RowNames.full($0)) }
      .map(\.permission)
  }

  init(
    _ name: Name, _ title: String, _ words: String, _ table: Table, permissions: [String] = [], empty: String
  ) {
    (self.name, self.title, self.words, self.table) = (name, title, words, table)
    (self.permissions, self.empty) = (permissions, empty)
  }

  /// The section as it is in every form that draws no chart for it.
  var section: Section { Section(name.rawValue, title, [.words(words), .gap] + blocks()) }

  /// The table and what to keep in mind with it.
  func blocks(more: Block.MoreCells? = nil) -> [Block] {
    [.table(table, empty: empty, more: more)] + cautions.map { .caution($0, .exclamation) }
  }

  /// What to keep in mind with the permissions of the table.
  var cautions: [String] {
    guard !table.isEmpty else { return [] }
    return ["health_read", "mail"].filter { name in permissions.contains { RowNames.isSame($0, name) } }
      .compactMap { RowNames.caution($0) }
  }
}

extension ReportSection {
  /// All sections after the first, in their order.
  /// - Parameter style: wide styles get more columns.
  static func all(_ scope: ReportScope, _ style: TextStyle) -> [ReportSection] {
    var sections: [ReportSection] = []
    if scope.hasBase {
      sections += [GrantSection.section(scope, style)] + StepsSection.sections(scope, style)
      sections += ReturnSection.sections(scope, style) + EngagementSection.sections(scope, style)
    }
    sections += [ReachSection.section(scope, style), ActivitySection.section(scope)]
    if !scope.report.rows.isEmpty { sections.append(WeeksSection.section(scope, style)) }
    return sections
  }

  /// Said if there are exposures and none has an outcome.
  static func undecided(_ hints: HintWords) -> String {
    "No exposure has an outcome yet: all are pending or restricted. Rates, steps, times and returns follow when the "
      + "first of them is decided, or when the report looks from a later moment\(hints(.lookFromLater))."
  }
}
