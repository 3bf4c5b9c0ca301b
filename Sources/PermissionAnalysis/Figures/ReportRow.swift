// One row of the report: a group of figures a property. A figure is added in the file of its group alone.

import Folding
import PermissionEvents

/// The value of a property that a row is about.
public struct PropertyValue: Sendable, Hashable {
  public let property: StringField
  /// Nil for exposures without the property, and for the joined others.
  public let value: String?
  /// Whether this is the joined value of all values without their own row: the values with the fewest exposures.
  public let isOther: Bool

  package init(property: StringField, value: String?, isOther: Bool = false) {
    (self.property, self.value, self.isOther) = (property, value, isOther)
  }
}

extension [StringField] {
  /// The values of these properties in a name of `ValueName`; the name of all others is that of none.
  func values(_ name: [UInt8], isOther: Bool = false) -> [PropertyValue] {
    zip(self, ValueName.values(name)).map { property, value in
      PropertyValue(property: property, value: value.text, isOther: isOther)
    }
  }
}

extension [PropertyValue] {
  /// Whether this is the joined value of all values, or combinations, without their own row.
  package var isOther: Bool { first?.isOther ?? false }

  /// Whether it has any value. False for exposures without the properties, and for the joined others.
  package var hasValue: Bool { contains { $0.value != nil } }

  /// By the first property's value, then by the second's, none first.
  package func isBefore(_ other: [PropertyValue]) -> Bool {
    for (a, b) in zip(self, other) {
      let (left, right) = (a.value ?? "", b.value ?? "")
      if !left.utf8.elementsEqual(right.utf8) { return left.utf8.lexicographicallyPrecedes(right.utf8) }
    }
    return false
  }
}

/// The figures of one permission in one week, or in all weeks. Rates are shares of 1, times are milliseconds; nil is
/// unknown, never 0.
public struct ReportRow: Sendable {
  public package(set) var permission: String
  /// nil for all weeks together.
  public let week: CalendarWeek?
  /// Whether the week is over at as_of; nil for all weeks.
  public let isComplete: Bool?
  /// The values that the row is of, one for each property that the report is split by; empty without one.
  public let by: [PropertyValue]
  /// The events that the log lacks, so some figures are unknown.
  public let noEvidence: [Evidence]

  public package(set) var grants: GrantFigures
  public package(set) var steps: StepFigures
  public package(set) var times: TimeFigures
  public let afterGrant: AfterGrantFigures
  public let returns: ReturnFigures
  public let settings: SettingsFigures
  public let engagement: EngagementFigures
  /// By day: 1, 7, 30.
  public let retention: [RetentionFigures]
  public package(set) var trend: Trend?
  public package(set) var usual: UsualWeek?

  init(
    permission: String, week: CalendarWeek?, isComplete: Bool?, by: [PropertyValue], _ sums: RowSums,
    _ times: RowTimes, missing: [Evidence], isForCharts: Bool
  ) {
    (self.permission, self.week, self.isComplete, self.by) = (permission, week, isComplete, by)
    noEvidence = missing
    grants = GrantFigures(sums, missing: missing)
    steps = StepFigures(sums, missing: missing)
    self.times = TimeFigures(sums, times, missing: missing, isForCharts: isForCharts)
    afterGrant = AfterGrantFigures(sums, missing: missing)
    returns = ReturnFigures(sums, hasCurve: isForCharts && week == nil, missing: missing)
    settings = SettingsFigures(sums, missing: missing)
    engagement = EngagementFigures(sums, missing: missing)
    retention = retentionDays.indices.map { RetentionFigures(sums, number: $0, missing: missing) }
  }

  /// A count of journeys by their answers; nil if the log holds none.
  func answered(_ count: Int) -> Int? { noEvidence.known(.answers, count) }

  /// All figures, in the order of the JSON.
  public static let figures = FigureTree<ReportRow>(
    GrantFigures.figures + StepFigures.figures + TimeFigures.figures + AfterGrantFigures.figures
      + ReturnFigures.figures + SettingsFigures.figures + EngagementFigures.figures + RetentionFigures.figures
      + Trend.figures + UsualWeek.figures + GrantFigures.laterFigures)
}

/// Rows by permission, by property value, all weeks first, then week by week. If there are many, each access creates
/// the row again.
public struct ReportRows: RandomAccessCollection, MutableCollection, RangeReplaceableCollection, Sendable {
  private(set) var kept: [ReportRow]
  let builder: RowBuilder?

  public init() { (kept, builder) = ([], nil) }

  init(kept: [ReportRow]) { (self.kept, builder) = (kept, nil) }

