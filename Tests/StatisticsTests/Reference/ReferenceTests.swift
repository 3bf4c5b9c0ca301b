// Every case of the reference file against the library.

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

  @Test func everyCase() throws {
    let cases = try ReferenceCase.all()
    var run = 0
    var known: Set<String> = []
    for item in cases {
      let check = try #require(Self.methods[item.method], "unknown method \(item.method)")
      let comparison = ReferenceCheck(item)
      try check(item, comparison)
      comparison.finish()
      known.insert(item.method)
      run += 1
    }
    #expect(run == 184)
    #expect(known.count == 37)
    #expect(known == Set(Self.methods.keys))
  }
}
