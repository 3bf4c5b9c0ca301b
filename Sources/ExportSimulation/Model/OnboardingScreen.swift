// The screens on which the onboarding's app asks; one of them loses people.

/// Where the app asks.
enum OnboardingScreen: Int, CaseIterable {
  case onboarding, paywall
  /// Of questions that come later.
  case profile, scanner

  var name: String { ["onboarding", "paywall", "profile", "scanner"][rawValue] }

  /// How many more close the app under the question.
  var lost: Double { self == .paywall ? 0.30 : 0 }
}
