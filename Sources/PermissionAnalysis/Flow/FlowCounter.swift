// What is counted of the flows of a week, and the classes of their steps.

/// Integers of a week's first or later flows, by place: pending and settled flows, then of a declared flow how many reached and
/// answered each step, then the milliseconds that those who answered the last one took.
enum FlowCounter {
  static let pending = 0
  static let settled = 1
  static let reached = 2
  static let answered = reached + FlowQuestion.mostSteps
  static let duration = answered + FlowQuestion.mostSteps
  static let count = duration + 1

  static let names =
    ["pending", "settled"] + (1...FlowQuestion.mostSteps).map { "reached_\($0)" }
    + (1...FlowQuestion.mostSteps).map { "answered_\($0)" } + ["duration_ms"]
}

/// Positions of a step within its flow: first, second, third, and all later ones.
package enum FlowPosition {
  package static let names = ["1", "2", "3", "4_up"]
  static let count = names.count
}

/// The outcome of the step before; none for the first step of a flow.
package enum FlowBefore {
  package static let names = ["none"] + Outcome.settled.map(\.name)
  static let count = names.count
}

extension Outcome {
  /// Those of a journey that is not pending.
  package static let settled = base + [.restricted]

  package var name: String {
    switch self {
    case .granted: "granted"
    case .denied: "denied"
    case .skipped: "skipped"
    case .droppedOff: "dropped_off"
    case .restricted: "restricted"
    case .pending: "pending"
    }
  }
}
