// A section of a report: words and a table.

import PermissionAnalysis
import PermissionEvents

struct ReportSection {
  /// Which section it is, also as an address within a page.
  var name: Name
  var title: String
  /// The result in a few sentences, before everything else.
  var lead: [String] = []
  /// What must not be read into it.
  var warning: String?
  /// What the numbers mean, and whether they only describe.
  var words: String
  var table: Table
  /// Printed if the table has no rows.
  var empty: String
  /// Printed below the table: why some of its numbers are not known.
  var notes: [String] = []
  /// The permissions of the table. Their cautions follow it.
  var permissions: [String]

  typealias Name = ReportSectionName

  init(
    _ name: Name, _ title: String, _ words: String, _ table: Table, permissions: [String] = [], empty: String
  ) {
    (self.name, self.title, self.words, self.table) = (name, title, words, table)
    (self.permissions, self.empty) = (permissions, empty)
  }

  /// - Parameter notes: why some of the numbers are not known.
  init(
    _ name: Name, _ title: String, _ words: String, _ table: Table, of rows: [ReportRow], naming: RowNames,
    notes: [String] = [], empty: String
  ) {
    self.init(name, title, words, table, empty: empty)
    self.notes = notes
    // Only a table that names the permission needs its caution.
    let names = Set(table.names)
    permissions =
      rows.filter { RowNames.caution($0.permission) != nil }
      .filter { names.contains(naming.permission($0.permission)) || names.contains(naming.full($0)) }
      .map(\.permission)
  }

  /// The section as it is in every form that draws no chart for it.
  var section: Section { Section(name, title, head() + [.gap] + blocks()) }

  /// - Parameter more: words of one form after the others.
  func head(with more: String = "") -> [Block] {
    lead.map { .paragraph($0, indent: 0) } + [warning].compactMap { $0 }.map { .caution($0, .exclamation) }
      + [.words(words + more)]
  }

  func blocks(more: Block.MoreCells? = nil) -> [Block] {
    [.table(table, empty: empty, more: more)] + notes.map { .note($0, hanging: 2) }
      + cautions.map { .caution($0, .exclamation) }
  }

  private var cautions: [String] {
    guard !table.isEmpty else { return [] }
    return UnansweredPermission.among(permissions).map(\.caution)
  }

  /// All sections after the first, in their order.
  /// - Parameter style: wide styles get more columns.
  static func all(_ scope: ReportScope, _ style: TextStyle) -> [ReportSection] {
    var sections: [ReportSection] = []
    if !scope.report.properties.isEmpty, !scope.report.rows.isEmpty { sections.append(values(scope, style)) }
    if scope.whole.hasBase {
      sections += [
        granted(scope, style), explanation(scope, style), prompt(scope, style), time(scope, style),
        cold(scope, style),
      ]
      if !scope.report.timing.isEmpty { sections.append(timing(scope, style)) }
      sections += [
        returning(scope, style), settings(scope, style), afterGrant(scope, style),
        engagement(scope, style), retention(scope, style),
      ]
    }
    sections += [reach(scope, style), activity(scope)]
    if let completeness = scope.report.completeness { sections.append(arrived(completeness, style)) }
    if !scope.report.rows.isEmpty { sections.append(weeks(scope, style)) }
    return sections
  }
}

struct TableColumn<Row> {
  var title: String
  /// - Parameter number: the index of the row in the table.
  var cell: (_ row: Row, _ number: Int) -> TableCell

  init(_ title: String, _ cell: @escaping (Row) -> TableCell) { self.init(title: title) { row, _ in cell(row) } }

  init(title: String, cell: @escaping (Row, Int) -> TableCell) { (self.title, self.cell) = (title, cell) }
}

extension Table {
  /// A line for each row: permissions by name or, under a breakdown, values below a heading of their permission.
  /// - Parameters:
  ///   - isShown: false leaves a row out.
  ///   - caution: below a row.
  init(
    _ scope: ReportScope, _ rows: [ReportRow], _ columns: [TableColumn<ReportRow>],
    where isShown: (ReportRow) -> Bool = { _ in true }, caution: (ReportRow) -> String? = { _ in nil }
  ) {
    self.init(scope.properties ?? "permission", columns.map(\.title))
    var headed: String?
    func end(_ table: inout Table) {
      // Of the same span of time, and with something to show.
      let week = rows.first?.week
      let more = scope.leftOut.count { group in
        guard let headed, RowNames.isSame(group.all.permission, headed) else { return false }
        return (week.map { group.row(in: $0) } ?? group.all).map(isShown) ?? false
      }
      if let headed, scope.report.hasFewerValues(headed) { return table.note("and more") }
      if more > 0 { table.note("and \(NumberText.count(more)) more") }
    }
    for (number, row) in rows.enumerated() where isShown(row) {
      var name = scope.names.permission(row.permission)
      if !row.by.isEmpty {
        if headed.map({ !RowNames.isSame($0, row.permission) }) ?? true {
          end(&self)
          heading(name)
        }
        headed = row.permission
        name = RowNames.bare(row.by)
      }
      self.row(
        name, columns.map { $0.cell(row, number) }, weight: Double(row.grants.exposed), depth: row.by.isEmpty ? 0 : 1)
      if let text = caution(row) { self.caution(text) }
    }
    end(&self)
  }

