// Numbers of findings. What is not known is a dash.

import PermissionAnalysis

enum AuditNumbers {
  /// `62.0 % (59.9–64.1)`; two decimals below one per cent.
  static func share(_ finding: AuditFinding) -> String { rate(finding.share) }

  static func rate(_ estimate: Estimate?) -> String {
    guard let estimate, estimate.value.isFinite else { return "–" }
    let decimals = estimate.value > 0 && estimate.value < 0.01 ? 2 : 1
    let ends = [estimate.low, estimate.high].compactMap { $0.map { fixed($0 * 100, decimals) } }
    return fixed(estimate.value * 100, decimals) + "\u{A0}%"
      + (ends.count == 2 ? "\u{A0}(\(ends.joined(separator: "–")))" : "")
  }

  /// `1 240 of 2 000`.
  static func counts(_ finding: AuditFinding) -> String {
    "\(count(finding.users))\u{A0}of\u{A0}\(count(finding.of))"
  }

  static func count(_ n: Int64?) -> String { n.map { NumberText.count(Int(clamping: $0)) } ?? "–" }

  /// `1 event`, `2 events`.
  static func counted(_ n: Int64, _ noun: String) -> String { NumberText.counted(Int(clamping: n), noun) }

  /// `5 %`, `0.1 %`: exactly.
  static func threshold(_ threshold: AuditThreshold) -> String { threshold.percent + "\u{A0}%" }
}
