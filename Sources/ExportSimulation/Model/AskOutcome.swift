// What becomes of one asking in the onboarding.

/// How an asking ends, in the order of the report's outcomes.
package enum AskOutcome: Int, CaseIterable, Sendable {
  case granted, denied, skipped, droppedOff, restricted

  package var name: String { ["granted", "denied", "skipped", "dropped_off", "restricted"][rawValue] }

  /// The user goes on to the next permission of the same sitting, if there is one. Whoever closed the app under a question comes
  /// back to it within minutes, or not at all.
  var goingOn: Double {
    switch self {
    case .granted, .restricted: 0.95
    case .denied: 0.80
    case .skipped: 0.86
    case .droppedOff: 0.30
    }
  }
}

/// Probabilities of the outcomes, which add up to one.
struct OutcomeShares {
  let granted: Double
  let denied: Double
  let skipped: Double
  let droppedOff: Double
  let restricted: Double

  subscript(outcome: AskOutcome) -> Double {
    switch outcome {
    case .granted: granted
    case .denied: denied
    case .skipped: skipped
    case .droppedOff: droppedOff
    case .restricted: restricted
    }
  }

  func draw(_ random: inout RandomSource) -> AskOutcome {
    var rest = random.uniform()
    for outcome in AskOutcome.allCases {
      rest -= self[outcome]
      if rest < 0 { return outcome }
    }
    return .denied
  }
}
