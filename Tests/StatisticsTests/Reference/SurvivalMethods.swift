// Reference methods for times to an event.

import Testing

@testable import Statistics

extension ReferenceTests {
  static let survivalMethods: [String: Check] = [
    "kaplan_meier": { item, check in
      let times = try SurvivalTimes(times: item.doubles("time"), causes: item.ints("event"))
      let curve = SurvivalCurve(times, confidence: try item.confidence)
      check.equal("median", curve.median)
      let tau = try #require(item.expected["rmst_tau"] as? Double)
      let mean = curve.restrictedMean(until: tau)
      check.equal("rmst_tau", times.rows.last?.time)
      check.equal("rmst", mean.value)
      check.equal("rmst_se", mean.standardError)
      check.mark("rows")
      for row in try #require(item.expected["rows"] as? [[String: Any]]) {
        let time = try #require(row["t"] as? Double)
        let point = try #require(curve.points.first { $0.time == time }, "\(item.id) at \(time)")
        check.row(
          row,
          [
            "t": point.time, "at_risk": Double(point.atRisk), "events": Double(point.events), "S": point.survival,
            "greenwood_se": point.standardError, "plain_lo": point.plainInterval?.low,
            "plain_hi": point.plainInterval?.high, "loglog_lo": point.logLogInterval?.low,
            "loglog_hi": point.logLogInterval?.high,
          ])
      }
    },
    "aalen_johansen": { item, check in
      let points = AalenJohansen.incidence(
        try SurvivalTimes(times: item.doubles("time"), causes: item.ints("cause")))
      check.mark("rows")
      for row in try #require(item.expected["rows"] as? [[String: Any]]) {
        let time = try #require(row["t"] as? Double)
        let point = try #require(points.first { $0.time == time }, "\(item.id) at \(time)")
        check.row(
          row,
          [
            "t": point.time, "S": point.survival, "cif1": point.incidence[0], "cif2": point.incidence[1],
            "cif3": point.incidence[2],
          ])
        #expect(abs(point.survival + point.incidence.reduce(0, +) - 1) < 1e-12)
      }
    },
    "log_rank": { item, check in
      let a = try SurvivalTimes(times: item.doubles("timeA"), causes: item.ints("eventA"))
      let b = try SurvivalTimes(times: item.doubles("timeB"), causes: item.ints("eventB"))
      let got = try #require(LogRank.test(b, a))
      check.equal("observed_B", got.observed)
      check.equal("expected_B", got.expected)
      check.equal("variance", got.variance)
      check.equal("chi2", got.chiSquare)
      check.equal("p", got.pValue)
    },
  ]
}
