// The formats of audits.

public import PermissionAnalysis
public import ReportRendering

/// The format of an audit, as those of a report. There is no CSV: findings are sentences.
public enum AuditFormat: String, CaseIterable, Sendable {
  case text, json, html, markdown
}

extension AuditReport {
  /// The audit in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - format: which of them.
  ///   - style: of the text; its words are those of Markdown and HTML too.
  ///   - listsAll: also the checks that found nothing, with the reason.
  ///   - title: of text, Markdown and HTML, in place of the usual one.
  public func render(
    as format: AuditFormat, style: TextStyle = TextStyle(), listsAll: Bool = false, title: String? = nil
  ) -> [UInt8] {
    switch format {
    case .json: AuditJSON.render(self, listsAll: listsAll)
    case .text: AuditDocument.render(self, .text, style, listsAll: listsAll, title: title)
    case .html: AuditDocument.render(self, .html, style, listsAll: listsAll, title: title)
    case .markdown: AuditDocument.render(self, .markdown, style, listsAll: listsAll, title: title)
    }
  }
}
