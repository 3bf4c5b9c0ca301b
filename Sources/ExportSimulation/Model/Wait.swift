// How long users of the onboarding's app are there before they are asked.

/// When the onboarding comes, from the install on.
enum Wait: Int, CaseIterable {
  /// Within the first minute, within a quarter of an hour, on the same day.
  case atOnce, minutes, hours
  case days, overAWeek

  var share: Double { [0.35, 0.20, 0.15, 0.17, 0.13][rawValue] }
  /// The timing effect.
  var factor: Double { [0.70, 0.85, 1, 1.12, 1.20][rawValue] }
  var days: Int { [0, 0, 0, 3, 10][rawValue] }
}
