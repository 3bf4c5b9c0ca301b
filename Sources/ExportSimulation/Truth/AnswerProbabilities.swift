// What becomes of a first asking, for one level of engagement.

import PermissionEvents

/// How a journey begins: the screen, and the message on it.
enum Beginning: Int, CaseIterable {
  case cold, explained, messageA, messageB

  /// Share of the askings that begin so.
  func share(_ model: PermissionModel) -> Double {
    switch self {
    case .cold: 1 - model.explained
    case .explained: model.experiment == nil ? model.explained : 0
    case .messageA, .messageB: model.experiment == nil ? 0 : model.explained / 2
    }
  }

  var isB: Bool { self == .messageB }
}

/// Probabilities that add up to one.
struct AnswerProbabilities {
  let granted: Double
  let denied: Double
  let skipped: Double
  let droppedOff: Double
  let restricted: Double

  init(_ model: PermissionModel, _ level: EngagementLevel, _ beginning: Beginning) {
    let abandoned = beginning == .cold ? 0 : model.abandoned
    skipped = beginning == .cold ? 0 : (1 - abandoned) * model.skip(level, isB: beginning.isB)
    let prompted = 1 - abandoned - skipped
    droppedOff = abandoned + prompted * model.lost
    let answered = prompted * (1 - model.lost)
    restricted = answered * model.restricted
    granted = answered * (1 - model.restricted) * model.grant(level, isB: beginning.isB)
    denied = answered * (1 - model.restricted) * (1 - model.grant(level, isB: beginning.isB))
  }
}
