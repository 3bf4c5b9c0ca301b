// The answer: the last complete week, one line a permission, and what changed.

import PermissionAnalysis
import PermissionEvents

enum LeadSection {
  static func section(_ scope: ReportScope, _ style: TextStyle, _ form: Document.Form) -> Section {
    let sparklines = Sparklines(scope)
    let isBeside = form == .markdown || form == .text && style.isWide
    let table = table(scope, style, form, isBeside && !sparklines.weeks.isEmpty ? sparklines : nil)
    var blocks: [Block] = [
      .headline(headline(scope)), .gap,
      .table(table, empty: "These rows have no exposures in the week.", more: form == .html ? sparklines.cells : nil),
    ]
    blocks += notes(scope).map { .note($0, hanging: 2) }
    if form == .text, !style.isWide, let table = sparklines.table(scope, style) { blocks += [.gap, .table(table)] }
    blocks += [.gap, .note(legend(scope, style, form, columns: table.titles))]
    if !scope.whole.hasBase { blocks += [.gap, .paragraph(noOutcome(style))] }
    return Section(.lead, "Grant rates, " + scope.leadName, blocks)
  }

  static func noOutcome(_ style: TextStyle) -> String {
    "No exposure has an outcome yet: all are pending or restricted. Rates, steps, times and later opt-ins follow when "
      + "the first outcome is known, or when the report looks from a later moment\(style.words(.lookFromLater))."
  }

  // MARK: The sentences above the table

  private static func headline(_ scope: ReportScope) -> String {
    [scope.names.areTitles ? extremes(scope) : nil, change(scope, most: 4), running(scope)].compactMap { $0 }
      .joined(separator: " ")
  }

  /// Whether the rate is of all users who were asked, and of answers that people gave.
  private static func isComparable(_ row: ReportRow) -> Bool {
    !row.by.isOther && row.grants.base >= Drawable.leastBase && RowNames.caution(row.permission) == nil
      && !row.noEvidence.contains(.screens)
  }

  /// The highest and the lowest grant rate, in a sentence that can leave the page alone; of few users a rate is chance.
  private static func extremes(_ scope: ReportScope) -> String? {
    let rates = scope.leadGroups.map(scope.leadRow).compactMap { row in
      isComparable(row) ? row.grants.grantRate.map { (row: row, rate: $0.value) } : nil
    }
    guard let most = rates.max(by: { $0.rate < $1.rate }), let least = rates.min(by: { $0.rate < $1.rate }) else {
      return nil
    }
    func share(_ of: (row: ReportRow, rate: Double)) -> String {
      "\(NumberText.percent(of.rate)) of \(NumberText.counted(of.row.grants.base, "user"))"
    }
    if rates.count == 1 { return "\(scope.headline): \(share(most)) granted \(scope.names.full(most.row))." }
    guard most.rate > least.rate else { return nil }
    return "\(scope.headline): users granted \(scope.names.full(most.row)) most often (\(share(most))) and "
      + "\(scope.names.full(least.row)) least often (\(share(least)))."
  }

  /// - Parameters:
  ///   - most: changes that are named.
  ///   - isBrief: by their direction alone.
  static func change(_ scope: ReportScope, most: Int, isBrief: Bool = false) -> String {
    guard scope.leadWeek != nil else {
      if scope.askedWeek != nil { return "The week is not complete, so it is not compared with the weeks before." }
      let place = scope.isBounded ? "in this interval" : "yet"
      return "No complete week has exposures \(place), so all exposures are counted together and compared with nothing."
    }
    let known = scope.whole.changed.isEmpty ? nil : outside(scope, most, isBrief)
    // What is news comes first, as there may be room for a part alone.
    let early = tooFewWeeks(scope, most, isBrief)
    return [known, early, known == nil ? nothing(scope, isLast: early != nil) : nil].compactMap { $0 }
      .joined(separator: " ")
  }

  private static func outside(_ scope: ReportScope, _ most: Int, _ isBrief: Bool) -> String {
    let parts = NameList.of(scope.whole.changed, most: most, separator: isBrief ? ", " : "; ") { row, usual in
      let row = scope.whole.report.rows[row.number]
      let name = "\(scope.names.full(row)) \(usual.outside?.rawValue ?? "")"
      return isBrief ? name : "\(name) (\(usual.words(row.grants.grantRate?.value))), \(usual.grants)"
    }
    return "Outside the usual range: " + parts + "."
  }

