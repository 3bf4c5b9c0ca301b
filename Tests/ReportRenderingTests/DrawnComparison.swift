// What is wrong with the drawn numbers of a comparison's page, against its JSON.

import Foundation
import PermissionAnalysis
import PermissionEvents

@testable import ReportRendering

struct DrawnComparison {
  typealias Object = [String: Any]

  let page: DrawnPage
  private let pairs: [Object]

  init(_ set: ComparisonSet, page bytes: [UInt8]? = nil) throws {
    page = try DrawnPage(bytes ?? ComparisonDocument.render(set, .html))
    let json = try JSONSerialization.jsonObject(with: Data(ComparisonJSON.render(set))) as? Object ?? [:]
    pairs = [json] + (json["others"] as? [Object] ?? [])
  }

  private static func number(_ object: Any?, _ path: String...) -> Double? {
    var object = object
    for key in path { object = (object as? Object)?[key] }
    return (object as? NSNumber)?.doubleValue
  }

  private static func day(_ object: Object, _ key: String = "day") -> Double? {
    (object[key] as? String).flatMap { CivilDate(parsing: $0) }.map { Double($0.dayNumber) }
  }

  private static func name(_ pair: Object, _ arm: String) -> String {
    (pair[arm] as? Object)?["variant"] as? String ?? ""
  }

  func problems() -> DrawnProblems {
    var problems = DrawnProblems()
    for drawing in page.charts {
      problems.examine(drawing, drawing.title)
      if drawing.title.hasPrefix("Difference of the ") {
        intervals(drawing, &problems)
      } else if let pair = pairs.first(where: {
        drawing.title == "Difference day by day, \(Self.name($0, "b")) against \(Self.name($0, "a"))"
      }) {
        days(drawing, pair, &problems)
      } else {
        problems.add("\(drawing.title): a chart that is not compared")
      }
    }
    // One scale for all.
    let scales = page.charts.filter { $0.title.hasPrefix("Difference day by day") }.map { $0.y.ticks.map(\.value) }
    if Set(scales).count > 1 { problems.add("the charts of the days have different scales") }
    return problems
  }

  // MARK: The interval

  private func intervals(_ drawing: Drawing, _ problems: inout DrawnProblems) {
    for pair in pairs {
      let what = "\(drawing.title), \(Self.name(pair, "b"))"
      guard let series = drawing.series(Self.name(pair, "b")) else { continue }
      let number = Self.interval(pair)
      guard let point = series.marks(.point).first, let line = series.marks(.line).first else {
        problems.add("\(what): no interval")
        continue
      }
      problems.compare(point.points[0].x, drawing.x.pixel(number.value ?? .nan), "\(what), difference")
      problems.compare(line.points[0].x, drawing.x.pixel(number.low ?? .nan), "\(what), low")
      problems.compare(line.points[1].x, drawing.x.pixel(number.high ?? .nan), "\(what), high")
    }
    band(drawing, problems: &problems) { drawing.x.pixel($0) - drawing.x.pixel(0) }
  }

  /// The interval that the decision rests on.
  private static func interval(_ pair: Object) -> (value: Double?, low: Double?, high: Double?) {
    let monitoring = pair["monitoring"] as? Object ?? [:]
    func estimate(_ object: Any?) -> (Double?, Double?, Double?) {
      (number(object, "value"), number(object, "low"), number(object, "high"))
    }
    let looks = monitoring["looks"] as? [Object] ?? []
    let crossed = looks.first { $0["crossed"] as? Bool == true }
    if crossed == nil, let none = monitoring["no_difference"] as? Object {
      let look = looks.first { day($0) == day(none) }
      let point = (pair["series"] as? [Object] ?? []).first { day($0) == day(none) }
      let value = number(look, "difference", "value") ?? number(point, "difference")
      return (value, number(none, "low"), number(none, "high"))
    }
    var look = crossed ?? looks.last
    // An exact look that decided is shown by the latest look, if that has an interval of the rule.
    if look?["bound"] is NSNull || look?["bound"] == nil, let last = looks.last, !(last["bound"] is NSNull) {
      look = last
    }
    if number(look?["difference"], "low") != nil { return estimate(look?["difference"]) }
    return estimate(pair["difference"])
  }

