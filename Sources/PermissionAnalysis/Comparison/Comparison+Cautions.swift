// What should be read with a decision and changes none: cases with their numbers, no sentences.

import PermissionEvents
import Statistics

extension Comparison {
  /// Something to keep in mind with the decision of a comparison. Shares are shares of 1.
  public enum Caution: Sendable, Hashable {
    /// Values of a property are compared that nobody was assigned to at random: their users may differ in everything.
    case notAssigned
    /// By chi-square, for one look, the users are not divided as planned.
    case notAsPlanned(observed: [Int], pValue: Double)
    /// The users of some days are not divided as planned, for one look.
    /// - Parameters:
    ///   - day: the first of these days; `observed` and `pValue`, which is adjusted, are its own.
    ///   - otherDays: how many more there are.
    case notAsPlannedOnDays(day: DayNumber, otherDays: Int, observed: [Int], pValue: Double)
    /// Among the users of one value of a property the variants are not divided as planned.
    /// - Parameter value: nil for exposures without the property.
    case notAsPlannedAmong(property: String, value: String?, pValue: Double)
    /// Within the values of a property the sign turns round, by a gap that matters; nothing is decided yet.
    case signTurnsWithin(property: String)
    /// Without the users of several variants the difference has the other sign, by a gap that matters; nothing is decided yet.
    case signTurnsWithout(difference: Double)
    /// Many saw a variant, and none of them answered in any way.
    case answersMissing(variant: String, of: Int)
    /// The log has no screens of the permission: nobody knows who did not answer.
    case answersAlone
    /// Users whose calls all returned at once saw no dialog; they are left out.
    case notAsked(a: Int, b: Int)
    /// Of one message more users were not asked than of the other: it may decide who is asked.
    case notAskedDiffers(shareA: Double, shareB: Double, pValue: Double)
    /// A part of the sums was read in another way than all users call for.
    case misread
    /// So many of the users saw several variants: too few to make the comparison invalid.
    case contaminated(share: Double)
    /// Without the users of several variants, the others are not divided as planned.
    case exclusionUnbalances(pValue: Double)
    /// Who saw one variant first went on to another more often than who saw the other first.
    case contaminationAsymmetric(pValue: Double)
    /// The metric is over users whom the variant has selected.
    case metricIsDescriptive
    /// There are users after the last declared look.
    case looksOverrun
    /// There are many times the users that were planned: the rule is slow so far beyond its plan.
    case farBeyondPlan(users: Int, planned: Int)
    /// A plan that was saved after the day of the first exposure is no plan.
    case planTooLate(saved: DayNumber, first: DayNumber)
    /// Events that looks depend on, up to the decision if there is one, were added after they could be read.
    /// - Parameters:
    ///   - atMost: how many.
    ///   - last: the day of the last such ingest.
    case lateEvents(atMost: Int, last: DayNumber)
    /// Users were erased after looks could be read; whether they were in them is not kept.
    case erased(atMost: Int, last: DayNumber)
    /// Events were dropped from before a day, and exposures of this experiment may have been among them.
    case expired(before: DayNumber)
    /// The screens of several experiments are counted together.
    case severalExperiments([String])
    /// There are few events: exact tests decide, and the interval shown is wider than they are.
    case fewEvents
    /// The adjusted difference decides; the difference of all users together says otherwise.
    case adjustmentDisagrees
    /// Several variants are compared with one control.
    /// - Parameter confidence: of each interval, so that all hold together at 95 %.
    case severalMessages(count: Int, confidence: Double)
  }

  /// Users that are so many times the planned ones are said.
  private static let farBeyond = 4.0

  func findCautions() -> [Caution] {
    var cautions =
      (isMisread ? [.misread] : []) + (isOfAnswersAlone ? [.answersAlone] : []) + answerCautions() + callCautions()
      + (isOfMessages ? ratioCautions() : [.notAssigned]) + ruleCautions()
    // A property with one value, or none, says what is said of all.
    for check in strata where check.isRatioMismatched && check.allStrata > 1 {
      guard let p = check.sampleRatioPValue, let value = check.sampleRatioValue else { continue }
      cautions.append(.notAsPlannedAmong(property: check.property, value: value, pValue: p))
    }
    if decidedOn == nil {
      for check in misleading { cautions.append(.signTurnsWithin(property: check.property)) }
      if let difference = contamination?.turnedDifference(effect: needed.minimumEffect) {
        cautions.append(.signTurnsWithout(difference: difference))
      }
    }
    cautions += contaminationCautions()
    if metric.isDescriptive { cautions.append(.metricIsDescriptive) }
    if familySize > 1 { cautions.append(.severalMessages(count: familySize, confidence: confidence)) }
    return cautions
  }

