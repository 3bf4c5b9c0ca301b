// The normal form of a name, so that `Push Permission Denied`, `push_permission_denied`, `pushPermissionDenied` and
// `PUSH-PERMISSION-DENIED` are one: letters in lower case, words joined by one underscore, brackets and dollars left out.

/// A name in normal form, with an underscore at both ends: `_push_permission_denied_`.
package struct NormalName: Hashable, Sendable {
  let bytes: [UInt8]

  private static let separator: UInt8 = 0x5F

  /// - Parameter text: a name in any spelling, as bytes of UTF-8.
  package init(_ text: some Collection<UInt8>) {
    let source = Array(text)
    var result: [UInt8] = [Self.separator]
    result.reserveCapacity(source.count + 8)
    func isUpper(_ b: UInt8) -> Bool { b >= 65 && b <= 90 }
    func isLower(_ b: UInt8) -> Bool { (b >= 97 && b <= 122) || (b >= 48 && b <= 57) || b >= 0x80 }
    func isLetter(_ b: UInt8) -> Bool { (b | 0x20) >= 97 && (b | 0x20) <= 122 }
    for (i, byte) in source.enumerated() {
      guard isUpper(byte) || isLower(byte) else {
        if result.last != Self.separator { result.append(Self.separator) }
        continue
      }
      if isUpper(byte), i > 0, result.last != Self.separator {
        // A word begins at `pD` and, in `HTTPError`, at the last capital.
        let endsCapitals =
          isUpper(source[i - 1]) && i + 1 < source.count && source[i + 1] | 0x20 == source[i + 1]
          && isLetter(source[i + 1])
        if isLower(source[i - 1]) || endsCapitals { result.append(Self.separator) }
      }
      result.append(isUpper(byte) ? byte | 0x20 : byte)
    }
    if result.count == 1 || result.last != Self.separator { result.append(Self.separator) }
    bytes = result
  }

  package init(_ text: String) { self.init(text.utf8) }

  /// The name without the underscores at its ends.
  package var text: String { String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self) }

  var isEmpty: Bool { bytes.count <= 2 }

  /// The words that the name is made of.
  var words: [ArraySlice<UInt8>] { bytes.split(separator: Self.separator) }

  /// True where one of the words, or of the words joined by underscores, stands in the name as a whole.
  func hasAny(_ list: WordList) -> Bool { bytes.withUnsafeBufferPointer { list.isIn($0) } }

  /// Both names, one behind the other.
  static func + (a: NormalName, b: NormalName) -> NormalName { NormalName(a.bytes + b.bytes) }
}
