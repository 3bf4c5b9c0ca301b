// Where a value is: a property by its name, or a place in the record by a JSON Pointer (RFC 6901).

/// A place in a record.
package enum PropertyReference: Hashable, Sendable {
  /// A property, looked for in the record's property objects, in any usual spelling.
  case name(String)
  /// The keys from the record's root.
  case pointer([String])

  /// What begins with a slash is a pointer, all else a name.
  init(_ text: String) {
    guard text.hasPrefix("/") else {
      self = .name(text)
      return
    }
    self = .pointer(
      text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { Self.unescape(String($0)) })
  }

  /// `~1` is a slash and `~0` a tilde.
  private static func unescape(_ part: String) -> String {
    var result = ""
    var rest = part[...]
    while let tilde = rest.firstIndex(of: "~") {
      result += rest[..<tilde]
      let code = rest.index(after: tilde)
      guard code < rest.endIndex, rest[code] == "0" || rest[code] == "1" else {
        result += "~"
        rest = rest[code...]
        continue
      }
      result += rest[code] == "1" ? "/" : "~"
      rest = rest[rest.index(after: code)...]
    }
    return result + rest
  }

  /// The keys from the record's root, or the name alone.
  package var keys: [String] {
    switch self {
    case .name(let name): [name]
    case .pointer(let keys): keys
    }
  }

  package var text: String {
    switch self {
    case .name(let name): name
    case .pointer(let keys): keys.map { "/" + $0 }.joined()
    }
  }
}
