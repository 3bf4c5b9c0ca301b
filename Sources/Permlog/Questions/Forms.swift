// The forms that results take.

import PermissionAnalysis
import ReportRendering

/// The form of a report. Text, Markdown and HTML are for people, JSON and CSV for programs; HTML is one file that needs no
/// network.
public enum ReportForm: String, CaseIterable, Sendable {
  case text, json, csv, markdown, html
}

/// The form of a comparison.
public enum ComparisonForm: String, CaseIterable, Sendable {
  case text, json, markdown, html
}

/// The form of short results.
public enum SummaryForm: String, CaseIterable, Sendable {
  case text, json
}

extension Report {
  /// The report in one of its forms, as bytes of UTF-8.
  /// - Parameters:
  ///   - form: which of them.
  ///   - style: of the text; its hints are those of Markdown and HTML too.
  ///   - threads: that write JSON.
  public func render(as form: ReportForm, style: TextStyle = TextStyle(), threads: Int? = nil) -> [UInt8] {
    let renderer: any ReportRenderer =
      switch form {
      case .text: ReportText(style)
      case .json: ReportJSON(threads: PermissionLog.threads(threads))
      case .csv: ReportCSV()
      case .markdown: ReportMarkdown(hints: style.hints)
      case .html: ReportHTML(hints: style.hints)
      }
    return renderer.render(self)
  }
}

extension ComparisonSet {
  /// The comparison in one of its forms, as bytes of UTF-8.
  /// - Parameters:
  ///   - form: which of them.
  ///   - style: of the text; its hints are those of the other forms too.
  ///   - isExplained: says for each number which method, formula and source it comes from.
  public func render(
    as form: ComparisonForm, style: TextStyle = TextStyle(), isExplained: Bool = false
  ) -> [UInt8] {
    switch form {
    case .json: ComparisonJSON.render(self, isExplained: isExplained, hints: style.hints)
    case .text: ComparisonText.render(self, style, isExplained: isExplained)
    case .markdown: ComparisonMarkdown.render(self, isExplained: isExplained, hints: style.hints)
    case .html: ComparisonHTML.render(self, isExplained: isExplained, hints: style.hints)
    }
  }
}
