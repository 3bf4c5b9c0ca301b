// The normal form of a name, so that `Push Permission Denied`, `push_permission_denied`, `pushPermissionDenied` and
// `PUSH-PERMISSION-DENIED` are one: letters in lower case, words joined by one underscore, brackets and dollars left out.

import CUTF8Proc
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A name in normal form, with an underscore at both ends: `_push_permission_denied_`.
package struct NormalName: Hashable, Sendable {
  let bytes: [UInt8]
  /// Whether a character in it asks or negates: `!granted`, `Granted?`, `≠`.
  package let isDoubtful: Bool

  private static let separator: UInt8 = 0x5F

  /// - Parameter text: a name in any spelling, as bytes of UTF-8.
  package init(_ text: some Collection<UInt8>) {
    let source = FoldedText.folded(Array(text))
    var result: [UInt8] = [Self.separator]
    result.reserveCapacity(source.count + 8)
    // -2 is not 2.
    if source.first == 0x2D, source.count > 1, source.dropFirst().allSatisfy({ Self.isDigit($0) || $0 == 0x2E }) {
      result += Array("minus_".utf8)
    }
    var i = 0
    while i < source.count {
      let byte = source[i]
      if byte >= 0x80 {
        i += Self.take(source, at: i, into: &result)
        continue
      }
      defer { i += 1 }
      // `don't` is `dont`, as in `DontAllow`.
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
      // `-granted`: a sign that is neither a hyphen between words nor a dash between two of them.
      let isStart = i == 0 || source[i - 1] == 0x20 || source[i - 1] == 0x5F || source[i - 1] == 0x3D
      if byte == 0x2D, isStart, i + 1 < source.count, source[i + 1] | 0x20 >= 97, source[i + 1] | 0x20 <= 122 {
        return true
      }
    }
    guard source.contains(where: { $0 >= 0x80 }) else { return false }
    return String(bounded: source).unicodeScalars.contains { $0.value >= 0x80 && FoldedText.isSign($0) }
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

  /// Takes a character beyond ASCII: a letter unchanged, anything else as the end of a word.
  /// - Returns: its bytes.
  private static func take(_ source: [UInt8], at i: Int, into result: inout [UInt8]) -> Int {
    let count = source[i] >= 0xF0 ? 4 : source[i] >= 0xE0 ? 3 : source[i] >= 0xC0 ? 2 : 1
    let piece = source[i..<min(i + count, source.count)]
    let scalar = String(bounded: piece).unicodeScalars.first
    if scalar.map({ FoldedText.isLetter($0) }) ?? true {
      result.append(contentsOf: piece)
    } else if result.last != separator {
      result.append(separator)
    }
    return piece.count
  }

  /// The name without the underscores at its ends.
  package var text: String { String(bounded: bytes.dropFirst().dropLast()) }

  var isEmpty: Bool { bytes.count <= 2 }

  /// The name without any underscore: `Select Photos…` and `selectPhotos` are one.
  var letters: String { String(bounded: bytes.lazy.filter { $0 != Self.separator }) }

  /// The words that the name is made of; digits are words of their own, so that `ios18Prompt` has three.
  var words: [String] {
    var result: [String] = []
    for word in bytes.split(separator: Self.separator) {
      var start = word.startIndex
      for i in word.indices.dropFirst() where Self.isDigit(word[i]) != Self.isDigit(word[i - 1]) {
        result.append(String(bounded: word[start..<i]))
        start = i
      }
      result.append(String(bounded: word[start...]))
    }
    return result
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
}

/// One form for what people and phones write in many: apostrophes, dashes, full-width and other compatibility forms, signs
/// without width. iOS writes "Don’t Allow" with U+2019; whoever compares bytes reads something else than a denial.
enum FoldedText {
  /// The text in Unicode's compatibility form (NFKC) with its case kept, all apostrophes as `'`, all dashes as `-`, all
  /// whitespace as a space, and without characters of no width. Plain ASCII does not change.
  static func folded(_ text: [UInt8]) -> [UInt8] {
    let named = text.contains { $0 >= 0x80 || $0 == 0x26 || $0 == 0x25 || $0 == 0x5C } ? apostrophes(text) : text
    guard named.contains(where: { $0 >= 0x80 }) else { return named }
    return mapped(
      bounded(named),
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_IGNORE.rawValue
        | UTF8PROC_LUMP.rawValue) ?? named
  }

  /// The text in one case, for texts with letters beyond ASCII.
  static func caseless(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x80 }) else { return text }
    return mapped(text, UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue) ?? text
  }

  /// utf8proc sorts combining marks as Swift does. What is not UTF-8 it refuses itself.
  private static func bounded(_ text: [UInt8]) -> [UInt8] {
    guard text.count > BoundedText.free, let string = String(validating: text, as: UTF8.self)?.bounded else {
      return text
    }
    return Array(string.utf8)
  }

  /// nil if the text is not UTF-8 or there is no memory; then it is compared unchanged.
  private static func mapped(_ text: [UInt8], _ options: UInt32) -> [UInt8]? {
    var result: UnsafeMutablePointer<UInt8>?
    let count = text.withUnsafeBufferPointer { bytes in
      utf8proc_map(bytes.baseAddress, bytes.count, &result, utf8proc_option_t(rawValue: options))
    }
    defer { free(result) }
    guard count >= 0, let result else { return nil }
    return Array(UnsafeBufferPointer(start: result, count: count))
  }

  /// Characters used as an apostrophe, and its forms after a page, an address, a program's source, or a reader that
  /// took UTF-8 for Windows-1252.
  private static let disguises: [[UInt8]] = [
    "\u{2019}", "\u{2018}", "\u{201B}", "\u{00B4}", "\u{2032}", "\u{2035}", "\u{02BC}", "\u{FF07}", "\u{FF40}",
    "\u{A78C}",
    "\u{055A}", "&#39;", "&#039;", "&#x27;", "&apos;", "&rsquo;", "&lsquo;", "&#8217;", "&#x2019;", "%27", "%E2%80%99",
    "%e2%80%99", "\\u2019", "\\u0027", "\\'", "\u{00E2}\u{20AC}\u{2122}", "\u{00E2}\u{0080}\u{0099}",
  ].map { Array($0.utf8) }

  private static func apostrophes(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var i = 0
    while i < text.count {
      if let found = disguises.first(where: { text[i...].starts(with: $0) }) {
        result.append(0x27)
        i += found.count
      } else {
        result.append(text[i])
        i += 1
      }
    }
    return result
  }

  /// Whether it is a sign of mathematics, like `≠` and `∄`.
  static func isSign(_ scalar: Unicode.Scalar) -> Bool {
    utf8proc_category(Int32(bitPattern: scalar.value)) == UTF8PROC_CATEGORY_SM
  }

  /// Whether it is a letter or digit beyond ASCII, not a separator between words.
  static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    let category = utf8proc_category(Int32(bitPattern: scalar.value))
    switch category {
    case UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_LO,
      UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL,
      UTF8PROC_CATEGORY_NO, UTF8PROC_CATEGORY_SO, UTF8PROC_CATEGORY_CN, UTF8PROC_CATEGORY_CO:
      return true
    default: return false
    }
  }
}
