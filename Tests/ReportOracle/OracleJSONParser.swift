// Reads JSON text into the oracle's tree: strict, with whole numbers kept apart from fractions.

import Foundation

/// Why a text is not JSON, and the byte where that shows.
public struct OracleJSONError: Error, CustomStringConvertible {
  public let description: String
}

extension OracleJSON {
  /// Reads one JSON value (RFC 8259) and nothing after it.
  ///
  /// - Throws: ``OracleJSONError`` for anything that is not JSON, and for an object with the same key twice.
  public init(parsing data: Data) throws {
    var parser = OracleJSONParser(bytes: Array(data))
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == parser.bytes.count else { throw parser.error("text after the value") }
    self = value
  }
}

private struct OracleJSONParser {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  func error(_ what: String) -> OracleJSONError { OracleJSONError(description: "\(what) at byte \(position)") }

  mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  /// Steps over a byte if it comes next.
  mutating func take(_ character: Character) -> Bool {
    guard next == character.asciiValue else { return false }
    position += 1
    return true
  }

  mutating func word(_ text: String, _ value: OracleJSON) throws -> OracleJSON {
    guard bytes[position...].starts(with: text.utf8) else { throw error("unknown word") }
    position += text.utf8.count
    return value
  }

  mutating func value(depth: Int) throws -> OracleJSON {
    guard depth < 100 else { throw error("nested too deep") }
    skipSpace()
    guard let byte = next else { throw error("text ends") }
    switch Character(Unicode.Scalar(byte)) {
    case "{": return try object(depth: depth + 1)
    case "[": return try array(depth: depth + 1)
    case "\"": return .string(try string())
    case "t": return try word("true", .bool(true))
    case "f": return try word("false", .bool(false))
    case "n": return try word("null", .null)
    default: return try number()
    }
  }

  mutating func object(depth: Int) throws -> OracleJSON {
    position += 1
    var members: [OracleMember] = []
    var keys: Set<String> = []
    skipSpace()
    if take("}") { return .object([]) }
    repeat {
      skipSpace()
      let key = try string()
      guard keys.insert(key).inserted else { throw error("key \(key) twice") }
      skipSpace()
      guard take(":") else { throw error("no colon") }
      members.append(OracleMember(key: key, value: try value(depth: depth)))
      skipSpace()
    } while take(",")
    guard take("}") else { throw error("object not closed") }
    return .object(members)
  }

  mutating func array(depth: Int) throws -> OracleJSON {
    position += 1
    var elements: [OracleJSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    repeat {
      elements.append(try value(depth: depth))
      skipSpace()
    } while take(",")
    guard take("]") else { throw error("array not closed") }
    return .array(elements)
  }

  /// A string: its end is found here, its escapes are left to Foundation.
  mutating func string() throws -> String {
    let start = position
    guard take("\"") else { throw error("no string") }
    while let byte = next, byte != 0x22 {
      position += byte == 0x5C ? 2 : 1
    }
    guard take("\"") else { throw error("string not closed") }
    guard let text = try? JSONDecoder().decode([String].self, from: Data([0x5B] + bytes[start..<position] + [0x5D])),
      let only = text.first
    else { throw error("unreadable string") }
    return only
  }

  mutating func number() throws -> OracleJSON {
    let start = position
    while let byte = next, "+-.0123456789eE".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    let grammar = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/
    guard text.wholeMatch(of: grammar) != nil, let real = Double(text), real.isFinite else {
      throw error("no number")
    }
    return Int(text).map { .int($0) } ?? .double(real)
  }
}
