// How many columns text takes on a terminal: East Asian wide characters and emoji two, combining marks none.

enum DisplayWidth {
  /// Columns of a text.
  static func of(_ text: String) -> Int {
    var width = 0
    for character in text { width += of(character) }
    return width
  }

  static func of(_ character: Character) -> Int {
    if character.isASCII { return 1 }
    let scalars = character.unicodeScalars
    if scalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }) { return 2 }
    return scalars.reduce(0) { $0 + of($1) }
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // Vowels and final consonants of a Hangul syllable written in parts.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// Wide and Fullwidth blocks of Unicode's East Asian Width (UAX #11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]

  /// The text, cut to a width; what is left of a cut one ends with `mark`.
  static func cut(_ text: String, to width: Int, mark: String) -> String {
    guard of(text) > width else { return text }
    let room = width - of(mark)
    guard room > 0 else { return String(repeating: ".", count: max(0, width)) }
    var out = ""
    var used = 0
    for character in text {
      used += of(character)
      if used > room { break }
      out.append(character)
    }
    return out + mark
  }

  /// The text in parts that are no wider than a width.
  static func parts(_ text: String, of width: Int) -> [String] {
    guard of(text) > width else { return [text] }
    var parts = [""]
    var used = 0
    for character in text {
      let own = of(character)
      if used > 0, used + own > width {
        parts.append("")
        used = 0
      }
      parts[parts.count - 1].append(character)
      used += own
    }
    return parts
  }

  /// The text, cut in the middle to a width: names often differ at their ends.
  static func cutMiddle(_ text: String, to width: Int, mark: String) -> String {
    guard of(text) > width else { return text }
    let head = (width - of(mark)) / 2
    var tail = ""
    var used = 0
    for character in text.reversed() {
      used += of(character)
      if used > width - of(mark) - head { break }
      tail.insert(character, at: tail.startIndex)
    }
    return cut(text, to: head + of(mark), mark: mark) + tail
  }

  static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  static func padLeft(_ text: String, to width: Int) -> String { spaces(width - of(text)) + text }

  static func padRight(_ text: String, to width: Int) -> String { text + spaces(width - of(text)) }
}
