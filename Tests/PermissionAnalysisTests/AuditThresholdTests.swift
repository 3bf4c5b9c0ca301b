// Percentages are read and written exactly.

import PermissionAnalysis
import Testing

@Suite struct AuditThresholdTests {
  @Test(arguments: [
    ("0", 0), ("5", 50_000), ("0.1", 1_000), ("99.9999", 999_999), ("100", 1_000_000), ("12.05", 120_500),
  ])
  func aPercentageComesBackAsItWasRead(_ text: String, _ perMillion: Int64) throws {
    let threshold = try #require(AuditThreshold(percent: text))
    #expect(threshold.perMillion == perMillion)
    #expect(threshold.percent == text)
  }

  @Test(arguments: ["", "-1", "100.0001", "101", "1.00001", "1.", ".5", "1e1", "five", "1000"])
  func anythingElseIsNone(_ text: String) { #expect(AuditThreshold(percent: text) == nil) }

  @Test("What lies on the share is there, and one less is not")
  func edges() {
    let tenth = AuditThreshold(perMillion: 1_000)
    #expect(tenth.isReached(by: 1, of: 1_000) && !tenth.isReached(by: 1, of: 1_001))
    #expect(tenth.isReached(by: 3, of: 3_000) && !tenth.isReached(by: 0, of: 0))
    #expect(AuditThreshold(perMillion: 1_000_000).isReached(by: .max, of: .max))
    #expect(!AuditThreshold(perMillion: 1_000_000).isReached(by: .max - 1, of: .max))
  }
}
