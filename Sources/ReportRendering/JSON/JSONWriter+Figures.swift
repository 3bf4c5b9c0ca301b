// A tree of figures as members of a JSON object: every key always there, in the tree's order. A report has hundreds of rows
// with hundreds of numbers each, so they go straight into bytes.

import PermissionAnalysis

extension JSONWriter {
  mutating func figures<Row>(_ nodes: [FigureNode<Row>], of row: Row) {
    for node in nodes {
      switch node {
      case .figure(let figure): self.figure(figure, row)
      case .group(let name, let nodes): group(name, nodes, row)
      case .optional(let name, let isThere, let nodes):
        if isThere(row) { group(name, nodes, row) } else { null(name) }
      case .days(let name, let days):
        let list = begin(list: name)
        for (day, nodes) in days {
          let object = beginElement()
          member("day", day)
          figures(nodes, of: row)
          end(object)
        }
        end(list)
      }
    }
  }

  private mutating func group<Row>(_ name: StaticString, _ nodes: [FigureNode<Row>], _ row: Row) {
    let object = begin(object: name)
    figures(nodes, of: row)
    end(object)
  }

  @inline(__always)
  private mutating func figure<Row>(_ figure: Figure<Row>, _ row: Row) {
    switch figure.value {
    case .count(let count): member(figure.name, count(row))
    case .number(let number): member(figure.name, number(row))
    case .estimate(let estimate): self.estimate(figure.name, estimate(row))
    case .text(let text): member(figure.name, text(row))
    case .share(let count, let share): self.share(figure.name, count, share(row))
    case .times(let times): self.times(figure.name, times(row))
    case .curve(_, let points): curve(figure.name, points(row))
    }
  }

  private mutating func estimate(_ name: StaticString, _ estimate: Estimate?) {
    guard let estimate, estimate.value.isFinite else { return null(name) }
    let object = begin(object: name)
    member("value", estimate.value)
    member("low", estimate.low)
    member("high", estimate.high)
    end(object)
  }

  private mutating func share(_ name: StaticString, _ count: StaticString, _ share: Share) {
    let object = begin(object: name)
    member("eligible", share.eligible)
    member(count, share.count)
    estimate("rate", share.rate)
    end(object)
  }

  private mutating func times(_ name: StaticString, _ times: TimeSummary) {
    let object = begin(object: name)
    member("count", times.count)
    member("mean", times.mean)
    member("p50", times.p50)
    member("p90", times.p90)
    member("p99", times.p99)
    end(object)
  }

  private mutating func curve(_ name: StaticString, _ points: [EnabledLater.ByDay]) {
    let list = begin(list: name)
    for point in points {
      let object = beginElement()
      member("day", point.day)
      member("at_risk", point.atRisk)
      member("value", point.value)
      member("low", point.low)
      member("high", point.high)
      end(object)
    }
    end(list)
  }
}
