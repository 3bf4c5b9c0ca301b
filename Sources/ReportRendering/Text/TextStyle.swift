// How text is drawn: the width, colour, and whether signs beyond ASCII are to be used.

import PermissionEvents

public struct TextStyle: Sendable {
  /// Columns that a line may take.
  public var width: Int
  public var hasColor: Bool
  /// Only bytes of ASCII, for terminals and files that can do no more.
  public var isASCII: Bool

  /// For what is left to the program that shows the text.
  public var words: RemedyWords

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

  /// True if tables may take more columns than a narrow terminal has.
  var isWide: Bool { width >= 110 }

  /// For a number that is not known. Never 0.
  var unknown: String { isASCII ? "n/a" : "–" }

  /// Title of a column of those who gave no answer, in a comparison.
  var noAnswer: String { isWide ? "no answer" : "none" }

  /// The text as it may be shown: no control or hidden characters (names come from outside), and in ASCII if
  /// asked. A no-break space stays, and becomes a space when the line is written.
  package func legible(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var out = ""
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      defer { before = scalar }
      if Self.isHidden(scalar, after: before) {
        out += isASCII ? "?" : "\u{FFFD}"
      } else if !isASCII || scalar.isASCII || scalar == "\u{A0}" {
        out.unicodeScalars.append(scalar)
      } else {
        out += Self.ascii(scalar)
      }
    }
    return out
  }

  /// Characters that would move the cursor, reorder the line or vanish. Joiners are parts of words in the scripts that join, and of emoji; a
  /// selector chooses how the sign before it is drawn.
  static func isHidden(_ scalar: Unicode.Scalar, after before: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar {
    // Latin, Greek and Cyrillic letters lie below those of scripts that join.
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

/// How a piece of text is set off. Colour is never alone: a sign says the same.
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
