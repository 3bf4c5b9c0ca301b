// The normal form of a name, so that `Push Permission Denied`, `push_permission_denied`, `pushPermissionDenied` and
// `PUSH-PERMISSION-DENIED` are one: letters in lower case, words joined by one underscore, brackets and dollars left out.

/// A name in normal form, with an underscore at both ends: `_push_permission_denied_`.
package struct NormalName: Hashable, Sendable {
  let bytes: [UInt8]
  /// A sign in it asks or denies: `!granted`, `Granted?`, `≠`.
  let isDoubtful: Bool

  private static let separator: UInt8 = 0x5F

  /// - Parameter text: a name in any spelling, as bytes of UTF-8.
  package init(_ text: some Collection<UInt8>) {
    let source = FoldedText.folded(Array(text))
    var result: [UInt8] = [Self.separator]
    result.reserveCapacity(source.count + 8)
    var i = 0
    while i < source.count {
      let byte = source[i]
      if byte >= 0x80 {
        i += Self.take(source, at: i, into: &result)
        continue
      }
      defer { i += 1 }
      // `don't` is `dont`, as it is in `DontAllow`.
      if byte == 0x27 || byte == 0x60, i > 0, Self.isWord(source[i - 1]) { continue }
      guard Self.isUpper(byte) || Self.isLower(byte) else {
        if result.last != Self.separator { result.append(Self.separator) }
        continue
      }
      if Self.beginsWord(source, at: i), result.last != Self.separator { result.append(Self.separator) }
      result.append(Self.isUpper(byte) ? byte | 0x20 : byte)
    }
    if result.count == 1 || result.last != Self.separator { result.append(Self.separator) }
    bytes = FoldedText.caseless(result)
    isDoubtful = Self.doubts(source)
  }

  private static let signs: [[UInt8]] = ["¬", "≠", "×", "❌", "✗", "✘", "✖", "🚫", "⛔", "👎"].map { Array($0.utf8) }

  private static func doubts(_ source: [UInt8]) -> Bool {
    let last = source.lastIndex { $0 != 0x20 }
    for (i, byte) in source.enumerated() {
      // `!granted`, `! granted`, `!=`: an exclamation mark that ends nothing.
      if byte == 0x21, i != last { return true }
      if byte == 0x3F || byte == 0x7E { return true }
      // `-granted`: a sign that is no hyphen between words and no dash between two of them.
      let isStart = i == 0 || source[i - 1] == 0x20 || source[i - 1] == 0x5F || source[i - 1] == 0x3D
      if byte == 0x2D, isStart, i + 1 < source.count, source[i + 1] | 0x20 >= 97, source[i + 1] | 0x20 <= 122 {
        return true
      }
    }
    guard source.contains(where: { $0 >= 0x80 }) else { return false }
    return String(decoding: source, as: UTF8.self).unicodeScalars.contains { $0.value >= 0x80 && FoldedText.isSign($0) }
      || source.indices.contains { i in signs.contains { source[i...].starts(with: $0) } }
  }

  package init(_ text: String) { self.init(text.utf8) }

  private static func isUpper(_ b: UInt8) -> Bool { b >= 65 && b <= 90 }
  private static func isLower(_ b: UInt8) -> Bool { (b >= 97 && b <= 122) || (b >= 48 && b <= 57) || b >= 0x80 }
  private static func isWord(_ b: UInt8) -> Bool { isUpper(b) || isLower(b) }

  /// A word begins at `pD` and, in `HTTPError`, at the last capital.
  private static func beginsWord(_ source: [UInt8], at i: Int) -> Bool {
    guard isUpper(source[i]), i > 0 else { return false }
    let endsCapitals = isUpper(source[i - 1]) && i + 1 < source.count && source[i + 1] >= 97 && source[i + 1] <= 122
    return isLower(source[i - 1]) || endsCapitals
  }

  /// Takes a sign beyond ASCII: a letter as it is, anything else as the end of a word.
  /// - Returns: its bytes.
  private static func take(_ source: [UInt8], at i: Int, into result: inout [UInt8]) -> Int {
    let count = source[i] >= 0xF0 ? 4 : source[i] >= 0xE0 ? 3 : source[i] >= 0xC0 ? 2 : 1
    let piece = source[i..<min(i + count, source.count)]
    let scalar = String(decoding: piece, as: UTF8.self).unicodeScalars.first
    if scalar.map({ FoldedText.isLetter($0) }) ?? true {
      result.append(contentsOf: piece)
    } else if result.last != separator {
      result.append(separator)
    }
    return piece.count
  }

  /// The name without the underscores at its ends.
  package var text: String { String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self) }

  var isEmpty: Bool { bytes.count <= 2 }

  /// The name without any underscore: `Select Photos…` and `selectPhotos` are one.
  var letters: String { String(decoding: bytes.lazy.filter { $0 != Self.separator }, as: UTF8.self) }

  /// The words that the name is made of; digits are words of their own, so that `ios18Prompt` has three.
  var words: [String] {
    var result: [String] = []
    for word in bytes.split(separator: Self.separator) {
      var start = word.startIndex
      for i in word.indices.dropFirst() where Self.isDigit(word[i]) != Self.isDigit(word[i - 1]) {
        result.append(String(decoding: word[start..<i], as: UTF8.self))
        start = i
      }
      result.append(String(decoding: word[start...], as: UTF8.self))
    }
    return result
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
}
