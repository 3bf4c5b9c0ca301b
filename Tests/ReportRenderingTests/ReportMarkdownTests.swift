// Markdown: tables that render, and names that do nothing.

import PermissionAnalysis
import PermissionEvents
import Testing

@testable import ReportRendering

@Suite struct ReportMarkdownTests {
  @Test(arguments: [
    ("photo_library", "photo_library"), ("_it_", "\\_it\\_"), ("a|b", "a\\|b"), ("p < 0.05", "p < 0.05"),
    ("<b>", "\\<b>"), ("</td>", "\\</td>"), ("[2026-03-02, 2026-03-09)", "[2026-03-02, 2026-03-09)"),
    ("[x](y)", "[x\\](y)"), ("`a`", "\\`a\\`"), ("&amp;", "\\&amp;"), ("a & b", "a & b"), ("\\", "\\\\"),
    ("@octocat", "@\u{200B}octocat"), ("#12", "#\u{200B}12"), ("https://x.org", "https:\u{200B}//x.org"),
    ("www.x.org", "www\u{200B}.x.org"), ("a\nb", "a\\\\u{A}b"), ("GH-1", "GH\u{200B}-1"), (":boom:", ":\u{200B}boom:"),
    ("at 10:30: x", "at 10:30: x"), ("$x$ ~y~", "\\$x\\$ \\~y\\~"),
  ])
  func signsMeanNothing(text: String, escaped: String) {
    #expect(MarkdownText.escape(text).unicodeScalars.elementsEqual(escaped.unicodeScalars))
  }

  @Test(arguments: [
    ("1. x", "1\\. x"), ("12) x", "12\\) x"), ("> q", "\\> q"), ("    code", "\u{A0}\u{A0}\u{A0}\u{A0}code"),
    ("# h", "\\# h"),
    ("- a", "\\- a"), ("1.5 points", "1.5 points"), ("-1 x", "-1 x"), ("---", "\\---"),
    ("plain > text", "plain > text"), ("=", "\\="), ("", ""),
  ])
  func aLineBeginsNoBlock(text: String, escaped: String) {
    #expect(MarkdownText.line(text).unicodeScalars.elementsEqual(escaped.unicodeScalars))
  }

  @Test func everyLineOfATableHasItsCells() {
    for report in [SampleHistories.app().report(asOf: SampleHistories.sampleEnd), HostileText.report()] {
      var columns: Int?
      for line in String(decoding: ReportDocument.render(report, .markdown), as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      {
        guard line.hasPrefix("|") else {
          columns = nil
          continue
        }
        let count = line.replacing("\\\\", with: "").replacing("\\|", with: "").split(
          separator: "|", omittingEmptySubsequences: false
        ).count
        #expect(columns == nil || columns == count, "\(line)")
        columns = count
      }
    }
  }

  /// GitHub refuses comments of more than 65,536 characters.
  @Test(arguments: 0..<4)
  func isNeverTooLong(seed: Int) {
    var numbers = SampleNumbers(seed: UInt64(seed))
    var histories = SampleHistories.app()
    let values = Int(numbers.below(900)) + 1
    let length = Int(numbers.below(240))
    histories.propertyBytes =
      [[]] + (0..<values).map { Array("\(String(repeating: seed % 2 == 0 ? "*" : "v", count: length))\($0)".utf8) }
    for i in histories.users.indices {
      let value = UInt32(numbers.below(Int64(values) + 1))
      for j in histories.users[i].indices { histories.users[i][j].property = value }
    }
    var report = histories.report(asOf: SampleHistories.sampleEnd) {
      if seed % 4 != 3 { $0.properties = [.variant] }
    }
    let rows = report.rows
    for copy in 0..<100 where report.rows.count + rows.count <= 5000 {
      report.rows += rows.map { row in
        var row = row
        row.permission += "|\(copy)"
        return row
      }
    }
    let text = String(decoding: ReportDocument.render(report, .markdown), as: UTF8.self)
    #expect(text.count < 60_000 && text.utf8.count <= MarkdownPage.mostBytes)
    #expect(report.rows.count < 1000 || text.contains(" more rows; CSV has them."))
    // As much as there is room for.
    #expect(report.rows.count < 1000 || text.utf8.count > 50_000, "\(text.utf8.count)")
  }

  @Test func rowsThatMatterMostStay() {
    var table = Table("name", ["n"])
    for (heading, weights) in [("a", [5.0, 1]), ("b", [0.5, 7]), ("c", [2])] {
      table.heading(heading)
      for weight in weights { table.row("  \(weight)", [TableCell("x")], weight: weight) }
    }
    table.note("said")
    let few = table.only(Set(table.order.prefix(2)))
    #expect(few.names == ["a", "  5.0", "b", "  7.0"])
    #expect(few.weights == [5, 7])
    #expect(table.only([]).isEmpty)
  }

  @Test func sectionsAreFoldedInTheWholeReportAlone() {
    let report = SampleHistories.app().report(asOf: SampleHistories.sampleEnd)
    func text(_ part: ReportPart) -> String {
      String(decoding: ReportDocument.render(report, .markdown, part: part, title: "<b>@a"), as: UTF8.self)
    }
    let whole = text(.full)
    #expect(whole.hasPrefix("## \\<b>@\u{200B}a\n\nWeek of 2 to 8 March 2026 (2026-W10)\n"))
    #expect(whole.components(separatedBy: "<details>").count == whole.components(separatedBy: "</details>").count)
    #expect(whole.contains("<summary>Retention, all weeks</summary>\n\n"))
    let one = text(.sections([.retention]))
    #expect(!one.contains("<details>") && one.contains("### Retention, all weeks\n") && !one.contains("Granted, all"))
  }
}
