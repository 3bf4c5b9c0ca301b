// Reference methods for daily looks and what stands beside them.

import Testing

@testable import Statistics

extension ReferenceTests {
  static let repeatedLookMethods: [String: Check] = [
    "open_spending_bounds": { item, check in
      var path = try SequentialBoundaries(
        alpha: item.double("alpha_two_sided"), spending: .open(exponent: item.double("r")))
      let all = try item.doubles("information_times").map { try path.look(at: $0) }
      var shown = all
      if let looks = item.expected["look"] as? [Int] {
        check.mark("look")
        shown = looks.map { all[$0 - 1] }
      }
      check.equal("z_bounds", shown.map(\.bound))
      check.equal("cumulative_alpha", shown.map(\.cumulativeAlpha))
    },
    "stagewise_estimate": { item, check in
      let times = try item.doubles("information_times")
      func path(_ z: Double) throws -> LookPath {
        try LookPath(
          times: times, z: times.indices.map { $0 + 1 == times.count ? z : 0 },
          spending: .open(exponent: item.double("r")), alpha: item.double("alpha"))
      }
      let seen = try path(item.double("z"))
      check.equal("boundaries", seen.looks.map(normalBound))
      #expect(seen.crossing == times.count - 1)
      let found = try #require(seen.estimate)
      check.equal("theta_median", found.median)
      check.equal("theta_low", found.low)
      check.equal("theta_high", found.high)
      guard let table = item.inputs["table"] as? [String: Int], let want = item.expected["difference"] as? [String: Any]
      else { return }
      // The table has the nearest whole counts, and so its own z.
      let a = try sample(try #require(table["xA"]), try #require(table["nA"]))
      let b = try sample(try #require(table["xB"]), try #require(table["nB"]))
      let z = try #require(MiettinenNurminen.scoreAtZero(b, a))
      let difference = try #require(try path(z).estimate?.difference(b, a))
      check.mark("difference")
      check.row(
        want,
        [
          "z": z, "raw": BinomialSample.exactDifference(b, a), "median": difference.value,
          "low": difference.interval.low, "high": difference.interval.high,
        ])
    },
    "repeated_confidence_interval": { item, check in
      let (a, b) = (try item.sample("x_a", "n_a"), try item.sample("x_b", "n_b"))
      interval(try MiettinenNurminen.differenceInterval(b, a, bound: item.double("bound")), check)
      check.equal("diff", BinomialSample.exactDifference(b, a))
      check.equal("z", MiettinenNurminen.scoreAtZero(b, a))
    },
    "looks_from_arms": { item, check in
      let days = try zip(item.ints("n_a"), item.ints("n_b")).map { a, b in
        // Half of each arm: the gate opens at the first look, and sizes alone make looks.
        ArmsAtLook(a: try sample(a / 2, a), b: try sample(b / 2, b))
      }
      let path = try dailyRule(item).path(days, firstLook: item.int("first_day") - 1)
      check.equal("look_days", path.looks.map { Double($0.day + 1) })
      check.equal("t", path.looks.map(\.time))
      check.equal("z_bounds", path.looks.map(normalBound))
      check.equal("cumulative_alpha", path.looks.map(\.spent))
    },
    "daily_rule": { item, check in
      let days = try dayCounts(item, "n_a", "x_a", "n_b", "x_b").map {
        ArmsAtLook(a: try sample($0[1], $0[0]), b: try sample($0[3], $0[2]))
      }
      let rule = try dailyRule(item)
      let first = try item.int("first_day") - 1
      let path = try rule.path(days, firstLook: first)
      check.equal("look_days", path.looks.map { Double($0.day + 1) })
      check.equal("t", path.looks.map(\.time))
      check.equal("z", path.looks.map(\.z))
      check.equal("z_bounds", path.looks.map(normalBound))
      let crossed = path.crossing.map { path.looks[$0] }
      check.equal("decided_day", crossed.map { $0.day + 1 })
      check.equal("sign", crossed.map { $0.isHigher ? 1 : -1 } ?? 0)
      check.equal("p_stagewise", crossed == nil ? nil : path.pValue)
      for (key, look) in [("interval_at_decision", crossed), ("interval_now", path.looks.last)] {
        guard let want = item.expected[key] as? [String: Any] else {
          check.equal(key, look?.interval?.low)
          continue
        }
        check.mark(key)
        check.row(want, ["lo": look?.interval?.low, "hi": look?.interval?.high])
      }
      let schedule = rule.schedule(days, firstLook: first)
      let p = schedule.sequentialP(rule.spending, above: 1e-9, schedule.evaluate(rule.spending, alpha: 1e-9))
      check.equal("p_sequential", p)
      if crossed == nil { #expect(close(path.pValue, p, relative: 1e-8)) }
    },
    "open_rule_power": { item, check in
      let chances = try OpenRulePower.crossingProbabilities(
        times: item.doubles("information_times"), drift: item.double("drift"), exponent: item.double("r"),
        alpha: item.double("alpha_two_sided"))
      let looks = try #require(item.expected["look"] as? [Int])
      check.mark("look")
      check.equal("crossing_probability", looks.map { chances[$0 - 1] })
      check.equal("first_look_with_80_percent", chances.firstIndex { $0 >= 0.8 }.map { $0 + 1 })
    },
    "exact_conditional_bounds": { item, check in
      let spending = AlphaSpending.open(exponent: try item.double("r"))
      var phase = ExactPhase()
      var steps: [ExactPhase.Step] = []
      let blocks = try #require(item.inputs["blocks"] as? [[[String: Int]]])
      for (days, time) in zip(blocks, try item.doubles("information_times")) {
        let look = ExactLook(
          day: 0, time: time, z: 0, events: 0,
          blocks: try days.map { day in
            let (a, b, events) = (
              try #require(day["n_a"]), try #require(day["n_b"]), try #require(day["events"])
            )
            let inA = min(a, events)
            return HypergeometricBlock(
              try #require(
                BlockMargins(
                  from: ArmsAtLook(a: .empty, b: .empty),
                  to: ArmsAtLook(a: try sample(inA, a), b: try sample(events - inA, b)))))
          })
        steps.append(phase.look(look, allowed: spending.spent(time, alpha: try item.double("alpha_two_sided"))))
      }
      check.equal("lower", steps.map { $0.lower.map(Double.init) })
      check.equal("upper", steps.map { $0.upper.map(Double.init) })
      check.equal("spent_low", steps.map(\.spentLow))
      check.equal("spent_up", steps.map(\.spentUp))
    },
    "daily_rule_rare": { item, check in
      var (a, b) = (BinomialSample.empty, BinomialSample.empty)
      let days = try dayCounts(item, "new_n_a", "new_x_a", "new_n_b", "new_x_b").map { day in
        a += try sample(day[1], day[0])
        b += try sample(day[3], day[2])
        return ArmsAtLook(a: a, b: b)
      }
      let path = try dailyRule(item).path(days, firstLook: item.int("first_day") - 1)
      check.equal("look_days", path.looks.map { Double($0.day + 1) })
      check.equal("t", path.looks.map(\.time))
      check.equal("z", path.looks.map(\.z))
      let open = try #require(path.looks.firstIndex { $0.bounds == nil })
      check.equal("gate_opens_day", path.looks[open].day + 1)
      check.equal("lower_while_closed", path.looks[..<open].map { $0.bounds?.lower.map(Double.init) })
      check.equal("upper_while_closed", path.looks[..<open].map { $0.bounds?.upper.map(Double.init) })
      check.equal("spent_when_it_opens", path.looks[open - 1].spent)
      check.equal("z_bounds_from_gate", path.looks[open...].map(normalBound))
      let crossed = try path.looks[#require(path.crossing)]
      check.equal("decided_day", crossed.day + 1)
      check.mark("decided_by")
      #expect((item.expected["decided_by"] as? String) == (crossed.bounds == nil ? "normal" : "exact"))
    },
    "pearson_chi_square": { item, check in
      let table = try #require(item.inputs["table"] as? [[Int]])
      let got = try #require(PearsonChiSquare.independence(table))
      check.equal("chi2", got.statistic)
      check.equal("df", got.degreesOfFreedom)
      check.equal("p", got.pValue)
      check.equal("min_expected", got.leastExpected)
      let samples = try table.map { try BinomialSample(successes: $0[0], trials: $0[0] + $0[1]) }
      #expect(PearsonChiSquare.equalRates(samples) == got)
    },
    "sequential_srm": { item, check in
      let test = try SequentialSampleRatio(weights: item.doubles("split"), concentration: item.double("kappa"))
      var sums = [Int](repeating: 0, count: test.shares.count)
      let days = try #require(item.inputs["daily_counts"] as? [[Int]]).map { day in
        sums = zip(sums, day).map { $0 + $1 }
        return sums
      }
      let got = test.path(days, level: try item.double("level"))
      check.equal("log_e", got.logE)
      check.equal("p_any_time", got.pValue)
      check.equal("first_alarm_day", got.firstAlarm.map { $0 + 1 })
    },
    "post_stratified_diff": { item, check in
      let strata = try #require(item.inputs["strata"] as? [[String: Int]]).map(stratum)
      let joined = try JoinedDifference.compare(strata, minimum: item.int("min_per_arm")).get()
      let raw = try StratifiedDifference.compare(strata).get()
      check.mark("joined")
      #expect(joined.strata == (try #require(item.expected["joined"] as? [[String: Int]]).map(stratum)))
      check.equal("diff", joined.difference)
      check.equal("se", joined.standardError)
      check.equal("z", joined.z)
      check.equal("lo95", joined.difference - 1.959963984540054 * joined.standardError)
      check.equal("hi95", joined.difference + 1.959963984540054 * joined.standardError)
      check.equal("t_users", joined.informationUsers)
      check.equal("mantel_haenszel_diff", raw.mantelHaenszel)
      check.equal("mantel_haenszel_se_sato", raw.satoError)
      check.equal("cmh_z", raw.cmhZ)
      check.equal("cmh_chi2", raw.cmhZ * raw.cmhZ)
      // What stands beside it, from the pooled table.
      let both = strata.reduce((BinomialSample.empty, BinomialSample.empty)) { ($0.0 + $1.first, $0.1 + $1.second) }
      let pooled = try JoinedDifference.compare([.init(first: both.0, second: both.1)]).get()
      check.equal("raw_diff", pooled.difference)
      let wald = try Stratified.compare(joined.strata).get().postStratifiedError
      check.equal("se_plugin", wald)
      let one = try Stratified.compare(pooled.strata).get().postStratifiedError
      check.equal("raw_se", one)
      check.equal("users_saved", 1 - (joined.standardError / one) * (joined.standardError / one))
    },
    "two_one_sided_sequences": { item, check in
      let (a, b) = (try item.sample("x_a", "n_a"), try item.sample("x_b", "n_b"))
      let alpha = try item.double("alpha_each_side")
      let margin = try item.double("margin")
      let planned = try item.int("n_star")
      let got = try AsymptoticConfidenceSequence(plannedUsers: planned, alpha: alpha).oneSidedBounds(b, a).get()
      check.equal("diff", BinomialSample.exactDifference(b, a))
      check.equal("halfwidth", (got.high - got.low) / 2)
      check.equal("lower", got.low)
      check.equal("upper", got.high)
      check.equal("no_difference", -margin < got.low && got.high < margin ? 1 : 0)
      guard item.inputs["earlier_look_times"] != nil else { return }
      var path = try SequentialBoundaries(alpha: 2 * alpha, spending: .open(exponent: item.double("r")))
      let now = 4 * Double(a.trials) * Double(b.trials) / (Double(a.trials + b.trials) * Double(planned))
      for time in try item.doubles("earlier_look_times") { _ = try path.look(at: time) }
      let bound = try path.look(at: now).bound
      check.equal("bound", bound)
      let repeated = try #require(MiettinenNurminen.differenceInterval(b, a, bound: bound))
      interval(repeated, check, low: "interval_lo", high: "interval_hi")
      check.equal("no_difference_by_bounds", -margin < repeated.low && repeated.high < margin ? 1 : 0)
    },
  ]

  private static func dailyRule(_ item: ReferenceCase) throws -> DailyRule {
    try DailyRule(
      plannedUsers: item.int("n_star"), exponent: item.double("r"), alpha: item.double("alpha_two_sided"))
  }

  /// The lists side by side, a row for each day.
  private static func dayCounts(_ item: ReferenceCase, _ keys: String...) throws -> [[Int]] {
    let lists = try keys.map { try item.ints($0) }
    return lists[0].indices.map { day in lists.map { $0[day] } }
  }

  private static func stratum(_ item: [String: Int]) throws -> Stratified.Stratum {
    Stratified.Stratum(
      first: try sample(#require(item["x_b"]), #require(item["n_b"])),
      second: try sample(#require(item["x_a"]), #require(item["n_a"])))
  }

  private static func normalBound(_ look: LookPath.Look) -> Double? {
    if case .normal(let bound) = look.boundary { bound } else { nil }
  }
}

extension LookPath.Look {
  /// Those of the exact phase; nil of another look.
  var bounds: (lower: Int?, upper: Int?)? {
    if case .exact(let lower, let upper) = boundary { (lower, upper) } else { nil }
  }
}
