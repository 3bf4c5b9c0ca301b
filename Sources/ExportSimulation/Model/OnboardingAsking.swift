// One question of the onboarding, with all that its outcome depends on.

/// What an asking depends on.
struct OnboardingAsking {
  var permission: Int
  var screen: OnboardingScreen
  /// Number of the app's version.
  var version: Int
  /// Place in the flow, from 0.
  var position = 0
  /// The step before in the same flow.
  var before: AskOutcome?
  /// Factor of the time that the user has been there, and of the user's habit.
  var willingness: Double

  var shares: OutcomeShares { OnboardingPermission.all[permission].shares(self) }
}
