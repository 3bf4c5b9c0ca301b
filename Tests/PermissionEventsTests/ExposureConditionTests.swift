// Conditions on the exposure: how they are read and what they hold for.

import PermissionEvents
import Testing

@Suite struct ExposureConditionTests {
  private func condition(_ text: String) throws -> ExposureCondition { try ExposureCondition(parsing: text) }

  private func holds(_ text: String, _ value: String) throws -> Bool { try condition(text).holds(Array(value.utf8)) }

  @Test(arguments: [
    ("country=DE,AT", "AT", true), ("country=DE,AT", "FR", false), ("country=DE,AT", "", false),
    ("country=", "", true), ("country=", "DE", false), ("country=DE,", "", true),
    ("country!=DE", "", true), ("country!=", "", false), ("country!=", "DE", true), ("country!=DE,AT", "AT", false),
    ("country = DE , AT ", "AT", true), ("surface=a\\,b", "a,b", true), ("surface=a\\\\", "a\\", true),
    ("surface=\\ a", " a", true), ("surface= a", " a", false), ("surface=a=b", "a=b", true),
    ("country=de", "DE", false),
    ("app_version>=3.2", "3.10", true), ("app_version>=3.10", "3.9", false), ("app_version>=3.2", "3.2.0", true),
    ("app_version>3.2", "3.2.0", false), ("app_version>3.2", "3.2.1", true), ("app_version<3.2", "3.1.9", true),
    ("app_version<=3.2.0.0", "3.2", true), ("app_version>=3.2", "v3.3", true), ("app_version>=3.2", "", false),
    ("app_version>=3.2", "3.3-beta", false), ("app_version<3.2", "3.3-beta", false), ("os_version>=17", "17.4", true),
    ("app_version=3.2", "3.2.0", false),
  ])
  func aConditionHoldsForWhatItSays(text: String, value: String, expected: Bool) throws {
    #expect(try holds(text, value) == expected)
  }

  @Test(arguments: ["country=DE,AT", "country!=", "app_version>=3.2", "surface=a\\,b,\\\\", "surface=\\ a,b"])
  func theOneFormOfAConditionIsReadAsTheSame(text: String) throws {
    let first = try condition(text)
    #expect(try condition(first.description) == first)
  }

  /// Of bytes that commas, backslashes, blanks and operators are among, and marks that combine with any of them.
  @Test func theOneFormOfAnyValuesIsReadAsTheSame() throws {
    let pieces = [" ", ",", "\\", "=", "!", "\u{301}", "\u{200D}", "e", "\u{1F1E9}", "\n", "\r\n", "%", "\u{0}", "\t"]
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = Numbers(state: seed)
    for _ in 0..<5000 {
      let values = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
        (0..<Int.random(in: 0...5, using: &numbers)).flatMap { _ in
          Array((pieces.randomElement(using: &numbers) ?? "").utf8)
        }
      }
      for comparison in [ExposureCondition.Comparison.isOneOf, .isNoneOf] {
        let first = try ExposureCondition(.surface, comparison, values)
        let again = try condition(first.description)
        #expect(again == first && again.values == first.values, "seed \(seed): \(first)")
      }
    }
  }

  @Test(arguments: [
    ("surface=\u{301}", "\u{301}"), ("surface=a,\u{301}b", "\u{301}b"), ("surface=a\\ ", "a "), ("surface= \\ ", " "),
  ])
  func aMarkThatCombinesBelongsToTheValue(text: String, value: String) throws {
    #expect(try holds(text, value))
  }

  @Test func noValuesAreRefusedAsSuch() {
    #expect(throws: ConditionError.noValues("country")) { try ExposureCondition(.country, .isOneOf, []) }
  }

  @Test func theOrderOfValuesDoesNotMatter() throws {
    #expect(try condition("country=DE,AT,DE") == condition("country=AT,DE"))
    #expect(try condition("country=DE,AT").description == "country=AT,DE")
  }

  @Test(arguments: [
    ("app_version", "app_version has no operator (= != >= > <= <)"), ("", " has no operator"),
    ("permission=camera", "permission is not a property of the exposure"), ("colour=red", "colour is not a property"),
    ("=DE", " is not a property"), ("country>=DE", "only app_version and os_version have an order"),
    ("app_version>=", "like 3.2, not nothing"), ("app_version>=3.x", "like 3.2, not 3.x"),
    ("app_version>=3,4", "like 3.2, not 3,4"),
    ("app_version>=9999999999999999999", "needs one version"),
  ])
  func whatIsNoConditionIsRefusedWithAReason(text: String, reason: String) {
    do {
      _ = try ExposureCondition(parsing: text)
      Issue.record("it was read")
    } catch {
      #expect(error.description.contains(reason), "\(error)")
    }
  }

  @Test func noConditionHasManyOrLongValues() {
    let many = "country=" + (0...1000).map { "c\($0)" }.joined(separator: ",")
    #expect(throws: ConditionError.tooManyValues("country")) { try ExposureCondition(parsing: many) }
    let long = "country=" + String(repeating: "x", count: 257)
    #expect(throws: ConditionError.self) { try ExposureCondition(parsing: long) }
  }
}

/// SplitMix64.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
