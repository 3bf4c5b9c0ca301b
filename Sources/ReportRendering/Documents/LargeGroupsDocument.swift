// The large groups of a report, for readers who must not learn anything about a few people: as a document, as JSON and as CSV.

import PermissionAnalysis
import PermissionEvents

package enum LargeGroupsDocument {
  package static func render(
    _ groups: LargeGroups, _ form: Document.Form, _ style: TextStyle = TextStyle(), title: String? = nil
  ) -> [UInt8] {
    let style = style.of(form)
    let usual = "Permissions, in groups of \(NumberText.count(groups.smallest)) or more"
    guard let asOf = groups.asOf else {
      return Document.ofEmptyLog(title ?? usual, "there are no users yet", style).render(form, style)
    }
    var document = Document(title: title ?? usual)
    document.head = [.words("as of \(day(asOf)), UTC"), .paragraph(rule(groups))]
    if let expired = groups.expiredBefore {
      document.head.append(
        .caution(
          "Events before \(Timestamp.text(expired).prefix(10)) were removed from the log, so that weeks may be joined in another way "
            + "than in a report from before. Do not give both to the same readers.", .exclamation))
    }
    if groups.leavesUsersOut {
      document.head.append(
        .caution(
          "Users of the log's list are left out. If the list has changed since an earlier report, do not give both to the same readers: "
            + "the difference could be a few users.", .exclamation))
    }
    if groups.hasIngestWarnings {
      document.head.append(
        .caution(
          "An ordinary report warns of files that this log has read. Look at it before you pass this on.", .exclamation)
      )
    }
    document.sections = groups.spans.runs { RowNames.isSame($0.permission, $1.permission) }.enumerated().map {
      section(Array($0.element), groups, id: "permission\($0.offset)", RowNames(form), style)
    }
    let left = absent(groups)
    if !left.isEmpty { document.sections.append(Section("left-out", "Left out", left.map { .paragraph($0) })) }
    return document.render(form, style)
  }

  /// The newest event is one person's, and the time of day is often its.
  static func day(_ time: Milliseconds) -> String { String(bounded: Timestamp.text(time).utf8.prefix(10)) }

  private static func rule(_ groups: LargeGroups) -> String {
    let n = NumberText.count(groups.smallest)
    return
      "Each group has at least \(n) users who granted, and \(n) who did not. Weeks with fewer are joined with the weeks after them; "
      + "the newest weeks come when they have enough users. Restricted users are not counted."
  }

  private static func absent(_ groups: LargeGroups) -> [String] {
    var sentences: [String] = []
    func permissions(_ count: Int) -> String {
      count == 1 ? "1 permission has" : "\(NumberText.count(count)) permissions have"
    }
    if groups.permissionsLeftOut > 0 { sentences.append("\(permissions(groups.permissionsLeftOut)) too few users.") }
    if groups.permissionsWithoutAnswers > 0 {
      sentences.append("\(permissions(groups.permissionsWithoutAnswers)) no answers in the log.")
    }
    return sentences
  }

  private static func section(
    _ rows: [LargeGroups.Group], _ groups: LargeGroups, id: String, _ names: RowNames, _ style: TextStyle
  ) -> Section {
    let permission = rows.first?.permission ?? ""
    var table = Table("weeks", ["users asked", "granted", "grant rate"])
    func row(_ group: LargeGroups.Group, _ name: String) {
      table.row(name, [style.count(group.base), style.count(group.granted), style.rate(group.grantRate)])
    }
    if let all = rows.together { row(all, "all") }
    for span in rows { row(span, weeks(span.firstWeek, span.lastWeek)) }
    var blocks: [Block] = [.table(table)]
    if let caution = RowNames.caution(permission) { blocks.append(.caution(caution, .exclamation)) }
    if groups.withoutDenials.contains(where: { RowNames.isSame($0, permission) }) {
      blocks.append(.caution("No user denied in these weeks. Does the app log denials?", .exclamation))
    }
    if groups.answersAlone.contains(where: { RowNames.isSame($0, permission) }) {
      blocks.append(
        .caution("The log has no screen of this permission: rates are of the users who answered.", .exclamation))
    }
    if let property = groups.property {
      table = Table(property.name.replacing("_", with: " "), table.titles)
      for values in groups.values.filter({ RowNames.isSame($0.permission, permission) }).runs({
        $0.firstWeek == $1.firstWeek
      }) {
        if let first = values.first { table.heading(weeks(first.firstWeek, first.lastWeek)) }
        for group in values { if let value = group.value { row(group, RowNames.value(value)) } }
      }
      blocks += [.gap, .table(table, empty: "No \(property.name.replacing("_", with: " ")) has enough users yet.")]
    }
    let answers = groups.answers.filter { RowNames.isSame($0.permission, permission) }
    if !answers.isEmpty {
      var table = Table("weeks", ["granted", "denied", "skipped", "no answer"])
      for row in answers {
        table.row(
          weeks(row.firstWeek, row.lastWeek),
          [row.granted, row.denied, row.skipped, row.droppedOff].map { style.part($0, of: row.base) })
      }
      blocks += [.gap, .table(table)]
    }
    return Section(id, names.title(permission), blocks)
  }

  /// `2026-W04`, or `2026-W04–2026-W06`.
  private static func weeks(_ first: CalendarWeek, _ last: CalendarWeek) -> String {
    first == last ? first.text : "\(first.text)–\(last.text)"
  }
}

