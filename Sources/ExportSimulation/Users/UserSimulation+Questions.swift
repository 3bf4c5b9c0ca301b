// One question of the onboarding: its screens, its answer, and whether the user stays for the next.

import PermissionEvents

extension UserSimulation {
  /// Whether the user goes on to the next question; the clock is then at the time of it. It is a minute at the least after the
  /// question before, so that of a flow which begins within the first minute only the first question lies in it.
  mutating func goOn(_ outcome: AskOutcome?, into block: EventBlock) -> Bool {
    guard let outcome, random.chance(outcome.goingOn) else { return false }
    if outcome == .droppedOff {
      wait(seconds: 180...600)
      add(.appActive, into: block)
    }
    wait(seconds: 60...120)
    return true
  }

  /// A question and its answer, within 20 seconds.
  mutating func ask(_ asking: OnboardingAsking, into block: EventBlock) -> AskOutcome {
    let permission = asking.permission
    let outcome = asking.shares.draw(&random)
    screen = UInt8(asking.screen.rawValue)
    states[permission].status = .notDetermined
    if OnboardingPermission.all[permission].isExplained {
      add(.explanationShown, permission, into: block)
      if outcome == .droppedOff, random.chance(0.6) { return outcome }
      wait(seconds: 2...12)
      if outcome == .skipped {
        add(.skipped, permission, into: block)
        return outcome
      }
    }
    add(.promptShown, permission, into: block)
    if outcome == .droppedOff { return outcome }
    wait(seconds: 1...6)
    if outcome == .restricted {
      add(.denied, permission, status: .restricted, into: block)
      states[permission].status = .restricted
    } else {
      answer(permission, isGranted: outcome == .granted, into: block)
    }
    return outcome
  }

  mutating func answer(_ permission: Int, isGranted: Bool, into block: EventBlock) {
    let status = isGranted ? AuthorizationStatus.authorized : .denied
    add(isGranted ? .granted : .denied, permission, status: status, into: block)
    states[permission].status = status
  }
}
