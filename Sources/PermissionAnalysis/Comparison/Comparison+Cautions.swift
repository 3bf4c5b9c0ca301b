// What should be read with a decision and changes none.

import PermissionEvents

extension Comparison {
  func cautionSentences() -> [String] {
    var cautions: [String] = []
    for check in strata where check.isRatioMismatched {
      guard let p = check.sampleRatioPValue, let value = check.sampleRatioValue else { continue }
      let name = value.map { "\(check.property) \($0)" } ?? "exposures without \(check.property)"
      cautions.append(
        "Among \(name) the users are not divided as planned (p = \(Sentence.pValue(p))): the messages are compared on different users there."
      )
    }
    for check in strata where check.isReversed && !check.isFlagged {
      cautions.append("By \(check.property) the sign turns round, by less than the smallest effect that matters.")
    }
    if let share = contamination.share, share >= Contamination.warningShare, share < Contamination.invalidShare {
      cautions.append("\(Sentence.percent(share)) of the users saw \(familySize > 1 ? "several" : "both") messages.")
    }
    if contamination.policy == .exclude, let p = sampleRatio.countedPValue, p < SampleRatio.alarm {
      cautions.append(
        "Leaving them out unbalances the messages (sample ratio of those left: p = \(Sentence.pValue(p))).")
    }
    if contamination.isAsymmetric, let p = contamination.asymmetryPValue {
      cautions.append(
        "Who saw \(a.variant) first went on to another message more or less often than who saw \(b.variant) first (p = \(Sentence.pValue(p))): leaving them out would leave different users."
      )
    }
    if metric.isDescriptive {
      cautions.append(
        "Prompt grant rate: of those who answered the system's prompt, whom the message has chosen; a description, not an effect."
      )
    }
    if let looks, looks.isOverrun {
      cautions.append("There are more users than planned; those behind the last look are left out of it.")
    }
    if familySize > 1 {
      cautions.append(
        "\(familySize) messages are compared with \(a.variant): intervals hold together at 95 %, each at \(Sentence.percent(confidence))."
      )
    }
    return cautions
  }
}
