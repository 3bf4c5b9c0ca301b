// Questions of the pages: an address becomes a request, and its answer becomes bytes in the wanted format. They are the bytes of the command.

import NIOCore
import Permlog

/// A question that was read, and how it is answered.
struct PageQuestion: Sendable {
  /// With the fields in their order: equal questions have the same text.
  let query: String
  let scope: QuestionScope
  /// The arguments of the command.
  let arguments: [String]
  /// The values of each field, as texts.
  let given: GivenFields
  private let write:
    @Sendable (PermissionLog, _ format: String, TextStyle, _ sink: ([UInt8]) throws -> Void) throws -> Void

  /// - Parameter smallest: the least users of a group; nil for all groups.
  /// - Throws: `usage` for an address that is no question of the page.
  init(_ page: Page, _ query: String, smallest: Int?) throws(PermlogError) {
    switch page {
    case .report:
      let request = try ReportRequest(query: query)
      try request.checkFields()
      self.init(request) { log, format, style, sink in
        var request = request
        request.hasCharts = format == "html" && smallest == nil
        if smallest != nil { request.valueLimit = .max }
        let report = try log.report(request)
        if let smallest {
          return try sink(
            report.largeGroups(of: smallest).render(as: DocumentFormat(rawValue: format) ?? .html, style: style))
        }
        try report.write(as: ReportFormat(rawValue: format) ?? .html, style: style, to: sink)
      }
    case .compare:
      let request = try ComparisonRequest(query: query)
      try request.checkFields()
      self.init(request) { log, format, style, sink in
        try sink(
          log.compare(request).render(as: ComparisonFormat(rawValue: format) ?? .html, style: style, isFull: false))
      }
    case .experiments:
      let request = try ExperimentsRequest(query: query)
      self.init(request) { log, format, style, sink in
        try sink(log.experiments(request).render(as: ExperimentsFormat(rawValue: format) ?? .html, style: style))
      }
    case .flow:
      let request = try FlowRequest(query: query)
      try request.checkFields()
      self.init(request) { log, format, style, sink in
        try log.flow(request).write(as: FlowFormat(rawValue: format) ?? .html, style: style, to: sink)
      }
    case .audit:
      let request = try AuditRequest(query: query)
      guard request.examples == 0 else {
        throw .usage("pages name no users: ask for examples with the command", .examples)
      }
      try request.checkFields()
      self.init(request) { log, format, style, sink in
        try sink(log.audit(request).render(as: AuditFormat(rawValue: format) ?? .html, style: style))
      }
    case .today, .data: throw .usage("this page has no question")
    }
  }

  private init<Request: FieldedRequest>(
    _ request: Request,
    write: @escaping @Sendable (PermissionLog, String, TextStyle, ([UInt8]) throws -> Void) throws -> Void
  ) {
    (query, scope, given, arguments) = (request.query, request.scope, request.given, request.commandArguments)
    self.write = write
  }

  // MARK: Answers

  /// A larger answer would not fit the server's memory; the command writes it piece by piece.
  private static let largest = 64 << 20

  func answer(of log: PermissionLog, format: String, style: TextStyle) throws -> Answered {
    var bytes: [UInt8] = []
    try write(log, format, style) { piece in
      guard bytes.count + piece.count <= Self.largest else { throw TooLarge() }
      bytes += piece
    }
    return Answered(bytes: ByteBuffer(bytes: bytes), type: Self.types[format] ?? "text/html; charset=utf-8")
  }

  struct TooLarge: Error {}

  private static let types = ["json": "application/json", "csv": "text/csv; charset=utf-8"]
}
