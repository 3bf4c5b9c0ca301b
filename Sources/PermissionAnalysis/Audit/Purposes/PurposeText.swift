// The problems of a usage sentence as a text. docs/info-plist.md has the rules in words.

/// A usage sentence, looked at as it is: nothing is known of the app.
struct PurposeText {
  /// Without spaces and invisible characters at both ends.
  let trimmed: String
  /// `trimmed` without variables.
  private let spoken: String
  /// Whether the text has a variable other than the app's name, so it is known only when the app is built.
  private let isUnknown: Bool

  /// Fewest characters of a sentence that gives a reason.
  static let fewest = 20
  /// The same of texts in Chinese, Japanese and Korean, where a character carries as much as two or three letters.
  static let fewestDense = 10

  /// Code points that are looked at of a longer text: no sentence is as long, and a file can have one text under very many keys.
  private static let most = 1_000

  /// Only spaces and invisible characters.
  var isEmpty: Bool { trimmed.isEmpty }

  init(_ text: String) {
    trimmed = Self.trim(String(text.unicodeScalars.prefix(Self.most)))
    let parts = Self.parts(trimmed)
    spoken = Self.trim(parts.spoken)
    isUnknown = parts.variables.contains { !$0.uppercased().contains("NAME") }
  }

  /// - Parameter inEnglish: whether the rules that look for English words apply.
  /// - Returns: nil if there is no problem.
  func problem(inEnglish: Bool) -> PurposeFinding.Reason? {
    if trimmed.isEmpty { return .isEmpty }
    if isUnknown { return nil }
    if spoken.isEmpty || isKeyOfATable { return .isPlaceholder }
    if inEnglish, isPlaceholder { return .isPlaceholder }
    if inEnglish, saysNoReason { return .saysNoReason }
    let count = spoken.count
    return count < (isDense ? Self.fewestDense : Self.fewest) ? .isShort(characters: count) : nil
  }

  /// Whether it is the key of a table of translations that nothing was found for, like `cameraPermissionText` or `camera.permission.text`.
  private var isKeyOfATable: Bool {
    let signs = Array(spoken.utf8)
    guard signs.count >= 8, signs.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    func isLetter(_ sign: UInt8) -> Bool { (0x41...0x5A).contains(sign & 0xDF) || (0x30...0x39).contains(sign) }
    return signs.indices.dropFirst().contains { place in
      let (before, sign) = (signs[place - 1], signs[place])
      if (0x61...0x7A).contains(before), (0x41...0x5A).contains(sign) { return true }
      let isBetween = isLetter(before) && place + 1 < signs.count && isLetter(signs[place + 1])
      return isBetween && (sign == UInt8(ascii: ".") || sign == UInt8(ascii: "_"))
    }
  }

  /// Whether it is text that a template, a guide or Xcode has instead of a reason.
  private var isPlaceholder: Bool {
    // An app may be called Todo, but no app is called TODO.
    if ["TODO", "FIXME", "TBD", "XXX"].contains(where: {
      spoken == $0 || spoken.hasPrefix($0 + ":") || spoken.hasPrefix($0 + " ")
    }) {
      return true
    }
    let text = spoken.lowercased()
    let bare = text.filter { $0.isLetter || $0.isNumber || $0 == " " }
    if Self.fillers.contains(Self.trim(bare)) || !text.contains(where: \.isLetter) { return true }
    if text.hasPrefix("replace with") || Self.templates.contains(where: { text.contains($0) }) { return true }
    // A real sentence may contain "your text here". In a longer one only a preceding "insert" is certain.
    let words = text.split { !$0.isLetter && !$0.isNumber }
    return Self.blanks.contains { text.contains($0) }
      && (words.count <= Self.mostWordsOfABlank || words.contains("insert"))
  }

  /// "Your description about the camera here".
  private static let mostWordsOfABlank = 6

  private static let fillers: Set<String> = [
    "todo", "tbd", "fixme", "test", "testing", "string", "text", "description", "usage description", "placeholder",
    "permission", "reason", "purpose", "message", "none", "na", "asdf", "foo", "bar", "abc", "your text",
    "your description", "your message", "your reason", "some text", "empty", "null", "nil", "required", "not used",
    "unused",
  ]

