// The tree of all figures of a row: the nesting and the order of the JSON.

/// A figure, or figures under a name of their own.
public indirect enum FigureNode<Row>: Sendable {
  case figure(Figure<Row>)
  case group(StaticString, [FigureNode])
  /// In JSON a list of objects that begin with their day; in names the day follows as `day_7`.
  case days(StaticString, [(day: Int, nodes: [FigureNode])])
  /// In JSON a list of objects that begin with their class; in names the class takes the place of the list's name.
  case classes(StaticString, [(name: StaticString, nodes: [FigureNode])])
  /// A group that a row may lack.
  case optional(StaticString, isThere: @Sendable (Row) -> Bool, [FigureNode])
  /// A group that is unknown for want of evidence: null in JSON, its numbers empty in tables.
  case knowable(StaticString, isKnown: @Sendable (Row) -> Bool, [FigureNode])
}

extension FigureNode {
  typealias Count = @Sendable (Row) -> Int

  static func count(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit = .journeys, over: Count? = nil,
    _ value: @escaping @Sendable (Row) -> Int?
  ) -> Self { .figure(Figure(name, meaning, unit, over: over, .count(value))) }

  static func number(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit, over: Count? = nil,
    _ value: @escaping @Sendable (Row) -> Double?
  ) -> Self { .figure(Figure(name, meaning, unit, over: over, .number(value))) }

  static func estimate(
    _ name: StaticString, _ meaning: StaticString, _ unit: Figure<Row>.Unit = .share, over: @escaping Count,
    _ value: @escaping @Sendable (Row) -> Estimate?
  ) -> Self { .figure(Figure(name, meaning, unit, over: over, .estimate(value))) }

  static func share(
    _ name: StaticString, count: StaticString, _ meaning: StaticString, _ value: @escaping @Sendable (Row) -> Share
  ) -> Self { .figure(Figure(name, meaning, .share, over: nil, .share(count: count, value))) }

  /// The parts of a share under names of their own, instead of those of `share`.
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

  static func times(
    _ name: StaticString, _ meaning: StaticString, _ value: @escaping @Sendable (Row) -> TimeSummary?
  ) -> Self { .figure(Figure(name, meaning, .milliseconds, over: nil, .times(value))) }
}

/// All figures of a row, in the order of the JSON.
public struct FigureTree<Row>: Sendable {
  public let nodes: [FigureNode<Row>]
  /// Every number of the tree, each under its whole name, in order.
  public let numbers: [FigureNumber<Row>]
  /// Their names as bytes.
  package let names: [[UInt8]]

  init(_ nodes: [FigureNode<Row>]) {
    self.nodes = nodes
    numbers = FigureNumber.all(of: nodes)
    names = numbers.map { Array($0.name.utf8) }
  }

  /// All figures with their whole names, such as `steps.prompt.shown`; figures of lists are listed once, with `day_N`
  /// or `CLASS`.
  public var figures: [(name: String, figure: Figure<Row>)] { Self.figures(nodes, "") }

  private static func figures(_ nodes: [FigureNode<Row>], _ path: String) -> [(name: String, figure: Figure<Row>)] {
    nodes.flatMap { node -> [(name: String, figure: Figure<Row>)] in
      switch node {
      case .figure(let figure): [(path + "\(figure.name)", figure)]
      case .group(let name, let nodes), .optional(let name, _, let nodes), .knowable(let name, _, let nodes):
        figures(nodes, path + "\(name).")
      case .days(let name, let days): figures(days.first?.nodes ?? [], path + "\(name).day_N.")
      case .classes(_, let classes): figures(classes.first?.nodes ?? [], path + "CLASS.")
      }
    }
  }
}
