// One figure of a row: its name, its meaning, and its getter. JSON, CSV, the truths of simulations and docs/figures.md
// take names and values from here, so each figure is named once.

import PermissionEvents

/// A figure under the name that it has in JSON. A class, because trees are walked once a row.
package final class Figure<Row>: Sendable {
  /// What the number counts, or is measured in.
  package enum Unit: String, Sendable {
    case journeys, trials, users, events, flows, values, days, milliseconds
    case share = "share of 1"
    case difference = "difference of shares of 1"
    case mean = "mean number a user"
    case ratio, correlation
    case pValue = "p-value"
    case logarithm = "log10 of a p-value"
    case week = "ISO week"
    case moment, day, name, flag, sentence
    case metric = "the metric's unit"
    case number
  }

  /// How it is read from a row; nil is unknown. The strings are the names of its parts in JSON.
  package enum Value: Sendable {
    case count(@Sendable (Row) -> Int?)
    case number(@Sendable (Row) -> Double?)
    /// `value`, `low`, `high`.
    case estimate(@Sendable (Row) -> Estimate?)
    /// `eligible`, the name given, `rate`.
    case share(count: StaticString, @Sendable (Row) -> Share)
    /// `count`, `mean`, `p50`, `p90`, `p99`.
    case times(@Sendable (Row) -> TimeSummary?)
    /// A list of `day`, `at_risk`, `value`, `low`, `high`, by these days.
    case curve(days: [Int], @Sendable (Row) -> [EnabledLater.ByDay])
    /// An interval without a value: tables alone have it, JSON has its bounds as numbers.
    case bounds(@Sendable (Row) -> (low: Double?, high: Double?)?)
    // No number of a table: JSON alone has them.
    case text(@Sendable (Row) -> String?)
    case flag(@Sendable (Row) -> Bool?)
    case texts(@Sendable (Row) -> [String]?)
    case counts(@Sendable (Row) -> [Int])
    case numbers(@Sendable (Row) -> [Double]?)
  }

  package let name: StaticString
  package let unit: Unit
  package let meaning: StaticString
  package let value: Value
  /// The journeys or users in its denominator. Nil if it is not a part of anything, or if `value` has it.
  package let over: (@Sendable (Row) -> Int?)?
  /// The suffixes of its name for its numbers in tables. Empty if it has no number.
  let parts: [String]

  package init(
    _ name: StaticString, _ meaning: StaticString, _ unit: Unit, over: (@Sendable (Row) -> Int?)? = nil, _ value: Value
  ) {
    self.name = name
    self.meaning = meaning
    self.unit = unit
    self.over = over
    self.value = value
    parts =
      switch value {
      case .count, .number, .estimate, .bounds: [""]
      case .share(let count, _): [".eligible", ".\(count)", ".rate"]
      case .times: [".count", ".mean", ".p50", ".p90", ".p99"]
      case .curve(let days, _): days.map { ".day_\($0)" }
      case .text, .flag, .texts, .counts, .numbers: []
      }
  }
}

/// A count, the number eligible, and the rate.
public struct Share: Sendable {
  public let eligible: Int
  /// Nil without the evidence for it.
  public let count: Int?
  /// With Wilson's 95 % interval. Nil if no users are eligible, or if the count is not known.
  public let rate: Estimate?

  init(_ eligible: Int, _ count: Int?) {
    self.eligible = eligible
    self.count = count
    rate = count.flatMap { Estimate.rate($0, eligible) }
  }
}

// MARK: The tree of all figures of a row: the nesting and the order of the JSON, and the names of tables

