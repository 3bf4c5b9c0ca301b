// Text for Markdown as GitHub reads it (GFM), with as few escapes as it takes: chats show them as they stand.

enum MarkdownText {
  /// One line of text that formats nothing, links nowhere and calls nobody.
  static func escape(_ text: String) -> String {
    let scalars = Array(TextStyle.plain.legible(text).unicodeScalars)
    var out = String.UnicodeScalarView()
    for (i, scalar) in scalars.enumerated() {
      let next = i + 1 < scalars.count ? scalars[i + 1] : nil
      if isMarkup(scalar, before: i > 0 ? scalars[i - 1] : nil, after: next) { out.append("\\") }
      out.append(scalar)
      if isReference(scalars, i) { out.append(invisible) }
    }
    return String(out)
  }

  /// A zero-width space: breaks what is recognised as a mention, a number of an issue or an address.
  private static let invisible: Unicode.Scalar = "\u{200B}"

  /// True for signs that mean something where they stand.
  private static func isMarkup(
    _ scalar: Unicode.Scalar, before: Unicode.Scalar?, after: Unicode.Scalar?
  ) -> Bool {
    switch scalar {
    case "\\", "`", "*", "|", "~", "$": true
    // Within a word it is an underscore.
    case "_": !(isWord(before) && isWord(after))
    // Tags and addresses begin with these; elsewhere it is the sign for less.
    case "<": after.map { isWord($0) || $0 == "/" || $0 == "!" || $0 == "?" } ?? false
    case "&": after.map { isWord($0) || $0 == "#" } ?? false
    // A link, an image or a footnote needs one of these behind its bracket.
    case "]": after == "(" || after == "[" || after == ":"
    default: false
    }
  }

  private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
    scalar?.properties.isAlphabetic ?? false || isDigit(scalar)
  }

  private static func isDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ("0"..."9").contains($0) } ?? false }

  /// `@name`, `#123`, `https://…`, `www.…`.
  private static func isReference(_ scalars: [Unicode.Scalar], _ i: Int) -> Bool {
    let next = i + 1 < scalars.count ? scalars[i + 1] : nil
    switch scalars[i] {
    case "@": return isWord(next)
    case "#": return isDigit(next)
    case ":": return next == "/"
    case "w", "W": return next == "." && i >= 2 && scalars[i - 2...i].allSatisfy { $0 == "w" || $0 == "W" }
    default: return false
    }
  }
}
