// Which loss is named: none that chance explains.

import PermissionEvents
import Testing

@testable import PermissionAnalysis
@testable import ReportRendering

@Suite struct RankingWordsTests {
  private static let names = ["", "A", "B", "C"].map { Array($0.utf8) }

  private func ranked(_ permission: String, _ counts: [(value: UInt32, base: Int, granted: Int)])
    -> ValueRanking
  {
    ValueRanking(permission: permission, properties: [.surface], names: Self.names, counts)
  }

  private func lead(_ rankings: [ValueRanking]) -> String? {
    RankingWords.lead(rankings, .codes)?.replacing("\u{A0}", with: " ")
  }

  @Test func aLargerLossThatMayBeChanceIsPassedOver() {
    // A lost 200 against a best of 100 users, and may well be as good; C lost fewer, and is worse.
    let sentence = lead([ranked("camera", [(1, 4000, 2000), (2, 100, 55), (3, 270, 30)])])
    #expect(sentence?.hasPrefix("camera on C: 11.1 % instead of 55.0 % on B") == true, "\(sentence ?? "")")
  }

  @Test func aDifferenceOfOneOfManyPermissionsIsNotNamed() {
    let one = ranked("camera", [(1, 200, 100), (2, 200, 78)])
    #expect(lead([one])?.hasPrefix("camera on B") == true)
    let others = (0..<9).map { ranked("custom\($0)", [(1, 200, 100), (2, 200, 100)]) }
    #expect(lead([one] + others) == "No loss is shown: no value is surely worse than the best.")
  }

  @Test func withoutABestNothingIsMeasured() {
    let sentence = lead([ranked("camera", [(1, 99, 90), (2, 99, 9)])])
    #expect(sentence == "No value has a base of 100 or more, so there is no best to measure against.")
    #expect(lead([]) == nil)
  }
}