  private static func nothing(_ scope: ReportScope, isLast: Bool) -> String {
    let all = scope.whole.leadRows.count { $0.base > 0 && !scope.whole.isUnknown(.answers, of: $0) }
    guard all > 0 else { return "No grant rate is known." }
    let known = scope.whole.usual.count
    guard known > 0 else {
      if isLast { return "No usual range is known yet." }
      return "No usual range is known yet: it needs \(UsualWeek.leastWeeks) complete weeks before this one."
    }
    return "No grant rate is outside its usual range"
      + (known < all
        ? " (\(NumberText.count(all - known)) of \(NumberText.count(all)) have too few weeks for one)." : ".")
  }

  /// Of rates without a usual range: changes from the week before by which a job may end with a status.
  private static func tooFewWeeks(_ scope: ReportScope, _ most: Int, _ isBrief: Bool) -> String? {
    let changed = scope.whole.changedSinceLastWeek
    guard !changed.isEmpty else { return nil }
    let parts = NameList.of(changed, most: most, separator: isBrief ? ", " : "; ") { counts in
      let row = scope.whole.report.rows[counts.number]
      let change = row.trend?.change?.value ?? 0
      let name = "\(scope.names.full(row)) \(change < 0 ? "down" : "up")"
      return isBrief ? name : "\(name) \(fixed(abs(change) * 100, 1))\u{A0}points"
    }
    return "Significant change from the week before: " + parts + "."
  }

  private static func running(_ scope: ReportScope) -> String? {
    scope.whole.runningWeek.map { week in
      scope.hasEnded(week)
        ? "\(DayWords.subject(week)) has ended, but the newest event is from before its end: it counts as partial, see the weeks below."
        : "\(DayWords.subject(week)) is still running (partial): see the weeks below."
    }
  }

  // MARK: The table

  /// - Parameter sparklines: to be a column of it.
  private static func table(
    _ scope: ReportScope, _ style: TextStyle, _ form: Document.Form, _ sparklines: Sparklines?
  ) -> Table {
    // Rows of one permission follow one another; its caution follows the first.
    let table = LeadTable(scope: scope, style: style, sparklines: sparklines) { columns in
      var cautioned: String?
      return Table(
        scope, scope.leadRows, columns.map { column in TableColumn(title: column.title) { column.cell(($0, $1), $1) } },
        caution: { row in
          guard let caution = RowNames.caution(row.permission), cautioned != row.permission else { return nil }
          cautioned = row.permission
          return caution
        })
    }
    return form == .text ? table.fitting : table.whole
  }

  // MARK: Below the table

  /// Exposures that are in no rate, and grants that are partial.
  private static func notes(_ scope: ReportScope) -> [String] {
    func list(_ title: String, _ count: (RowCounts) -> Int, of all: ((RowCounts) -> Int)? = nil) -> String? {
      let rows = scope.whole.leadRows.filter { count($0) > 0 }
      guard !rows.isEmpty else { return nil }
      return title + ": "
        + NameList.of(rows, most: 12, separator: "; ") { row in
          let number = NumberText.count(count(row))
          let share = all.map { number + "\u{A0}of\u{A0}" + NumberText.count($0(row)) } ?? number
          return share + "\u{A0}" + scope.whole.shortName(row)
        }
    }
    let window = NumberText.window(scope.report.responseWindow)
    return [
      list("Pending (shown less than \(window) ago, not yet in any rate)", \.pending),
      list("Restricted (the user had no choice; not in any rate)", \.restricted),
      list("Partial grants", \.partial, of: \.granted),
    ].compactMap { $0 }
  }

  /// What the marks of changes mean.
  static func usualWords(_ style: TextStyle) -> String {
    (style.isASCII ? "* marks" : "▲ and ▼ mark")
      + " a rate outside its usual range, which follows from up to 12 complete weeks before; a change "
      + "without a mark is no news, if such a range is known."
  }

  /// - Parameter columns: the titles of the columns in the table.
  private static func legend(
    _ scope: ReportScope, _ style: TextStyle, _ form: Document.Form, columns: [String]
  ) -> String {
    var text =
      "Grant rate (opt-in rate): granted, as a share of the base (exposed minus pending and restricted), with its "
      + "95\u{A0}% interval."
    if columns.contains("change") {
      text += " Change: percentage points from the week before; " + usualWords(style)
    }
    if columns.contains("skip") {
      text += " Skip, deny, no answer: " + (style.isWide ? "shares" : "percent") + " of the base."
    }
    if columns.contains("median") {
      text += " Median: from the first screen to the answer, of those who answered; descriptive."
    }
    if Sparklines(scope, last: 2).weeks.count > 1 {
      text += style.isASCII ? " By week: 1 low to 8 high, " : " By week: "
      text +=
        form == .html
        ? "all lines share the scale in the title of their column; a gap is a week of fewer than "
          + "\(Drawable.leastBase) users."
        : "each line has its own scale of at least 20 points; a dot or gap is a week without a rate."
    }
    return text
  }
}

