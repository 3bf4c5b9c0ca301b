// The sentences of a comparison's cautions.

import PermissionAnalysis

extension Comparison {
  /// The sentences of `cautions`, in their order.
  public var cautionSentences: [String] { cautions.map { sentence($0) } }

  private func sentence(_ caution: Caution) -> String {
    switch caution {
    case .notAsPlannedAmong(let property, let value, let p):
      "Among \(value.map { "\(property) \($0)" } ?? "exposures without \(property)") the users are not divided as planned "
        + "(p = \(Sentence.pValue(p))): the messages are compared on different users there."
    case .signTurnsWithin(let property):
      "By \(property) the sign turns round, by less than the smallest effect that matters."
    case .contaminated(let share): "\(Sentence.percent(share)) of the users saw \(manyMessages) messages."
    case .exclusionUnbalances(let p):
      "Leaving them out unbalances the messages (sample ratio of those left: p = \(Sentence.pValue(p)))."
    case .contaminationAsymmetric(let p):
      "Who saw \(a.variant) first went on to another message more or less often than who saw \(b.variant) first "
        + "(p = \(Sentence.pValue(p))): leaving them out would leave different users."
    case .metricIsDescriptive:
      "Prompt grant rate: of those who answered the system's prompt, whom the message has chosen; a description, not an effect."
    case .looksOverrun: "There are more users than planned; those behind the last look are left out of it."
    case .severalMessages(let count, let confidence):
      "\(count) messages are compared with \(a.variant): intervals hold together at 95 %, each at \(Sentence.percent(confidence))."
    }
  }
}
