// Whose life is simulated, and the words that its events carry by number.

/// The made-up users of an export.
public enum SimulatedPopulation: Sendable {
  /// Users who meet seven permissions here and there, with four tests of two messages.
  case everyday
  /// Users who install the app, are led through an onboarding of three permissions and see a new release.
  case onboarding
}

extension SimulatedPopulation {
  // By the number that an event has.
  var permissions: [String] {
    switch self {
    case .everyday: PermissionModel.all.map(\.name)
    case .onboarding: OnboardingPermission.all.map(\.name)
    }
  }

  var surfaces: [String] {
    switch self {
    case .everyday: PermissionModel.all.map(\.surface)
    case .onboarding: OnboardingScreen.allCases.map(\.name)
    }
  }

  /// By permission; empty if it has no test of two messages.
  var experiments: [String] {
    switch self {
    case .everyday: PermissionModel.all.map { $0.experiment?.name ?? "" }
    case .onboarding: OnboardingPermission.all.map { _ in "" }
    }
  }

  func appVersions(days: Int) -> [String] {
    switch self {
    case .everyday: AppVocabulary.appVersions(days: days)
    case .onboarding: OnboardingRelease.versions
    }
  }
}
