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
    ("www.x.org", "www\u{200B}.x.org"), ("a\nb", "a\u{FFFD}b"), ("$x$ ~y~", "\\$x\\$ \\~y\\~"),
  ])
  func signsMeanNothing(text: String, escaped: String) {
    #expect(MarkdownText.escape(text).unicodeScalars.elementsEqual(escaped.unicodeScalars))
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
}
