// The whole of a comparison in every form, as people see it.

import PermissionAnalysis
import PermissionEvents
import ReportRendering
import Testing

@Suite struct ComparisonSnapshotTests {
  private func text(_ set: ComparisonSet, _ style: TextStyle) -> [UInt8] {
    ComparisonDocument.render(set, .text, style)
  }

  @Test func won() throws {
    try Snapshots.check(text(SampleComparisons.won, TextStyle(width: 60)), "compare-won-60.txt")
    try Snapshots.check(text(SampleComparisons.won, TextStyle(width: 80)), "compare-won-80.txt")
    try Snapshots.check(text(SampleComparisons.won, TextStyle(width: 120)), "compare-won-120.txt")
    try Snapshots.check(text(SampleComparisons.won, TextStyle(width: 80, isASCII: true)), "compare-won-80-ascii.txt")
  }

  @Test func severalMessages() throws {
    for width in [60, 80, 120] {
      try Snapshots.check(text(SampleComparisons.several, TextStyle(width: width)), "compare-several-\(width).txt")
    }
    try Snapshots.check(ComparisonDocument.render(SampleComparisons.several, .markdown), "compare-several.md")
  }

  @Test func undecided() throws {
    try Snapshots.check(text(SampleComparisons.running, TextStyle(width: 80)), "compare-running-80.txt")
    try Snapshots.check(text(SampleComparisons.tooEarly, TextStyle(width: 80)), "compare-too-early-80.txt")
  }

  @Test func fewEvents() throws {
    try Snapshots.check(text(SampleComparisons.fewEvents, TextStyle(width: 80)), "compare-few-events-80.txt")
  }

  @Test func declaredLooks() throws {
    try Snapshots.check(text(SampleComparisons.declared, TextStyle(width: 80)), "compare-looks-80.txt")
  }

  @Test func markdown() throws {
    try Snapshots.check(ComparisonDocument.render(SampleComparisons.noDifference, .markdown), "compare-none.md")
  }

  @Test func html() throws {
    try Snapshots.check(ComparisonDocument.render(SampleComparisons.won, .html), "compare-won.html")
  }
}