  private static let templates = [
    "lorem ipsum", "usage description", "usagedescription", "description about why", "insert reason", "<#", "#>",
  ]
  private static let blanks = ["description here", "reason here", "reason_here", "message here", "text here"]

  /// Whether it says that access is needed, but not why, and no sentence says anything else. Fewer than three words say nothing.
  private var saysNoReason: Bool {
    let sentences = spoken.lowercased().replacing("’", with: "'").split { ".!?\n。".contains($0) }.map { sentence in
      sentence.split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map(String.init)
    }
    let said = sentences.filter { $0.count > 2 || Self.need($0) != nil }
    return !said.isEmpty && said.allSatisfy(Self.saysNoReason)
  }

  /// Of one sentence: words for that, few words after them, and no word that begins a reason anywhere else.
  private static func saysNoReason(_ words: [String]) -> Bool {
    guard let need = need(words) else { return false }
    let before = words[..<need.words.lowerBound]
    var after = words[need.words.upperBound...]
    if need.isOfAThing { after = after.drop { $0 == "to" || $0 == "of" } }
    return after.count <= mostWordsOfAThing && !before.contains(where: reasons.contains)
      && !after.contains(where: reasons.contains)
  }

  /// "your camera and your photo library". A longer rest is something else.
  private static let mostWordsOfAThing = 8

  private static let reasons: Set<String> = [
    "to", "for", "so", "because", "when", "while", "if", "since", "as", "that", "which", "by", "during", "allows",
    "lets", "enables", "with",
  ]

  /// Where words like "needs access", "would like to use", "needs camera access" or "access is required" are.
  /// - Returns: also whether a "to" after them belongs to the access: "needs access to your camera".
  private static func need(_ words: [String]) -> (words: Range<Int>, isOfAThing: Bool)? {
    func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
    for start in words.indices {
      if nouns.contains(word(start)) {
        let demand = start + (["is", "are"].contains(word(start + 1)) ? 2 : 1)
        if demands.contains(word(demand)) { return (start..<demand + 1, false) }
      }
      let isWish = word(start + 1) == "like" && (word(start) == "would" || word(start).hasSuffix("'d"))
      guard isWish || needs.contains(word(start)) else { continue }
      let next = start + (isWish ? 2 : 1)
      if nouns.contains(word(next)) { return (start..<next + 1, true) }
      if word(next) == "to", ["access", "use"].contains(word(next + 1)) { return (start..<next + 2, false) }
      if nouns.contains(word(next + 1)) { return (start..<next + 2, false) }
    }
    return nil
  }

  private static let nouns: Set<String> = ["access", "permission", "permissions"]
  private static let demands: Set<String> = ["required", "needed", "necessary"]
  private static let needs: Set<String> = [
    "need", "needs", "require", "requires", "want", "wants", "request", "requests", "requesting", "must", "allow",
    "give", "grant",
  ]

  /// At least half of its letters are Chinese, Japanese or Korean.
  private var isDense: Bool {
    let letters = spoken.unicodeScalars.filter { $0.properties.isAlphabetic }
    return 2 * letters.count(where: Self.isDense) >= letters.count && !letters.isEmpty
  }

  private static func isDense(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x11FF, 0x3040...0x30FF, 0x3130...0x318F, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }

  private static func trim(_ text: String) -> String {
    func isBlank(_ character: Character) -> Bool {
      character.isWhitespace
        || character.unicodeScalars.allSatisfy {
          $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
            || $0.properties.generalCategory == .control
        }
    }
    let rest = text.drop(while: isBlank)
    guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(rest[...last])
  }

  /// The text without `$(NAME)` and `${NAME}`, and the names.
  private static func parts(_ text: String) -> (spoken: String, variables: [String]) {
    var spoken = ""
    var variables: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "$") {
      spoken += rest[..<start]
      let after = rest[start...].dropFirst()
      let close: Character? = after.first == "(" ? ")" : after.first == "{" ? "}" : nil
      if let close, let end = after.firstIndex(of: close) {
        variables.append(String(after[..<end].dropFirst()))
        rest = after[end...].dropFirst()
      } else {
        spoken += "$"
        rest = after
      }
    }
    return (spoken + rest, variables)
  }
}
