// How users meet each permission in the made-up app. The rates lie in the range of published ones (OneSignal, Batch and
// Mozilla for prompts, Flurry for tracking); the times and the rates of coming back are assumptions.

struct PermissionHabits {
  let name: String
  /// Share of users that reach the question at all.
  let reach: Double
  /// Mean days from the first day to the question; 0 is at once.
  let meanDaysToAsk: Double
  /// Share of askings that begin with the app's own explanation.
  let explained: Double
  let skip: Double
  /// Share of granting once the system asks, for a user of middling engagement.
  let grant: Double
  /// Share of grants that are partial, and their status.
  let partial: Double
  let partialStatus: Status
  let restricted: Double
  let enabledAfterSkip: Double
  let enabledAfterDenial: Double
  let settingsOpened: Double
  let settingsEnabled: Double
  let revoked: Double

  /// In the order of the permission codes. The first one is the one with two messages.
  static let all = [
    PermissionHabits(
      name: "notifications", reach: 0.88, meanDaysToAsk: 0, explained: 0.80, skip: 0.25, grant: 0.52, partial: 0.04,
      partialStatus: .provisional, restricted: 0.01, enabledAfterSkip: 0.12, enabledAfterDenial: 0.02,
      settingsOpened: 0.30, settingsEnabled: 0.45, revoked: 0.02),
    PermissionHabits(
      name: "camera", reach: 0.40, meanDaysToAsk: 6, explained: 0.50, skip: 0.06, grant: 0.88, partial: 0,
      partialStatus: .none, restricted: 0.01, enabledAfterSkip: 0.25, enabledAfterDenial: 0.03,
      settingsOpened: 0.45, settingsEnabled: 0.65, revoked: 0.003),
    PermissionHabits(
      name: "photo_library", reach: 0.40, meanDaysToAsk: 5, explained: 0.50, skip: 0.08, grant: 0.85, partial: 0.20,
      partialStatus: .limited, restricted: 0.01, enabledAfterSkip: 0.25, enabledAfterDenial: 0.03,
      settingsOpened: 0.40, settingsEnabled: 0.60, revoked: 0.003),
    PermissionHabits(
      name: "location_when_in_use", reach: 0.40, meanDaysToAsk: 3, explained: 0.60, skip: 0.12, grant: 0.75,
      partial: 0, partialStatus: .none, restricted: 0.02, enabledAfterSkip: 0.15, enabledAfterDenial: 0.02,
      settingsOpened: 0.35, settingsEnabled: 0.50, revoked: 0.01),
    PermissionHabits(
      name: "microphone", reach: 0.26, meanDaysToAsk: 8, explained: 0.30, skip: 0.07, grant: 0.84, partial: 0,
      partialStatus: .none, restricted: 0.01, enabledAfterSkip: 0.22, enabledAfterDenial: 0.03,
      settingsOpened: 0.40, settingsEnabled: 0.60, revoked: 0.004),
    PermissionHabits(
      name: "contacts", reach: 0.22, meanDaysToAsk: 10, explained: 0.70, skip: 0.25, grant: 0.60, partial: 0.10,
      partialStatus: .limited, restricted: 0.01, enabledAfterSkip: 0.06, enabledAfterDenial: 0.01,
      settingsOpened: 0.25, settingsEnabled: 0.40, revoked: 0.003),
    PermissionHabits(
      name: "calendars", reach: 0.15, meanDaysToAsk: 12, explained: 0.50, skip: 0.15, grant: 0.70, partial: 0,
      partialStatus: .none, restricted: 0.01, enabledAfterSkip: 0.10, enabledAfterDenial: 0.02,
      settingsOpened: 0.30, settingsEnabled: 0.45, revoked: 0.004),
    PermissionHabits(
      name: "tracking", reach: 0.42, meanDaysToAsk: 0.5, explained: 0.60, skip: 0.20, grant: 0.30, partial: 0,
      partialStatus: .none, restricted: 0.15, enabledAfterSkip: 0.03, enabledAfterDenial: 0.01, settingsOpened: 0.10,
      settingsEnabled: 0.20, revoked: 0.005),
  ]
  /// How many times as many users grant under the second message.
  static let secondVariantEffect = 1.12
}
