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

  init(_ estimate: Estimate?, n: Int?) {
    (value, low, high) = (estimate?.value, estimate?.low, estimate?.high)
    self.n = n
  }
}

/// One number under its whole name, such as `retention.day_7.granted.rate`.
public struct FigureNumber<Row>: Sendable {
  public let name: String
  /// nil if the row has no such figure at all.
  public let value: @Sendable (Row) -> FigureValue?
}

extension FigureNumber {
  static func all(of nodes: [FigureNode<Row>], under path: String = "") -> [FigureNumber] {
    nodes.flatMap { node -> [FigureNumber] in
      switch node {
      case .figure(let figure): all(of: figure, path + "\(figure.name)")
      case .group(let name, let nodes): all(of: nodes, under: path + "\(name).")
      case .days(let name, let days): days.flatMap { all(of: $0.nodes, under: path + "\(name).day_\($0.day).") }
      case .optional(let name, let isThere, let nodes):
        all(of: nodes, under: path + "\(name).").map { number in
          FigureNumber(name: number.name) { isThere($0) ? number.value($0) : nil }
        }
      case .knowable(let name, let isKnown, let nodes):
        all(of: nodes, under: path + "\(name).").map { number in
          FigureNumber(name: number.name) { isKnown($0) ? number.value($0) : FigureValue(nil) }
        }
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
        part("count") { FigureValue(Double(times($0).count)) },
        part("mean") { FigureValue(times($0).mean, n: times($0).count) },
        part("p50") { FigureValue(times($0).p50, n: times($0).count) },
        part("p90") { FigureValue(times($0).p90, n: times($0).count) },
        part("p99") { FigureValue(times($0).p99, n: times($0).count) },
      ]
    case .curve(let days, let points):
      return days.indices.map { i in
        FigureNumber(name: name + ".day_\(days[i])") { row in
          let points = points(row)
          return i < points.count ? FigureValue(points[i].estimate, n: points[i].atRisk) : nil
        }
      }
    case .text: return []
    }
  }
}
