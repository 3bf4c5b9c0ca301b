// Sketches of the users of shards: how many there are, and whether two shards have some in common.

import Testing

@testable import Folding

@Suite struct UserSketchTests {
  private static func sketch(_ users: Range<Int>, of job: Int = 0) -> (users: Int64, sketch: UserSketch) {
    var sketch = UserSketch()
    for user in users { sketch.add(Array("user \(job) \(user)".utf8)) }
    return (Int64(users.count), sketch)
  }

  @Test("the number of users is estimated within five standard errors", arguments: [0, 1, 2, 10, 100, 3000, 50_000])
  func estimates(count: Int) {
    for job in 0..<5 {
      let found = Self.sketch(0..<count, of: job).sketch.estimate
      #expect(abs(found - Double(count)) <= max(0.5, 5 * 0.023 * Double(count)), "\(job): \(found)")
    }
  }

  @Test("shards of different users have none in common")
  func disjoint() {
    for job in 0..<300 {
      let (a, b) = (1 << (job % 13), 1 << (job / 13 % 13))
      let shared = UserSketch.shared(Self.sketch(0..<a, of: job), Self.sketch(a..<a + b, of: job))
      #expect(shared == nil, "job \(job): \(a), \(b)")
    }
    // Shards of very few users, all of one job.
    let few = (0..<200).map { Self.sketch($0 * 4..<$0 * 4 + 4) }
    for (number, one) in few.enumerated() {
      for other in few[..<number] { #expect(UserSketch.shared(one, other) == nil) }
    }
  }

  @Test("the same users are noticed, and a quarter of them too", arguments: [3, 10, 1000, 40_000])
  func shared(count: Int) {
    #expect(UserSketch.shared(Self.sketch(0..<count), Self.sketch(0..<count)) == Int64(count))
    guard count > 100 else { return }
    let found = UserSketch.shared(Self.sketch(0..<count), Self.sketch(count * 3 / 4..<count * 7 / 4))
    #expect(abs(Double(found ?? 0) - Double(count) / 4) < 5 * 0.023 * 2 * Double(count), "\(found ?? -1)")
    #expect(found != nil)
  }

  @Test("the text of a sketch is read again, and nothing else is") func text() {
    let (users, sketch) = Self.sketch(0..<500)
    #expect(UserSketch(text: sketch.text) == sketch)
    #expect(sketch.fits(users) && !sketch.fits(100))
    var text = sketch.text
    #expect(UserSketch(text: Array(text.dropLast())) == nil)
    text[7] = UInt8(ascii: "z")
    #expect(UserSketch(text: text) == nil)
    text[7] = UInt8(ascii: " ")
    #expect(UserSketch(text: text) == nil)
  }
}