package enum LargeGroupsJSON {
  private static let schema = "permlog.large-groups/1"

  package static func render(_ groups: LargeGroups) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("schema", schema)
      json.member("smallest_group", groups.smallest)
      json.member("as_of", groups.asOf.map(LargeGroupsDocument.day))
      json.member("time_zone", groups.timeZone)
      json.member("expired_before", groups.expiredBefore.map { Timestamp.text($0) })
      json.member("by", groups.property?.name)
      json.array("spans") { json in for group in groups.spans { write(group, to: &json) } }
      json.array("values") { json in for group in groups.values { write(group, to: &json) } }
      json.array("answers") { json in
        for answers in groups.answers {
          json.element { json in
            weeks(&json, answers.permission, answers.firstWeek, answers.lastWeek)
            json.member("base", answers.base)
            json.member("granted", answers.granted)
            json.member("denied", answers.denied)
            json.member("skipped", answers.skipped)
            json.member("dropped_off", answers.droppedOff)
          }
        }
      }
      json.member("answers_alone", groups.answersAlone)
      json.member("without_denials", groups.withoutDenials)
      json.member("has_ingest_warnings", groups.hasIngestWarnings)
      json.member("permissions_left_out", groups.permissionsLeftOut)
      json.member("permissions_without_answers", groups.permissionsWithoutAnswers)
    }
    json.endLine()
    return json.take()
  }

  private static func write(_ group: LargeGroups.Group, to json: inout JSONWriter) {
    json.element { json in
      weeks(&json, group.permission, group.firstWeek, group.lastWeek)
      if group.value != nil {
        json.member("of", group.kind)
        json.member("value", group.value?.value)
      }
      json.member("base", group.base)
      json.member("granted", group.granted)
      json.member("grant_rate", group.grantRate)
    }
  }

  private static func weeks(_ json: inout JSONWriter, _ permission: String, _ first: CalendarWeek, _ last: CalendarWeek)
  {
    json.member("permission", permission)
    json.member("first_week", first.text)
    json.member("last_week", last.text)
  }
}

package enum LargeGroupsCSV {
  private static let columns = [
    "table", "permission", "first_week", "last_week", "of", "value", "base", "granted", "grant_rate", "grant_rate_low",
    "grant_rate_high", "denied", "skipped", "dropped_off",
  ]

  /// The spans, the values, then the answers; a cell that the table does not have is empty.
  package static func render(_ groups: LargeGroups) -> [UInt8] {
    var csv = CSVWriter(columns)
    for group in groups.spans + groups.values {
      weeks(&csv, group.value == nil ? "spans" : "values", group.permission, group.firstWeek, group.lastWeek)
      csv.text(group.kind)
      csv.name(group.value?.value)
      csv.number(group.base)
      csv.number(group.granted)
      csv.estimate(group.grantRate)
      for _ in 0..<3 { csv.text(nil) }
      csv.endRow()
    }
    for answers in groups.answers {
      weeks(&csv, "answers", answers.permission, answers.firstWeek, answers.lastWeek)
      csv.text("all")
      csv.text(nil)
      csv.number(answers.base)
      csv.number(answers.granted)
      csv.estimate(nil)
      csv.number(answers.denied)
      csv.number(answers.skipped)
      csv.number(answers.droppedOff)
      csv.endRow()
    }
    return csv.bytes
  }

  private static func weeks(
    _ csv: inout CSVWriter, _ table: String, _ permission: String, _ first: CalendarWeek, _ last: CalendarWeek
  ) {
    csv.text(table)
    csv.name(permission)
    csv.text(first.text)
    csv.text(last.text)
  }
}

extension [LargeGroups.Group] {
  /// All spans of a permission together; nil for one.
  fileprivate var together: LargeGroups.Group? {
    guard count > 1, let first, let last else { return nil }
    return LargeGroups.Group(
      permission: first.permission, firstWeek: first.firstWeek, lastWeek: last.lastWeek, value: nil,
      base: reduce(0) { $0 + $1.base }, granted: reduce(0) { $0 + $1.granted })
  }
}

extension LargeGroups.Group {
  /// Whose group it is: of `all` users of the weeks, of those with a `value`, of those with `none`, or of all `others` together.
  fileprivate var kind: String {
    guard let value else { return "all" }
    return value.isOther ? "others" : value.value == nil ? "none" : "value"
  }
}
