// Text as an export may bring it, to be shown without harm.

import PermissionAnalysis
import PermissionEvents

enum HostileText {
  static let values: [[UInt8]] =
    [
      "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'/><svg onload=alert(1)>", "]]>", "&lt;b&gt;",
      "-->", "a\u{0}b\u{1B}[2J\u{85}", "\u{202E}evil\u{2066}", "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)",
      "'quoted",
      "a,b\r\nc\"d", "|pipe|", "[x](http://evil)", "`code`", "**bold** _it_", "@octocat #12 www.example.org", "\\",
      "\u{FEFF}bom", "\u{FFFF}", "שלום", "日本語", "e\u{301}", String(repeating: "long ", count: 50),
    ].map { Array($0.utf8) } + [[0xFF, 0xFE, 0x3C], [0xC3, 0x28], [0xED, 0xA0, 0x80]]

  /// A report by property of the sample app, its users spread over all the values.
  static func report() -> Report {
    var histories = SampleHistories.app()
    histories.propertyBytes = [[]] + values
    for i in histories.users.indices {
      for j in histories.users[i].indices { histories.users[i][j].property = UInt32(i % (values.count + 1)) }
    }
    return histories.report(asOf: SampleHistories.sampleEnd) {
      $0.properties = [.variant]
      $0.permission = PermissionCode.taxonomy[0]
    }
  }
}
