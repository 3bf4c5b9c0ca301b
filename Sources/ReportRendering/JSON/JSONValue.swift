// JSON output: keys in the order of the contract, numbers in full precision, null for what is unknown.

/// A JSON value to be written.
package indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([(String, JSONValue)])
  /// A value that has been written already.
  case encoded([UInt8])

  /// A number, or null where it is nil or not finite.
  package static func optional(_ value: Double?) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    return .number(value)
  }

  package static func optional(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
  package static func optional(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

  /// The bytes of the value, indented by two spaces a level; objects of plain values stay on one line.
  /// - Parameter capacity: bytes to make room for at once, where they will be many.
  package func encode(capacity: Int = 0) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(capacity)
    write(into: &out, indent: 0)
    out.append(0x0A)
    return out
  }

  private var isPlain: Bool {
    switch self {
    case .array, .object, .encoded: false
    default: true
    }
  }

  private func write(into out: inout [UInt8], indent: Int) {
    switch self {
    case .null: out.append(contentsOf: "null".utf8)
    case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): out.append(contentsOf: String(value).utf8)
    case .number(let value): out.append(contentsOf: NumberText.exact(value).utf8)
    case .string(let value): JSONText.write(value, into: &out)
    case .encoded(let bytes): out.append(contentsOf: bytes)
    case .array(let values):
      let isFlat = values.allSatisfy(\.isPlain)
      out.append(0x5B)
      for (i, value) in values.enumerated() {
        Self.separate(i, isFlat, into: &out, indent: indent)
        value.write(into: &out, indent: indent + 2)
      }
      if !isFlat { Self.newLine(into: &out, indent: indent) }
      out.append(0x5D)
    case .object(let members):
      let isFlat = members.allSatisfy { $0.1.isPlain }
      out.append(0x7B)
      for (i, member) in members.enumerated() {
        Self.separate(i, isFlat, into: &out, indent: indent)
        JSONText.write(member.0, into: &out)
        out.append(0x3A)
        out.append(0x20)
        member.1.write(into: &out, indent: indent + 2)
      }
      if !isFlat { Self.newLine(into: &out, indent: indent) }
      out.append(0x7D)
    }
  }

  private static func separate(_ i: Int, _ isFlat: Bool, into out: inout [UInt8], indent: Int) {
    if i > 0 { out.append(0x2C) }
    if !isFlat {
      newLine(into: &out, indent: indent + 2)
    } else if i > 0 {
      out.append(0x20)
    }
  }

  private static func newLine(into out: inout [UInt8], indent: Int) {
    out.append(0x0A)
    for _ in 0..<indent { out.append(0x20) }
  }
}
