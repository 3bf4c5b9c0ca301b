// One form for what people and phones write in many: apostrophes, dashes, full-width and other compatibility forms, signs
// without width. iOS writes "Don’t Allow" with U+2019; whoever compares bytes reads something else than a denial.

import CUTF8Proc

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum FoldedText {
  /// The text in Unicode's compatibility form (NFKC) with its case kept, all apostrophes as `'`, all dashes as `-`, all
  /// blanks as a space, and without signs that have no width. Plain ASCII comes out as it is.
  static func folded(_ text: [UInt8]) -> [UInt8] {
    let named = text.contains { $0 >= 0x80 || $0 == 0x26 || $0 == 0x25 || $0 == 0x5C } ? apostrophes(text) : text
    guard named.contains(where: { $0 >= 0x80 }) else { return named }
    return mapped(
      named,
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_IGNORE.rawValue
        | UTF8PROC_LUMP.rawValue) ?? named
  }

  /// The text in one case, for texts with letters beyond ASCII.
  static func caseless(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x80 }) else { return text }
    return mapped(text, UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue) ?? text
  }

  /// nil if the text is not UTF-8 or there is no memory; then it is compared as it is.
  private static func mapped(_ text: [UInt8], _ options: UInt32) -> [UInt8]? {
    var result: UnsafeMutablePointer<UInt8>?
    let count = text.withUnsafeBufferPointer { bytes in
      utf8proc_map(bytes.baseAddress, bytes.count, &result, utf8proc_option_t(rawValue: options))
    }
    defer { free(result) }
    guard count >= 0, let result else { return nil }
    return Array(UnsafeBufferPointer(start: result, count: count))
  }

  /// Signs that stand for an apostrophe, and what becomes of one on its way through a page, an address, a program's
  /// source, or a reader that took UTF-8 for Windows-1252.
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

  /// True for a sign of mathematics, as `≠` and `∄`.
  static func isSign(_ scalar: Unicode.Scalar) -> Bool {
    utf8proc_category(Int32(bitPattern: scalar.value)) == UTF8PROC_CATEGORY_SM
  }

  /// True for a letter or digit beyond ASCII, as against a sign between words.
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
