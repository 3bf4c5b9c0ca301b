// Which message an install gets.

import Foundation
import Testing

@testable import PermissionRecorder

@Suite struct VariantTests {
  /// Published with GrowthBook's libraries: seed, value, hash of version 2.
  @Test(arguments: [
    ("seed", "a", 505), ("seed", "b", 2696), ("foo", "ab", 2575), ("foo", "def", 2019),
    ("89123klj", "8952klfjas09ujkasdf", 1240), ("90850943850283058242805", "123", 7516),
    ("()**(%$##$%#$#", "___)((*\":&", 128),
  ]) func theHashIsGrowthBooks(_ seed: String, _ value: String, _ bucket: Int) {
    #expect(Variant.bucket(seed, value) == bucket)
  }

  @Test func messagesAreGivenByTheirWeights() {
    var counts: [String: Int] = [:]
    for number in 0..<20_000 {
      let ends = Variant.ends(["A", "B", "C"], [0.5, 0.3, 0.1])
      let index = ends.firstIndex { Variant.bucket("copy", "install-\(number)") < $0 }
      counts[index.map { ["A", "B", "C"][$0] } ?? "none", default: 0] += 1
    }
    // Four standard deviations.
    for (name, share) in [("A", 0.5), ("B", 0.3), ("C", 0.1), ("none", 0.1)] {
      let sigma = (20_000 * share * (1 - share)).squareRoot()
      #expect(abs(Double(counts[name] ?? 0) - 20_000 * share) < 4 * sigma, "\(name): \(counts)")
    }
    #expect(Variant.ends(["A", "B", "C"], nil) == [3334, 6667, 10_000])
  }

  @Test func anInstallKeepsItsMessage() {
    let app = TestApp()
    let first = app.launched().variant("copy", ["A", "B"])
    // Not even other weights move it, nor does a journal that is gone.
    #expect(app.launched().variant("copy", ["A", "B"], weights: [0, 0]) == first)
    #expect(app.launched().variant("copy", ["C"])?.name == "C")
    #expect(app.story == ["assigned", "assigned"])
    #expect(app.disk.events.map(\.surface) == ["hash2 5000:A,10000:B", "hash2 10000:C"])
    #expect(app.launched().variant("other", ["A"], weights: [0]) == nil)
    #expect(app.disk.events.count == 2)
  }

  @Test func aMessageOutlivesItsEvent() async {
    let app = TestApp()
    let first = app.launched().variant("copy", ["A", "B"])
    #expect(await app.launched().send() == .done)
    #expect(app.disk.events.isEmpty)
    #expect(app.launched().variant("copy", ["A", "B"], weights: [0, 0]) == first)
    #expect(app.server.events.map(\.event) == [.assigned])
  }

  @Test func aRuleThatCannotBeSaidIsNotSaid() {
    #expect(Variant.rule(["A,B", "C"], [5000, 10_000]) == nil)
    #expect(Variant.rule([String(repeating: "x", count: 300)], [10_000]) == nil)
    #expect(Variant.rule([], []) == "hash2 ")
  }
}
