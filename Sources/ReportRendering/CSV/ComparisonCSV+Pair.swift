// The numbers of one message against the control as rows of CSV.

import PermissionAnalysis
import PermissionEvents

extension ComparisonRows {
  static func pair(_ c: Comparison, _ place: ComparisonCSV.Place, _ table: inout ComparisonRows) {
    let users = c.a.trials + c.b.trials
    table.add("difference", c.difference, n: users, at: place)
    table.add("ratio", c.ratio, n: users, at: place)
    table.add("p_value", c.test?.pValue, n: users, at: place)
    table.add("p_adjusted", c.adjustedPValue, n: users, at: place)
    table.rule(c, place)
    table.add("always_valid", from: c.alwaysValid?.low, to: c.alwaysValid?.high, at: place)
    table.add("always_valid.p_value", c.alwaysValid?.pValue, at: place)
    table.add("bayes.p_b_beats_a", c.bayes?.probabilityBGreater, at: place)
    table.add("bayes.expected_loss_a", c.isOfMessages ? c.bayes?.expectedLossA : nil, at: place)
    table.add("bayes.expected_loss_b", c.isOfMessages ? c.bayes?.expectedLossB : nil, at: place)
    table.add("bayes.difference", c.bayes?.difference, at: place)
    if let both = c.contamination {
      table.add("contaminated.difference_first", both.differenceFirst, at: place)
      table.add("contaminated.difference_excluding", both.differenceExcluding, at: place)
    }
    table.add("novelty.slope_per_day", c.novelty.slope, at: place)
    table.add("novelty.p_value", c.novelty.pValue, at: place)
    table.needed(c.needed, place)
    for (prefix, rows) in [("secondary", c.secondary), ("observations", c.observations)] {
      for row in rows { table.secondary(row, "\(prefix).\(row.measure.name)", place) }
    }
    for guardrail in c.guardrails { table.guardrail(guardrail, place) }
    for check in c.strata {
      let name = "strata.\(check.property)"
      table.add(name + ".post_stratified", check.postStratified, at: place)
      table.add(name + ".heterogeneity.p_adjusted", check.heterogeneity?.adjustedPValue, at: place)
    }
    if let segments = c.segments { table.segments(segments, place) }
    table.series(c, place)
  }

  private mutating func rule(_ c: Comparison, _ place: ComparisonCSV.Place) {
    let monitoring = c.monitoring
    func users(_ look: Comparison.Look?) -> Int? { look.map { $0.a.trials + $0.b.trials } }
    add("rule_interval.at_decision", monitoring.atDecision, n: users(monitoring.crossing?.look), at: place)
    add("rule_interval.now", monitoring.now, n: users(monitoring.looks.last), at: place)
    add("rule_p_value", monitoring.pValue, at: place)
    let none = monitoring.noDifference
    add("monitoring.no_difference", from: none?.low, to: none?.high, at: none.map { place.on($0.day) } ?? place)
  }

  private mutating func needed(_ needed: Comparison.Needed, _ place: ComparisonCSV.Place) {
    add("needed.minimum_effect", needed.minimumEffect, at: place)
    add("needed.per_variant", needed.perVariant.map(Double.init), at: place)
    add("needed.days", needed.days.map(Double.init), at: place)
    add("needed.power", needed.power, at: place)
    guard let progress = needed.progress else { return }
    add("needed.progress.users", Double(progress.users), at: place)
    add("needed.progress.planned", Double(progress.planned), at: place)
  }

  private mutating func secondary(_ row: Comparison.Secondary, _ name: String, _ place: ComparisonCSV.Place) {
    add(name + ".a", row.a, n: row.usersA, at: place)
    add(name + ".b", row.b, n: row.usersB, at: place)
    add(name + ".difference", row.difference, at: place)
    add(name + ".p_value", row.pValue, at: place)
    add(name + ".p_adjusted", row.adjustedPValue, at: place)
  }

  private mutating func guardrail(_ guardrail: Comparison.Guardrail, _ place: ComparisonCSV.Place) {
    let name = "guardrails.\(guardrail.metric.rawValue)"
    add(name + ".margin", guardrail.margin, at: place)
    let isKnown = guardrail.noEvidence == nil
    add(name + ".a", isKnown ? guardrail.a.rate : nil, n: isKnown ? guardrail.a.trials : nil, at: place)
    add(name + ".b", isKnown ? guardrail.b.rate : nil, n: isKnown ? guardrail.b.trials : nil, at: place)
    add(name + ".difference", guardrail.difference, at: place)
    add(name + ".p_value", guardrail.pValue, at: place)
    add(name + ".always_valid", from: guardrail.low, to: guardrail.high, at: place)
  }

  private mutating func segments(_ segments: Comparison.Segments, _ place: ComparisonCSV.Place) {
    for segment in segments.segments {
      let place = place.within(segments.property, segment.value)
      add("segments.a", segment.a.rate, n: segment.a.trials, at: place)
      add("segments.b", segment.b.rate, n: segment.b.trials, at: place)
      add("segments.difference", segment.difference, n: segment.a.trials + segment.b.trials, at: place)
      add("segments.p_value", segment.pValue, at: place)
      add("segments.p_adjusted", segment.adjustedPValue, at: place)
    }
  }

  /// The primary metric at the ends of finished days: what was known by then.
  private mutating func series(_ c: Comparison, _ place: ComparisonCSV.Place) {
    var (a, b) = (Comparison.Tally(), Comparison.Tally())
    for point in c.series {
      let place = place.on(point.day)
      (a, b) = (a + point.a, b + point.b)
      let users = a.trials + b.trials
      add("series.a", a.rate, n: a.trials, at: place)
      add("series.b", b.rate, n: b.trials, at: place)
      let difference = point.difference.map { Estimate($0, low: point.interval?.low, high: point.interval?.high) }
      add("series.difference", difference, n: users, at: place)
      add("series.rule", point.look?.estimate, n: users, at: place)
    }
  }
}
