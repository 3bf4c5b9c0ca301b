// What a finding seems to cost: the grant rate without it minus that with it, among users who were not assigned to either.

import PermissionAnalysis

enum AuditCosts {
  /// Said beside every cost.
  static let observation = "An observation, not an effect: who is asked one way differs from who is asked the other."

  /// nil if it is not known.
  static func sentence(_ finding: AuditFinding) -> String? {
    guard let cost = finding.cost, cost.value.isFinite else { return nil }
    let words: String
    switch (cost.low, cost.high) {
    case (let low?, let high?) where low > 0:
      words = "It seems to cost \(points(cost.value)) of the grant rate (\(number(low)) to \(number(high)))"
    case (let low?, let high?) where high < 0:
      words =
        "It does not seem to cost grants: the rate is \(points(-cost.value)) higher with it (\(number(-high)) to \(number(-low)))"
    default:
      words =
        "What it costs is not clear: \(NumberText.signed(cost.value * 100))\u{A0}points of the grant rate ("
        + (NumberText.signedInterval(cost, scale: 100) ?? "no interval") + ")"
    }
    return words + rates(finding) + "."
  }

  /// The same in few words, below a row of numbers.
  static func note(_ finding: AuditFinding) -> String? {
    guard let cost = finding.cost, cost.value.isFinite, case .rates(let with?, let without?) = finding.detail else {
      return nil
    }
    let words: String
    switch (cost.low, cost.high) {
    case (let low?, let high?) where low > 0:
      words = "seems to cost \(points(cost.value)) (\(number(low)) to \(number(high)))"
    case (let low?, let high?) where high < 0:
      words = "higher with it by \(points(-cost.value)) (\(number(-high)) to \(number(-low)))"
    default:
      words =
        "not clear, \(NumberText.signed(cost.value * 100))\u{A0}points ("
        + (NumberText.signedInterval(cost, scale: 100) ?? "no interval") + ")"
    }
    return "\(NumberText.percent(with.value)) of them granted, \(NumberText.percent(without.value)) of the others: "
      + words
  }

  private static func number(_ share: Double) -> String { fixed(share * 100, 1) }
  private static func points(_ share: Double) -> String { number(share) + "\u{A0}points" }

  private static func rates(_ finding: AuditFinding) -> String {
    guard case .rates(let with?, let without?) = finding.detail else { return "" }
    return ": \(AuditNumbers.rate(with)) of them granted, \(AuditNumbers.rate(without)) of the others"
  }
}
