// What every form of a report keeps to.

import PermissionAnalysis

/// A form that a report takes: the same figures, as bytes to be written to a file or a terminal.
public protocol ReportRenderer: Sendable {
  /// The whole report. Text in it comes from exports, and is made harmless for the form.
  func render(_ report: Report) -> [UInt8]
}
