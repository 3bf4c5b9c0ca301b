// The pages, and what each can be asked.

import Permlog

/// A page of the site. The raw value is its path.
enum Page: String, CaseIterable, Sendable {
  case today, report, compare, experiments, flow, audit, data

  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// The formats that its answer has beside the page; none for pages of the server's own.
  var formats: [String] {
    switch self {
    case .today, .data: []
    case .report, .compare, .experiments, .flow: ["json", "csv", "png", "svg"]
    case .audit: ["json"]
    }
  }

  /// The question of the page; nil for pages of the server's own.
  var kind: RequestKind? { RequestKind.all.first { $0.name == rawValue } }

  /// Fields that the page shows at once, in this order; the others are folded away.
  var mainFields: [String] {
    switch self {
    case .today, .data: []
    case .report: ["week", "from", "to", "permission", "by", "where", "time_zone"]
    case .compare: ["messages", "permission", "experiment", "metric", "from", "to", "by", "where"]
    case .experiments: ["permission", "time_zone"]
    case .flow: ["steps", "permission", "week", "from", "to", "where"]
    case .audit: ["permission", "week", "from", "to", "where", "only"]
    }
  }

  /// Fields that no page has: users are named by none.
  static let withheld = ["examples"]

  /// The page and the format of a path like `/report.json`; nil for other paths.
  static func at(_ path: String) -> (page: Page, format: String)? {
    let parts = path.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
    guard path.hasPrefix("/"), (1...2).contains(parts.count), let page = Page(rawValue: String(parts[0])) else {
      return nil
    }
    guard parts.count == 2 else { return (page, "html") }
    let format = String(parts[1])
    return page.formats.contains(format) ? (page, format) : nil
  }
}

/// What was asked of a page: the log, and the question as the query of its address.
struct Asked: Sendable {
  var page: Page
  var format: String
  /// The name of the log in addresses; nil if the server has one alone.
  var logName: String?
  var query: String

  /// An address of this question on a page, or in another format.
  func address(_ page: Page? = nil, format: String = "html", query: String? = nil) -> String {
    let page = page ?? self.page
    let parts = [logName.map { "log=" + QueryPart.encoded($0) }, query ?? self.query].compactMap { $0 }.filter {
      !$0.isEmpty
    }
    return "/" + page.rawValue + (format == "html" ? "" : "." + format)
      + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
  }
}

/// Names and values of a query, without another reading of them than the library's.
enum QueryPart {
  static func encoded(_ text: String) -> String {
    var request = ReportRequest()
    request.permission = text
    return String(request.query.dropFirst("permission=".count))
  }

  /// The fields of a query as they were given, whether or not the question has them.
  static func given(_ query: String) -> GivenFields {
    var given: GivenFields = [:]
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.replacing("+", with: " ").removingPercentEncoding ?? ""
      }
      given[PermlogError.Argument(rawValue: pair[0]), default: []].append(pair.count > 1 ? pair[1] : "")
    }
    return given
  }

  /// The parts that belong to the question, those of the page itself, and whether some were empty, as forms send them.
  static func divided(_ query: String, own: Set<String>) -> (question: String, own: [String: String], hadEmpty: Bool) {
    var question: [Substring] = []
    var found: [String: String] = [:]
    var hadEmpty = false
    for part in query.split(separator: "&", omittingEmptySubsequences: true) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = pair.count > 1 ? pair[1] : ""
      if value.isEmpty {
        hadEmpty = true
      } else if own.contains(String(pair[0])) {
        found[String(pair[0])] = value.replacing("+", with: " ").removingPercentEncoding ?? ""
      } else {
        question.append(part)
      }
    }
    return (question.joined(separator: "&"), found, hadEmpty)
  }
}