  init<Row>(
    _ nameTitle: String, _ rows: [Row], _ columns: [TableColumn<Row>], weight: (Row) -> Double = { _ in 0 },
    name: (Row) -> String
  ) {
    self.init(nameTitle, columns.map(\.title))
    for (number, row) in rows.enumerated() {
      self.row(name(row), columns.map { $0.cell(row, number) }, weight: weight(row))
    }
  }

  /// A heading for each row, and its lines.
  /// - Parameter lines: the lines of a row, by name. A row without lines is left out.
  init<Line>(
    _ rows: [ReportRow], naming: RowNames, _ columns: [TableColumn<Line>],
    lines: (ReportRow) -> [(name: String, line: Line)]
  ) {
    self.init("", columns.map(\.title))
    for row in rows {
      let lines = lines(row)
      guard !lines.isEmpty else { continue }
      heading(naming.full(row))
      for (i, (name, line)) in lines.enumerated() {
        self.row(name, columns.map { $0.cell(line, i) }, weight: Double(row.grants.exposed), depth: 1)
      }
    }
  }
}

/// Names of rows, and the cautions that go with two of the permissions.
struct RowNames {
  /// Whether permissions have their titles, as on pages, and not the codes that commands and CSV take.
  let areTitles: Bool

  init(areTitles: Bool) { self.areTitles = areTitles }
  init(_ form: Document.Form) { areTitles = form == .html }

  static let codes = RowNames(areTitles: false)
  static let titles = RowNames(areTitles: true)

  /// The permission. A `!` marks that it has a caution.
  func permission(_ code: String) -> String {
    Self.caution(code) == nil ? title(code) : title(code) + "\u{A0}!"
  }

  /// The same beside its caution, without the sign.
  func title(_ code: String) -> String { areTitles ? PermissionTitle.of(code) : code }

  /// All values together that have no row of their own.
  static let other = "(other)"

  /// The value of a property; a value that reads like the absent one, or like the others together, is quoted.
  static func value(_ by: PropertyValue) -> String {
    if by.isOther { return other }
    guard let value = by.value else { return "(none)" }
    return value == "(none)" || value == other ? "\"\(value)\"" : value
  }

  /// The value of a breakdown by one property; the values of one by two, with the properties: `country DE, app_version 3.2`.
  static func values(_ by: [PropertyValue]) -> String {
    by.count > 1 && !by.isOther ? named(by) : by.first.map(value) ?? ""
  }

  /// The values alone, for columns whose title names the properties: `DE, 3.2`.
  static func bare(_ by: [PropertyValue]) -> String {
    by.isOther ? other : by.map(value).joined(separator: ", ")
  }

  private static func named(_ by: [PropertyValue]) -> String {
    by.map { $0.property.name + " " + value($0) }.joined(separator: ", ")
  }

  /// Permission and, under a breakdown, the values: `notifications, variant A`.
  func full(_ row: ReportRow) -> String {
    let values = row.by.count > 1 && row.by.isOther ? Self.other : Self.named(row.by)
    return permission(row.permission) + (values.isEmpty ? "" : ", " + values)
  }

  static func caution(_ permission: String) -> String? { UnansweredPermission(rawValue: permission)?.caution }

  /// Returns indices of rows, the most exposures first. The joined others are not a value, and come last.
  static func byExposures(_ rows: [ReportRow]) -> [Int] {
    rows.indices.sorted { a, b in
      let others = (rows[a].by.isOther, rows[b].by.isOther)
      if others.0 != others.1 { return others.1 }
      return (rows[b].grants.exposed, a) < (rows[a].grants.exposed, b)
    }
  }

  /// Names are bytes, and Strings are not.
  static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}

extension UnansweredPermission {
  /// The caution next to its numbers.
  var caution: String {
    switch self {
    case .healthRead: "health_read: the system hides the answer from the app, so grants and denials are guesses."
    case .healthClinical:
      "health_clinical: the system hides the answer from the app, so grants and denials are guesses."
    case .mail: "mail is not a permission that users grant: it says whether an account is set up."
    }
  }

  /// The same in fewer words.
  var shortCaution: String {
    switch self {
    case .healthRead: "health_read: the system hides the answer, so its rates are guesses."
    case .healthClinical: "health_clinical: the system hides the answer, so its rates are guesses."
    case .mail: "mail: whether an account is set up; no users are asked for a permission."
    }
  }

  static func among(_ permissions: some Sequence<String>) -> [UnansweredPermission] {
    let found = Set(permissions.compactMap(Self.init(rawValue:)))
    return allCases.filter(found.contains)
  }
}
