// What a finding seems to cost: the grant rate without it minus that with it, among users who were not assigned to either.

import PermissionAnalysis

enum AuditCosts {
  /// Said beside every cost.
  static let observation = "An observation, not an effect: who is asked one way differs from who is asked the other."

  /// `Grant rate 35.6 % (35.3–35.9) at once, 46.4 % (46.2–46.6) later: it seems to cost 10.8 points (10.5 to 11.2).`; nil if it is
  /// not known.
  static func sentence(_ finding: AuditFinding) -> String? {
    guard let words = comparison(finding) else { return nil }
    let alone = words.prefix(1).uppercased() + words.dropFirst() + "."
    return rates(finding, AuditNumbers.rate).map { "Grant rate \($0): \(words)." } ?? alone
  }

  /// The same below a row of numbers, without the intervals of the two rates.
  static func note(_ finding: AuditFinding) -> String? {
    guard let words = comparison(finding) else { return nil }
    return rates(finding) { $0.map { NumberText.percent($0.value) } ?? "–" }.map { "grant rate \($0): \(words)" }
  }

  /// What to add if the observation points the other way.
  static func caution(_ findings: [AuditFinding]) -> String? {
    guard findings.first?.check == .coldAsk, findings.contains(where: { ($0.cost?.high ?? 1) < 0 }) else { return nil }
    return
      "Here some grant more without an explanation: who says \"Not now\" to one counts as not granted. Test the words of "
      + "a screen before you add one."
  }

  private static func comparison(_ finding: AuditFinding) -> String? {
    guard let cost = finding.cost, cost.value.isFinite else { return nil }
    switch (cost.low, cost.high) {
    case (let low?, let high?) where low > 0:
      return "it seems to cost \(points(cost.value)) (\(number(low)) to \(number(high)))"
    case (let low?, let high?) where high < 0:
      let way = finding.check.groups.map { " " + $0.with } ?? " with it"
      return "\(points(-cost.value)) more\(way) (\(number(-high)) to \(number(-low)))"
    case (let low?, let high?):
      return "no clear difference (from \(points(-low)) more to \(number(high)) less)"
    default: return "too few to say what it costs"
    }
  }

  private static func rates(_ finding: AuditFinding, _ text: (Estimate?) -> String) -> String? {
    guard case .rates(let with?, let without?) = finding.detail, let groups = finding.check.groups else { return nil }
    return "\(text(with)) \(groups.with), \(text(without)) \(groups.without)"
  }

  private static func number(_ share: Double) -> String { fixed(share * 100, 1) }
  private static func points(_ share: Double) -> String { number(share) + "\u{A0}points" }
}

extension AuditCheck {
  /// What the journeys that it holds for, and the others, are called beside a grant rate; nil without a cost.
  var groups: (with: String, without: String)? {
    switch self {
    case .coldAsk: ("without an explanation", "with one")
    case .askedAtOnce: ("at once", "later")
    case .severalAtOnce: ("at once", "otherwise")
    default: nil
    }
  }
}
