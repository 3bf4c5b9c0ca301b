// An audit for the tools that show findings beside the code: SARIF, and the commands of GitHub's workflows.

import PermissionAnalysis

/// A line of a file that a finding is about.
struct SourceLocation: Sendable, Hashable {
  let file: String
  /// From 1; nil if it is not known.
  let line: Int?

  /// As code hosts know it.
  static func short(_ path: String) -> String {
    var path = path[...]
    while path.hasPrefix("./") { path = path.dropFirst(2) }
    return String(path)
  }
}

extension AuditFinding {
  /// Lines that it is about, the most important first: calls that ask, then the Info.plist. Empty for a finding of the log.
  var locations: [SourceLocation] {
    switch detail {
    case .purpose(let finding):
      finding.calls.map { SourceLocation(file: $0.file, line: $0.line) }
        + [SourceLocation(file: finding.path ?? finding.file, line: finding.line)]
        + finding.translations.map { SourceLocation(file: $0.file, line: $0.line) }
    case .code(let calls): calls.map { SourceLocation(file: $0.file, line: $0.line) }
    default: []
    }
  }
}

/// SARIF 2.1.0 (OASIS, 2020), which code hosts and editors read.
package struct AuditSARIF: JSONWritable {
  let report: AuditReport
  let version: String

  package static func render(_ report: AuditReport, version: String) -> [UInt8] {
    JSONWriter.document(AuditSARIF(report: report, version: version))
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      json.member("version", "2.1.0")
      json.array("runs") { json in json.element { json in run(&json) } }
    }
  }

  /// The same ones in every file, as code hosts want them.
  private var rules: [AuditCheck] { AuditCheck.allCases }

  private func run(_ json: inout JSONWriter) {
    let rules = rules
    json.object("tool") { json in
      json.object("driver") { json in
        json.member("name", "permlog")
        json.member("version", version)
        json.array("rules") { json in
          for rule in rules { json.element { json in write(rule, &json) } }
        }
      }
    }
    json.array("results") { json in
      for finding in report.findings {
        json.element { json in write(finding, rules, &json) }
      }
    }
    json.member("columnKind", "utf16CodeUnits")
  }

  private func write(_ check: AuditCheck, _ json: inout JSONWriter) {
    json.member("id", check.rawValue)
    json.object("shortDescription") { $0.member("text", check.words.title) }
    json.object("fullDescription") { $0.member("text", check.words.advice) }
    json.object("help") { $0.member("text", check.words.advice + " See docs/audit.md#" + check.rawValue) }
    json.object("defaultConfiguration") { $0.member("level", check.severity.name) }
  }

  private func write(_ finding: AuditFinding, _ rules: [AuditCheck], _ json: inout JSONWriter) {
    json.member("ruleId", finding.check.rawValue)
    json.member("ruleIndex", rules.firstIndex(of: finding.check) ?? 0)
    json.member("level", finding.severity.name)
    json.object("message") {
      $0.member("text", AuditSentences.text(finding) + " " + finding.check.words.advice)
    }
    json.array("locations") { json in
      for location in locations(finding).prefix(Self.mostLocations) {
        json.element { json in write(location, &json) }
      }
    }
  }

  /// A finding of the log is shown at the app's first file: code hosts refuse a whole upload for one result without a file.
  private func locations(_ finding: AuditFinding) -> [SourceLocation] {
    if !finding.locations.isEmpty { return finding.locations }
    return report.files.prefix(1).map { SourceLocation(file: $0, line: nil) }
  }

  /// Readers of SARIF take the first ones.
  private static let mostLocations = 10

  private func write(_ location: SourceLocation, _ json: inout JSONWriter) {
    json.object("physicalLocation") { json in
      json.object("artifactLocation") { $0.member("uri", Self.uri(location.file)) }
      if let line = location.line { json.object("region") { $0.member("startLine", line) } }
    }
  }

  /// A path as an address: relative ones stay relative.
  static func uri(_ path: String) -> String {
    let path = SourceLocation.short(path)
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    var uri = path.hasPrefix("/") ? "file://" : ""
    for byte in path.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      if isPlain || "-._~/".unicodeScalars.contains(scalar) {
        uri.unicodeScalars.append(scalar)
      } else {
        uri.unicodeScalars.append("%")
        uri.unicodeScalars.append(digits[Int(byte >> 4)])
        uri.unicodeScalars.append(digits[Int(byte & 15)])
      }
    }
    return uri
  }
}

/// Lines like `::error file=App/Info.plist,line=3,title=missing_purpose::…`, which a workflow of GitHub shows beside the code.
package enum AuditAnnotations {
  package static func render(_ report: AuditReport) -> [UInt8] {
    Array(report.findings.map(line).joined().utf8)
  }

  private static func line(_ finding: AuditFinding) -> String {
    let level =
      switch finding.severity {
      case .error: "error"
      case .warning: "warning"
      case .note: "notice"
      }
    var properties: [String] = []
    if let location = finding.locations.first {
      properties.append("file=" + escaped(SourceLocation.short(location.file), isProperty: true))
      if let line = location.line { properties.append("line=\(line)") }
    }
    properties.append("title=" + escaped("\(finding.check.rawValue): \(finding.check.words.title)", isProperty: true))
    let message = AuditSentences.text(finding) + " " + finding.check.words.advice
    return "::\(level) \(properties.joined(separator: ","))::\(escaped(message, isProperty: false))\n"
  }

  /// As GitHub's own toolkit writes it.
  private static func escaped(_ text: String, isProperty: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where isProperty: escaped += "%3A"
      case "," where isProperty: escaped += "%2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
