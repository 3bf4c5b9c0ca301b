// A report for readers who must not learn anything about a few people: every group in it has at least a number of users who
// granted and of users who did not, and so has every group that can be computed by adding and subtracting its numbers, or those
// of several such reports of one log.
//
// Time is the only thing that is divided: the weeks of a permission are joined, in their order, until they have enough users. Such
// a span is closed by the weeks in it, so that a later report has the same spans and new ones after them; what is not closed is in
// no number. All other numbers divide closed spans, or join them.

import PermissionEvents

/// The large groups of a report, from ``Report/largeGroups(of:)``.
public struct LargeGroups: Sendable {
  /// The users of a span of weeks, or those with one value of a property.
  public struct Group: Sendable {
    public let permission: String
    public let firstWeek, lastWeek: CalendarWeek
    /// nil for all users of the span.
    public let value: PropertyValue?
    /// Users who were asked, and those who granted.
    public let base, granted: Int

    public var grantRate: Estimate? { .rate(granted, base) }

    package init(
      permission: String, firstWeek: CalendarWeek, lastWeek: CalendarWeek, value: PropertyValue?, base: Int,
      granted: Int
    ) {
      (self.permission, self.firstWeek, self.lastWeek) = (permission, firstWeek, lastWeek)
      (self.value, self.base, self.granted) = (value, base, granted)
    }
  }

  /// How the users of one or more spans answered who did not grant. Each count is 0, or that of a large group.
  public struct Answers: Sendable {
    public let permission: String
    public let firstWeek, lastWeek: CalendarWeek
    public let base, granted, denied, skipped, droppedOff: Int
  }

  /// The least users who granted, and who did not, of each group.
  public let smallest: Int
  public let asOf: Milliseconds?
  public let timeZone: String
  /// The property by which groups are divided.
  public let property: StringField?
  /// The spans of each permission, in the order of the weeks.
  public private(set) var spans: [Group] = []
  /// The same users by the values of the property: of one or more spans together, those with each value, and all others.
  public private(set) var values: [Group] = []
  public private(set) var answers: [Answers] = []
  /// Permissions of which the log has no screen, so that their groups are of users who answered.
  public private(set) var answersAlone: [String] = []
  /// Permissions of which nobody in the spans denied: the app may not log it, and then their rates are not known.
  public private(set) var withoutDenials: [String] = []
  /// Whether an ordinary report warns of the log's ingests: lines that were not understood, or something unusual.
  public let hasIngestWarnings: Bool
  /// Permissions of which too few users were asked.
  public private(set) var permissionsLeftOut = 0
  /// Permissions without answers in the log.
  public private(set) var permissionsWithoutAnswers = 0
  /// Events before this moment were removed: spans may begin at other weeks than in a report from before.
  public let expiredBefore: Milliseconds?
  /// Whether the log leaves out users of a list.
  public let leavesUsersOut: Bool
}

extension Report {
  /// The sizes for which groups can be asked.
  public static let sizesOfLargeGroups = 2...1_000_000

  /// The part of the report that tells nothing about fewer than a number of users.
  /// - Parameter smallest: the least users who granted, and who did not, of each group.
  /// - Precondition: the report is of all exposures, in UTC, with the usual windows, and by one property at most, with all its values.
  package func madeLargeGroups(of smallest: Int) -> LargeGroups { LargeGroups(self, of: smallest) }
}

/// Counts of a group of journeys.
private struct GroupCounts {
  var base = 0
  var granted = 0
  var denied = 0
  var skipped = 0
  var droppedOff = 0

  func isLarge(_ smallest: Int) -> Bool { granted >= smallest && base - granted >= smallest }

  /// Whether those who did not grant can be told apart.
  func isDivisible(_ smallest: Int) -> Bool { [denied, skipped, droppedOff].allSatisfy { $0 == 0 || $0 >= smallest } }

  static func += (a: inout Self, b: Self) {
    a.base += b.base
    a.granted += b.granted
    a.denied += b.denied
    a.skipped += b.skipped
    a.droppedOff += b.droppedOff
  }
}

extension LargeGroups {
  /// A week of a permission.
  private struct Week {
    var week: CalendarWeek
    /// Whether every journey of it is decided.
    var isOver = true
    var all = GroupCounts()
    /// By the value's bytes; nil for users without the property.
    var values: [[UInt8]?: (value: PropertyValue, counts: GroupCounts)] = [:]

    /// The week and others.
    func joined(_ week: Week?) -> Week {
      guard let week else { return self }
      var sum = self
      sum.all += week.all
      for (name, one) in week.values { sum.values[name, default: (one.value, GroupCounts())].counts += one.counts }
      return sum
    }
  }