/// A figure, or figures under a common name.
package indirect enum FigureNode<Row>: Sendable {
  case figure(Figure<Row>)
  case group(StaticString, [FigureNode])
  /// In JSON a list of objects that begin with their day; in names the day follows as `day_7`.
  case days(StaticString, [(day: Int, nodes: [FigureNode])])
  /// In JSON a list of objects that begin with their class; in names the class replaces the list's name.
  case classes(StaticString, [(name: StaticString, nodes: [FigureNode])])
  /// A group that a row may lack.
  case optional(StaticString, isThere: @Sendable (Row) -> Bool, [FigureNode])
  /// A group that is unknown without evidence: null in JSON, empty numbers in tables.
  case knowable(StaticString, isKnown: @Sendable (Row) -> Bool, [FigureNode])
  /// Figures of parts of the row, which have a type of their own: an object or a list of objects.
  case part(StaticString, any FigurePart<Row>)
  /// Figures that only JSON has, and figures that only tables have.
  case inJSON([FigureNode])
  case inTables([FigureNode])

  package typealias Count = @Sendable (Row) -> Int?

  package static func count(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit = .journeys, over: Count? = nil,
    _ value: @escaping @Sendable (Row) -> Int?
  ) -> Self { .figure(Figure(name, meaning, unit, over: over, .count(value))) }

  package static func number(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit, over: Count? = nil,
    _ value: @escaping @Sendable (Row) -> Double?
  ) -> Self { .figure(Figure(name, meaning, unit, over: over, .number(value))) }

  package static func estimate(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit = .share, over: Count? = nil,
    _ value: @escaping @Sendable (Row) -> Estimate?
  ) -> Self { .figure(Figure(name, meaning, unit, over: over, .estimate(value))) }

  static func share(
    _ name: StaticString, count: StaticString, _ meaning: StaticString, _ value: @escaping @Sendable (Row) -> Share
  ) -> Self { .figure(Figure(name, meaning, .share, over: nil, .share(count: count, value))) }

  /// The parts of a share under their own names instead of the names of `share`.
  static func parts(
    _ eligible: (name: StaticString, meaning: StaticString), _ count: (name: StaticString, meaning: StaticString),
    rate: (name: StaticString, meaning: StaticString), _ share: @escaping @Sendable (Row) -> Share
  ) -> [Self] {
    let over: Count = { share($0).eligible }
    return [
      .count(eligible.name, eligible.meaning) { over($0) },
      .count(count.name, count.meaning, over: over) { share($0).count },
      .estimate(rate.name, rate.meaning, over: over) { share($0).rate },
    ]
  }

  package static func times(
    _ name: StaticString, _ meaning: StaticString, _ value: @escaping @Sendable (Row) -> TimeSummary?
  ) -> Self { .figure(Figure(name, meaning, .milliseconds, over: nil, .times(value))) }

  package static func bounds(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit,
    _ value: @escaping @Sendable (Row) -> (low: Double?, high: Double?)?
  ) -> Self { .figure(Figure(name, meaning, unit, .bounds(value))) }

  // MARK: Figures that are not numbers

  package static func text(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit = .name,
    _ value: @escaping @Sendable (Row) -> String?
  ) -> Self { .figure(Figure(name, meaning, unit, .text(value))) }

  package static func day(
    _ name: StaticString, _ meaning: StaticString, _ value: @escaping @Sendable (Row) -> DayNumber?
  ) -> Self { .text(name, meaning, .day) { value($0).map { CivilDate($0).text } } }

  package static func flag(
    _ name: StaticString, _ meaning: StaticString, _ value: @escaping @Sendable (Row) -> Bool?
  ) -> Self { .figure(Figure(name, meaning, .flag, .flag(value))) }

  package static func texts(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit = .name,
    _ value: @escaping @Sendable (Row) -> [String]?
  ) -> Self { .figure(Figure(name, meaning, unit, .texts(value))) }

  package static func counts(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit = .users,
    _ value: @escaping @Sendable (Row) -> [Int]
  ) -> Self { .figure(Figure(name, meaning, unit, .counts(value))) }

  package static func numbers(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit,
    _ value: @escaping @Sendable (Row) -> [Double]?
  ) -> Self { .figure(Figure(name, meaning, unit, .numbers(value))) }

  // MARK: Parts

  /// An object; null if the part is nil.
  /// - Parameters:
  ///   - isKnowable: whether tables have rows without numbers if the part is nil. If not, they have no rows.
  ///   - place: the key of the rows in tables.
  package static func object<Part>(
    _ name: StaticString, _ nodes: [FigureNode<Part>], isKnowable: Bool = false,
    place: @escaping @Sendable (Part) -> [FigureSubject] = { _ in [] }, _ part: @escaping @Sendable (Row) -> Part?
  ) -> Self {
    .part(
      name,
      FigureParts(isList: false, isKnowable: isKnowable, nodes: nodes, place: place) { part($0).map { [$0] } ?? [] })
  }

  package static func list<Part>(
    _ name: StaticString, _ nodes: [FigureNode<Part>],
    place: @escaping @Sendable (Part) -> [FigureSubject] = { _ in [] },
    _ parts: @escaping @Sendable (Row) -> [Part]
  ) -> Self { .part(name, FigureParts(isList: true, isKnowable: false, nodes: nodes, place: place, parts: parts)) }

  fileprivate var name: String? {
    switch self {
    case .figure(let figure): "\(figure.name)"
    case .group(let name, _), .days(let name, _), .classes(let name, _), .optional(let name, _, _),
      .knowable(let name, _, _), .part(let name, _):
      "\(name)"
    case .inJSON(let nodes), .inTables(let nodes): nodes.count == 1 ? nodes[0].name : nil
    }
  }
}