  /// Whether calls that returned at once leave other users of one message than of the other.
  private func callCautions() -> [Caution] {
    guard a.notAsked + b.notAsked > 0 else { return [] }
    var cautions: [Caution] = [.notAsked(a: a.notAsked, b: b.notAsked)]
    if let first = try? BinomialSample(successes: a.notAsked, trials: a.notAsked + a.exposed),
      let second = try? BinomialSample(successes: b.notAsked, trials: b.notAsked + b.exposed),
      let p = EqualityTest.primary(second, first)?.pValue, p < Self.notAskedAlarm
    {
      cautions.append(
        .notAskedDiffers(
          shareA: Double(first.successes) / Double(first.trials),
          shareB: Double(second.successes) / Double(second.trials),
          pValue: p))
    }
    return cautions
  }

  private static let notAskedAlarm = 0.001

  /// Users in the base from which on it is no chance that nobody answered.
  private static let leastSilent = 30

  private func answerCautions() -> [Caution] {
    func isSilent(_ arm: Arm) -> Bool {
      arm.base >= Self.leastSilent && arm.counts[.granted] + arm.counts[.denied] + arm.counts[.skipped] == 0
    }
    return [a, b].filter(isSilent).map { .answersMissing(variant: $0.variant, of: $0.base) }
  }

  private func contaminationCautions() -> [Caution] {
    guard let contamination else { return [] }
    var cautions: [Caution] = []
    if let share = contamination.share, share >= Contamination.warningShare, share < Contamination.invalidShare {
      cautions.append(.contaminated(share: share))
    }
    if contamination.policy == .exclude, let p = sampleRatio?.countedPValue, p < SampleRatio.alarm {
      cautions.append(.exclusionUnbalances(pValue: p))
    }
    if contamination.isAsymmetric, let p = contamination.asymmetryPValue {
      cautions.append(.contaminationAsymmetric(pValue: p))
    }
    return cautions
  }

  /// What chi-square says, unless the test that holds at every look has said it.
  private func ratioCautions() -> [Caution] {
    guard let sampleRatio, sampleRatio.sequential.firstAlarm == nil else { return [] }
    if sampleRatio.isMismatchOverall, let p = sampleRatio.pValue {
      return [.notAsPlanned(observed: sampleRatio.observed, pValue: p)]
    }
    guard let day = sampleRatio.mismatchedDays.first, let p = day.adjustedPValue else { return [] }
    let others = sampleRatio.mismatchedDays.count - 1
    return [.notAsPlannedOnDays(day: day.day, otherDays: others, observed: day.observed, pValue: p)]
  }

  private func ruleCautions() -> [Caution] {
    var cautions: [Caution] = []
    if let plan, let firstDay = firstExposureDay, LookPlan.isLate(plan, firstDay, zone) {
      cautions.append(.planTooLate(saved: zone.day(of: plan.savedAt), first: firstDay))
    }
    if monitoring.declared?.isOverrun == true { cautions.append(.looksOverrun) }
    if monitoring.rule == .daily, let last = monitoring.looks.last, last.time >= Self.farBeyond {
      cautions.append(.farBeyondPlan(users: last.a.trials + last.b.trials, planned: plannedUsers))
    }
    if case .events = (monitoring.crossing?.look ?? monitoring.looks.last)?.boundary { cautions.append(.fewEvents) }
    if !monitoring.adjustedBy.isEmpty, let crossing = monitoring.crossing, let value = difference?.value,
      value * crossing.look.estimate.value < 0
    {
      cautions.append(.adjustmentDisagrees)
    }
    return cautions
  }
}

extension ComparisonSet {
  /// Adds what only the log knows.
  package mutating func addCautions(_ find: (Comparison) -> [Comparison.Caution]) {
    for i in pairs.indices { pairs[i].cautions += find(pairs[i]) }
  }
}
