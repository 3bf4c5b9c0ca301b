// Reading the reference file, and comparing with it.

import Foundation
import Statistics
import Testing

/// One case of the reference file.
struct ReferenceCase {
  let id: String
  let method: String
  let inputs: [String: Any]
  let expected: [String: Any]
  let relative: Double
  let absolute: Double

  static func all(_ file: String) throws -> [ReferenceCase] {
    let url = try #require(Bundle.module.url(forResource: file, withExtension: "json"))
    let root = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    let cases = try #require(root["cases"] as? [[String: Any]])
    return try cases.map { item in
      ReferenceCase(
        id: try #require(item["id"] as? String),
        method: try #require(item["method"] as? String),
        inputs: try #require(item["inputs"] as? [String: Any]),
        expected: try #require(item["expected"] as? [String: Any]),
        relative: try #require(item["rtol"] as? Double),
        absolute: try #require(item["atol"] as? Double)
      )
    }
  }

  func int(_ key: String) throws -> Int { try #require(inputs[key] as? Int, "\(id): \(key)") }
  func double(_ key: String) throws -> Double { try #require(inputs[key] as? Double, "\(id): \(key)") }
  func doubles(_ key: String) throws -> [Double] { try #require(inputs[key] as? [Double], "\(id): \(key)") }
  func ints(_ key: String) throws -> [Int] { try #require(inputs[key] as? [Int], "\(id): \(key)") }
  func string(_ key: String) throws -> String { try #require(inputs[key] as? String, "\(id): \(key)") }

  func sample(_ successes: String, _ trials: String) throws -> BinomialSample {
    try BinomialSample(successes: int(successes), trials: int(trials))
  }
  var first: BinomialSample { get throws { try sample("x1", "n1") } }
  var second: BinomialSample { get throws { try sample("x2", "n2") } }
  var confidence: Double { get throws { try double("conf") } }
}

/// Compares results with the expected values of one case, and at the end that none was left out.
final class ReferenceCheck {
  private let item: ReferenceCase
  private var seen: Set<String> = []

  init(_ item: ReferenceCase) { self.item = item }

  /// |got − want| ≤ atol + rtol |want|; "inf" is infinite, null is no value.
  static func close(_ got: Double?, _ want: Any?, relative: Double, absolute: Double) -> Bool {
    if want == nil || want is NSNull { return got == nil }
    guard let got else { return false }
    if let text = want as? String { return text == "inf" && got == .infinity }
    if let truth = want as? Bool, !(want is Double) { return (got != 0) == truth }
    guard let want = want as? Double else { return false }
    return abs(got - want) <= absolute + relative * abs(want)
  }

  func equal(_ key: String, _ got: Double?, absolute: Double = 0) {
    seen.insert(key)
    let want = item.expected[key]
    #expect(want != nil, "\(item.id): the file has no \(key)")
    #expect(
      Self.close(got, want, relative: item.relative, absolute: max(item.absolute, absolute)),
      "\(item.id) \(key): got \(String(describing: got)), want \(String(describing: want))")
  }

  func equal(_ key: String, _ got: Int?) { equal(key, got.map(Double.init)) }

  func equal(_ key: String, _ got: [Double?]) {
    seen.insert(key)
    let want = item.expected[key] as? [Any] ?? []
    #expect(got.count == want.count, "\(item.id) \(key)")
    for (index, pair) in zip(got, want).enumerated() {
      #expect(
        Self.close(pair.0, pair.1, relative: item.relative, absolute: item.absolute),
        "\(item.id) \(key)[\(index)]: got \(String(describing: pair.0)), want \(pair.1)")
    }
  }

  /// The row of the case's list, by its time; compares each named value.
  func row(_ want: [String: Any], _ values: [String: Double?]) {
    #expect(Set(want.keys) == Set(values.keys), "\(item.id) row")
    for (key, got) in values {
      #expect(
        Self.close(got, want[key], relative: item.relative, absolute: item.absolute),
        "\(item.id) \(key) at \(want["t"] ?? "?"): got \(String(describing: got)), want \(want[key] ?? "-")")
    }
  }

  func mark(_ key: String) { seen.insert(key) }

  func finish() {
    #expect(seen == Set(item.expected.keys), "\(item.id): not compared \(Set(item.expected.keys).subtracting(seen))")
  }
}
