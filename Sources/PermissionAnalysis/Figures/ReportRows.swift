// The rows of a report: kept if they are not too many, else made one by one when they are looked at.

import Folding
import PermissionEvents

/// Rows by permission, by property value, all weeks first, then week by week. Of many, each look at a row makes it anew.
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

  /// Goes over the rows, each of which is there until the next.
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

  /// What makes rows, one after the other, for one thread.
  package final class Maker {
    fileprivate let rows: ReportRows
    private lazy var times = RowTimes()

    package init(_ rows: ReportRows) { self.rows = rows }

    package subscript(number: Int) -> ReportRow {
      guard let builder = rows.builder else { return rows.kept[number] }
      // Sums that are too large for figures were refused when the builder was made.
      guard let row = try? builder.row(number, times) else { preconditionFailure("the sums of a row have changed") }
      return row
    }
  }
}

extension ReportRows {
  /// The rows of one week.
  package func rows(of week: ISOWeek) -> [ReportRow] {
    guard let builder else { return kept.filter { $0.week == week } }
    let maker = Maker(self)
    return indices.lazy.filter { builder.week($0) == week }.map { maker[$0] }
  }

  /// Every week that a row is of.
  package var weeks: Set<ISOWeek> {
    guard let builder else { return Set(kept.compactMap(\.week)) }
    return Set(indices.lazy.compactMap { builder.week($0) })
  }
}