  fileprivate init(_ report: Report, of smallest: Int) {
    self.smallest = smallest
    (asOf, timeZone, property, expiredBefore) = (
      report.asOf, report.timeZone, report.properties.first, report.expiredBefore
    )
    leavesUsersOut = report.leftOutUsers != nil
    hasIngestWarnings = report.notUnderstood?.isWarned == true || !report.unusual.isEmpty
    var (permission, weeks): ([UInt8], [Int64: Week]) = ([], [:])
    var name = ""
    var missing: [Evidence] = []
    func finish() {
      guard !permission.isEmpty else { return }
      if missing.contains(.answers) {
        permissionsWithoutAnswers += 1
      } else {
        let before = spans.count
        add(name, weeks.sorted { $0.key < $1.key }.map(\.value), hasDropOff: missing.hasDropOff)
        if spans.count > before, missing.contains(.screens) { answersAlone.append(name) }
      }
    }
    var rows = report.rows.makeIterator()
    while let row = rows.next() {
      let bytes = Array(row.permission.utf8)
      if bytes != permission {
        finish()
        (permission, name, weeks, missing) = (bytes, row.permission, [:], row.noEvidence)
      }
      guard let week = row.week else { continue }
      let grants = row.grants
      let counts = GroupCounts(
        base: grants.base, granted: grants.granted, denied: grants.denied, skipped: grants.skipped,
        droppedOff: grants.droppedOff)
      var sum = weeks[week.index] ?? Week(week: week)
      sum.isOver = sum.isOver && row.isComplete == true && grants.pending == 0
      sum.all += counts
      if let value = row.by.first {
        sum.values[value.value.map { Array($0.utf8) }, default: (value, GroupCounts())].counts += counts
      }
      weeks[week.index] = sum
    }
    finish()
  }

  /// Adds the groups of a permission.
  private mutating func add(_ permission: String, _ weeks: [Week], hasDropOff: Bool) {
    let before = spans.count
    // What is not closed yet, each with its first week.
    var open: (from: CalendarWeek, sum: Week)?
    var toAnswer: (from: CalendarWeek, sum: GroupCounts)?
    var toDivide: (from: CalendarWeek, sum: Week, spans: Int)?
    var last: CalendarWeek?
    var denied = 0
    for week in weeks.prefix(while: \.isOver) {
      let from = open?.from ?? last.map { CalendarWeek(index: $0.index + 1) } ?? week.week
      let span = week.joined(open?.sum)
      guard span.all.isLarge(smallest) else {
        open = (from, span)
        continue
      }
      (open, last) = (nil, week.week)
      denied += span.all.denied
      spans.append(
        Group(
          permission: permission, firstWeek: from, lastWeek: week.week, value: nil, base: span.all.base,
          granted: span.all.granted))
      var answered = toAnswer ?? (from, GroupCounts())
      answered.sum += span.all
      let isAnswered = hasDropOff && answered.sum.isDivisible(smallest)
      if isAnswered { answers.append(Answers(permission, answered.from, week.week, answered.sum)) }
      toAnswer = isAnswered ? nil : answered
      let divided = (from: toDivide?.from ?? from, sum: span.joined(toDivide?.sum), spans: (toDivide?.spans ?? 0) + 1)
      let groups = division(divided.sum, permission, divided.from, week.week)
      let isDivided = Self.isEnough(groups, of: divided.sum.all.base, spans: divided.spans)
      if isDivided { values += groups }
      toDivide = isDivided ? nil : divided
    }
    if spans.count == before {
      permissionsLeftOut += 1
    } else if denied == 0 {
      withoutDenials.append(permission)
    }
  }

  /// Whether spans are divided by a property, and not joined with the next: half of the users have a group of their value, or there have
  /// been many spans.
  private static func isEnough(_ groups: [Group], of base: Int, spans: Int) -> Bool {
    let named = groups.reduce(0) { $0 + ($1.value?.isOther == true ? 0 : $1.base) }
    return named > 0 && (named >= base - named || spans >= mostSpansToDivide)
  }

  private static let mostSpansToDivide = 13

  /// The values that are large groups, and the others together, if they are one, too. If not, the smallest of the large ones are joined to
  /// them. Empty if nothing is divided.
  private func division(_ sum: Week, _ permission: String, _ first: CalendarWeek, _ last: CalendarWeek) -> [Group] {
    guard let property else { return [] }
    var others = GroupCounts()
    var large: [(value: PropertyValue, counts: GroupCounts)] = []
    for one in sum.values.values {
      if one.counts.isLarge(smallest) { large.append(one) } else { others += one.counts }
    }
    large.sort {
      $0.counts.base == $1.counts.base ? [$0.value].isBefore([$1.value]) : $0.counts.base > $1.counts.base
    }
    while others.base > 0, !others.isLarge(smallest), let least = large.popLast() { others += least.counts }
    var groups = large
    if others.base > 0 { groups.append((PropertyValue(property: property, value: nil, isOther: true), others)) }
    guard groups.count > 1 || others.base == 0 else { return [] }
    return groups.map { value, counts in
      Group(
        permission: permission, firstWeek: first, lastWeek: last, value: value, base: counts.base,
        granted: counts.granted)
    }
  }
}

extension LargeGroups.Answers {
  fileprivate init(_ permission: String, _ first: CalendarWeek, _ last: CalendarWeek, _ counts: GroupCounts) {
    self.init(
      permission: permission, firstWeek: first, lastWeek: last, base: counts.base, granted: counts.granted,
      denied: counts.denied, skipped: counts.skipped, droppedOff: counts.droppedOff)
  }
}
