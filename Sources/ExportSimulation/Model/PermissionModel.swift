// How users meet one permission in the made-up app: the parameters of its journeys. docs/simulation.md says which of
// them are published and which are assumptions.

import PermissionEvents

/// Two messages on the explanation, shown to a random half each: what B changes.
package struct MessageExperiment: Sendable {
  package var name: String
  /// How many times as often the system's prompt is granted under B.
  var grantFactor = 1.0
  /// How many times as often the explanation is skipped under B.
  var skipFactor = 1.0
}

/// Probabilities at each step of a journey. Those "a visit" apply on each day on which the user opens the app.
package struct PermissionModel: Sendable {
  package var name: String
  var surface: String
  /// Status of a full grant.
  var fullStatus = AuthorizationStatus.authorized
  package var experiment: MessageExperiment?

  // Being asked.
  /// Asked on the day of the install.
  var askedFirstDay: Double
  /// Asked on a later visit, where it has not been.
  var askedLater: Double
  /// Askings that begin with the app's explanation.
  var explained: Double

  // Answering.
  var abandoned: Double
  var skipped: Double
  /// The app is closed under the system's prompt.
  var lost = 0.015
  var restricted: Double
  var granted: Double
  /// Share of grants that are partial.
  var partial = 0.0
  var partialStatus = AuthorizationStatus.limited

  // Afterwards, a visit.
  /// The prompt comes (again) after a skip or a drop-off.
  var askedAgain: Double
  /// The alert that leads to Settings, after a denial, until it has been shown once.
  var settingsPrompt: Double
  var settingsOpened: Double
  /// Turned on, of those who opened Settings.
  var settingsEnabled: Double
  /// Found turned on without a Settings prompt, after a denial.
  var enabledAlone: Double
  /// Found turned off, after a grant.
  var revoked: Double
  /// Found upgraded to full access, after a partial grant.
  var upgraded = 0.0
}

extension PermissionModel {
  /// Probability of granting where the system asks and the device is not restricted.
  /// - Parameter isB: the second message of the experiment was on the explanation.
  func grant(_ level: EngagementLevel, isB: Bool) -> Double {
    min(0.98, granted * level.grantFactor * (isB ? experiment?.grantFactor ?? 1 : 1))
  }

  /// Probability of skipping, of those who do not abandon the explanation.
  func skip(_ level: EngagementLevel, isB: Bool) -> Double {
    min(0.98, skipped * level.skipFactor * (isB ? experiment?.skipFactor ?? 1 : 1))
  }
}
