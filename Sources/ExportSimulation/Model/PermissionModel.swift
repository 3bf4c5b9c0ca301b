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
  /// Asked on a later visit, if it has not been.
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

  /// Of those who had decided before the export begins, the share who granted; nil if the app reads the status before it asks them.
  var decidedGranted: Double?

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
  /// Probability of granting if the system asks and the device is not restricted.
  /// - Parameter isB: the second message of the experiment was on the explanation.
  func grant(_ level: EngagementLevel, isB: Bool) -> Double {
    min(0.98, granted * level.grantFactor * (isB ? experiment?.grantFactor ?? 1 : 1))
  }

  /// Probability of skipping, of those who do not abandon the explanation.
  func skip(_ level: EngagementLevel, isB: Bool) -> Double {
    min(0.98, skipped * level.skipFactor * (isB ? experiment?.skipFactor ?? 1 : 1))
  }
}

// MARK: The made-up app's permissions

extension PermissionModel {
  package static let all: [PermissionModel] = [
    PermissionModel(
      name: "notifications", surface: "onboarding",
      experiment: MessageExperiment(name: "notification_copy_v1", grantFactor: 1.20, skipFactor: 0.5),
      askedFirstDay: 0.84, askedLater: 0.20, explained: 0.85, abandoned: 0.06, skipped: 0.25, restricted: 0.01,
      granted: 0.52, partial: 0.04, partialStatus: .provisional, decidedGranted: 0.80, askedAgain: 0.035,
      settingsPrompt: 0.08, settingsOpened: 0.30, settingsEnabled: 0.45, enabledAlone: 0.003, revoked: 0.004,
      upgraded: 0.03),
    PermissionModel(
      name: "tracking", surface: "onboarding",
      experiment: MessageExperiment(name: "tracking_copy_v1", grantFactor: 1.10),
      askedFirstDay: 0.70, askedLater: 0.15, explained: 0.80, abandoned: 0.04, skipped: 0.20, restricted: 0.27,
      granted: 0.30, decidedGranted: 0.10, askedAgain: 0.01, settingsPrompt: 0.02, settingsOpened: 0.10,
      settingsEnabled: 0.20, enabledAlone: 0.001, revoked: 0.001),
    PermissionModel(
      name: "photo_library", surface: "composer", askedFirstDay: 0.08, askedLater: 0.10, explained: 0.50,
      abandoned: 0.03, skipped: 0.08, restricted: 0.01, granted: 0.85, partial: 0.20, askedAgain: 0.08,
      settingsPrompt: 0.20, settingsOpened: 0.40, settingsEnabled: 0.60, enabledAlone: 0.004, revoked: 0.001,
      upgraded: 0.02),
    // Two names for one message: whoever finds a difference here has found noise.
    PermissionModel(
      name: "camera", surface: "scanner", experiment: MessageExperiment(name: "camera_primer_v1"),
      askedFirstDay: 0.05, askedLater: 0.07, explained: 0.60, abandoned: 0.03, skipped: 0.06, restricted: 0.01,
      granted: 0.88, askedAgain: 0.09, settingsPrompt: 0.25, settingsOpened: 0.45, settingsEnabled: 0.65,
      enabledAlone: 0.004, revoked: 0.001),
    PermissionModel(
      name: "location_when_in_use", surface: "map", fullStatus: .whenInUse,
      experiment: MessageExperiment(name: "location_comic_v1", grantFactor: 0.80),
      askedFirstDay: 0.06, askedLater: 0.06, explained: 0.70, abandoned: 0.04, skipped: 0.12, restricted: 0.02,
      granted: 0.75, askedAgain: 0.05, settingsPrompt: 0.15, settingsOpened: 0.35, settingsEnabled: 0.50,
      enabledAlone: 0.003, revoked: 0.003),
    PermissionModel(
      name: "microphone", surface: "voice_note", askedFirstDay: 0.03, askedLater: 0.05, explained: 0.30,
      abandoned: 0.03, skipped: 0.07, restricted: 0.01, granted: 0.84, askedAgain: 0.08, settingsPrompt: 0.20,
      settingsOpened: 0.40, settingsEnabled: 0.60, enabledAlone: 0.004, revoked: 0.001),
    PermissionModel(
      name: "contacts", surface: "invite_friends", askedFirstDay: 0.02, askedLater: 0.03, explained: 0.70,
      abandoned: 0.05, skipped: 0.25, restricted: 0.01, granted: 0.60, partial: 0.10, askedAgain: 0.02,
      settingsPrompt: 0.06, settingsOpened: 0.25, settingsEnabled: 0.40, enabledAlone: 0.001, revoked: 0.001,
      upgraded: 0.01),
  ]
}
