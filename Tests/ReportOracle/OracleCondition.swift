// Conditions on the exposure, read in the plainest way.

/// "`--where PROPERTY=V1,V2`, `!=`, and for versions `>= > <= <` (numeric by component): conditions on the exposure; several all hold;
/// `country=` is no value".
public struct OracleCondition: Sendable {
  public var property: String
  public var comparison: String
  /// An empty one is no value.
  public var values: [String]

  public init(_ property: String, _ comparison: String, _ values: [String]) {
    (self.property, self.comparison, self.values) = (property, comparison, values)
  }

  /// As it is given, and as the outputs have it (a reading): each value once, in the order of their bytes. For values without commas.
  public var text: String {
    property + comparison + Set(values.map(Bytes.init)).sorted().map(\.text).joined(separator: ",")
  }

  func holds(_ exposure: OracleEvent) -> Bool {
    let value = Bytes(exposure.property(property) ?? "")
    let isOne = values.contains { Bytes($0) == value }
    switch comparison {
    case "=": return isOne
    case "!=": return !isOne
    default:
      // Reading: whether a text that is no version is before or after one is unknown, so the condition does not hold.
      guard let own = numbers(value.text), let other = numbers(values.first ?? "") else { return false }
      // A component that one of them lacks is 0.
      func component(_ version: [Int], _ place: Int) -> Int { place < version.count ? version[place] : 0 }
      let differing = (0..<max(own.count, other.count)).first { component(own, $0) != component(other, $0) }
      let sign = differing.map { component(own, $0) - component(other, $0) } ?? 0
      switch comparison {
      case ">=": return sign >= 0
      case ">": return sign > 0
      case "<=": return sign <= 0
      default: return sign < 0
      }
    }
  }

  /// The components of a version; nil if it is none.
  private func numbers(_ version: String) -> [Int]? {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    return parts.contains { $0 == nil } ? nil : parts.compactMap { $0 }
  }
}

extension Bytes {
  var text: String { String(decoding: utf8, as: UTF8.self) }
}

extension [OracleCondition] {
  func hold(_ exposure: OracleEvent) -> Bool { allSatisfy { $0.holds(exposure) } }

  var json: OracleJSON { .array(map { .string($0.text) }) }

  /// Up to three conditions, most of which some exposures meet.
  static func random(of events: [OracleEvent], using random: inout SplitMix64) -> [OracleCondition] {
    let stored = withoutDuplicates(events)
    return (0..<random.pick([1, 1, 2, 3], or: 1)).map { _ in
      if random.once(in: 3) {
        let property = random.pick(["app_version", "app_version", "os_version"], or: "app_version")
        let versions = ["1.9", "1.10", "1.9.0", "2", "1.9.5", "26.1", "0"]
        return OracleCondition(
          property, random.pick([">=", ">", "<=", "<"], or: ">="), [random.pick(versions, or: "2")])
      }
      let property = random.pick(oracleProperties, or: "country")
      let known = [""] + names(stored.compactMap { $0.property(property) })
      let values = known.filter { _ in random.once(in: 2) }
      return OracleCondition(
        property, random.pick(["=", "=", "!="], or: "="), values.isEmpty ? [random.pick(known, or: "")] : values)
    }
  }
}
