// The variants that an experiment tool gives a user: events of their own, at the first launch and now and then later.

import PermissionEvents

extension UserSimulation {
  /// At the first launch the user gets a variant of every experiment, asked for its permission or not. The tool logs the
  /// same variants again at some later launches.
  mutating func assignAtLaunch(into block: EventBlock) {
    guard options.assignments else { return }
    if today == joined ? !assigning.isLate : assigning.random.chance(0.3) { assign(into: block) }
  }

  /// Variants that are late come when the screens of the first visit are over. Of other visits, the tool logs some
  /// variants twice.
  mutating func assignAtEnd(into block: EventBlock) {
    guard options.assignments else { return }
    if assigning.day == today ? assigning.random.chance(0.1) : assigning.day == nil { assign(into: block) }
  }

  private mutating func assign(into block: EventBlock) {
    for permission in models.indices where models[permission].experiment != nil {
      if assigning.day == today { assigning.copies += 1 }
      add(.assigned, permission, message: variant(permission), into: block)
    }
    assigning.day = today
  }
}

/// What the user's experiment tool does. It has its own random numbers, so that the user does the same without it.
struct AssignmentState {
  var random: RandomSource
  /// The variants come only at the end of the first visit.
  let isLate: Bool
  /// Day of the last assignments; nil before the first.
  var day: Int?
  /// Events that repeat one of the same day: they are one event in a log.
  var copies: UInt32 = 0

  static let lateShare = 0.02

  init(_ user: SimulatedUser, mayBeLate: Bool) {
    random = RandomSource(seed: user.key, stream: 1)
    let isDrawn = random.chance(Self.lateShare)
    isLate = mayBeLate && isDrawn
  }
}
