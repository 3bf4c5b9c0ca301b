// What the daily rule is tuned for if nobody planned the test.

/// The daily rule of a test without a plan.
///
/// Its constants follow from sizes alone, which say nothing of the outcome, so they spend no error. They are chosen by exact computation
/// (docs/statistics.md): such a test needs about the users of a fixed one of 80 % power, whether that takes one week or ten.
/// A day's time is its number over 28 then, so all tests with a steady pace have the same boundaries.
public enum UnplannedRule {
  /// r of the spending, also with a plan that was made too late.
  public static let exponent = 2.0
  /// N* is this many times the users that were exposed on the first days with exposures.
  public static let factor = 4
  public static let days = 7
  public static let users = 200...200_000

  /// N* for the exposures of those days, of both arms.
  public static func plannedUsers(exposed: Int) -> Int {
    min(users.upperBound, max(users.lowerBound, min(exposed, users.upperBound) * factor))
  }
}
