// Every case of the reference files against the library.

import Testing

@testable import Statistics

@Suite struct ReferenceTests {
  typealias Check = @Sendable (ReferenceCase, ReferenceCheck) throws -> Void

  static let methods: [String: Check] =
    proportionMethods
    .merging(sequentialMethods) { $1 }
    .merging(bayesianMethods) { $1 }
    .merging(meanMethods) { $1 }
    .merging(survivalMethods) { $1 }
    .merging(planningMethods) { $1 }

  /// Methods of the file of repeated looks that the library does not have.
  static let leftOut: Set<String> = [
    "beta_mixture_evalue", "day_block_evalue", "cochran_armitage_trend",
  ]

  @Test func everyCase() throws {
    let known = try run(ReferenceCase.all("stats_reference"), count: 184)
    #expect(known.count == 37)
    #expect(known == Set(Self.methods.keys))
  }

  @Test func everyCaseOfRepeatedLooks() throws {
    let cases = try ReferenceCase.all("sequential_reference")
    #expect(cases.count == 40)
    let left = cases.filter { Self.leftOut.contains($0.method) }
    #expect(Set(left.map(\.method)) == Self.leftOut)
    let known = try run(cases.filter { !Self.leftOut.contains($0.method) }, count: 33)
    #expect(
      known == Set(Self.repeatedLookMethods.keys).subtracting(["stagewise_estimate"]).union(["group_sequential_bounds"])
    )
  }

  @Test func everyCaseOfEstimates() throws {
    #expect(try run(ReferenceCase.all("estimate_reference"), count: 18) == ["stagewise_estimate"])
  }

  /// Runs the cases; the methods that occurred.
  private func run(_ cases: [ReferenceCase], count: Int) throws -> Set<String> {
    let methods = Self.methods.merging(Self.repeatedLookMethods) { $1 }
    var run = 0
    for item in cases {
      let check = try #require(methods[item.method], "unknown method \(item.method)")
      let comparison = ReferenceCheck(item)
      try check(item, comparison)
      comparison.finish()
      run += 1
    }
    #expect(run == count)
    return Set(cases.map(\.method))
  }
}