// MARK: The table that a report leads with: a row for each permission, with as many columns as the width has room for

struct LeadTable {
  /// With the index of its line among the sparklines.
  typealias Row = (row: ReportRow, line: Int)

  let scope: ReportScope
  let style: TextStyle
  /// To be a column of its own.
  let sparklines: Sparklines?
  /// Columns go before names are cut to less.
  var leastName = usualName
  let make: ([TableColumn<Row>]) -> Table

  /// The longest name of the taxonomy.
  static let usualName = 20

  /// How much of the table is shown: what can be missed goes first.
  private enum Size: Int, CaseIterable {
    case all, withoutLines, withoutTime, withoutWays, withoutIntervals
  }

  /// The table with the most columns that fit side by side.
  var fitting: Table {
    for size in Size.allCases where size == .all || sparklines != nil || size != .withoutLines {
      let table = make(columns(size))
      if size == .withoutIntervals || TableLayout.fits(table, style, leastName: leastName) { return table }
    }
    return whole
  }

  /// With all columns: for forms without a width.
  var whole: Table { make(columns(.all)) }

  private func columns(_ size: Size) -> [TableColumn<Row>] {
    func shows(_ first: Size) -> Bool { size.rawValue < first.rawValue }
    func column(_ title: String, _ cell: @escaping (ReportRow) -> TableCell) -> TableColumn<Row> {
      TableColumn(title) { cell($0.row) }
    }
    func way(_ title: String, _ estimate: KeyPath<GrantFigures, Estimate?>) -> TableColumn<Row> {
      column(title) { row in
        let estimate = row.grants[keyPath: estimate]
        guard let estimate, !style.isWide else { return style.share(estimate) }
        return TableCell(fixed(estimate.value * 100, 1))
      }
    }
    var columns = [
      column("exposed") { style.count($0.grants.exposed) },
      column("grant rate") {
        shows(.withoutIntervals) ? style.rate($0.grants.grantRate) : style.share($0.grants.grantRate)
      },
    ]
    if scope.leadWeek != nil { columns.append(column("change", style.change)) }
    if shows(.withoutWays) {
      columns += [way("skip", \.skipRate), way("deny", \.denyRate), way("no answer", \.dropOffRate)]
    }
    if shows(.withoutTime) {
      columns.append(column("median") { style.time($0.times.toAnswer.p50, step: scope.timeStep($0)) })
    }
    if let sparklines, shows(.withoutLines) {
      columns.append(
        TableColumn(sparklines.title) { TableCell(Sparkline.draw(sparklines.lines[$0.line], isASCII: style.isASCII)) })
    }
    return columns
  }
}

extension TableLayout {
  /// Whether all columns of a table have room side by side without cutting names to less.
  static func fits(_ table: Table, _ style: TextStyle, leastName: Int) -> Bool {
    var layout = TableLayout(table.legible(style))
    let name = min(layout.name, leastName)
    layout.fit(style.width)
    return layout.total <= style.width && layout.name >= name
  }
}

// MARK: What a report is of and how old it is, in words: its headline, the names of its spans of time, its age

extension [ExposureCondition] {
  /// `country=DE and app_version>=3.2`.
  var words: String { map(\.description).joined(separator: " and ") }
}

extension ReportScope {
  /// How finely the times of a row's permission are known, in milliseconds.
  func timeStep(_ row: ReportRow) -> Milliseconds { report.calls.timeStep(Array(row.permission.utf8)) }

  /// `Week of 23 to 29 March 2026 (2026-W13)`; without a complete week, what the report is of instead.
  var headline: String {
    if let week = leadWeek { return "Week of " + DayWords.week(week) }
    if let week = askedWeek { return "Week of " + DayWords.week(week) + unfinished(week) }
    if let from = report.from, let to = report.to {
      let isOneDay = report.zone.day(of: from) == report.zone.day(of: to - 1)
      return "Exposures " + (isOneDay ? "on " : "from ") + intervalName
    }
    if isBounded { return "Exposures " + intervalName }
    return "All weeks"
      + (whole.runningWeek.map { " (\($0.start == .monday ? $0.text : "week " + $0.text)\(unfinished($0)))" } ?? "")
  }

