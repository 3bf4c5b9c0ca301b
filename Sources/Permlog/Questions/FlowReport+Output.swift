// The formats of flows.

public import PermissionAnalysis
public import ReportRendering

extension FlowReport {
  /// The flows in one of their formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - format: which of them.
  ///   - style: of the text; its words are those of Markdown and HTML too.
  ///   - isFull: text has everything, and not one screen of it. The other formats always have everything.
  ///   - title: of Markdown and HTML.
  public func render(
    as format: FlowFormat, style: TextStyle = TextStyle(), isFull: Bool = true, title: String? = nil
  ) -> [UInt8] {
    switch format {
    case .json: FlowJSON.render(self)
    case .csv: FlowCSV.render(self)
    case .text: FlowDocument.render(self, .text, style, isFull: isFull)
    case .markdown: FlowDocument.render(self, .markdown, style, title: title)
    case .html: FlowDocument.render(self, .html, style, title: title)
    }
  }

  /// Writes the flows in one of their formats, piece after piece: JSON and CSV of many lists are never whole in memory.
  /// - Parameter write: takes the pieces in their order; what it throws ends the writing.
  public func write(
    as format: FlowFormat, style: TextStyle = TextStyle(), isFull: Bool = true, title: String? = nil,
    to write: ([UInt8]) throws -> Void
  ) rethrows {
    switch format {
    case .json: try FlowJSON.write(self, to: write)
    case .csv: try FlowCSV.write(self, to: write)
    case .text, .markdown, .html: try write(render(as: format, style: style, isFull: isFull, title: title))
    }
  }
}
