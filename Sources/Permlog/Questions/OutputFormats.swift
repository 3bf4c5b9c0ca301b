// The formats of results.

public import PermissionAnalysis
public import ReportRendering

/// The format of a comparison, of a report of flows, and of large groups. Text, Markdown and HTML are for people, JSON and CSV for programs;
/// HTML is one file that needs no network.
public enum DocumentFormat: String, CaseIterable, Sendable {
  case text, json, csv, markdown, html
}

public typealias ComparisonFormat = DocumentFormat
public typealias FlowFormat = DocumentFormat

/// The format of a report: those of other documents; `eml`, a mail with its pictures inside, for `sendmail -t`; and `slack`, a message for an
/// incoming webhook.
public enum ReportFormat: String, CaseIterable, Sendable {
  case text, json, csv, markdown, html, eml, slack

  /// The same format of other documents; nil if these do not have it.
  public var document: DocumentFormat? { DocumentFormat(rawValue: rawValue) }
}

public enum ExperimentsFormat: String, CaseIterable, Sendable {
  case text, json, csv, html
}

/// The format of short results.
public enum SummaryFormat: String, CaseIterable, Sendable {
  case text, json
}

extension RawRepresentable<String> {
  /// The form of a format for people.
  fileprivate var form: Document.Form { Document.Form(rawValue: rawValue) ?? .text }
}

extension Report {
  /// The report in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - style: the style of the text; its words are used in Markdown and HTML too.
  ///   - threads: the number of threads that write JSON and CSV.
  ///   - part: the part of the report for people. JSON always has everything. CSV has everything too, except for one
  ///     section with a table of its own (``ReportSectionName/withOwnTable``): then it has that table.
  ///   - title: the title of Markdown and HTML, instead of the week.
  ///   - references: rates that others published: text, Markdown and HTML have them beside the figures with the same
  ///     denominator.
  public func render(
    as format: ReportFormat, style: TextStyle = TextStyle(), threads: Int? = nil, part: ReportPart = .full,
    title: String? = nil, references: [PublishedRates] = PublishedRates.all
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    write(as: format, style: style, threads: threads, part: part, title: title, references: references) { bytes += $0 }
    return bytes
  }

  /// Writes the report in one of its formats, piece by piece: JSON and CSV with many rows are never whole in memory.
  /// - Parameters:
  ///   - format: and the others as in ``render(as:style:threads:part:title:references:)``.
  ///   - write: takes the pieces in their order. If it throws, the writing ends.
  public func write(
    as format: ReportFormat, style: TextStyle = TextStyle(), threads: Int? = nil, part: ReportPart = .full,
    title: String? = nil, references: [PublishedRates] = PublishedRates.all, to write: ([UInt8]) throws -> Void
  ) rethrows {
    switch format {
    case .json: try ReportJSON.write(self, threads: PermissionLog.threads(threads), to: write)
    case .csv: try ReportCSV.write(self, threads: PermissionLog.threads(threads), part: part, to: write)
    case .text, .markdown, .html:
      let title = format == .text ? nil : title
      try write(ReportDocument.render(self, format.form, style, part: part, title: title, references: references))
    case .eml: try write(MailDocument.render(self, style.words))
    case .slack: try write(SlackDocument.render(self, style.words))
    }
  }
}

extension LargeGroups {
  /// The large groups in one of the formats of a report.
  public func render(as format: DocumentFormat, style: TextStyle = TextStyle(), title: String? = nil) -> [UInt8] {
    switch format {
    case .json: LargeGroupsJSON.render(self)
    case .csv: LargeGroupsCSV.render(self)
    case .text, .markdown, .html:
      LargeGroupsDocument.render(self, format.form, style, title: format == .text ? nil : title)
    }
  }
}

extension ComparisonSet {
  /// The comparison in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - style: the style of the text; its words are used in the other formats too.
  ///   - isExplained: adds the method, formula and source of each number.
  ///   - isFull: the text has everything instead of one screen. The other formats always have everything.
  public func render(
    as format: ComparisonFormat, style: TextStyle = TextStyle(), isExplained: Bool = false, isFull: Bool = true
  ) -> [UInt8] {
    switch format {
    case .json: ComparisonJSON.render(self, isExplained: isExplained, words: style.words)
    case .csv: ComparisonCSV.render(self)
    case .text, .markdown, .html:
      ComparisonDocument.render(self, format.form, style, isExplained: isExplained, isFull: isFull)
    }
  }
}

extension ExperimentList {
  /// The list in one of its formats, as bytes of UTF-8.
  /// - Parameter style: the style of the text; its words are used in the other formats too.
  public func render(as format: ExperimentsFormat, style: TextStyle = TextStyle()) -> [UInt8] {
    switch format {
    case .json: ExperimentsJSON.render(self, words: style.words)
    case .csv: ExperimentsCSV.render(self)
    case .text, .html: ExperimentsDocument.render(self, format.form, style)
    }
  }
}

// MARK: The formats of audits

/// The format of an audit: those of a report, but without CSV, because findings are sentences; SARIF 2.1.0 for code hosts and editors; and
/// `github`, the lines by which a workflow of GitHub shows findings beside the code.
public enum AuditFormat: String, CaseIterable, Sendable {
  case text, json, html, markdown, sarif, github
}

extension AuditReport {
  /// The audit in one of its formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - style: the style of the text; its words are used in Markdown and HTML too.
  ///   - listsAll: also lists the checks without a finding, with the reason.
  ///   - title: the title of text, Markdown and HTML, instead of the usual one.
  public func render(
    as format: AuditFormat, style: TextStyle = TextStyle(), listsAll: Bool = false, title: String? = nil
  ) -> [UInt8] {
    switch format {
    case .json: AuditJSON.render(self, listsAll: listsAll)
    case .sarif: AuditSARIF.render(self, version: PermlogVersion.text)
    case .github: AuditAnnotations.render(self)
    case .text, .html, .markdown: AuditDocument.render(self, format.form, style, listsAll: listsAll, title: title)
    }
  }
}

// MARK: The formats of flows

extension FlowReport {
  /// The flows in one of their formats, as bytes of UTF-8.
  /// - Parameters:
  ///   - style: the style of the text; its words are used in Markdown and HTML too.
  ///   - isFull: the text has everything instead of one screen. The other formats always have everything.
  ///   - title: the title of Markdown and HTML.
  public func render(
    as format: FlowFormat, style: TextStyle = TextStyle(), isFull: Bool = true, title: String? = nil
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    write(as: format, style: style, isFull: isFull, title: title) { bytes += $0 }
    return bytes
  }

  /// Writes the flows in one of their formats, piece by piece: JSON and CSV with many lists are never whole in memory.
  /// - Parameter write: takes the pieces in their order. If it throws, the writing ends.
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
