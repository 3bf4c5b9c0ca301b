// Conditions on the properties of an exposure, which select the journeys of a report.

/// One condition on a property of the exposure, as `country=DE,AT`, `country!=DE`, `country=` (no value) or `app_version>=3.2`.
/// Of several all must hold.
///
/// For example:
///
/// ```swift
/// let condition = try ExposureCondition(parsing: "app_version>=3.10")
/// condition.holds(Array("3.9".utf8))  // false: versions compare by their numbers
/// ```
public struct ExposureCondition: Sendable, Hashable, CustomStringConvertible {
  public enum Comparison: String, Sendable, CaseIterable {
    // Longer ones first: the first that fits is taken.
    case isNoneOf = "!="
    case isAtLeast = ">="
    case isAtMost = "<="
    case isOneOf = "="
    case isAfter = ">"
    case isBefore = "<"

    /// Whether the operator compares versions.
    public var ofVersions: Bool { self != .isOneOf && self != .isNoneOf }
  }

  public let field: StringField
  public let comparison: Comparison
  /// Each once, in the order of their bytes; an empty one means no value. A comparison of versions has one.
  public let values: [[UInt8]]
  private let version: VersionNumber?

  /// The fields with versions as values.
  public static let versions: [StringField] = [.appVersion, .osVersion]
  /// Properties of an exposure.
  public static let fields = StringField.allCases.filter { $0 != .permission }
  /// Most values of a condition.
  public static let mostValues = 1000

  public init(_ field: StringField, _ comparison: Comparison, _ values: [[UInt8]]) throws(ConditionError) {
    guard Self.fields.contains(field) else { throw .unknownProperty(field.name) }
    let ordered = Set(values).sorted { $0.lexicographicallyPrecedes($1) }
    if ordered.isEmpty { throw .noValues(field.name) }
    guard ordered.count <= Self.mostValues else { throw .tooManyValues(field.name) }
    if let long = ordered.first(where: { $0.count > StringField.maximumLength }) { throw .tooLong(field.name, long) }
    version = comparison.ofVersions ? VersionNumber(ordered[0]) : nil
    if comparison.ofVersions {
      guard Self.versions.contains(field) else { throw .noVersions(field.name, comparison.rawValue) }
      guard ordered.count == 1, version != nil else {
        throw .notAVersion(field.name, String(bounded: Array(ordered.joined(separator: [0x2C]))))
      }
    }
    (self.field, self.comparison, self.values) = (field, comparison, ordered)
  }

  /// Whether the condition holds for a value of the field (empty if the exposure has no value). A text that is not a
  /// version has no order, so no comparison of versions holds for it.
  public func holds(_ value: [UInt8]) -> Bool {
    switch comparison {
    case .isOneOf: return values.contains(value)
    case .isNoneOf: return !values.contains(value)
    case .isAtLeast, .isAtMost, .isAfter, .isBefore:
      guard let version, let other = VersionNumber(value) else { return false }
      return switch comparison {
      case .isAtLeast: other >= version
      case .isAtMost: other <= version
      case .isAfter: other > version
      default: other < version
      }
    }
  }

  /// The condition in its canonical form, which can be parsed.
  public var description: String {
    // As it is: each value has at most 256 bytes.
    field.name + comparison.rawValue
      + String(decoding: Array(values.map(Self.escaped).joined(separator: [0x2C])), as: UTF8.self)
  }

  /// Byte for byte: a mark that combines with a comma is not part of it.
  private static func escaped(_ value: [UInt8]) -> [UInt8] {
    value.indices.flatMap { index -> [UInt8] in
      let byte = value[index]
      // A space at an end would be trimmed.
      let isAtEnd = index == 0 || index == value.count - 1
      return byte == 0x2C || byte == 0x5C || byte == 0x20 && isAtEnd ? [0x5C, byte] : [byte]
    }
  }

