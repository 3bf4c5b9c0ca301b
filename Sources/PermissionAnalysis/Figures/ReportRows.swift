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

  /// By the iterator: a look at one row makes the memory for its times anew.
  public func map<Made, Failure>(_ make: (ReportRow) throws(Failure) -> Made) throws(Failure) -> [Made] {
    var made: [Made] = []
    made.reserveCapacity(count)
    var rows = makeIterator()
    while let row = rows.next() { made.append(try make(row)) }
    return made
  }

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
      rows.builder?.row(number, times) ?? rows.kept[number]
    }
  }
}

extension ReportRows {
  /// Rows of one week.
  /// - Parameter isWanted: decides by the p-value of the trend, before a row is made.
  package func rows(of week: ISOWeek, where isWanted: (_ adjustedPValue: Double?) -> Bool) -> [ReportRow] {
    let maker = Maker(self)
    return indices.filter { self.week($0) == week && isWanted(trend($0)?.adjustedPValue) }.map { maker[$0] }
  }

  /// Every week that a row is of.
  package var weeks: Set<ISOWeek> {
    guard let builder else { return Set(kept.compactMap(\.week)) }
    return Set(indices.lazy.compactMap { builder.week($0) })
  }
}
