// What should be read with a decision and changes none.

extension Comparison {
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
