// Text from exports and property lists within our sentences: on one line, harmless, and not too long.

enum AuditQuote {
  private static let longestName = 60
  private static let longestText = 160

  /// A text in quotation marks.
  static func text(_ text: String) -> String { "\"" + DisplayWidth.cut(line(text), to: longestText, mark: "…") + "\"" }

  /// The name of a permission, a file or a key; its middle goes if it is long.
  static func name(_ name: String) -> String {
    DisplayWidth.cutMiddle(line(name), to: longestName, mark: "…")
  }

  /// The id of a user, whole: people copy it to look the user up.
  static func id(_ id: String) -> String { TextStyle.plain.legible(id) }

  /// Names in their order, the first of them if they are many.
  static func names(_ names: [String], most: Int = 8) -> String {
    let shown = names.prefix(most).map(name).joined(separator: ", ")
    return names.count > most ? shown + " and \(NumberText.count(names.count - most)) more" : shown
  }

  /// No name has more characters that count.
  private static func line(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(4 * longestText)
    var line = ""
    for scalar in start {
      let isBlank = scalar.properties.isWhitespace
      // Blanks together are one.
      if isBlank, line.last == " " { continue }
      line.unicodeScalars.append(isBlank ? " " : scalar)
    }
    if start.endIndex < text.unicodeScalars.endIndex { line += "…" }
    return TextStyle.plain.legible(line)
  }
}
