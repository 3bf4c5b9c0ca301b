// Findings for code hosts and editors: paths as addresses, and text that cannot end a line or begin another command.

import Foundation
import PermissionAnalysis
import Testing

@testable import ReportRendering

@Suite struct AuditAnnotationsTests {
  @Test(
    "Paths are addresses",
    arguments: [
      ("App/Info.plist", "App/Info.plist"), ("./App/My App/Info.plist", "App/My%20App/Info.plist"),
      ("/tmp/a", "file:///tmp/a"), ("ä#?%.plist", "%C3%A4%23%3F%25.plist"), ("a\nb", "a%0Ab"),
    ])
  func addresses(_ path: String, _ uri: String) { #expect(AuditSARIF.uri(path) == uri) }

  @Test("A line of GitHub is one line, whatever is in the names")
  func oneLine() {
    for name in ["a\n::error::b", "a\r\nb", "a,b:c%d", "::", "\u{85}x"] {
      let report = SampleAudit.hostile(name)
      let text = String(decoding: AuditAnnotations.render(report), as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count == report.findings.count)
      for line in lines {
        #expect(["::error ", "::warning ", "::notice "].contains { line.hasPrefix($0) }, "\(line)")
        let head = line.dropFirst(2).prefix { $0 != ":" }
        #expect(!head.contains("\n") && head.contains("title="), "\(line)")
      }
    }
  }

  @Test("SARIF has each finding once, with its rule, its level and its lines")
  func sarif() throws {
    let report = SampleAudit.all
    let tree = try #require(
      try JSONSerialization.jsonObject(with: Data(AuditSARIF.render(report, version: "1"))) as? [String: Any])
    let run = try #require((tree["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    let rules = try #require(
      ((run["tool"] as? [String: Any])?["driver"] as? [String: Any])?["rules"] as? [[String: Any]])
    #expect(results.count == report.findings.count)
    for (result, finding) in zip(results, report.findings) {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == finding.check.rawValue)
      #expect(result["ruleId"] as? String == finding.check.rawValue)
      #expect(result["level"] as? String == finding.severity.name)
      #expect((result["locations"] as? [Any])?.count == max(1, min(10, finding.locations.count)))
    }
    #expect(Set(rules.compactMap { $0["id"] as? String }).count == rules.count)
    let lines = report.findings.flatMap(\.locations).compactMap(\.line)
    #expect(lines.contains(42) && lines.contains(12))
  }

  @Test("An audit without a finding is a run without results")
  func nothing() throws {
    let report = SampleAudit.report([], infoPlists: [])
    let tree = try JSONSerialization.jsonObject(with: Data(AuditSARIF.render(report, version: "1"))) as? [String: Any]
    let run = (tree?["runs"] as? [[String: Any]])?.first
    #expect((run?["results"] as? [Any])?.isEmpty == true)
    #expect(AuditAnnotations.render(report).isEmpty)
  }
}
