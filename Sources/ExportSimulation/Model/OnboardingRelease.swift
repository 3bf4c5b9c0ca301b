// The release that comes in the middle of the export.

/// A new release, which users get one after the other.
enum OnboardingRelease {
  static let versions = ["3.1", "3.2"]
  static let new = 1

  /// A quarter of the users gets it on its day, a quarter each of the three weeks after it, new users too.
  static let groups = 4

  /// - Parameters:
  ///   - day: of the export, which has `days`. The release is in the middle.
  ///   - group: the user's, from 0.
  static func version(on day: Int, of days: Int, group: Int) -> Int { day >= days / 2 + 7 * group ? new : 0 }
}
