// How much users of the onboarding's app do in it.

/// How much a user does in the app.
enum Habit: Int, CaseIterable {
  case little, some, much

  var share: Double { [0.40, 0.35, 0.25][rawValue] }
  var factor: Double { [0.92, 1, 1.10][rawValue] }
  /// Features used in a visit.
  var features: Int { [0, 1, 3][rawValue] }
  var daysBetween: Int { [0, 1, 3][rawValue] }

  func daysBefore(_ wait: Wait) -> Int {
    switch wait {
    case .atOnce, .minutes, .hours: 0
    case .days: [1, 2, 3][rawValue]
    case .overAWeek: [2, 5, 9][rawValue]
    }
  }
}