  private func band(
    _ drawing: Drawing, problems: inout DrawnProblems, half: (Double) -> Double
  ) {
    guard let effect = Self.number(pairs[0], "needed", "minimum_effect"),
      let bar = drawing.series("minimum effect")?.marks(.bar).first
    else { return problems.add("\(drawing.title): no smallest effect") }
    let size =
      drawing.x.ticks.contains { $0.value < 0 } ? bar.points[1].x - bar.points[0].x : bar.points[1].y - bar.points[0].y
    problems.compare(size, abs(2 * half(effect)), "\(drawing.title), smallest effect")
  }

  // MARK: Day by day

  private func days(_ drawing: Drawing, _ pair: Object, _ problems: inout DrawnProblems) {
    let points = pair["series"] as? [Object] ?? []
    let byDay = Dictionary(points.compactMap { point in Self.day(point).map { ($0, point) } }) { $1 }
    let rule = (pair["rule"] as? String) ?? ""
    func first(_ key: String) -> Double? { points.first { Self.number($0, key) != nil }.flatMap { Self.day($0) } }
    // Where the rule's interval does; that of a few declared looks is no band.
    let begins =
      rule == "looks" ? [first("low"), first("rule_low")].compactMap(\.self).min() : first("rule_low") ?? first("low")
    func compare(_ points: [(x: Double, y: Double)], _ key: String) {
      for point in points {
        let day = drawing.x.value(point.x).rounded()
        problems.compare(point.x, drawing.x.pixel(day), "\(drawing.title), \(key), a day")
        guard let number = byDay[day].flatMap({ Self.number($0, key) }) else {
          problems.add("\(drawing.title): \(key) of \(CivilDate(DayNumber(day)).text) is not known")
          continue
        }
        problems.compare(
          point.y, drawing.y.pixel(number), "\(drawing.title), \(key), \(CivilDate(DayNumber(day)).text)")
      }
    }
    var drawn = 0
    for mark in drawing.series("difference")?.marks ?? [] {
      compare(mark.points, "difference")
      drawn += mark.points.count
    }
    let known = points.filter { Self.number($0, "difference") != nil && Self.day($0) ?? 0 >= begins ?? .infinity }
    if drawn != known.count { problems.add("\(drawing.title): \(drawn) days drawn of \(known.count)") }
    for (name, key) in [("always valid, low", "low"), ("always valid, high", "high")] {
      for mark in drawing.series(name)?.marks ?? [] { compare(mark.points, key) }
    }
    for mark in drawing.series("rule")?.marks ?? [] {
      if mark.shape == .line {
        compare([mark.points[0]], "rule_low")
        compare([mark.points[1]], "rule_high")
      } else {
        compare(Array(mark.points.prefix(mark.points.count / 2)), "rule_high")
        compare(Array(mark.points.suffix(mark.points.count / 2)), "rule_low")
      }
    }
    for series in drawing.series where series.name == "look" {
      compare(series.marks(.point).flatMap(\.points), "difference")
      for line in series.marks(.line) {
        compare([line.points[0]], "rule_low")
        compare([line.points[1]], "rule_high")
      }
    }
    if rule != "looks", points.contains(where: { Self.number($0, "rule_low") != nil }),
      drawing.series("rule")?.marks.isEmpty ?? true
    {
      problems.add("\(drawing.title): the rule's interval is not drawn")
    }
    decision(drawing, pair, &problems)
    band(drawing, problems: &problems) { drawing.y.pixel($0) - drawing.y.pixel(0) }
  }

  private func decision(_ drawing: Drawing, _ pair: Object, _ problems: inout DrawnProblems) {
    let line = drawing.series("decision")?.marks(.line).first
    guard let day = Self.day(pair, "decided_on") else {
      if line != nil { problems.add("\(drawing.title): a decision is marked") }
      return
    }
    guard let line else { return problems.add("\(drawing.title): the decision is not marked") }
    problems.compare(line.points[0].x, drawing.x.pixel(day), "\(drawing.title), decision")
    guard let none = drawing.series("no difference")?.marks(.line).first else { return }
    let found = (pair["monitoring"] as? Object)?["no_difference"] as? Object
    problems.compare(
      none.points[0].y, drawing.y.pixel(Self.number(found, "low") ?? .nan), "\(drawing.title), no difference")
    problems.compare(
      none.points[1].y, drawing.y.pixel(Self.number(found, "high") ?? .nan), "\(drawing.title), no difference")
  }
}
