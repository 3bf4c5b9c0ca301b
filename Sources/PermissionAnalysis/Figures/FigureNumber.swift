// The numbers of a tree as a flat list: what tables of one figure a line are made of.

/// A number as it came out. nil is unknown.
public struct FigureValue: Sendable {
  public let value, low, high: Double?
  /// The journeys or users that it is over; nil for what is a part of nothing.
  public let n: Int?

  package init(_ value: Double?, n: Int? = nil) {
    (self.value, low, high) = (value, nil, nil)
    self.n = n
  }

  package init(_ estimate: Estimate?, n: Int?) {
    (value, low, high) = (estimate?.value, estimate?.low, estimate?.high)
    self.n = n
  }

  init(bounds: (low: Double?, high: Double?)?) {
    (value, low, high, n) = (nil, bounds?.low, bounds?.high, nil)
  }
}

/// One number under its whole name, such as `retention.day_7.granted.rate`.
public struct FigureNumber<Row>: Sendable {
  public let name: String
  /// nil if the row has no such figure at all.
  public let value: @Sendable (Row) -> FigureValue?
}

extension FigureNumber {
  package static func all(of nodes: [FigureNode<Row>], under path: String = "") -> [FigureNumber] {
    nodes.flatMap { node -> [FigureNumber] in
      switch node {
      case .figure(let figure): all(of: figure, path + "\(figure.name)")
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

  private static func all(of figure: Figure<Row>, _ name: String) -> [FigureNumber] {
    func part(_ part: StaticString, _ value: @escaping @Sendable (Row) -> FigureValue) -> FigureNumber {
      FigureNumber(name: name + ".\(part)", value: value)
    }
    let over = figure.over
    switch figure.value {
    case .count(let count): return [FigureNumber(name: name) { FigureValue(count($0).map(Double.init), n: over?($0)) }]
    case .number(let number): return [FigureNumber(name: name) { FigureValue(number($0), n: over?($0)) }]
    case .estimate(let estimate): return [FigureNumber(name: name) { FigureValue(estimate($0), n: over?($0)) }]
    case .share(let count, let share):
      return [
        part("eligible") { FigureValue(Double(share($0).eligible)) },
        part(count) { FigureValue(share($0).count.map(Double.init), n: share($0).eligible) },
        part("rate") { FigureValue(share($0).rate, n: share($0).eligible) },
      ]
    case .times(let times):
      return [
        part("count") { FigureValue(times($0).map { Double($0.count) }) },
        part("mean") { FigureValue(times($0)?.mean, n: times($0)?.count) },
        part("p50") { FigureValue(times($0)?.p50, n: times($0)?.count) },
        part("p90") { FigureValue(times($0)?.p90, n: times($0)?.count) },
        part("p99") { FigureValue(times($0)?.p99, n: times($0)?.count) },
      ]
    case .curve(let days, let points):
      return days.indices.map { i in
        FigureNumber(name: name + ".day_\(days[i])") { row in
          let points = points(row)
          return i < points.count ? FigureValue(points[i].estimate, n: points[i].atRisk) : nil
        }
      }
    case .bounds(let bounds): return [FigureNumber(name: name) { FigureValue(bounds: bounds($0)) }]
    case .text, .flag, .texts, .counts, .numbers: return []
    }
  }
}

// A table of many rows reads each figure once, and not each of its numbers.
extension FigureTree {
  /// The numbers that a row has, each with its place among `numbers`: what asking each of those for its value gives.
  package func forEachNumber(of row: Row, _ body: (_ place: Int, FigureValue) -> Void) {
    var walk = NumberWalk<Row>()
    walk.go(over: nodes, of: row, body)
  }
}

/// Where a walk over the numbers of a row is. It does not hold the row, which would be copied at every step.
private struct NumberWalk<Row> {
  private var place = 0

  mutating func go(over nodes: [FigureNode<Row>], of row: Row, _ body: (Int, FigureValue) -> Void) {
    for node in nodes {
      switch node {
      case .figure(let figure): go(over: figure, of: row, body)
      case .group(_, let nodes): go(over: nodes, of: row, body)
      case .days(_, let days): for day in days { go(over: day.nodes, of: row, body) }
      case .classes(_, let classes): for one in classes { go(over: one.nodes, of: row, body) }
      case .optional(_, let isThere, let nodes):
        if isThere(row) { go(over: nodes, of: row, body) } else { place += Self.count(nodes) }
      case .knowable(_, let isKnown, let nodes):
        if isKnown(row) {
          go(over: nodes, of: row, body)
        } else {
          for _ in 0..<Self.count(nodes) { tell(FigureValue(nil), body) }
        }
      case .inTables(let nodes): go(over: nodes, of: row, body)
      case .inJSON, .part: break
      }
    }
  }

  private mutating func tell(_ value: FigureValue, _ body: (Int, FigureValue) -> Void) {
    body(place, value)
    place += 1
  }

  private mutating func go(over figure: Figure<Row>, of row: Row, _ body: (Int, FigureValue) -> Void) {
    switch figure.value {
    case .count(let count): tell(FigureValue(count(row).map(Double.init), n: figure.over?(row)), body)
    case .number(let number): tell(FigureValue(number(row), n: figure.over?(row)), body)
    case .estimate(let estimate): tell(FigureValue(estimate(row), n: figure.over?(row)), body)
    case .share(_, let share):
      let share = share(row)
      tell(FigureValue(Double(share.eligible)), body)
      tell(FigureValue(share.count.map(Double.init), n: share.eligible), body)
      tell(FigureValue(share.rate, n: share.eligible), body)
    case .times(let times):
      let times = times(row)
      tell(FigureValue(times.map { Double($0.count) }), body)
      tell(FigureValue(times?.mean, n: times?.count), body)
      tell(FigureValue(times?.p50, n: times?.count), body)
      tell(FigureValue(times?.p90, n: times?.count), body)
      tell(FigureValue(times?.p99, n: times?.count), body)
    case .curve(let days, let points):
      let points = points(row)
      for (i, point) in points.enumerated() where i < days.count {
        body(place + i, FigureValue(point.estimate, n: point.atRisk))
      }
      place += days.count
    case .bounds(let bounds): tell(FigureValue(bounds: bounds(row)), body)
    case .text, .flag, .texts, .counts, .numbers: break
    }
  }

  /// How many numbers some nodes have.
  private static func count(_ nodes: [FigureNode<Row>]) -> Int {
    nodes.reduce(0) { sum, node in
      switch node {
      case .figure(let figure): sum + figure.value.numbers
      case .group(_, let nodes), .optional(_, _, let nodes), .knowable(_, _, let nodes): sum + count(nodes)
      case .days(_, let days): sum + days.reduce(0) { $0 + count($1.nodes) }
      case .classes(_, let classes): sum + classes.reduce(0) { $0 + count($1.nodes) }
      case .inTables(let nodes): sum + count(nodes)
      case .inJSON, .part: sum
      }
    }
  }
}

extension Figure.Value {
  /// How many numbers of tables it has.
  var numbers: Int {
    switch self {
    case .count, .number, .estimate, .bounds: 1
    case .share: 3
    case .times: 5
    case .curve(let days, _): days.count
    case .text, .flag, .texts, .counts, .numbers: 0
    }
  }
}
