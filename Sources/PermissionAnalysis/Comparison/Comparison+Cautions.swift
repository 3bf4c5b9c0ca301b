// What should be read with a decision and changes none: cases with their numbers, no sentences.

extension Comparison {
  /// Something to keep in mind with the decision of a comparison. Shares are shares of 1.
  public enum Caution: Sendable, Hashable {
    /// Among the users of one value of a property the variants are not divided as planned.
    /// - Parameter value: nil for exposures without the property.
    case notAsPlannedAmong(property: String, value: String?, pValue: Double)
    /// Within the values of a property the sign turns round, by less than matters.
    case signTurnsWithin(property: String)
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
    /// Several variants are compared with one control.
    /// - Parameter confidence: of each interval, so that all hold together at 95 %.
    case severalMessages(count: Int, confidence: Double)
  }

  func findCautions() -> [Caution] {
    var cautions: [Caution] = []
    for check in strata where check.isRatioMismatched {
      guard let p = check.sampleRatioPValue, let value = check.sampleRatioValue else { continue }
      cautions.append(.notAsPlannedAmong(property: check.property, value: value, pValue: p))
    }
    for check in strata where check.isReversed && !check.isFlagged {
      cautions.append(.signTurnsWithin(property: check.property))
    }
    if let share = contamination.share, share >= Contamination.warningShare, share < Contamination.invalidShare {
      cautions.append(.contaminated(share: share))
    }
    if contamination.policy == .exclude, let p = sampleRatio.countedPValue, p < SampleRatio.alarm {
      cautions.append(.exclusionUnbalances(pValue: p))
    }
    if contamination.isAsymmetric, let p = contamination.asymmetryPValue {
      cautions.append(.contaminationAsymmetric(pValue: p))
    }
    if metric.isDescriptive { cautions.append(.metricIsDescriptive) }
    if let looks, looks.isOverrun { cautions.append(.looksOverrun) }
    if familySize > 1 { cautions.append(.severalMessages(count: familySize, confidence: confidence)) }
    return cautions
  }
}