  /// Reads a condition. Spaces around the operator and the values are trimmed; `\,` is a comma within a value, `\\` a backslash.
  public init(parsing text: String) throws(ConditionError) {
    // Bytes again: a mark that combines with the operator belongs to the value.
    let operators = Set(Comparison.allCases.flatMap(\.rawValue.utf8))
    let name = text.utf8.prefix { !operators.contains($0) }
    let trimmed = Self.trimmed(Substring(name))
    let rest = text.utf8[name.endIndex...]
    guard let comparison = Comparison.allCases.first(where: { rest.starts(with: $0.rawValue.utf8) }) else {
      throw .noOperator(text)
    }
    guard let field = StringField.allCases.first(where: { $0.name == trimmed }) else {
      throw .unknownProperty(String(trimmed))
    }
    try self.init(field, comparison, Self.values(rest.dropFirst(comparison.rawValue.utf8.count)))
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func values(_ text: Substring.UTF8View) -> [[UInt8]] {
    var values: [[UInt8]] = []
    var value: [UInt8] = []
    // The number of bytes of `value` before which no spaces are trimmed.
    var kept = 0
    var isEscaped = false
    func end() {
      while value.count > kept, value.last == 0x20 { value.removeLast() }
      values.append(value)
      value = []
      kept = 0
    }
    for byte in text {
      switch byte {
      case _ where isEscaped:
        value.append(byte)
        kept = value.count
        isEscaped = false
      case 0x5C: isEscaped = true
      case 0x2C: end()
      case 0x20 where value.isEmpty: break
      default: value.append(byte)
      }
    }
    end()
    return values
  }
}

/// Why a condition cannot be read.
public enum ConditionError: Error, Sendable, Hashable, CustomStringConvertible {
  case noOperator(String)
  case unknownProperty(String)
  /// The property's values have no order of versions.
  case noVersions(String, String)
  case notAVersion(String, String)
  case noValues(String)
  case tooManyValues(String)
  case tooLong(String, [UInt8])

  public var description: String {
    switch self {
    case .noOperator(let text):
      "\(text) has no operator (= != >= > <= <). In a shell a condition needs quotes, like 'app_version>=3.2'"
    case .unknownProperty(let name):
      "\(name) is not a property of the exposure. Use one of "
        + "\(ExposureCondition.fields.map(\.name).joined(separator: ", "))"
    case .noVersions(let name, let comparison):
      "\(name) is compared only with = or !=, not with \(comparison): only app_version and os_version have an order"
    case .notAVersion(let name, let value):
      "\(name) needs one version like 3.2, not \(value.isEmpty ? "nothing" : value)"
    case .noValues(let name):
      "\(name) has no value to compare with: name one, or the empty value for exposures without it"
    case .tooManyValues(let name):
      "\(name) has more than \(ExposureCondition.mostValues) values"
    case .tooLong(let name, let value):
      "\(name) has a value of \(value.count) bytes; the longest value has \(StringField.maximumLength)"
    }
  }
}

/// A version by its numbers: `3.10` is after `3.9`, and `3.2` is `3.2.0`.
public struct VersionNumber: Comparable, Sendable, Hashable {
  /// Without zeros at the end.
  private let numbers: [UInt64]

  /// nil if a text is anything but numbers with points between them. A `v` before it is left out.
  public init?(_ text: [UInt8]) {
    let digits = text.first == 0x76 || text.first == 0x56 ? text.dropFirst() : text[...]
    var numbers: [UInt64] = []
    for part in digits.split(separator: 0x2E, omittingEmptySubsequences: false) {
      // 18 digits fit into 64 bits.
      guard (1...18).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      numbers.append(part.reduce(0) { $0 * 10 + UInt64($1 - 0x30) })
    }
    while numbers.last == 0 { numbers.removeLast() }
    self.numbers = numbers
  }

  public static func < (a: VersionNumber, b: VersionNumber) -> Bool { a.numbers.lexicographicallyPrecedes(b.numbers) }
}
