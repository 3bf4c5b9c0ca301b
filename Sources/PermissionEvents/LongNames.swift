// Names from outside may be of any length, and messages quote them.

/// Cuts names that nobody would read to their end.
public enum LongNames {
  /// Bytes without a blank from which on a name is cut: no path of a file is longer, nor any name that a log has.
  private static let longest = 4096
  /// Bytes that stay.
  private static let shown = 80

  /// The text with each such name cut to its beginning and its size: `aaaa… (40000 bytes)`.
  public static func cut(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    var result: [UInt8] = []
    for (number, word) in text.utf8.split(separator: 0x20, omittingEmptySubsequences: false).enumerated() {
      if number > 0 { result.append(0x20) }
      guard word.count > longest else {
        result += word
        continue
      }
      var end = word.index(word.startIndex, offsetBy: shown)
      // Not within a character.
      while end > word.startIndex, word[end] & 0xC0 == 0x80 { end = word.index(before: end) }
      result += word[..<end]
      result += Array("… (\(word.count) bytes)".utf8)
    }
    return String(bounded: result)
  }

  /// Names as a sentence lists them, at most 20.
  /// - Parameter more: where the others are, after their number; may be empty.
  public static func list(_ names: [String], more: String = "") -> String {
    let most = 20
    let rest = names.count - most
    return names.prefix(most).map(cut).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" + more : "")
  }
}
