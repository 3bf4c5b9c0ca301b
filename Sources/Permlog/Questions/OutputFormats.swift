// The formats of results.

public import PermissionAnalysis
public import ReportRendering

/// The format of a report, of a comparison, and of a report of flows. Text, Markdown and HTML are for people, JSON and CSV for programs; HTML
/// is one file that needs no network.
public enum ReportFormat: String, CaseIterable, Sendable {
  case text, json, csv, markdown, html
}

public typealias ComparisonFormat = ReportFormat
public typealias FlowFormat = ReportFormat

public enum ExperimentsFormat: String, CaseIterable, Sendable {
  case text, json, csv, html
}

/// The format of short results.
public enum SummaryFormat: String, CaseIterable, Sendable {
  case text, json
}

extension RawRepresentable<String> {
  /// How people read a format that is for them.
  fileprivate var form: Document.Form { Document.Form(rawValue: rawValue) ?? .text }
}

extension Report {
  /// The report in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - style: of the text; its words are those of Markdown and HTML too.
  ///   - threads: that write JSON and CSV.
  ///   - part: how much of it people see. JSON always has everything; CSV too, but of one section that has a table of its own
  ///     (``ReportSectionName/withOwnTable``) it is that table.
  ///   - title: of Markdown and HTML, in place of the week.
  public func render(
    as format: ReportFormat, style: TextStyle = TextStyle(), threads: Int? = nil, part: ReportPart = .full,
    title: String? = nil
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    write(as: format, style: style, threads: threads, part: part, title: title) { bytes += $0 }
    return bytes
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
      let title = format == .text ? nil : title
      try write(ReportDocument.render(self, format.form, style, part: part, title: title))
    }
  }
}

extension ComparisonSet {
  /// The comparison in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - style: of the text; its words are those of the other formats too.
  ///   - isExplained: says for each number which method, formula and source it comes from.
  public func render(
    as format: ComparisonFormat, style: TextStyle = TextStyle(), isExplained: Bool = false
  ) -> [UInt8] {
    switch format {
    case .json: ComparisonJSON.render(self, isExplained: isExplained, words: style.words)
    case .csv: ComparisonCSV.render(self)
    case .text, .markdown, .html: ComparisonDocument.render(self, format.form, style, isExplained: isExplained)
    }
  }
}

extension ExperimentList {
  /// The list in one of its formats, as bytes of UTF-8.
  /// - Parameter style: of the text; its words are those of the other formats too.
  public func render(as format: ExperimentsFormat, style: TextStyle = TextStyle()) -> [UInt8] {
    switch format {
    case .json: ExperimentsJSON.render(self, words: style.words)
    case .csv: ExperimentsCSV.render(self)
    case .text, .html: ExperimentsDocument.render(self, format.form, style)
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
  ///   - style: of the text; its words are those of Markdown and HTML too.
  ///   - listsAll: also the checks that found nothing, with the reason.
  ///   - title: of text, Markdown and HTML, in place of the usual one.
  public func render(
    as format: AuditFormat, style: TextStyle = TextStyle(), listsAll: Bool = false, title: String? = nil
  ) -> [UInt8] {
    switch format {
    case .json: AuditJSON.render(self, listsAll: listsAll)
    case .text, .html, .markdown: AuditDocument.render(self, format.form, style, listsAll: listsAll, title: title)
    }
  }
}

// MARK: The formats of flows

extension FlowReport {
  /// The flows in one of their formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - style: of the text; its words are those of Markdown and HTML too.
  ///   - isFull: text has everything, and not one screen of it. The other formats always have everything.
  ///   - title: of Markdown and HTML.
  public func render(
    as format: FlowFormat, style: TextStyle = TextStyle(), isFull: Bool = true, title: String? = nil
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    write(as: format, style: style, isFull: isFull, title: title) { bytes += $0 }
    return bytes
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
    case .text: try write(FlowDocument.render(self, .text, style, isFull: isFull))
    case .markdown, .html: try write(FlowDocument.render(self, format.form, style, title: title))
    }
  }
}
