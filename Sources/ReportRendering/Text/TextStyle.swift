// How text is drawn: the width, colour, and whether signs beyond ASCII are to be used.

import PermissionEvents

public struct TextStyle: Sendable {
  /// The number of columns of a line.
  public var width: Int
  public var hasColor: Bool
  /// Whether only ASCII is used, for terminals and files that support no more.
  public var isASCII: Bool

  /// The words of the program that shows the text.
  public var words: RemedyWords
  /// The site that a page of HTML is part of; nil for a page alone. The other forms do not use it.
  public var frame: PageFrame?

  public init(
    width: Int = 80, hasColor: Bool = false, isASCII: Bool = false, words: @escaping RemedyWords = { $0.advice }
  ) {
    self.width = width
    self.hasColor = hasColor
    self.isASCII = isASCII
    self.words = words
  }

  /// For names in forms that have no width.
  static let plain = TextStyle()

  /// Whether tables may take more columns than a narrow terminal has.
  var isWide: Bool { width >= 110 }

  /// For a number that is not known. Never 0.
  var unknown: String { isASCII ? "n/a" : "–" }

  /// Title of a column of those who gave no answer, in a comparison.
  var noAnswer: String { isWide ? "no answer" : "none" }

  /// Returns the text with control and hidden characters as code points (names come from outside, and two that differ in such a
  /// character alone must not look alike), and in ASCII if requested. A no-break space is kept until the line is written as a space.
  package func legible(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var out = ""
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      defer { before = scalar }
      if Self.isHidden(scalar, after: before) {
        out += Self.codePoint(scalar)
      } else if !isASCII || scalar.isASCII || scalar == "\u{A0}" {
        out.unicodeScalars.append(scalar)
      } else {
        out += Self.ascii(scalar)
      }
    }
    return out
  }

  /// `\u{200B}`.
  static func codePoint(_ scalar: Unicode.Scalar) -> String {
    "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }

  /// Characters that would move the cursor, reorder the line or vanish. Joiners are parts of words in the scripts that join, and of emoji; a
  /// selector chooses how the sign before it is drawn.
  static func isHidden(_ scalar: Unicode.Scalar, after before: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar {
    // Latin, Greek and Cyrillic letters come before the letters of joining scripts.
    case "\u{200C}", "\u{200D}": return before.value < 0x590
    case "\u{FE0F}" where "0123456789#*©®".unicodeScalars.contains(before): return false
    case "\u{FE00}"..."\u{FE0F}": return before.value < 0x1000
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func ascii(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "–", "−", "─": "-"
    case "…": "..."
    case "·": "|"
    case "▲", "▼": "*"
    case "∞": "inf"
    case "±": "+/-"
    case "×": "x"
    case "α": "alpha"
    case "ʳ": "^r"
    case "≤": "<="
    case "≥": ">="
    case "√": "sqrt"
    case "Σ": "sum "
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}

/// How a piece of text is set off. Colour is never the only mark: a sign has the same meaning.
enum TextTone: Sendable {
  case plain, strong, faint, good, bad

  /// The parameter of the terminal's SGR sequence (ECMA-48, 8.3.117).
  var code: String? {
    switch self {
    case .plain: nil
    case .strong: "1"
    case .faint: "2"
    case .good: "32"
    case .bad: "31"
    }
  }
}

// MARK: How many columns text takes on a terminal: East Asian wide characters and emoji two, combining marks none

enum DisplayWidth {
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

  /// Returns the text cut to a width. A cut text ends with `mark`.
  static func cut(_ text: String, to width: Int, mark: String) -> String {
    guard of(text) > width else { return text }
    let room = width - of(mark)
    guard room > 0 else { return String(repeating: ".", count: max(0, width)) }
    return text.prefix(fitting(text, room)) + mark
  }

  /// How many characters are no wider than a width.
  private static func fitting(_ text: some Sequence<Character>, _ width: Int) -> Int {
    var used = 0
    return text.prefix {
      used += of($0)
      return used <= width
    }.count
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
    let tail = text.suffix(fitting(text.reversed(), width - of(mark) - head))
    return cut(text, to: head + of(mark), mark: mark) + tail
  }

  static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  static func padLeft(_ text: String, to width: Int) -> String { spaces(width - of(text)) + text }

  static func padRight(_ text: String, to width: Int) -> String { text + spaces(width - of(text)) }
}
