// `--threshold ID=PERCENT`: from which share on a check of an audit is a finding.

import Permlog

enum ThresholdOption {
  /// Checks that have a share to be reported from.
  static let ids = AuditCheck.allCases.filter { $0.threshold != nil }.map(\.rawValue)
  static let names = AuditCheck.allCases.compactMap { check in
    check.threshold.map { "\(check.rawValue) (\($0.percent))" }
  }.joined(separator: ", ")

  /// - Parameter refuse: makes the error of a sentence.
  static func parsed(_ texts: [String], _ refuse: (String) -> any Error) throws -> [AuditCheck: AuditThreshold] {
    var thresholds: [AuditCheck: AuditThreshold] = [:]
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let id = parts[0]
      guard let check = AuditCheck(rawValue: id), ids.contains(id) else {
        let reason = AuditCheck(rawValue: id) == nil ? "is no id of a check" : "is a finding whenever it is there"
        throw refuse("--threshold: \(TextStyle().legible(id)) \(reason). These have a share, in per cent: \(names)")
      }
      var percent = parts.count > 1 ? parts[1] : ""
      if percent.hasSuffix("%") { percent.removeLast() }
      guard let threshold = AuditThreshold(percent: percent) else {
        throw refuse(
          "--threshold: \(TextStyle().legible(text)) has no percentage from 0 to 100, with at most four decimals: \(id)=25, \(id)=0.5"
        )
      }
      guard thresholds.updateValue(threshold, forKey: check) == nil else {
        throw refuse("--threshold: \(id) was given twice")
      }
    }
    return thresholds
  }
}
