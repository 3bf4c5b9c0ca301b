// A small JSON tree that keeps the order of keys and keeps whole numbers apart from fractions.

/// A JSON value.
public enum OracleJSON: Equatable, Sendable {
  case object([OracleMember])
  case array([OracleJSON])
  case string(String)
  case int(Int)
  case double(Double)
  case bool(Bool)
  case null

  /// The value of a key of an object; nil for a missing key and for other values.
  public subscript(key: String) -> OracleJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// An element of an array; nil outside of it and for other values.
  public subscript(index: Int) -> OracleJSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The number of elements of an array, or of keys of an object; 0 for other values.
  public var count: Int {
    switch self {
    case .array(let elements): elements.count
    case .object(let members): members.count
    default: 0
    }
  }

  /// The number, whole or not; nil for other values.
  public var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}

/// One key of an object and its value.
public struct OracleMember: Equatable, Sendable {
  public var key: String
  public var value: OracleJSON

  public init(key: String, value: OracleJSON) {
    self.key = key
    self.value = value
  }
}

extension OracleJSON: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, OracleJSON)...) {
    self = .object(elements.map { OracleMember(key: $0.0, value: $0.1) })
  }
}

extension OracleJSON {
  /// Null for nil: "an unknown value is null, never 0 or NaN".
  static func text(_ value: String?) -> OracleJSON { value.map { .string($0) } ?? .null }
  static func real(_ value: Double?) -> OracleJSON { value.map { .double($0) } ?? .null }
  static func whole(_ value: Int?) -> OracleJSON { value.map { .int($0) } ?? .null }
}

/// The contract's R: a value with its interval, if it has one.
struct OracleEstimate {
  var value: Double
  var low: Double?
  var high: Double?

  /// `{"value","low","high"}`, null for nil ("null where a denominator is 0").
  static func json(_ estimate: OracleEstimate?) -> OracleJSON {
    guard let estimate else { return .null }
    return ["value": .double(estimate.value), "low": .real(estimate.low), "high": .real(estimate.high)]
  }
}
