// What the tables of one permission would count on average.

/// Everything of one permission but its flows.
struct ExpectedTimes {
  var byInstall = [ExpectedRate](repeating: ExpectedRate(), count: TimingClass.install.count)
  var byActiveDays = [ExpectedRate](repeating: ExpectedRate(), count: TimingClass.activeDays.count)
  var byFeatures = [ExpectedRate](repeating: ExpectedRate(), count: TimingClass.features.count)
  var byVersion = [ExpectedRate](repeating: ExpectedRate(), count: OnboardingRelease.versions.count)
  var byScreen = [ExpectedRate](repeating: ExpectedRate(), count: OnboardingScreen.allCases.count)
}