  /// The headline, and what its week is, or how old: one that has ended is the last complete one.
  var headlineWithAge: String {
    headline + ((isBounded ? kind : weekAge ?? kind).map { ", " + $0 } ?? "")
  }

  var subtitle: String {
    "Permissions report" + (propertyWords.map { " by " + $0 } ?? "") + (kind.map { ", " + $0 } ?? "")
      + (weekAge.map { ", " + $0 } ?? "")
  }

  /// The kind of week in the headline. Nil if it has no complete week.
  var kind: String? {
    guard let week = leadWeek, askedWeek != week else { return nil }
    return isBounded ? "the last complete week of the interval" : "the last complete week"
  }

  // MARK: Spans of time

  /// `week 2026-W13`, or what all weeks are.
  var leadName: String { leadWeek.map { "week\u{A0}" + $0.text } ?? allName }

  /// `all weeks`, or the interval that was asked for.
  var allName: String {
    if let week = askedWeek { return "week\u{A0}" + week.text }
    return isBounded ? intervalName : "all weeks"
  }

  /// The week, if exactly one was asked for.
  var askedWeek: CalendarWeek? {
    guard let from = report.from else { return nil }
    let week = report.zone.week(of: report.zone.day(of: from))
    let isWeek =
      from == report.zone.firstMoment(of: week.firstDay) && report.to == report.zone.firstMoment(of: week.firstDay + 7)
    return isWeek ? week : nil
  }

  /// `, still running`; of a week that is over by the clock, but not by the events, `, not complete`.
  private func unfinished(_ week: CalendarWeek) -> String {
    guard let asOf = report.asOf, asOf < report.zone.firstMoment(of: week.firstDay + 7) else { return "" }
    return hasEnded(week) ? ", not complete" : ", still running"
  }

  /// Whether the clock is past the week's end, even if the events are not.
  func hasEnded(_ week: CalendarWeek) -> Bool {
    report.age.map { $0.clock >= report.zone.firstMoment(of: week.firstDay + 7) } ?? false
  }

  /// `3 to 16 February 2026`, `since 3 February 2026`, `up to 16 February 2026`.
  private var intervalName: String { DayWords.interval(report.from, report.to, report.zone) ?? "all weeks" }

  // MARK: How it was asked

  /// `from 2026-03-23 to before 2026-03-30`, `from 2026-03-23 up to as of`: the exact interval of exposures.
  /// - Parameter asOf: the words for the moment that the report looks from.
  func exactInterval(_ asOf: String = "as of") -> String {
    guard report.to != nil || report.asOf != nil else { return "none" }
    // Without a first moment, from the first week with a row.
    let from = report.from ?? whole.firstWeek.map { report.zone.firstMoment(of: $0.firstDay) }
    let start = from.map { NumberText.moment($0, report.zone) } ?? "the first event"
    return "from " + start + (report.to.map { " to before " + NumberText.moment($0, report.zone) } ?? " up to " + asOf)
  }

  /// `country=DE and app_version>=3.2`: what exposures meet; nil without conditions.
  var conditions: String? {
    report.conditions.isEmpty ? nil : report.conditions.words
  }

  /// What conditions do not choose, because it needs no exposure.
  static let unfiltered = "events, users, unexposed, reach and activity are of the whole log"

  // MARK: Age

  /// `The newest event is 17 days old.` nil if it is fresh, or the moment to look from was given.
  var age: String? {
    guard let age = report.age, age.isOld, let days = age.days else { return nil }
    let which = age.isAhead ? " that is not ahead of the clock" : ""
    return "The newest event\(which) is \(NumberText.counted(days, "day")) old."
  }

  /// `314 of 480 lines (65.4 %) were rejected …`; nil if they are few, or not known.
  var notUnderstood: String? {
    guard let share = report.notUnderstood, share.isWarned else { return nil }
    let lines = NumberText.counted(Int(clamping: share.of), "line")
    return
      "\(NumberText.count(Int(clamping: share.lines))) of \(lines) (\(NumberText.percent(share.share))) were rejected at ingest "
      + "because a name was not understood; the figures lack them"
  }

  /// `ended 3 days ago`, of the week that the report leads with; nil if the moment to look from was given.
  var weekAge: String? {
    guard let age = report.age, let week = leadWeek else { return nil }
    let days = (age.clock - report.zone.firstMoment(of: week.firstDay + 7)) / millisecondsPerDay
    guard days >= 0 else { return nil }
    return days == 0 ? "ended today" : "ended \(NumberText.counted(Int(days), "day")) ago"
  }
}
