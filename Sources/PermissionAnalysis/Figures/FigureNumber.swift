// The numbers of a tree as a flat list: what tables of one figure a line are made of.

/// The value of a number. Nil is unknown.
public struct FigureValue: Sendable {
  public let value, low, high: Double?
  /// The journeys or users in its denominator. Nil if it is not a part of anything.
  public let n: Int?

  package init(_ value: Double?, n: Int? = nil) {
    (self.value, low, high) = (value, nil, nil)
    self.n = n
  }

  package init(_ estimate: Estimate?, n: Int?) {
    (value, low, high) = (estimate?.value, estimate?.low, estimate?.high)
    self.n = n
  }

  init(bounds: (low: Double?, high: Double?)?) { (value, low, high, n) = (nil, bounds?.low, bounds?.high, nil) }
}

/// One number under its whole name, such as `retention.day_7.granted.rate`.
public struct FigureNumber<Row>: Sendable {
  public let name: String
  /// Nil if the row does not have the figure.
  public let value: @Sendable (Row) -> FigureValue?
}

extension FigureNumber {
  package static func all(of nodes: [FigureNode<Row>], under path: String = "") -> [FigureNumber] {
    nodes.flatMap { node -> [FigureNumber] in
      switch node {
      case .figure(let figure):
        figure.parts.enumerated().map { place, part in
          FigureNumber(name: path + "\(figure.name)" + part) { figure.number(place, of: $0) }
        }
      case .group(let name, let nodes): all(of: nodes, under: path + "\(name).")
      case .days(let name, let days): days.flatMap { all(of: $0.nodes, under: path + "\(name).day_\($0.day).") }
      case .classes(_, let classes): classes.flatMap { all(of: $0.nodes, under: path + "\($0.name).") }
      case .optional(let name, let isThere, let nodes):
        all(of: nodes, under: path + "\(name).").map { number in
          FigureNumber(name: number.name) { isThere($0) ? number.value($0) : nil }
        }
      case .knowable(let name, let isKnown, let nodes):
        all(of: nodes, under: path + "\(name).").map { number in
          FigureNumber(name: number.name) { isKnown($0) ? number.value($0) : FigureValue(nil) }
        }
      case .inTables(let nodes): all(of: nodes, under: path)
      // How many numbers parts have differs from row to row: `FigureWalk` goes over them.
      case .inJSON, .part: []
      }
    }
  }
}

extension Figure {
  /// Calls the body for each number of a row, with its index in `parts`.
  fileprivate func forEachNumber(of row: Row, _ body: (_ place: Int, FigureValue) -> Void) {
    switch value {
    case .count(let count): body(0, FigureValue(count(row).map(Double.init), n: over?(row)))
    case .number(let number): body(0, FigureValue(number(row), n: over?(row)))
    case .estimate(let estimate): body(0, FigureValue(estimate(row), n: over?(row)))
    case .share(_, let share):
      let share = share(row)
      body(0, FigureValue(Double(share.eligible)))
      body(1, FigureValue(share.count.map(Double.init), n: share.eligible))
      body(2, FigureValue(share.rate, n: share.eligible))
    case .times(let times):
      let times = times(row)
      body(0, FigureValue(times.map { Double($0.count) }))
      body(1, FigureValue(times?.mean, n: times?.count))
      body(2, FigureValue(times?.p50, n: times?.count))
      body(3, FigureValue(times?.p90, n: times?.count))
      body(4, FigureValue(times?.p99, n: times?.count))
    case .curve(let days, let points):
      for (place, point) in points(row).prefix(days.count).enumerated() {
        body(place, FigureValue(point.estimate, n: point.atRisk))
      }
    case .bounds(let bounds): body(0, FigureValue(bounds: bounds(row)))
    case .text, .flag, .texts, .counts, .numbers: break
    }
  }

  fileprivate func number(_ wanted: Int, of row: Row) -> FigureValue? {
    var number: FigureValue?
    forEachNumber(of: row) { if $0 == wanted { number = $1 } }
    return number
  }
}

// A table of many rows reads each figure once, and not each of its numbers.
extension FigureTree {
  /// Calls the body for each number of a row, with its index in `numbers`. The values are the same as when each number is asked.
  package func forEachNumber(of row: Row, _ body: (_ place: Int, FigureValue) -> Void) {
    var walk = NumberWalk<Row>()
    walk.go(over: nodes, of: row, .known, body)
  }
}

/// Where a walk over the numbers of a row is. It does not hold the row, which would be copied at every step.
private struct NumberWalk<Row> {
  enum Way { case known, unknown, absent }

  private var place = 0

  mutating func go(over nodes: [FigureNode<Row>], of row: Row, _ way: Way, _ body: (Int, FigureValue) -> Void) {
    for node in nodes {
      switch node {
      case .figure(let figure):
        let first = place
        switch way {
        case .known: figure.forEachNumber(of: row) { body(first + $0, $1) }
        case .unknown: for part in figure.parts.indices { body(first + part, FigureValue(nil)) }
        case .absent: break
        }
        place += figure.parts.count
      case .group(_, let nodes), .inTables(let nodes): go(over: nodes, of: row, way, body)
      case .days(_, let days): for day in days { go(over: day.nodes, of: row, way, body) }
      case .classes(_, let classes): for one in classes { go(over: one.nodes, of: row, way, body) }
      case .optional(_, let isThere, let nodes):
        go(over: nodes, of: row, way == .known && !isThere(row) ? .absent : way, body)
      case .knowable(_, let isKnown, let nodes):
        go(over: nodes, of: row, way == .known && !isKnown(row) ? .unknown : way, body)
      case .inJSON, .part: break
      }
    }
  }
}
