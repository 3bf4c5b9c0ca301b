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

  /// A number, or null where it is nil or not finite.
  package static func optional(_ value: Double?) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    return .number(value)
  }

  package static func optional(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
  package static func optional(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

  /// The bytes of the value, indented by two spaces a level; objects of plain values stay on one line.
  package func encode() -> [UInt8] {
    var out: [UInt8] = []
    write(into: &out, indent: 0)
    out.append(0x0A)
    return out
  }

  private var isPlain: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }

  private func write(into out: inout [UInt8], indent: Int) {
    switch self {
    case .null: out += "null".utf8
    case .bool(let value): out += (value ? "true" : "false").utf8
    case .integer(let value): out += String(value).utf8
    case .number(let value):
      if value == value.rounded(), abs(value) < 1e15 {
        out += String(Int(value)).utf8
      } else {
        out += value.description.utf8
      }
    case .string(let value): Self.write(value, into: &out)
    case .array(let values):
      Self.write(values.map { (nil, $0) }, "[", "]", into: &out, indent: indent)
    case .object(let members):
      Self.write(members.map { (Optional($0.0), $0.1) }, "{", "}", into: &out, indent: indent)
    }
  }

  private static func write(
    _ members: [(String?, JSONValue)], _ open: String, _ close: String, into out: inout [UInt8], indent: Int
  ) {
    out += open.utf8
    let isFlat = members.allSatisfy { $0.1.isPlain }
    for (i, member) in members.enumerated() {
      if i > 0 { out += (isFlat ? ", " : ",").utf8 }
      if !isFlat {
        out.append(0x0A)
        out += repeatElement(0x20, count: indent + 2)
      }
      if let key = member.0 {
        write(key, into: &out)
        out += ": ".utf8
      }
      member.1.write(into: &out, indent: indent + 2)
    }
    if !isFlat && !members.isEmpty {
      out.append(0x0A)
      out += repeatElement(0x20, count: indent)
    }
    out += close.utf8
  }

  private static func write(_ text: String, into out: inout [UInt8]) { JSONText.write(text.utf8, into: &out) }
}
