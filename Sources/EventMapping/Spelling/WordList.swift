// Words that are looked for in names, made ready once: every new name of an export is compared with all of them.

/// A list of words, or of words joined by underscores, in normal form.
struct WordList: ExpressibleByArrayLiteral, Sendable {
  /// The words with an underscore at both ends, as they stand in a `NormalName`.
  private let needles: [[UInt8]]

  init(_ words: [String]) { needles = words.map { [0x5F] + Array($0.utf8) + [0x5F] } }
  init(arrayLiteral words: String...) { self.init(words) }

  static func + (a: WordList, b: WordList) -> WordList { WordList(needles: a.needles + b.needles) }
  private init(needles: [[UInt8]]) { self.needles = needles }

  /// The single words of the list.
  var single: Set<ArraySlice<UInt8>> { Set(needles.flatMap { $0.split(separator: 0x5F) }) }

  func isIn(_ name: UnsafeBufferPointer<UInt8>) -> Bool { needles.contains { Self.stands($0, in: name) } }

  private static func stands(_ needle: [UInt8], in name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard needle.count <= name.count else { return false }
    for start in 0...name.count - needle.count where name[start] == 0x5F && name[start + 1] == needle[1] {
      var i = 2
      while i < needle.count, name[start + i] == needle[i] { i += 1 }
      if i == needle.count { return true }
    }
    return false
  }
}