  init(_ builder: RowBuilder) { (kept, self.builder) = ([], builder) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { builder?.places.count ?? kept.count }

  public subscript(position: Int) -> ReportRow {
    get { builder == nil ? kept[position] : Maker(self)[position] }
    _modify {
      keepAll()
      yield &kept[position]
    }
  }

  public mutating func replaceSubrange(_ subrange: Range<Int>, with rows: some Collection<ReportRow>) {
    keepAll()
    kept.replaceSubrange(subrange, with: rows)
  }

  private mutating func keepAll() { if builder != nil { self = ReportRows(kept: Array(self)) } }

  public func makeIterator() -> Iterator { Iterator(Maker(self)) }

  /// Uses the iterator: access to one row would allocate memory for its times each time.
  public func map<Made, Failure>(_ make: (ReportRow) throws(Failure) -> Made) throws(Failure) -> [Made] {
    var made: [Made] = []
    made.reserveCapacity(count)
    var rows = makeIterator()
    while let row = rows.next() { made.append(try make(row)) }
    return made
  }

  /// Iterates over the rows. Each row is valid until the next.
  public struct Iterator: IteratorProtocol {
    private let maker: Maker
    private var number = 0

    init(_ maker: Maker) { self.maker = maker }

    public mutating func next() -> ReportRow? {
      guard number < maker.rows.count else { return nil }
      defer { number += 1 }
      return maker[number]
    }
  }

  /// Makes rows, one after the other, for one thread.
  package final class Maker {
    fileprivate let rows: ReportRows
    private lazy var times = RowTimes()

    package init(_ rows: ReportRows) { self.rows = rows }

    package subscript(number: Int) -> ReportRow { rows.builder?.row(number, times) ?? rows.kept[number] }
  }

  /// Rows of one week.
  /// - Parameter isWanted: decides by the row's number, before a row is made.
  package func rows(of week: CalendarWeek, where isWanted: (_ number: Int) -> Bool) -> [ReportRow] {
    let maker = Maker(self)
    return indices.filter { self.week($0) == week && isWanted($0) }.map { maker[$0] }
  }

  package var weeks: Set<CalendarWeek> {
    guard let builder else { return Set(kept.compactMap(\.week)) }
    return Set(indices.lazy.compactMap { builder.week($0) })
  }
}

// MARK: What a row counts, read without making the row: sentences about all rows of a large report need no more

package struct RowCounts: Sendable {
  /// Of the row, among all.
  package let number: Int
  package let exposed, pending, restricted, granted, partial, denied, settingsShown, answeredByStatus: Int

  package var base: Int { exposed - pending - restricted }

  fileprivate init(_ number: Int, _ row: ReportRow) {
    self.number = number
    (exposed, pending, restricted) = (row.grants.exposed, row.grants.pending, row.grants.restricted)
    (granted, partial, denied) = (row.grants.granted, row.grants.partial, row.grants.denied)
    settingsShown = row.settings.shown
    answeredByStatus = row.grants.answeredByStatus
  }

  fileprivate init(_ number: Int, _ sums: RowSums) {
    self.number = number
    (exposed, pending, restricted) = (sums[.exposed], sums[.pending], sums[.restricted])
    (granted, partial, denied) = (sums[.granted, .granted], sums[.partial], sums[.granted, .denied])
    settingsShown = sums[.settingsShown]
    answeredByStatus = sums[.answeredByStatus]
  }
}

extension ReportRows {
  package func counts(_ number: Int) -> RowCounts {
    guard let builder else { return RowCounts(number, kept[number]) }
    return RowCounts(number, builder.sums(number))
  }

  package func week(_ number: Int) -> CalendarWeek? { builder.map { $0.week(number) } ?? kept[number].week }

  package func permission(_ number: Int) -> String { builder?.permissionName(number) ?? kept[number].permission }

  package func values(_ number: Int) -> [PropertyValue] { builder?.values(number) ?? kept[number].by }

  package func isOther(_ number: Int) -> Bool { builder?.isOther(number) ?? kept[number].by.isOther }

  package func missing(_ number: Int) -> [Evidence] { builder?.missing(number) ?? kept[number].noEvidence }

  /// Whether two rows are of one permission. Names are bytes, and Strings are not.
  package func isSamePermission(_ a: Int, _ b: Int) -> Bool {
    if let builder { return builder.permission(a) == builder.permission(b) }
    return kept[a].permission.utf8.elementsEqual(kept[b].permission.utf8)
  }

  /// The week that a row's trend is compared with, and its p-value. Nil without a trend.
  package func trend(_ number: Int) -> (previousWeek: CalendarWeek, adjustedPValue: Double?)? {
    if let builder { return builder.trend(number) }
    return kept[number].trend.map { ($0.previousWeek, $0.adjustedPValue) }
  }

  package func usual(_ number: Int) -> UsualWeek? { builder.map { $0.usual(number) } ?? kept[number].usual }
}
