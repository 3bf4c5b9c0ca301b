// Names of files that carry a number: a word and sixteen hexadecimal digits in lower case.

enum FileName {
  static func make(_ word: String, _ id: UInt64) -> String {
    word + "-" + digits(id)
  }

  /// Sixteen hexadecimal digits.
  static func digits(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The number in a name with that word; nil where the name is another.
  static func id(_ name: String, word: String) -> UInt64? {
    guard name.hasPrefix(word + "-") else { return nil }
    let digits = name.utf8.dropFirst(word.utf8.count + 1)
    guard digits.count == 16,
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return UInt64(Substring(digits), radix: 16)
  }
}
