// A tree of figures as members of an object: every key always there, in the tree's order.

import PermissionAnalysis

/// A type that is written as its figures.
protocol FigureObject: JSONWritable {
  static var figures: [FigureNode<Self>] { get }
}

extension FigureObject {
  package func write(to json: inout JSONWriter) { json.object { $0.figures(Self.figures, of: self) } }
}

// A report has hundreds of rows with hundreds of numbers each.
extension JSONWriter: FigureWalk {
  mutating func figures<Row>(_ nodes: [FigureNode<Row>], of row: Row) {
    for node in nodes {
      switch node {
      case .figure(let figure): self.figure(figure, row)
      case .group(let name, let nodes): object(name) { $0.figures(nodes, of: row) }
      case .optional(let name, let isThere, let nodes), .knowable(let name, let isThere, let nodes):
        if isThere(row) { object(name) { $0.figures(nodes, of: row) } } else { member(name, Int?.none) }
      case .days(let name, let days):
        array(name) { json in
          for (day, nodes) in days {
            json.element { json in
              json.member("day", day)
              json.figures(nodes, of: row)
            }
          }
        }
      case .classes(let name, let classes):
        array(name) { json in
          for (name, nodes) in classes {
            json.element { json in
              json.member("class", "\(name)")
              json.figures(nodes, of: row)
            }
          }
        }
      case .part(let name, let part):
        if part.isList {
          array(name) { part.send(&$0, to: row) }
        } else {
          begin(name)
          part.send(&self, to: row)
        }
      case .inJSON(let nodes): figures(nodes, of: row)
      case .inTables: break
      }
    }
  }

  package mutating func visit<Part>(
    _ part: Part, _ nodes: [FigureNode<Part>], isElement: Bool, place: [FigurePlace]
  ) {
    if isElement { self.place() }
    object { $0.figures(nodes, of: part) }
  }

  package mutating func miss<Part>(_ nodes: [FigureNode<Part>], isKnowable: Bool) { Int?.none.write(to: &self) }

  @inline(__always)
  private mutating func figure<Row>(_ figure: Figure<Row>, _ row: Row) {
    switch figure.value {
    case .count(let count): member(figure.name, count(row))
    case .number(let number): member(figure.name, number(row))
    case .estimate(let estimate): member(figure.name, estimate(row))
    case .text(let text): member(figure.name, text(row))
    case .flag(let flag): member(figure.name, flag(row))
    case .texts(let texts): member(figure.name, texts(row))
    case .counts(let counts): member(figure.name, counts(row))
    case .numbers(let numbers): member(figure.name, numbers(row))
    case .bounds: break
    case .share(let count, let share):
      let share = share(row)
      object(figure.name) { json in
        json.member("eligible", share.eligible)
        json.member(count, share.count)
        json.member("rate", share.rate)
      }
    case .times(let times):
      guard let times = times(row) else { return member(figure.name, Int?.none) }
      object(figure.name) { json in
        json.member("count", times.count)
        json.member("mean", times.mean)
        json.member("p50", times.p50)
        json.member("p90", times.p90)
        json.member("p99", times.p99)
      }
    case .curve(_, let points):
      let points = points(row)
      array(figure.name) { json in
        for point in points {
          json.element { json in
            json.member("day", point.day)
            json.member("at_risk", point.atRisk)
            json.member("value", point.value)
            json.member("low", point.low)
            json.member("high", point.high)
          }
        }
      }
    }
  }
}
