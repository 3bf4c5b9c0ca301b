// On which days the division of the users among the messages changed.

import PermissionEvents
import Statistics

/// A stretch of days on which users were divided in one way, as far as can be told.
public struct DivisionChange: Sendable, Hashable {
  /// The first day.
  public let from: DayNumber
  /// By arm, of all its days.
  public let users: [Int]

  /// Stretches whose difference is not by chance: the day that divides best is tested by the likelihood ratio, over all
  /// days that might; then each side again. A false change in at most 0.1 % of tests.
  static func all(_ days: [(day: DayNumber, users: [Int])]) -> [DivisionChange] {
    guard let first = days.first else { return [] }
    var sums = [[Int](repeating: 0, count: first.users.count)]
    for day in days { sums.append(zip(sums[sums.count - 1], day.users).map { $0 &+ $1 }) }
    var found: [DivisionChange] = []
    func add(_ range: Range<Int>) {
      guard found.count < mostChanges, let middle = change(sums, range) else {
        found.append(DivisionChange(from: days[range.lowerBound].day, users: users(sums, range)))
        return
      }
      add(range.lowerBound..<middle)
      add(middle..<range.upperBound)
    }
    add(0..<days.count)
    return found
  }

  private static let mostChanges = 12
  private static let level = 0.001

  private static func users(_ sums: [[Int]], _ range: Range<Int>) -> [Int] {
    zip(sums[range.upperBound], sums[range.lowerBound]).map { $0 &- $1 }
  }

  /// The index of the day from which on the division is another one; nil without one.
  private static func change(_ sums: [[Int]], _ range: Range<Int>) -> Int? {
    var best = (statistic: 0.0, index: 0)
    for index in range.dropFirst() {
      let statistic = SameDivision.statistic(
        users(sums, range.lowerBound..<index), users(sums, index..<range.upperBound))
      if statistic > best.statistic { best = (statistic, index) }
    }
    let p = SameDivision.pValue(best.statistic, arms: sums[0].count, tests: range.count)
    return best.index > 0 && p < level ? best.index : nil
  }

  /// A division in whole percent that these users are likely of: in steps of five if they fit, else as they are.
  public var parts: [Double] {
    let total = Double(users.reduce(0, &+))
    for step in [5.0, 1, 0.1] {
      let rounded = users.map { (100 * Double($0) / total / step).rounded() * step }
      let fits = zip(users, rounded).allSatisfy { users, percent in
        let share = percent / 100
        return abs(Double(users) - share * total) <= 3 * (share * (1 - share) * total).squareRoot()
      }
      if fits, rounded.allSatisfy({ $0 > 0 }) { return rounded }
    }
    return users.map { Double(max(1, $0)) }
  }
}
