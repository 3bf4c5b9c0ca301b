// What is known of the difference at the end of a day, adjusted or not.

import Statistics

extension Comparison.LookPlan {
  /// What a look crosses, and B minus A with the interval of the rule.
  func boundary(of look: LookPath.Look, at place: Int) throws -> (Comparison.Boundary, Estimate) {
    let (a, b) = (try days[place].a.binomial(), try days[place].b.binomial())
    let plain = BinomialSample.exactDifference(b, a) ?? 0
    switch look.boundary {
    case .exact(let lower, let upper):
      let interval = try Comparison.exactSequence(b, a, planned: plannedUsers, alpha: alpha)
      return (.events(lower: lower, upper: upper), Estimate(plain, interval))
    case .normal(let bound):
      if let difference = look.difference { return (.score(bound), Estimate(difference, look.interval)) }
      // Of a recorded look whose strata are gone the difference of all users is left, without an interval.
      let interval = question.adjust.isEmpty ? MiettinenNurminen.differenceInterval(b, a, bound: bound) : nil
      return (.score(bound), Estimate(plain, interval))
    }
  }

  /// Mantel–Haenszel and Sato's error at the end of a day; nil without an adjustment, or if they are not known.
  private func adjusted(at place: Int) -> (difference: Double, error: Double)? {
    if place < recordedLooks.count {
      guard let look = recordedLooks[place], let difference = look.difference, let error = look.error else {
        return nil
      }
      return (difference, error)
    }
    guard !question.adjust.isEmpty, case .success(let found) = StratifiedDifference.compare(strata[place]) else {
      return nil
    }
    return (found.mantelHaenszel, found.satoError)
  }

  /// The always-valid interval of the difference that decides; nil while its gate refuses.
  func alwaysValid(at place: Int, _ sequence: AsymptoticConfidenceSequence) -> Interval? {
    guard let a = days[place].a.sample, let b = days[place].b.sample,
      case .success(let statement) = sequence.evaluate(b, a)
    else { return nil }
    guard !question.adjust.isEmpty else { return statement.interval }
    guard let found = adjusted(at: place), found.error > 0,
      let mixture = try? NormalMixture(plannedUsers: plannedUsers, alpha: alpha)
    else { return nil }
    let n = Double(a.trials) + Double(b.trials)
    let reach = mixture.halfWidth(scaledVariance: n * found.error * found.error, users: n)
    return Interval(low: found.difference - reach, high: found.difference + reach)
  }

  /// Bounds of the difference that decides, each alone valid at every look; nil while the gate refuses.
  func oneSidedBounds(at place: Int, _ sequence: AsymptoticConfidenceSequence) throws -> Interval? {
    guard let a = days[place].a.sample, let b = days[place].b.sample,
      case .success(let bounds) = try sequence.oneSidedBounds(b, a)
    else { return nil }
    guard !question.adjust.isEmpty else { return bounds }
    guard let found = adjusted(at: place), found.error > 0 else { return nil }
    let n = Double(a.trials) + Double(b.trials)
    let reach = try OneSidedNormalMixture.bound(
      scaledVariance: n * found.error * found.error, users: n, plannedUsers: plannedUsers, alpha: alpha
    ).halfWidth
    return Interval(low: found.difference - reach, high: found.difference + reach)
  }

  /// The difference that decides, with the 95 % interval of one look, at the latest day.
  var oneLook: Estimate? {
    guard let day = days.last else { return nil }
    if question.adjust.isEmpty {
      return Estimate.difference((day.b.successes, day.b.trials), (day.a.successes, day.a.trials))
    }
    return adjusted(at: days.count - 1).map { Estimate($0.difference, standardError: $0.error) }
  }

  /// 1 − (adjusted error)²/(plain error)², at the end of the latest day; nil without an adjustment.
  var usersSaved: Double? {
    guard let day = days.last, let found = adjusted(at: days.count - 1), let a = day.a.rate, let b = day.b.rate else {
      return nil
    }
    let plain = a * (1 - a) / Double(day.a.trials) + b * (1 - b) / Double(day.b.trials)
    return plain > 0 ? 1 - found.error * found.error / plain : nil
  }

  /// 4 s (1 − s) for the planned share s of B among the pair: 1 at an even split.
  var evenness: Double {
    let (a, b) = (question.split[0], question.split[treatment])
    return 4 * (a / (a + b)) * (b / (a + b))
  }
}

extension SettledDay {
  /// Users at an even split that would know as much: 4 nA nB/(nA + nB).
  var information: Double {
    let (a, b) = (Double(a.trials), Double(b.trials))
    return a + b > 0 ? 4 * a * b / (a + b) : 0
  }

  /// Events, or non-events, that are expected in the smaller arm.
  var expectedEvents: Double {
    let events = Double(a.successes) + Double(b.successes)
    let users = Double(a.trials) + Double(b.trials)
    return users > 0 ? Double(min(a.trials, b.trials)) * min(events, users - events) / users : 0
  }

  /// Enough for the normal approximation.
  var hasEnoughEvents: Bool { expectedEvents >= Comparison.LookPlan.enoughEvents }
}
