// How users of the onboarding answer when they are asked for a permission, and what makes them answer otherwise.

/// Probabilities of one asking. Every number is an assumption; docs/simulation.md lists them.
struct OnboardingPermission: Sendable {
  var name: String
  /// The app's explanation comes first, with "Not now" on it.
  var isExplained: Bool
  /// The app is closed under the question.
  var left = 0.05
  /// "Not now", of those who stay.
  var skipped = 0.0
  var restricted = 0.0
  /// Granted if the system asks, the device is not restricted and every factor is 1.
  var granted: Double
  /// How many times as often it is granted under the new release.
  var releaseFactor = 1.0
  /// Neither the time, nor the place in a flow, nor the answer before has a say.
  var isSteady = false

  static let all = [
    OnboardingPermission(
      name: "notifications", isExplained: true, skipped: 0.15, granted: 0.62, releaseFactor: 1.25),
    OnboardingPermission(name: "photo_library", isExplained: false, granted: 0.70),
    OnboardingPermission(name: "tracking", isExplained: true, skipped: 0.20, restricted: 0.20, granted: 0.45),
    // Asked for in its place, later. The new release changes nothing here.
    OnboardingPermission(name: "camera", isExplained: false, left: 0.03, granted: 0.85, isSteady: true),
  ]

  /// The number of the permission that no onboarding asks for.
  static let camera = 3

  func shares(_ asking: OnboardingAsking) -> OutcomeShares {
    let left = min(0.95, self.left + (isSteady ? 0 : asking.screen.lost))
    let skipped = (1 - left) * self.skipped
    let asked = 1 - left - skipped
    let answered = asked * (1 - restricted)
    let granted = answered * min(0.97, self.granted * factor(asking))
    return OutcomeShares(
      granted: granted, denied: answered - granted, skipped: skipped, droppedOff: left, restricted: asked * restricted)
  }

  private func factor(_ asking: OnboardingAsking) -> Double {
    if isSteady { return 1 }
    let order = Self.positionFactors[min(asking.position, Self.positionFactors.count - 1)]
    let release = asking.version == OnboardingRelease.new ? releaseFactor : 1
    return order * (asking.before == .denied ? Self.afterDenial : 1) * asking.willingness * release
  }

  /// The order effect: grants of the first, second and third question of a flow, and of one right after a denial.
  private static let positionFactors = [1, 0.92, 0.85]
  private static let afterDenial = 0.60
}
