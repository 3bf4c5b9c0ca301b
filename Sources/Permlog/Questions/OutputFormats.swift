// The formats of results.

public import PermissionAnalysis
public import ReportRendering

/// The format of a report. Text, Markdown and HTML are for people, JSON and CSV for programs; HTML is one file that needs no
/// network.
public enum ReportFormat: String, CaseIterable, Sendable {
  case text, json, csv, markdown, html
}

/// The format of a comparison, as those of a report.
public enum ComparisonFormat: String, CaseIterable, Sendable {
  case text, json, csv, markdown, html
}

/// The format of a report of flows, as those of a report.
public enum FlowFormat: String, CaseIterable, Sendable {
  case text, json, csv, markdown, html
}

/// The format of a list of experiments.
public enum ExperimentsFormat: String, CaseIterable, Sendable {
  case text, json, csv, html
}

/// The format of short results.
public enum SummaryFormat: String, CaseIterable, Sendable {
  case text, json
}

extension Report {
  /// The report in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - format: which of them.
  ///   - style: of the text; its words are those of Markdown and HTML too.
  ///   - threads: that write JSON and CSV.
  ///   - part: how much of it people see. JSON always has everything; CSV too, but of one section that has a table of its own
  ///     (``ReportSectionName/withOwnTable``) it is that table.
  ///   - title: of Markdown and HTML, in place of the week.
  public func render(
    as format: ReportFormat, style: TextStyle = TextStyle(), threads: Int? = nil, part: ReportPart = .full,
    title: String? = nil
  ) -> [UInt8] {
    switch format {
    case .text: return ReportDocument.render(self, .text, style, part: part)
    case .json: return ReportJSON.render(self, threads: PermissionLog.threads(threads))
    case .csv:
      var bytes: [UInt8] = []
      ReportCSV.write(self, threads: PermissionLog.threads(threads), part: part) { bytes += $0 }
      return bytes
    case .markdown: return ReportDocument.render(self, .markdown, style, part: part, title: title)
    case .html: return ReportDocument.render(self, .html, style, part: part, title: title)
    }
  }

  /// Writes the report in one of its formats, piece after piece: JSON and CSV of many rows are never whole in memory.
  /// - Parameters:
  ///   - format: and the others as in ``render(as:style:threads:part:title:)``.
  ///   - write: takes the pieces in their order; what it throws ends the writing.
  public func write(
    as format: ReportFormat, style: TextStyle = TextStyle(), threads: Int? = nil, part: ReportPart = .full,
    title: String? = nil, to write: ([UInt8]) throws -> Void
  ) rethrows {
    switch format {
    case .json: try ReportJSON.write(self, threads: PermissionLog.threads(threads), to: write)
    case .csv: try ReportCSV.write(self, threads: PermissionLog.threads(threads), part: part, to: write)
    case .text, .markdown, .html:
      try write(render(as: format, style: style, threads: threads, part: part, title: title))
    }
  }
}

extension ComparisonSet {
  /// The comparison in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - format: which of them.
  ///   - style: of the text; its words are those of the other formats too.
  ///   - isExplained: says for each number which method, formula and source it comes from.
  public func render(
    as format: ComparisonFormat, style: TextStyle = TextStyle(), isExplained: Bool = false
  ) -> [UInt8] {
    switch format {
    case .json: ComparisonJSON.render(self, isExplained: isExplained, words: style.words)
    case .csv: ComparisonCSV.render(self)
    case .text: ComparisonDocument.render(self, .text, style, isExplained: isExplained)
    case .markdown: ComparisonDocument.render(self, .markdown, style, isExplained: isExplained)
    case .html: ComparisonDocument.render(self, .html, style, isExplained: isExplained)
    }
  }
}

extension ExperimentList {
  /// The list in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - format: which of them.
  ///   - style: of the text; its words are those of the other formats too.
  public func render(as format: ExperimentsFormat, style: TextStyle = TextStyle()) -> [UInt8] {
    switch format {
    case .json: ExperimentsJSON.render(self, words: style.words)
    case .csv: ExperimentsCSV.render(self)
    case .text: ExperimentsDocument.render(self, .text, style)
    case .html: ExperimentsDocument.render(self, .html, style)
    }
  }
}

// MARK: The formats of audits

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

// MARK: The formats of flows

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