/// Parts of a row with figures of their own.
package protocol FigurePart<Row>: Sendable {
  associatedtype Row
  var isList: Bool { get }
  /// If there is no part, tables have its rows without numbers.
  var isKnowable: Bool { get }
  /// Sends a walk to each part, or to the missing part of an object.
  func send(_ walk: inout some FigureWalk & ~Copyable, to row: Row)
  /// Of the parts.
  func lines(_ path: String, inJSON: Bool, inTables: Bool) -> [FigureLine]
}

/// A walk over trees of rows and of their parts.
package protocol FigureWalk: ~Copyable {
  mutating func visit<Part>(_ part: Part, _ nodes: [FigureNode<Part>], isElement: Bool, place: [FigureSubject])
  /// An object that is not there.
  mutating func miss<Part>(_ nodes: [FigureNode<Part>], isKnowable: Bool)
}

/// The key of the rows of a part, in tables.
package enum FigureSubject: Sendable {
  /// Follows the list's name in theirs, as in `secondary.skip_rate.difference`.
  case name(String)
  /// Is in a column.
  case column(StaticString, String)
}

private struct FigureParts<Row, Part>: FigurePart {
  let isList, isKnowable: Bool
  let nodes: [FigureNode<Part>]
  let place: @Sendable (Part) -> [FigureSubject]
  let parts: @Sendable (Row) -> [Part]

  func send(_ walk: inout some FigureWalk & ~Copyable, to row: Row) {
    let parts = parts(row)
    for part in parts { walk.visit(part, nodes, isElement: isList, place: place(part)) }
    if parts.isEmpty, !isList { walk.miss(nodes, isKnowable: isKnowable) }
  }

  func lines(_ path: String, inJSON: Bool, inTables: Bool) -> [FigureLine] {
    nodes.lines(path + (isList ? "[]." : "."), inJSON: inJSON, inTables: inTables)
  }
}

/// A figure as a document lists it.
public struct FigureLine: Sendable, Hashable {
  /// Such as `steps.prompt.shown`; of lists `day_N`, `CLASS` or `[]`.
  public let name: String
  public let unit, meaning: String
  public let isInJSON, isInTables: Bool
}

/// All figures of a row, in the order of the JSON.
public struct FigureTree<Row>: Sendable {
  package let nodes: [FigureNode<Row>]
  /// Every number of the tree, each under its whole name, in order.
  public let numbers: [FigureNumber<Row>]
  package let names: [[UInt8]]

  init(_ nodes: [FigureNode<Row>]) {
    self.nodes = nodes
    numbers = FigureNumber.all(of: nodes)
    names = numbers.map { Array($0.name.utf8) }
  }

  /// All figures with their whole names; figures of lists are listed once.
  public var figures: [FigureLine] { nodes.lines() }
}

extension Array {
  /// Returns the nodes with these names, in this order, including nodes that only JSON or only tables have.
  package func named<Row>(_ names: [String]) -> Self where Element == FigureNode<Row> {
    let nodes = flatMap { node -> Self in
      switch node {
      case .inJSON(let nodes): nodes.map { .inJSON([$0]) }
      case .inTables(let nodes): nodes.map { .inTables([$0]) }
      default: [node]
      }
    }
    return names.flatMap { name in nodes.filter { $0.name == name } }
  }

  package func lines<Row>(_ path: String = "", inJSON: Bool = true, inTables: Bool = true) -> [FigureLine]
  where Element == FigureNode<Row> {
    flatMap { node -> [FigureLine] in
      func lines(_ nodes: [FigureNode<Row>], _ name: String) -> [FigureLine] {
        nodes.lines(path + name, inJSON: inJSON, inTables: inTables)
      }
      switch node {
      case .figure(let figure):
        let line = FigureLine(
          name: path + "\(figure.name)", unit: figure.unit.rawValue, meaning: "\(figure.meaning)", isInJSON: inJSON,
          isInTables: inTables && !figure.parts.isEmpty)
        return [line]
      case .group(let name, let nodes), .optional(let name, _, let nodes), .knowable(let name, _, let nodes):
        return lines(nodes, "\(name).")
      case .days(let name, let days): return lines(days.first?.nodes ?? [], "\(name).day_N.")
      case .classes(_, let classes): return lines(classes.first?.nodes ?? [], "CLASS.")
      case .part(let name, let part): return part.lines(path + "\(name)", inJSON: inJSON, inTables: inTables)
      case .inJSON(let nodes): return nodes.lines(path, inJSON: inJSON, inTables: false)
      case .inTables(let nodes): return nodes.lines(path, inJSON: false, inTables: inTables)
      }
    }
  }
}
